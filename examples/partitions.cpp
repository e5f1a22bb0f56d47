// partitions.cpp - from C++: into how many partitions a hash join is to be split, by what the machine gives
//
//     c++ -O2 -x c++ examples/partitions.cpp -I. -lm -pthread -o partitions && ./partitions [MIB]
//
// Each partition's hash table is to stay in the second level and in the pages of the first TLB, but the pass that
// splits is not to write to more of them than the first level has lines, if that many stay in the last level.
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <cstdio>
#include <cstdlib>
#include <memory>

int main(int argc, char **argv)
{
    servet_profile p = servet_profile();
    const std::unique_ptr<servet_profile, void (*)(servet_profile *)> release(&p, servet_profile_free);
    const servet_profile *known = servet_profile_open(&p, NULL, NULL) >= 0 ? &p : NULL;
    servet_question q = servet_question();
    servet_answer parts;
    char *rest = NULL;

    q.bytes = 1048576 * (argc > 1 ? std::strtod(argv[1], &rest) : 512);
    if ((rest && *rest) || !(q.bytes >= 1048576)) {
        std::fprintf(stderr, "partitions: MIB is the size of the table, 1 or more\n");
        return 2;
    }
    q.what = SERVET_ASK_PARTS;
    if (servet_ask(&parts, known, &q) < 0) return 1;
    std::printf("%.0f partitions [%.0f, %.0f] of %.0f KiB, in one pass%s\n", parts.value, parts.lo, parts.hi,
                q.bytes / parts.value / 1024, known ? "" : ", as nothing could be measured");
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) return std::perror("partitions: standard output"), 2;
    return 0;
}
