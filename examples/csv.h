/* csv.h - what was measured, as comma-separated values for gnuplot, pandas and the like
 *
 * Part of servet.c.  Each section is one line of names, then lines of numbers that survive a round trip; what is not
 * known is an empty field.  Sizes are in bytes, times in ns or s as their names say, rates in bytes a second. */
#ifndef SERVET_CSV_H
#define SERVET_CSV_H

/* What is under way.  Silent: lines are only counted. */
static struct { int silent, begun; long lines; } csv_now;

static void csv_heading(const char *names)
{
    if (!csv_now.silent) puts(names);
}

static void csv_comma(void)
{
    if (!csv_now.silent && csv_now.begun) putchar(',');
    csv_now.begun = 1;
}

static void csv_end(void)
{
    if (!csv_now.silent) putchar('\n');
    csv_now.begun = 0;
    csv_now.lines++;
}

/* The fewest digits that give the same number again. */
static void csv_number(double x)
{
    int digits_;
    char text[40];
    csv_comma();
    if (csv_now.silent || x - x != 0) return;    /* no number: unknown */
    for (digits_ = 15; digits_ <= 17; digits_++) {
        snprintf(text, sizeof text, "%.*g", digits_, x);
        if (strtod(text, NULL) == x) break;
    }
    fputs(text, stdout);
}

/* 0 and below: not known. */
static void csv_known(double x)
{
    if (x > 0) csv_number(x);
    else csv_comma();
}

static void csv_three(double x, double lo, double hi)
{
    csv_known(x);
    csv_known(x > 0 ? lo : 0);
    csv_known(x > 0 ? hi : 0);
}

static void csv_whole(long x)
{
    csv_comma();
    if (!csv_now.silent) printf("%ld", x);
}

static void csv_word(const char *text)
{
    csv_comma();
    if (csv_now.silent) return;
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, stdout);
        return;
    }
    for (putchar('"'); *text; text++) {
        if (*text == '"') putchar('"');
        putchar(*text);
    }
    putchar('"');
}

/* ---- caches, pages --------------------------------------------------------------------------- */

static void csv_caches(const servet_profile *p)
{
    int i;
    csv_heading("level,bytes,lo_bytes,hi_bytes,usual_bytes,ways,latency_ns,lo_ns,hi_ns,latency_cycles,method,"
                "unresolved,verdict");
    for (i = 0; i < p->cache_count; i++) {
        const servet_cache *c = &p->cache[i];
        csv_whole(i + 1);
        csv_three(c->bytes, c->lo_bytes, c->hi_bytes);
        csv_known(c->usual_bytes);
        csv_known(c->ways);
        csv_three(c->latency_ns, c->lo_ns, c->hi_ns);
        csv_known(c->latency_cycles);
        csv_word(servet_text(SERVET_TEXT_METHOD, c->method));
        csv_whole(c->unresolved);
        csv_word(servet_text(SERVET_TEXT_VERDICT, c->verdict));
        csv_end();
    }
}

static void csv_claims(const servet_profile *p)
{
    servet_finding found[SERVET_FINDINGS_MAX];
    const int n = servet_profile_check(found, SERVET_FINDINGS_MAX, p);
    int i;
    csv_heading("what,level,page_bytes,source,said,measured,lo,hi,verdict");
    for (i = 0; i < n; i++) {
        csv_word(servet_text(SERVET_TEXT_FINDING, found[i].what));
        csv_whole(found[i].level);
        csv_known(found[i].page_bytes);
        csv_word(servet_text(SERVET_TEXT_REPORT, found[i].source));
        csv_known(found[i].said);
        csv_three(found[i].measured, found[i].lo, found[i].hi);
        csv_word(servet_text(SERVET_TEXT_VERDICT, found[i].verdict));
        csv_end();
    }
}

static void csv_tlb_of(const servet_tlb *t, double page_bytes)
{
    int i;
    for (i = 0; i < t->count; i++) {
        const servet_tlb_level *l = &t->level[i];
        csv_known(page_bytes);
        csv_whole(i + 1);
        csv_three(l->entries, l->lo_entries, l->hi_entries);
        csv_three(l->penalty_ns, l->lo_ns, l->hi_ns);
        csv_end();
    }
}

