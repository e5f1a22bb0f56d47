#!/usr/bin/env bash
# servet report: pages of recorded and modelled profiles - markup, what is there and what is not, sizes, bad input (TAP)
cd "$(dirname "$0")/.." || exit
. tests/tap.bash

servet=$(realpath -- "${SERVET:-build/servet}") models=$(realpath -- build/tests/profile_models)
data=$(realpath -- tests/data/profiles)
dir=$(mktemp -d) && cd "$dir" || exit
trap 'rm -rf "$dir"' EXIT
export HOME=$dir XDG_CACHE_HOME=$dir/cache LC_ALL=C
unset SERVET_PROFILE

if [ ! -x "$servet" ]; then
    echo "1..0 # SKIP no ${SERVET:-build/servet}: make examples builds it"
    exit
fi

page() {    # NAME PROFILE: NAME.html, in silence
    "$servet" report "$2" -o "$1.html" >out 2>err </dev/null && [ ! -s out ] && [ ! -s err ] ||
        { cat out err; return 1; }
}
# Sections by their ids, in the order of the page.
sections() { grep -o '<section id="[a-z]*"' "$1.html" | cut -d'"' -f2 | xargs; }
has() { [ "$(sections "$1")" = "$2" ] || { echo "$(sections "$1") instead of $2"; return 1; }; }

# One JSON text changed: jq PROGRAM FILE.
changed() { jq -c "$1" "$2" >changed.json; }

# Every element that must be closed is, once, in the right order; ids are there once, and links lead to them; nothing is
# fetched, and no script runs.
well_formed() {
    [ -s "$1.html" ] && perl -0777 -ne '
        s/<style>.*?<\/style>//s;
        my (@open, %id);
        while (m{<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[-:a-zA-Z]+="[^"<]*")*)\s*(/?)>|<(?!!DOCTYPE)}g) {
            die "a < that is no tag: " . substr($_, pos($_) - 1, 60) . "\n" unless defined $2;
            my ($end, $name, $attributes, $alone) = ($1, $2, $3, $4);
            while ($attributes =~ /\bid="([^"]*)"/g) { die "id $1 twice\n" if $id{$1}++; }
            next if $alone || $name =~ /^(meta|br|link)$/;
            if (!$end) { push @open, $name; next; }
            my $last = pop @open;
            die "</$name> closes <$last>\n" if $last ne $name;
        }
        die "left open: @open\n" if @open;
        while (/href="#([^"]*)"/g) { die "no id $1\n" unless $id{$1}; }
        die "a number that is none: $1\n" if /([^a-z](nan|inf)[^a-z]{1,9})/;' "$1.html" &&
        ! grep -E -o '(src|href)="[^#"]|<(script|link|img|iframe|object)|url\(|@import|https?:|[^a-z]on[a-z]+=' \
            "$1.html"
}
valid() {
    well_formed "$1" && { ! command -v tidy >/dev/null || tidy -q -e "$1.html" >messages 2>&1 || [ $? -lt 2 ]; } ||
        { head -n 5 messages; return 1; }
    [ ! -s messages ] || { head -n 5 messages; return 1; }
}
small() { [ "$(stat -c %s "$1.html")" -lt 3000000 ] || { ls -l "$1.html"; return 1; }; }
described() {    # every picture has a title and says what it shows
    local pictures
    pictures=$(grep -o 'role="img"' "$1.html" | wc -l)
    [ "$pictures" -gt 0 ] &&
        [ "$pictures" = "$(grep -o 'role="img"><title>[^<][^<]*</title><desc>[^<]' "$1.html" | wc -l)" ]
}

command -v tidy >/dev/null || tap_skip "no tidy: markup is looked at by this script alone"

# ---- modelled machines ---------------------------------------------------------------------------------

