/* machines.h - the modelled machines of sim.h, which includes this
 *
 * A line of the table: sizes in KiB, times in ns.  Sizes, ways and lines as documented; latencies measured by
 * others on such machines, or from the vendor's cycles; policies as far as they are known. */
#ifndef SERVET_TESTS_MACHINES_H
#define SERVET_TESTS_MACHINES_H

#define SIM_L(kib, ways, line, ns, policy, index, relation) SIM_S(kib, ways, line, ns, policy, index, relation, 1)
#define SIM_S(kib, ways, line, ns, policy, index, relation, cores) /* shared by so many cores */ \
    { (kib) * 1024.0, ways, line, ns, SIM_##policy, SIM_##index, SIM_##relation, 0, cores }
#define SIM_PART(kib, ways, part, line, ns, policy, index, relation) /* a partition leaves some ways */ \
    { (kib) * 1024.0, ways, line, ns, SIM_##policy, SIM_##index, SIM_##relation, part, 1 }
#define SIM_NONE { 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#define SIM_T(entries, ways, ns) { entries, ways, ns, SIM_VIRTUAL, 0 }
#define SIM_T_HASHED(entries, ways, ns) { entries, ways, ns, SIM_HASHED, 0 }
#define SIM_NO_HUGE 0, 0, { SIM_T(0, 0, 0), SIM_T(0, 0, 0) }
#define SIM_PLAIN 0, 0, 0, 0, 0                 /* frames apart, no prefetcher beside those named before */

static SERVET__UNUSED const sim_spec sim_machines[] = {
    { "zen4-guest", "AMD Zen 4, guest on a server, large pages of the host unknown", 4096, SIM_SCATTERED,
      { SIM_L(32, 8, 64, 1.1, PLRU, VIRTUAL, APART), SIM_L(1024, 8, 64, 4.0, LRU, HASHED, APART),
        SIM_L(32768, 16, 64, 14, DRRIP, HASHED, EXCLUSIVE), SIM_NONE },
      { SIM_T(72, 0, 2.0), SIM_T(3072, 12, 25) }, 145, 0, 6, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN },
    { "emerald-rapids-guest", "Intel Emerald Rapids, guest with 4 of 20 ways of 60 MiB", 4096, SIM_SCATTERED,
      { SIM_L(48, 12, 64, 1.6, PLRU, VIRTUAL, APART), SIM_L(2048, 16, 64, 5.2, QLRU, PHYSICAL, APART),
        SIM_PART(61440, 20, 4, 64, 30, LRU, HASHED, APART), SIM_NONE },
      { SIM_T(96, 6, 2.2), SIM_T(2048, 16, 20) }, 115, 0, 5, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN },
    { "skylake-sp", "Intel Skylake-SP with 8 slices of the exclusive last level", 4096, SIM_SCATTERED,
      { SIM_L(32, 8, 64, 1.3, PLRU, VIRTUAL, APART), SIM_L(1024, 16, 64, 4.6, SRRIP, PHYSICAL, APART),
        SIM_L(11264, 11, 64, 21, SRRIP, HASHED, EXCLUSIVE), SIM_NONE },
      { SIM_T(64, 4, 2.8), SIM_T(1536, 12, 9) }, 89, 0, 5, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN },
    { "nehalem", "Intel Nehalem, 2.9 GHz", 4096, SIM_SCATTERED,
      { SIM_L(32, 8, 64, 1.37, PLRU, VIRTUAL, APART), SIM_L(256, 8, 64, 3.4, PLRU, PHYSICAL, APART),
        SIM_L(8192, 16, 64, 14, NRU, PHYSICAL, INCLUSIVE), SIM_NONE },
      { SIM_T(64, 4, 2.4), SIM_T(512, 4, 9) }, 66, 0, 4, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN },
    { "core2", "Intel Core 2, 2.4 GHz, large L2 of two cores", 4096, SIM_SCATTERED,
      { SIM_L(32, 8, 64, 1.25, PLRU, VIRTUAL, APART), SIM_L(4096, 16, 64, 5.9, LRU, PHYSICAL, APART),
        SIM_NONE, SIM_NONE },
      { SIM_T(16, 0, 0.85), SIM_T(256, 4, 8) }, 88, 0, 4, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN },
    { "athlon-2004", "AMD Athlon 64 3200+, 2 GHz, 1 MiB", 4096, SIM_SCATTERED,
      { SIM_L(64, 2, 64, 1.5, LRU, VIRTUAL, APART), SIM_L(1024, 16, 64, 8, LRU, PHYSICAL, EXCLUSIVE),
        SIM_NONE, SIM_NONE },
      { SIM_T(32, 0, 1.5), SIM_T(512, 4, 12) }, 56, 0, 3, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN },
    { "paper-athlon", "AMD Athlon 3200 of Servet 2010, 512 KiB", 4096, SIM_SCATTERED,
      { SIM_L(64, 2, 64, 1.5, LRU, VIRTUAL, APART), SIM_L(512, 16, 64, 8, LRU, PHYSICAL, EXCLUSIVE),
        SIM_NONE, SIM_NONE },
      { SIM_T(32, 0, 1.5), SIM_T(512, 4, 12) }, 60, 0, 3, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN },
    { "paper-dempsey", "Intel Xeon 5060 of Servet 2010, 3.2 GHz", 4096, SIM_SCATTERED,
      { SIM_L(16, 8, 64, 1.25, LRU, VIRTUAL, APART), SIM_L(2048, 8, 64, 8.8, LRU, PHYSICAL, APART),
        SIM_NONE, SIM_NONE },
      { SIM_T(64, 0, 15), SIM_T(0, 0, 0) }, 130, 0, 4, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN },
    { "paper-dunnington", "Intel Xeon E7450 of Servet 2010, 2.4 GHz", 4096, SIM_SCATTERED,
      { SIM_L(32, 8, 64, 1.25, PLRU, VIRTUAL, APART), SIM_L(3072, 12, 64, 6.3, LRU, PHYSICAL, APART),
        SIM_L(12288, 12, 64, 40, LRU, PHYSICAL, APART), SIM_NONE },
      { SIM_T(16, 0, 0.85), SIM_T(256, 4, 8) }, 150, 0, 4, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN },
    { "paper-finis-terrae", "Intel Itanium 2 Montvale of Servet 2010, 1.6 GHz", 16384, SIM_SCATTERED,
      { SIM_L(16, 4, 64, 0.63, LRU, VIRTUAL, APART), SIM_L(256, 8, 128, 3.5, LRU, PHYSICAL, APART),
        SIM_L(9216, 18, 128, 8.8, LRU, PHYSICAL, APART), SIM_NONE },
      { SIM_T(32, 0, 2.5), SIM_T(128, 0, 16) }, 200, 0, 1, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN },
    { "cortex-a72", "Broadcom BCM2711, 2 GHz", 4096, SIM_SCATTERED,
      { SIM_L(32, 2, 64, 2.0, LRU, PHYSICAL, APART), SIM_L(1024, 16, 64, 11, RANDOM, PHYSICAL, INCLUSIVE),
        SIM_NONE, SIM_NONE },
      { SIM_T(32, 0, 3.5), SIM_T(1024, 4, 14) }, 135, 0, 4, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN },
    { "apple-m1", "Apple M1, performance core", 16384, SIM_SCATTERED,
      { SIM_L(128, 8, 128, 0.96, LRU, VIRTUAL, APART), SIM_L(12288, 12, 128, 5.6, LRU, PHYSICAL, APART),
        SIM_NONE, SIM_NONE },
      { SIM_T(160, 0, 1.6), SIM_T(3072, 12, 12) }, 97, 0, 6, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN },
    { "graviton2", "AWS Graviton2, Neoverse N1, 2.5 GHz", 4096, SIM_SCATTERED,
      { SIM_L(64, 4, 64, 1.6, PLRU, PHYSICAL, APART), SIM_L(1024, 8, 64, 5.2, DRRIP, PHYSICAL, APART),
        SIM_L(32768, 16, 64, 33, LRU, HASHED, APART), SIM_NONE },
      { SIM_T(48, 0, 2.4), SIM_T(1280, 5, 18) }, 98, 0, 5, 1, SIM_NO_HUGE, SIM_T(0, 0, 0), SIM_PLAIN }
};
#define SIM_MACHINES ((int)(sizeof sim_machines / sizeof sim_machines[0]))

#endif