static void csv_tlb(const servet_profile *p)
{
    csv_heading("page_bytes,level,entries,lo_entries,hi_entries,penalty_ns,lo_ns,hi_ns");
    csv_tlb_of(&p->tlb.small, p->host.page_bytes);
    csv_tlb_of(&p->tlb.large, p->host.huge_page_bytes);
}

static void csv_points(const servet_curve *c)
{
    int i;
    csv_heading("bytes,ns,lo_ns,hi_ns,samples,disturbed");
    for (i = 0; c && i < c->count; i++) {
        csv_number(c->point[i].bytes);
        csv_three(c->point[i].ns, c->point[i].lo_ns, c->point[i].hi_ns);
        csv_whole(c->point[i].samples);
        csv_whole(c->point[i].noisy);
        csv_end();
    }
}

static void csv_thin(const servet_profile *p) { csv_points(p->evidence ? &p->evidence->thin : NULL); }
static void csv_curve(const servet_profile *p) { csv_points(p->evidence ? &p->evidence->curve : NULL); }
static void csv_prefetched(const servet_profile *p) { csv_points(p->evidence ? &p->evidence->prefetched : NULL); }

static void csv_samples(const servet_profile *p)
{
    const servet_curve *c = p->evidence ? &p->evidence->curve : NULL;
    int i, k;
    csv_heading("bytes,round,ns,anchor_cycles,flags");
    for (i = 0; c && i < c->count; i++)
        for (k = 0; k < c->point[i].samples && k < SERVET_SAMPLES_MAX; k++) {
            csv_number(c->point[i].bytes);
            csv_whole(c->point[i].round[k]);
            csv_number(c->point[i].sample_ns[k]);
            csv_known(c->point[i].anchor_cycles[k]);
            csv_whole(c->point[i].flags[k]);
            csv_end();
        }
}

/* A line for each pass; the first of a run fills the level, the others verify. */
static void csv_counts(const servet_profile *p)
{
    int i, k, n;
    csv_heading("kind,unit_bytes,large,count,run,pass,asked,kept,walks,resident_votes,evicted_votes,resident_ns,"
                "evicted_ns,limit_ns,disturbed_frac,full");
    for (i = 0; p->evidence && i < p->evidence->counts; i++) {
        const servet_count *c = &p->evidence->count[i];
        for (k = 0; k < c->runs; k++)
            for (n = 0; n < c->run[k].passes; n++) {
                const servet_count_run *r = &c->run[k];
                csv_word(c->kind == SERVET_COUNT_TLB ? "tlb" : "cache");
                csv_number(c->unit_bytes);
                csv_whole(c->large);
                csv_whole(i + 1);
                csv_whole(k + 1);
                csv_whole(n + 1);
                csv_whole(r->pass[n].asked);
                csv_whole(r->pass[n].kept);
                csv_whole(r->pass[n].walks);
                csv_whole(r->pass[n].resident_votes);
                csv_whole(r->pass[n].evicted_votes);
                csv_known(r->resident_ns);
                csv_known(r->evicted_ns);
                csv_known(r->limit_ns);
                csv_number(r->disturbed_frac);
                csv_whole(r->full);
                csv_end();
            }
    }
}

/* Of each draw the blocks in the order in which they were read first, in as many parts. */
static void csv_draw(const servet_resident_point *q, int draw)
{
    int k;
    for (k = 0; k < SERVET_RESIDENT_BINS; k++) {
        csv_whole(draw);
        csv_number(q->bytes);
        csv_whole(k + 1);
        csv_known(q->ns[k]);
        csv_known(q->anchor_cycles);
        csv_whole(q->flags);
        csv_end();
    }
}

static void csv_resident(const servet_profile *p)
{
    int i;
    csv_heading("draw,bytes,part,ns,anchor_cycles,flags");
    for (i = 0; p->evidence && i < p->evidence->resident.count; i++)
        csv_draw(&p->evidence->resident.point[i], i + 1);
}