between='latency caches cores bandwidth contention coherence survival automaton topology methods'
if [ -x "$models" ]; then
    mkdir models; "$models" models >/dev/null 2>&1
    for name in node eight one network; do
        tap_ok "a page of the model $name" page $name models/$name.json
        tap_ok "$name: valid, nothing from elsewhere" valid $name
        tap_ok "$name: below 3 MB" small $name
        tap_ok "$name: pictures say what they show" described $name
    done
    tap_ok "256 threads: all sections" has node "$between"
    tap_ok "8 CPUs: all sections" has eight "$between"
    tap_ok "one CPU: nothing between CPUs" has one 'latency caches bandwidth survival automaton topology methods'
    tap_ok "a network alone" has network 'network methods'
    whole_map() {    # 256 x 256 cells but the diagonal, as wide as their runs are
        [ -s node.html ] && perl -0777 -ne '/CPUs, ns<.*?<svg(.*?)<\/svg>/s or die; my ($map, $n) = ($1, 0);
            $n += $1 while $map =~ /M\d+ \d+h(\d+)v1h-\d+z/g; $n == 256 * 255 or die "$n cells\n"' node.html
    }
    tap_ok "256 threads: each pair is in the map" whole_map
    drawn() {    # NAME CPUS BOXES: the topology has each CPU once, where one box stands for several counted so often
        sed -n '/<section id="topology"/,/<\/section>/p' "$1.html" | perl -0777 -ne '
            my @times = 1; my ($n, $boxes) = (0, 0);
            while (/<g data-times="(\d+)">|(<\/g>)|(class="box cpu")/g) {
                if ($1) { push @times, $times[-1] * $1 } elsif ($2) { pop @times } else { $n += $times[-1]; $boxes++ }
            }
            print "$n CPUs in $boxes boxes\n"' >seen
        [ "$(cat seen)" = "$2 CPUs in $3 boxes" ] || { cat seen; return 1; }
    }
    nested() {    # NAME WORDS...: boxes of these names are in each other in this order
        local name=$1; shift
        sed -n '/<section id="topology"/,/<\/svg>/p' "$name.html" | sed 's/<[^>]*>/ /g' | tr -s ' \n' ' ' >seen
        grep -q "$(IFS=@; sed 's/@/.*/g' <<<"$*")" seen || { cat seen; return 1; }
    }
    listed() {    # NAME CPUS: under the picture each is in a group of the first row that has all
        sed -n '/<section id="topology"/,/<\/section>/p' "$1.html" | grep -o 'data-of="CPUs">{[^<]*' | head -n 1 |
            grep -o '[0-9-]*' | awk -F- -v n="$2" '{ if (/[0-9]/) s += NF > 1 ? $2 - $1 + 1 : 1 } END { exit s != n }'
    }
    tap_ok "256 threads: each is drawn, those that are alike once" drawn node 256 4
    tap_ok "8 CPUs: each is drawn" drawn eight 8 8
    tap_ok "one CPU: it is drawn" drawn one 1 1
    tap_ok "256 threads: node, package, cores nested" nested node 'machine, 256 CPUs' 'memory node' 'package' '8 x ' \
        '8 x core, L2 .*, L1 '
    tap_ok "256 threads: their groups as text" listed node 256
    tap_ok "8 CPUs: package, second levels of two and first ones nested" nested eight 'machine, 8 CPUs' \
        'one way to memory, package' 'ns apart' 'L2 [0-9.]* MiB, [0-9.]* ns apart' 'L1 '
    numbers() { [ "$(grep -oE '>2[2-6]\.[0-9]</text>' eight.html | wc -l)" -ge 8 ]; }    # of a die: 24, and noise
    tap_ok "8 CPUs: numbers in the map" numbers
    ranks() { grep -q '>1024 ranks' network.html && grep -q outermost network.html && grep -q ratDist network.html; }
    tap_ok "1024 ranks: their layers and ratios" ranks

    browse() { timeout 300 chromium --headless --no-sandbox --disable-gpu --dump-dom "$1" 2>/dev/null; }
    # In a browser, on a phone, a tablet and a desk: no text of a picture lies on another or beyond its edge, no page is
    # wider than the screen.
    look() {    # NAME...
        local name width
        {
            echo '<!DOCTYPE html><html><body>'
            for name; do
                for width in 360 900 1600; do
                    printf '<iframe width="%d" height="900" title="%s" srcdoc="' $width "$name, $width wide"
                    sed 's/&/\&amp;/g; s/"/\&quot;/g' "$name.html"
                    echo '"></iframe>'
                done
            done
            cat <<'END'
<script>
window.onload = function () {
    var told = [], pictures = 0;
    document.querySelectorAll('iframe').forEach(function (frame) {
        var doc = frame.contentDocument, view = frame.contentWindow;
        function tell(what) { told.push('WRONG ' + frame.title + ': ' + what); }
        if (doc.documentElement.scrollWidth > frame.width) tell('it is ' + doc.documentElement.scrollWidth + ' wide');
        doc.querySelectorAll('figure > svg').forEach(function (picture) {
            var edge = picture.getBoundingClientRect(), name = picture.querySelector('title').textContent, boxes = [];
            pictures++;
            picture.querySelectorAll('text').forEach(function (text) {
                var b = text.getBoundingClientRect();
                if (view.getComputedStyle(text).display == 'none') return;
                if (b.left < edge.left - 1 || b.right > edge.right + 1 || b.top < edge.top - 1
                    || b.bottom > edge.bottom + 1)
                    tell(text.textContent + ' is beyond the edge of: ' + name);
                boxes.forEach(function (a) {
                    if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2
                        && b.top < a.bottom - 2)
                        tell(text.textContent + ' lies on ' + a.text + ' in: ' + name);
                });
                b.text = text.textContent;
                boxes.push(b);
            });
        });
    });
    document.body.innerHTML = '';
    document.body.innerText = told.slice(0, 9).concat(pictures + ' pictures').join('\n');
};
</script></body></html>
END
        } >frames.html
        browse "file://$dir/frames.html" | sed 's/<br>/\n/g' >seen
        grep -q '[1-9][0-9]* pictures' seen && ! grep WRONG seen || { cat seen; return 1; }
    }
    if browse 'data:text/html,<p>it runs</p>' | grep -q 'it runs'; then
        tap_ok "nothing overlaps, is cut off or too wide" look node eight one network
        found() {    # a word on itself
            perl -pe '$done = s/(<text class="c[^>]*>[^<]*<\/text>)/$1$1/ unless $done' eight.html >twice.html
            ! look twice >/dev/null && grep -q 'lies on' seen
        }
        tap_ok "what overlaps is found" found
    else
        tap_skip "no chromium that runs: how pages look"
    fi

    if tap_have jq; then
        without() {    # KEY SECTION: a section is absent without what it shows
            changed "del(.$1)" models/eight.json && page less changed.json && valid less &&
                has less "$(sections eight | sed "s/\b$2 //")"
        }
        tap_ok "without coherence" without coherence coherence
        tap_ok "without contention" without contention contention
        tap_ok "without the automaton" without automaton automaton
        tap_ok "without survival" without survival survival
        bare() {    # answers without evidence: a smaller page
            changed 'del(.evidence)' models/eight.json && page bare changed.json && valid bare &&
                ! grep -q 'id="latency"' bare.html && grep -q 'id="caches"' bare.html
        }
        tap_ok "without evidence" bare
        # Any text of a profile is text: no markup, nothing that runs, no broken characters.
        hostile() {
            changed '.host.cpu_model = "<script>alert(1)</script>\"'"'"'&</title>" | .host.os = "</style>"
                | .host.hypervisor = "<img src=x onerror=y>" | .host.kernel = "\u0001\u202e&amp;"
                | .made.when = "--><b>" | .host.cpus = "</dd>"' models/eight.json && page hostile changed.json &&
                ! grep -q '<script\|<img\|<b>\|</title>.*</title>.*<style' hostile.html &&
                grep -q '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;&lt;/title&gt;' hostile.html &&
                ! LC_ALL=C grep -q "$(printf '\001')" hostile.html
        }
        tap_ok "text of a profile is no markup" hostile
        bytes() {    # characters that are none
            changed '.host.cpu_model = "QQQ"' models/eight.json &&
                perl -pi -e 's/QQQ/a\xff\xc0\x80\xed\xa0\x80\xe2\x82z/' changed.json
            "$servet" report changed.json -o bytes.html 2>err || { [ $? = 2 ] && [ "$(wc -l <err)" = 1 ]; return; }
            perl -0777 -MEncode -ne 'decode("UTF-8", $_, Encode::FB_CROAK)' bytes.html
        }
        tap_ok "bytes that are no characters" bytes
        # Numbers beyond all sense make a page, too, or a line.
        wild() {
            local code
            changed "$1" models/eight.json
            "$servet" report changed.json -o wild.html 2>err
            code=$?
            [ $code = 0 ] && valid wild && small wild || { [ $code = 2 ] && [ "$(wc -l <err)" = 1 ]; } ||
                { echo "exit $code"; cat err; return 1; }
        }
        tap_ok "huge numbers" wild '(.. | numbers) |= if . > 3 then . * 1e200 else . end'
        tap_ok "negative numbers" wild \
            '(.caches, .memory, .bandwidth, .survival) |= walk(if type == "number" then -. else . end)'
        tap_ok "zeros" wild \
            '(.caches, .bandwidth, .coherence, .automaton) |= walk(if type == "number" then 0 else . end)'
        tap_ok "points that are all one" wild '.evidence.curve |= walk(if type == "number" then 4096 else . end)'
    else
        tap_skip "no jq: profiles that are changed"
    fi
