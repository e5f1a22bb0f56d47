// partitions.cpp - from C++: into how many partitions a hash join is to be split, by what the machine gives
//
//     c++ -O2 -x c++ examples/partitions.cpp -I. -lm -pthread -o partitions && ./partitions [MIB]
//
// Each partition's hash table is to stay in the second level, or in the first where no second was found.
#define SERVET_IMPLEMENTATION
#include "servet.h"
#include <cstdio>
#include <cstdlib>
#include <memory>

int main(int argc, char **argv)
{
    const double table = 1048576 * (argc > 1 ? std::atof(argv[1]) : 512);
    servet_profile p = servet_profile();
    const std::unique_ptr<servet_profile, void (*)(servet_profile *)> release(&p, servet_profile_free);
    const int levels = servet_profile_open(&p, NULL, NULL);
    double room = 32 * 1024;
    unsigned long partitions = 1;

    if (!(table >= 1)) {
        std::fprintf(stderr, "partitions: MIB is the size of the table, above 0\n");
        return 2;
    }
    if (levels > 0) room = p.cache[levels > 1 ? 1 : 0].lo_bytes;
    while (table / static_cast<double>(partitions) > 0.75 * room && partitions < 1ul << 30) partitions *= 2;
    std::printf("%lu partitions of %.0f KiB in %.0f KiB%s\n", partitions,
                table / static_cast<double>(partitions) / 1024, room / 1024,
                levels > 0 ? "" : ", as nothing could be measured");
    return 0;
}