static void csv_line(const servet_profile *p)
{
    const servet_line_evidence *e = p->evidence ? &p->evidence->line_pairs : NULL;
    int i;
    csv_heading("test,base_bytes,apart_bytes,ns,samples");
    for (i = 0; e && i < e->count; i++) {
        csv_word(e->point[i].test == SERVET_LINE_FAR ? "far" : "near");
        csv_whole(e->point[i].base_bytes);
        csv_whole(e->point[i].apart_bytes);
        csv_known(e->point[i].ns);
        csv_whole(e->point[i].samples);
        csv_end();
    }
}

static void csv_survival(const servet_profile *p)
{
    int i, k;
    csv_heading("bytes,age_ns,frac,lo_frac,hi_frac,quiet_frac,busy_frac");
    for (i = 0; i < p->survival_count; i++)
        for (k = 0; k < p->survival[i].waits; k++) {
            const servet_survival *s = &p->survival[i];
            csv_number(s->bytes);
            csv_number(s->age_ns[k]);
            csv_number(s->frac[k]);
            csv_number(s->lo_frac[k]);
            csv_number(s->hi_frac[k]);
            csv_number(s->quiet_frac[k]);
            csv_number(s->busy_frac[k]);
            csv_end();
        }
}

/* ---- bandwidth ------------------------------------------------------------------------------- */

static void csv_bandwidth(const servet_profile *p)
{
    int i;
    csv_heading("level,kernel,non_temporal,vector,cpus,bytes,bytes_per_s,lo_bytes_per_s,hi_bytes_per_s,"
                "allocate_bytes_per_s,samples,disturbed");
    for (i = 0; i < p->bandwidth.count; i++) {
        const servet_rate *r = &p->bandwidth.rate[i];
        csv_word(r->level < 0 ? "" : level_text(r->level).text);
        csv_word(servet_text(SERVET_TEXT_KERNEL, r->kernel));
        csv_whole(r->streaming);
        csv_word(servet_text(SERVET_TEXT_VECTOR, r->vector));
        csv_whole(r->cpus);
        csv_number(r->bytes);
        csv_three(r->bytes_per_s, r->lo_bytes_per_s, r->hi_bytes_per_s);
        csv_known(r->allocate_bytes_per_s);
        csv_whole(r->samples);
        csv_whole(r->noisy);
        csv_end();
    }
}

static void csv_streams(const servet_profile *p)
{
    static const char *const series[SERVET_SERIES] = { "kernels", "fill", "spread", "loaded", "stores", "nodes" };
    const servet_bandwidth *e = p->evidence ? &p->evidence->streams : NULL;
    int i, k;
    csv_heading("series,kernel,non_temporal,vector,cpus,node,cpu_node,bytes,chase_bytes,gap_ns,sample,bytes_per_s,"
                "chase_ns,flags");
    for (i = 0; e && i < e->count; i++)
        for (k = 0; k < e->point[i].samples && k < SERVET_SAMPLES_MAX; k++) {
            const servet_bandwidth_point *q = &e->point[i];
            csv_word(q->series >= 0 && q->series < SERVET_SERIES ? series[q->series] : "");
            csv_word(servet_text(SERVET_TEXT_KERNEL, q->kernel));
            csv_whole(q->streaming);
            csv_word(servet_text(SERVET_TEXT_VECTOR, q->vector));
            csv_whole(q->cpus);
            csv_whole(q->node);
            csv_whole(q->cpu_node);
            csv_number(q->bytes);
            csv_known(q->chase_bytes);
            csv_number(q->gap_ns);
            csv_whole(k + 1);
            csv_known(q->sample_bytes_per_s[k]);
            csv_known(q->sample_chase_ns[k]);
            csv_whole(q->flags[k]);
            csv_end();
        }
}