else
    tap_skip "no $models: make builds it"
fi

# ---- recorded profiles ---------------------------------------------------------------------------------

recorded() {
    local file
    for file in "$data"/clx-full-1.json "$data"/clx-quick-1.json "$data"/turin-07.json "$data"/turin-full-4.json; do
        page recorded "$file" && valid recorded && small recorded && described recorded || { echo "$file"; return 1; }
    done
}
tap_ok "recorded runs of two guests" recorded
claims() {
    page claims "$data/turin-07.json" || return
    "$servet" check "$data/turin-07.json" >checked
    [ -s checked ] && [ "$(sed -n '/<section id="caches"/,/<\/section>/p' claims.html |
        grep -o '<td data-of="verdict">[a-z_]*' | cut -d'>' -f2)" = "$(awk '{ print $1 }' checked)" ]
}
tap_ok "verdicts are those of servet check" claims
brief() {    # the first lines, word by word those of servet show
    "$servet" show "$1" | perl -0777 -pe 's/\n {9}/ /g' | grep -E '^(machine|has|system|use|sure) ' | tr -s ' ' >shown
    sed '/<nav/,$d' "$2.html" | grep -o '<dt>.*</dd>' | perl -pe 's/<.?dt>/ /g; s/<.*?>//g; s/^ +//; s/ +/ /g;
        s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&#39;/chr 39/ge; s/&amp;/&/g' >seen
    [ "$(cut -d' ' -f1 seen | xargs)" = "$3" ] && cmp shown seen || { diff shown seen; return 1; }
}
tap_ok "the first lines are those of servet show" brief "$data/turin-07.json" claims 'machine has system use sure'
if [ -x "$models" ]; then
    tap_ok "of 256 threads, too" brief models/node.json node 'machine has system use sure'
    tap_ok "of a network, too" brief models/network.json network has
