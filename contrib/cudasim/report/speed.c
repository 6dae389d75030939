/*
 * speed.c - prints how fast the simulator ran each kernel: the table that CUDASIM_SPEED asks for.
 */
#include "speed.h"

#include <stdlib.h>
#include <sys/resource.h>

void speed_text(struct sim *sim, FILE *out)
{
    struct sim_kernel_counts *counts;
    size_t count = sim_counts(sim, &counts);
    struct rusage usage;

    fprintf(out, "%-28s %9s %14s %10s %22s\n", "kernel", "launches", "warp instr.", "seconds", "M warp instructions/s");
    for (size_t n = 0; n < count; n++) {
        uint64_t sum = 0;

        for (int c = 0; c < CLASS_COUNT; c++)
            sum += counts[n].warp_instructions[c];
        fprintf(out, "%-28.28s %9llu %14llu %10.4f %22.1f\n", counts[n].name, (unsigned long long)counts[n].launches,
                (unsigned long long)sum, counts[n].seconds,
                counts[n].seconds > 0 ? (double)sum / counts[n].seconds / 1e6 : 0);
    }
    free(counts);
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        fprintf(out, "peak memory of the process: %.1f MB\n", (double)usage.ru_maxrss * 1024 / 1e6);
}