static void csv_growth(const servet_profile *p)
{
    int i, k;
    csv_heading("kernel,non_temporal,spread,bytes,cpus,bytes_per_s,lo_bytes_per_s,hi_bytes_per_s");
    for (i = 0; i < p->bandwidth.growths; i++)
        for (k = 0; k < p->bandwidth.growth[i].count; k++) {
            const servet_growth *g = &p->bandwidth.growth[i];
            csv_word(servet_text(SERVET_TEXT_KERNEL, g->kernel));
            csv_whole(g->streaming);
            csv_whole(g->spread);
            csv_number(g->bytes);
            csv_whole(g->cpus[k]);
            csv_three(g->bytes_per_s[k], g->lo_bytes_per_s[k], g->hi_bytes_per_s[k]);
            csv_end();
        }
}

static void csv_loaded(const servet_profile *p)
{
    int i;
    csv_heading("bytes_per_s,latency_ns,lo_ns,hi_ns");
    for (i = 0; i < p->bandwidth.loads; i++) {
        csv_number(p->bandwidth.loaded[i].bytes_per_s);
        csv_three(p->bandwidth.loaded[i].latency_ns, p->bandwidth.loaded[i].lo_ns, p->bandwidth.loaded[i].hi_ns);
        csv_end();
    }
}

static void csv_parallelism(const servet_profile *p)
{
    int i, k;
    csv_heading("bytes,cpus,line_bytes,chains,ns,lo_ns,hi_ns,samples,disturbed");
    for (i = 0; p->evidence && i < p->evidence->parallel_count; i++)
        for (k = 0; k < p->evidence->parallel[i].count; k++) {
            const servet_parallelism *c = &p->evidence->parallel[i];
            csv_number(c->bytes);
            csv_whole(c->cpus);
            csv_whole(c->line_bytes);
            csv_whole(c->point[k].chains);
            csv_three(c->point[k].ns, c->point[k].lo_ns, c->point[k].hi_ns);
            csv_whole(c->point[k].samples);
            csv_whole(c->point[k].noisy);
            csv_end();
        }
}

static void csv_chains(const servet_profile *p)
{
    int i;
    csv_heading("level,cpus,bytes,at_once,lo_at_once,hi_at_once,chains_90,lo_chains_90,hi_chains_90,bytes_per_s,"
                "lo_bytes_per_s,hi_bytes_per_s");
    for (i = 0; i < p->chains_count; i++) {
        const servet_mlp *m = &p->chains[i].mlp;
        csv_word(p->chains[i].level < 0 ? "" : level_text(p->chains[i].level).text);
        csv_whole(p->chains[i].cpus);
        csv_number(p->chains[i].bytes);
        csv_known(m->open ? 0 : m->mlp);
        csv_known(m->lo_mlp);
        csv_known(m->open ? 0 : m->hi_mlp);
        csv_three(m->k90, m->lo_k90, m->hi_k90);
        csv_three(m->bytes_per_s, m->lo_bytes_per_s, m->hi_bytes_per_s);
        csv_end();
    }
}

static void csv_stores(const servet_profile *p)
{
    int i;
    csv_heading("cpus,win_bytes,lo_bytes,hi_bytes,always,gain_frac");
    for (i = 0; i < p->streaming_count; i++) {
        csv_whole(p->streaming[i].cpus);
        csv_known(p->streaming[i].bytes);
        csv_known(p->streaming[i].lo_bytes);
        csv_known(p->streaming[i].hi_bytes);
        csv_whole(p->streaming[i].always);
        csv_number(p->streaming[i].gain_frac);
        csv_end();
    }
}

static void csv_nodes(const servet_profile *p)
{
    int i;
    csv_heading("cpu_node,node,cpus,latency_ns,lo_ns,hi_ns,load_bytes_per_s,triad_bytes_per_s,all_load_bytes_per_s,"
                "all_triad_bytes_per_s");
    for (i = 0; i < p->node_count; i++) {
        const servet_node_rate *r = &p->node[i];
        csv_whole(r->cpu_node);
        csv_whole(r->node);
        csv_whole(r->cpus);
        csv_three(r->latency_ns, r->lo_ns, r->hi_ns);
        csv_known(r->load_bytes_per_s);
        csv_known(r->triad_bytes_per_s);
        csv_known(r->all_load_bytes_per_s);
        csv_known(r->all_triad_bytes_per_s);
        csv_end();
    }
}