else
    tap_skip "no $models: make builds it"
fi
rates() {    # PROFILE: how sure they are, by the report and on the page
    page rates "$1" || return
    "$servet" show "$1" | sed -n '/^GB\/s  *CPUs/,/^non-temporal\|^$/p' | grep -oE '([0-9]+ %|\?|open)$' >shown
    grep -o '<td data-of="within">[^<]*' rates.html | cut -d'>' -f2 >seen
    [ -s shown ] && cmp shown seen || { paste shown seen; return 1; }
}
of_rates() {    # PROFILE: its own, of wide intervals, of one sample
    jq -c '.bandwidth.rates |= (to_entries | map(.value | (.hi_bytes_per_s = 3 * .bytes_per_s)))' "$1" >wide.json &&
        jq -c '.bandwidth.rates[0] |= (.samples = 1)' "$1" >once.json &&
        rates "$1" && rates wide.json && grep -q '200 %' seen && rates once.json && grep -q '^?$' seen
}
if [ -x "$models" ] && tap_have jq; then
    tap_ok "rates are as sure on the page as in the report" of_rates models/eight.json
else
    tap_skip "no jq, or no $models: how sure rates are"
fi
single() {    # one sample is no interval, neither in the report nor on the page
    jq -c '.memory.lo_ns = .memory.latency_ns | .memory.hi_ns = .memory.latency_ns
           | .bandwidth.loaded[] |= (.lo_ns = .latency_ns | .hi_ns = .latency_ns)' models/eight.json >single.json
    page single single.json && valid single && grep -q '"ns of a hit">[0-9.]* (one sample)<' single.html &&
        "$servet" show single.json >shown && grep -q '^memory  .* one sample ' shown &&
        tr -s ' \n' ' ' <shown | grep -q 'ns (one sample), idle [0-9.]* ns (one sample)'
}
if [ -x "$models" ] && tap_have jq; then tap_ok "one sample is told as such" single
else tap_skip "no jq, or no $models: one sample"; fi