/* ---- several CPUs ---------------------------------------------------------------------------- */

static void csv_pairs(const servet_profile *p)
{
    static const char *const state[] = { "unmeasured", "sound", "disturbed" };
    const servet_cores *c = p->cores;
    int a, b, k;
    csv_heading("cpu_a,cpu_b,flags_ns,lo_flags_ns,hi_flags_ns,cas_ns,lo_cas_ns,hi_cas_ns,state");
    for (b = 1; c && b < c->count; b++)
        for (a = 0; a < b; a++) {
            const int at = SERVET_PAIRS_AT(a, b);
            csv_whole(c->cpu[a]);
            csv_whole(c->cpu[b]);
            for (k = 0; k < 2; k++) {
                const int kind = k ? SERVET_HANDOFF_CAS : SERVET_HANDOFF_FLAGS;
                const double ns = (double)c->ns[kind][at], half = c->doubt_permille[kind][at] * 1e-3;
                csv_known(ns);
                csv_known(half < 65 ? ns * (1 - half) : 0);
                csv_known(half < 65 ? ns * (1 + half) : 0);
            }
            csv_word(state[c->state[at] <= SERVET_CORES_CONTAMINATED ? c->state[at] : 0]);
            csv_end();
        }
}

static void csv_layers(const servet_profile *p)
{
    const servet_layers *l = &p->layers;
    int i, k;
    csv_heading("layer,latency_ns,lo_ns,hi_ns,cpu,group");
    for (i = 0; p->cores && i < l->count; i++)
        for (k = 0; k < l->cores && k < p->cores->count; k++) {
            if (l->group[i][k] < 0) continue;
            csv_whole(i + 1);
            csv_three(l->layer[i].latency_ns, l->layer[i].lo_ns, l->layer[i].hi_ns);
            csv_whole(p->cores->cpu[k]);
            csv_whole(l->group[i][k]);
            csv_end();
        }
}

static void csv_sharing(const servet_profile *p)
{
    const servet_sharing *x = p->sharing;
    int i, k;
    csv_heading("level,bytes,cpu,group,log_likelihood");
    for (i = 0; x && i < x->count; i++)
        for (k = 0; k < x->cpus; k++) {
            csv_whole(x->level[i].level);
            csv_known(x->level[i].bytes);
            csv_whole(x->cpu[k]);
            if (x->level[i].group[k] < 0 || x->level[i].status != SERVET_OK) csv_comma();
            else csv_whole(x->level[i].group[k]);
            csv_known(x->level[i].llr[k]);
            csv_end();
        }
}

static void csv_contention(const servet_profile *p)
{
    const servet_contention *c = p->contention;
    int a, b;
    csv_heading("cpu_a,cpu_b,bytes_per_s,reference_bytes_per_s,level");
    for (b = 1; c && b < c->cpus; b++)
        for (a = 0; a < b; a++) {
            const int at = SERVET_PAIRS_AT(a, b);
            csv_whole(c->cpu[a]);
            csv_whole(c->cpu[b]);
            csv_known((double)c->pair_bytes_per_s[at]);
            csv_known(c->reference_bytes_per_s);
            if (c->overhead[at] >= 0) csv_whole(c->overhead[at] + 1);
            else csv_word(c->overhead[at] == -1 ? "none" : "");
            csv_end();
        }
}

static void csv_scaling(const servet_profile *p)
{
    const servet_contention *c = p->contention;
    int i, k;
    csv_heading("domain,cpus,bytes_per_s,lo_bytes_per_s,hi_bytes_per_s");
    for (i = 0; c && i < c->scalings; i++)
        for (k = 0; k < c->scaling[i].count && k < SERVET_CONTENTION_COUNTS; k++) {
            const servet_contention_scaling *x = &c->scaling[i];
            csv_whole(x->domain);
            csv_whole(x->n[k]);
            csv_three(x->bytes_per_s[k], x->lo_bytes_per_s[k], x->hi_bytes_per_s[k]);
            csv_end();
        }
}

static void csv_coherence(const servet_profile *p)
{
    const servet_costs *c = p->coherence ? &p->coherence->costs : NULL;
    int i, k;
    csv_heading("operation,cpus,ns,lo_ns,hi_ns,slowest_ns,samples,disturbed");
    for (k = 0; c && k < SERVET_COST_OPERATIONS; k++)
        for (i = 0; i < c->count; i++) {
            const servet_cost_point *q = &c->point[k][i];
            csv_word(servet_text(SERVET_TEXT_OPERATION, k));
            csv_whole(q->cpus);
            csv_three(q->ns, q->lo_ns, q->hi_ns);
            csv_known(q->slowest_ns);
            csv_whole(q->samples);
            csv_whole(q->noisy);
            csv_end();
        }
}

static void csv_blocks(const servet_profile *p)
{
    int i, k;
    csv_heading("cpu_a,cpu_b,base_bytes,distance_bytes,ns,one_block,samples,disturbed");
    for (i = 0; p->coherence && i < p->coherence->blocks; i++)
        for (k = 0; k < p->coherence->block[i].count; k++) {
            const servet_block_point *q = &p->coherence->block[i].point[k];
            csv_whole(p->coherence->block[i].cpu[0]);
            csv_whole(p->coherence->block[i].cpu[1]);
            csv_whole(q->base_bytes);
            csv_whole(q->distance_bytes);
            csv_known(q->ns);
            if (q->told) csv_whole(q->told > 0);
            else csv_comma();
            csv_whole(q->samples);
            csv_whole(q->noisy);
            csv_end();
        }
}

static void csv_destructive(const servet_profile *p)
{
    int k;
    csv_heading("base_bytes,distance_bytes,slowdown,lo_slowdown,hi_slowdown,slows");
    for (k = 0; p->coherence && k < p->coherence->destructive.count; k++) {
        const servet_destructive_point *q = &p->coherence->destructive.point[k];
        csv_whole(q->base_bytes);
        csv_whole(q->distance_bytes);
        csv_number(q->slowdown);
        csv_number(q->lo_slowdown);
        csv_number(q->hi_slowdown);
        if (q->told) csv_whole(q->told > 0);
        else csv_comma();
        csv_end();
    }
}

static void csv_automaton(const servet_profile *p)
{
    int k;
    csv_heading("variation,workers,rows,columns,iterations,best_s,lo_s,hi_s,cells_per_s,net_cells_per_s,speedup,"
                "lo_speedup,hi_speedup,efficiency,lo_efficiency,hi_efficiency,serial_frac,lo_serial_frac,"
                "hi_serial_frac");
    for (k = 0; p->automaton && k < p->automaton->points; k++) {
        const servet_automaton_point *q = &p->automaton->point[k];
        const int several = q->best.workers > 1;
        csv_word(servet_text(SERVET_TEXT_VARIATION, q->best.variation));
        csv_whole(q->best.workers);
        csv_whole(q->best.rows);
        csv_whole(q->best.columns);
        csv_whole(q->best.iterations);
        csv_three(q->best_s, q->lo_s, q->hi_s);
        csv_known(q->act_per_s);
        csv_known(q->net_act_per_s);
        csv_three(q->speedup, q->lo_speedup, q->hi_speedup);
        csv_three(q->efficiency, q->lo_efficiency, q->hi_efficiency);
        csv_number(several ? q->serial_frac : HUGE_VAL);    /* no number: of one worker there is none */
        csv_number(several ? q->lo_serial_frac : HUGE_VAL);
        csv_number(several ? q->hi_serial_frac : HUGE_VAL);
        csv_end();
    }
}

/* ---- ranks of MPI ---------------------------------------------------------------------------- */