# ---- the picture alone ---------------------------------------------------------------------------------

picture() {    # PROFILE: an SVG file for other texts, of its own colours, light and dark
    "$servet" report --picture "$1" -o alone.svg >out 2>err && [ ! -s out ] && [ ! -s err ] || { cat err; return 1; }
    [ "$(stat -c %s alone.svg)" -lt 40000 ] &&
        grep -q '^<svg xmlns="http://www.w3.org/2000/svg" width="[0-9]*"' alone.svg &&
        [ "$(grep -c '<title>Latency of dependent loads</title>' alone.svg)" = 1 ] && grep -q '<desc>[^<]' alone.svg &&
        grep -q 'prefers-color-scheme:dark' alone.svg && grep -q '<rect class="back"' alone.svg &&
        ! grep -q 'var(\|href\|url(\|<script\|nan\|@import' alone.svg || { ls -l alone.svg; return 1; }
    ! command -v xmllint >/dev/null || xmllint --noout --nonet alone.svg
}
pictures() { local file; for file in "$data"/*.json; do picture "$file" || { echo "$file"; return 1; }; done; }
tap_ok "the curve as a picture, of each recorded run" pictures
to_output() {
    "$servet" report "$data/turin-07.json" --picture >to.svg && picture "$data/turin-07.json" && cmp to.svg alone.svg
}
tap_ok "to standard output" to_output
if [ -x "$models" ]; then
    for name in node eight one; do tap_ok "of the model $name" picture models/$name.json; done
    fits() {    # the line of the fit rises in small steps, not in stairs
        perl -0777 -ne '/<path class="line s\d dash" d="M([^"]*)"/ or die "no fit\n";
            my @y = map { (split)[1] } split /L/, $1; my $most = 0;
            for (1 .. $#y) { my $up = $y[$_ - 1] - $y[$_]; $most = $up if $up > $most }
            die scalar(@y), " points, at once $most\n" if @y < 200 || $most > 60' alone.svg
    }
    tap_ok "with the model that was fitted" fits
else
    tap_skip "no $models: make builds it"
fi
if [ -x "$models" ] && tap_have jq; then
    foreign() {    # text of a profile is no markup there, either
        jq -c '.host.cpu_model = "<b>\"&]]>\u0001'"'"'"' models/eight.json >foreign.json && picture foreign.json &&
            ! grep -q '<b>' alone.svg
    }
    tap_ok "of a machine with a hostile name" foreign
else
    tap_skip "no jq, or no $models: hostile names"
fi

# Half of the points are within 4 of some 250 pixels of the fit, where a pass of a chase keeps a part of what is held.
followed() {
    local name
    for name in gnr-full-1 gnr-full-2 gnr-full-3 gnr-full-4; do
        picture "$data/$name.json" && perl -0777 -ne '
            my ($curve, $fit) = map { [map { [split] } split /L/] }
                /class="line s0" d="M([^"]*)"/, /class="line s\d dash" d="M([^"]*)"/;
            my @off = map {
                my ($x, $y) = @$_;
                my ($at) = sort { abs($a->[0] - $x) <=> abs($b->[0] - $x) } @$fit;
                abs($at->[1] - $y) } @$curve;
            @off = sort { $a <=> $b } @off;
            die "half off by $off[@off / 2] pixels\n" if @off < 20 || $off[@off / 2] > 4' alone.svg || return 1
    done
}
tap_ok "the fit follows a curve that has a part of the last level alone" followed

# ---- use -----------------------------------------------------------------------------------------------

output() {
    page file "$data/turin-07.json" && "$servet" report "$data/turin-07.json" >to.html && cmp file.html to.html &&
        echo before >to.html && "$servet" report "$data/turin-07.json" -o /dev/stdout >>to.html &&
        { echo before; cat file.html; } | cmp - to.html &&
        "$servet" report -o - - <"$data/turin-07.json" >to.html && cmp file.html to.html
}
tap_ok "to standard output, from standard input" output
refused() {    # WORDS ARGUMENTS...: one line with these words, exit 2, nothing written
    local words=$1 code; shift
    "$servet" report "$@" >out 2>err </dev/null
    code=$?
    [ $code = 2 ] && [ "$(wc -l <err)" = 1 ] && [ ! -s out ] && grep -q "$words" err ||
        { echo "exit $code"; cat err; return 1; }
}
echo '{"servet":1' >cut.json
echo '{"servet":1}' >nothing.json
echo '{"servet":99}' >other.json
head -c 20000 "$data/turin-07.json" >half.json
tap_ok "a damaged profile" refused cut.json cut.json -o x.html
tap_ok "half of one" refused half.json half.json
tap_ok "of another schema" refused schema other.json
tap_ok "a profile of nothing" refused 'nothing that was measured' nothing.json -o x.html
tap_ok "no such profile" refused 'No such file' none.json
tap_ok "-o without a file" refused 'needs a file' "$data/turin-07.json" -o
tap_ok "a picture of a profile without a curve" refused 'no latency curve' nothing.json --picture -o x.svg
tap_ok "an unknown argument" refused 'unknown argument' --fast
tap_ok "two profiles" refused 'unknown argument' half.json cut.json
tap_ok "a directory that is not there" refused 'No such file' "$data/turin-07.json" -o no/where.html
stays() {
    cp "$data/turin-07.json" mine.json && refused 'a profile is there' -o mine.json &&
        cmp -s "$data/turin-07.json" mine.json
}
tap_ok "a profile for a file to write: it stays" stays
tap_ok "a directory for a file" refused 'Is a directory' "$data/turin-07.json" -o .
kept() {    # what was there stays, and nothing lies beside it
    echo before >kept.html
    ! "$servet" report cut.json -o kept.html 2>err && [ "$(cat kept.html)" = before ] &&
        [ "$(ls kept.html*)" = kept.html ]
}
tap_ok "a page stays where the next cannot be made" kept
unmade() { [ ! -e x.html ]; }
tap_ok "and none is begun" unmade
if [ -e /dev/full ]; then
    full() { ! "$servet" report "$data/turin-07.json" >/dev/full 2>err && [ "$(wc -l <err)" = 1 ]; }
    tap_ok "a full disk" full
else
    tap_skip "no /dev/full"
fi
tap_done