static void csv_network(const servet_profile *p)
{
    const servet_network *n = p->network;
    int i, k;
    csv_heading("rank_a,rank_b,layer,at_once,small_ns,small_lo_ns,small_hi_ns,trip_ns,trip_lo_ns,trip_hi_ns,stream_ns,"
                "stream_lo_ns,stream_hi_ns,flags");
    for (i = 0; n && i < n->pair_count; i++) {
        const servet_network_pair *q = &n->pair[i];
        const servet_trip *const trip[] = { &q->small, &q->trip, &q->stream };
        const int layer = servet_network_layer_of(n, q->a, q->b);
        csv_whole(q->a);
        csv_whole(q->b);
        if (layer >= 0) csv_whole(layer + 1);
        else csv_comma();
        csv_whole(q->at_once);
        for (k = 0; k < 3; k++) csv_three((double)trip[k]->median_ns, (double)trip[k]->lo_ns, (double)trip[k]->hi_ns);
        csv_whole(q->flags);
        csv_end();
    }
}

static void csv_message(const servet_message *m)
{
    csv_whole(m->samples);
    csv_three(m->samples > 0 ? m->median_ns : 0, m->lo_ns, m->hi_ns);
}

static void csv_sizes(const servet_profile *p)
{
    int i;
    csv_heading("layer,bytes,trips,trip_ns,trip_lo_ns,trip_hi_ns,streams,stream_ns,stream_lo_ns,stream_hi_ns,"
                "both_ways,both_ns,both_lo_ns,both_hi_ns");
    for (i = 0; p->network && i < p->network->size_count; i++) {
        const servet_network_size *s = &p->network->size[i];
        csv_whole(s->layer + 1);
        csv_number(s->bytes);
        csv_message(&s->trip);
        csv_message(&s->stream);
        csv_message(&s->both);
        csv_end();
    }
}

static void csv_loads(const servet_profile *p)
{
    static const char *const kind[] = { "apart", "from_one", "to_one" };
    int i;
    csv_heading("layer,kind,at_once,bytes,lasts,last_ns,last_lo_ns,last_hi_ns,means,mean_ns,mean_lo_ns,mean_hi_ns");
    for (i = 0; p->network && i < p->network->load_count; i++) {
        const servet_network_load *l = &p->network->load[i];
        csv_whole(l->layer + 1);
        csv_word(l->kind >= 0 && l->kind <= SERVET_LOAD_TO_ONE ? kind[l->kind] : "");
        csv_whole(l->at_once);
        csv_number(l->bytes);
        csv_message(&l->last);
        csv_message(&l->mean);
        csv_end();
    }
}

static void csv_ratios(const char *heading, const servet_network_ratio *r, int count)
{
    int i;
    csv_heading(heading);
    for (i = 0; i < count; i++) {
        csv_whole(r[i].which);
        csv_whole(r[i].senders);
        csv_three(r[i].bytes_per_s, r[i].lo_bytes_per_s, r[i].hi_bytes_per_s);
        csv_three(r[i].ratio, r[i].lo_ratio, r[i].hi_ratio);
        csv_whole(r[i].samples);
        csv_end();
    }
}

static void csv_distance(const servet_profile *p)
{
    csv_ratios("distance,senders,bytes_per_s,lo_bytes_per_s,hi_bytes_per_s,ratio,lo_ratio,hi_ratio,samples",
               p->network ? p->network->dist : NULL, p->network ? p->network->dist_count : 0);
}

static void csv_access(const servet_profile *p)
{
    csv_ratios("processes,senders,bytes_per_s,lo_bytes_per_s,hi_bytes_per_s,ratio,lo_ratio,hi_ratio,samples",
               p->network ? p->network->access : NULL, p->network ? p->network->access_count : 0);
}

static void csv_costs(const servet_profile *p)
{
    show_cost c[SHOW_COSTS + 2];
    int i, n = costs_of(c, p);
    csv_heading("part,seconds");
    for (i = 0; i < n; i++) {
        csv_word(c[i].part);
        csv_number(c[i].seconds);
        csv_end();
    }
}

/* ---- sections -------------------------------------------------------------------------------- */

static const struct csv_section { const char *name, *about; void (*print)(const servet_profile *p); } csv_sections[] = {
    { "caches", "levels, with what was found of each", csv_caches },
    { "claims", "what the system says against what was measured", csv_claims },
    { "tlb", "TLBs, by size of page", csv_tlb },
    { "thin", "latency by size, a first look", csv_thin },
    { "curve", "latency by size, behind what was counted", csv_curve },
    { "samples", "the samples of curve", csv_samples },
    { "prefetched", "latency by size, ascending addresses", csv_prefetched },
    { "counts", "what a core's own levels and TLBs hold, pass by pass", csv_counts },
    { "resident", "what a level that others use holds, draw by draw", csv_resident },
    { "survival", "what is left of a set left alone, by time", csv_survival },
    { "line", "pairs of loads, by their distance", csv_line },
    { "bandwidth", "streams by level, kernel and CPUs", csv_bandwidth },
    { "streams", "the samples of all streams", csv_streams },
    { "growth", "streams by ever more CPUs", csv_growth },
    { "loaded", "latency of memory beside loads", csv_loaded },
    { "parallelism", "latency by number of chains", csv_parallelism },
    { "chains", "loads under way at once, by level", csv_chains },
    { "stores", "from which size non-temporal copies win", csv_stores },
    { "nodes", "latency and rates from node to node", csv_nodes },
    { "pairs", "latency from CPU to CPU", csv_pairs },
    { "layers", "groups of CPUs that are near each other", csv_layers },
    { "sharing", "which CPUs share a cache", csv_sharing },
    { "contention", "what CPUs leave each other of memory", csv_contention },
    { "scaling", "rates of memory by CPUs at work", csv_scaling },
    { "coherence", "ns of an operation on one place, by CPUs", csv_coherence },
    { "blocks", "additions at a distance: one block or two", csv_blocks },
    { "destructive", "lines that slow each other, by distance", csv_destructive },
    { "automaton", "does adding threads pay", csv_automaton },
    { "network", "messages between ranks, pair by pair", csv_network },
    { "sizes", "messages by size", csv_sizes },
    { "loads", "messages at once", csv_loads },
    { "distance", "ratDist: bandwidth by distance of nodes", csv_distance },
    { "access", "ratNC: bandwidth by processes of a node", csv_access },
    { "costs", "what each part of the run took", csv_costs } };
enum { CSV_SECTIONS = sizeof csv_sections / sizeof *csv_sections };

static int csv_is_section(const char *name)
{
    int i;
    for (i = 0; i < CSV_SECTIONS; i++) if (!strcmp(csv_sections[i].name, name)) return 1;
    return 0;
}

/* A word that names no section: was it to be one?  No file has that name, nor does it look like one. */
static int csv_is_meant(const char *word)
{
    struct stat is;
    return !strpbrk(word, "./") && strcmp(word, "-") && stat(word, &is) != 0;
}

static int csv_unknown(const char *word)
{
    char names[512] = "";
    int i;
    for (i = 0; i < CSV_SECTIONS; i++) {
        strcat(names, csv_sections[i].name);
        strcat(names, " ");
    }
    return fail("show: no section is named \"%s\"%s  (servet show --csv lists them)", word,
                meant_text(word, names).text);
}

static long csv_lines(const servet_profile *p, int which)
{
    csv_now.silent = 1;
    csv_now.lines = 0;
    csv_sections[which].print(p);
    csv_now.silent = 0;
    return csv_now.lines;
}

/* A section; without one those that have data.  0, or exit code 1 where a section has none. */
static int csv_print(const servet_profile *p, const char *section)
{
    int i;
    if (!section) csv_heading("section,lines,about");
    for (i = 0; i < CSV_SECTIONS; i++) {
        const long lines = section && strcmp(section, csv_sections[i].name) ? 0 : csv_lines(p, i);
        if (!section && lines) {
            csv_word(csv_sections[i].name);
            csv_whole(lines);
            csv_word(csv_sections[i].about);
            csv_end();
        }
        if (section && !strcmp(section, csv_sections[i].name)) {
            csv_sections[i].print(p);
            if (lines) return 0;
            fprintf(stderr, "servet: show: of %s nothing was measured\n", section);
            return 1;
        }
    }
    return 0;
}

#endif /* SERVET_CSV_H */
