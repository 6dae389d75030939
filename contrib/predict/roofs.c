/* roofs.c - the numbers of roofs.h. */
#include "roofs.h"

#include <math.h>

#define SCHEDULERS 4.0
#define SECTOR 32.0
#define READS_L2_CLOCK 1850.0 /* bytes a clock: bandwidth, read, 16 to 64 MiB of the microbenchmarks */
#define DRAM_EFFICIENCY 0.88  /* bandwidth, read, 768 MiB, over the data sheet's */

double roofs_l2(const struct gpu *gpu)
{
    return READS_L2_CLOCK * gpu->max_mhz * 1e6;
}

double roofs_memory(const struct gpu *gpu)
{
    return gpu->dram_gbs * DRAM_EFFICIENCY * 1e9;
}

struct roofs roofs_of(const struct sample *sample, const struct gpu *gpu, double us)
{
    const double *v = sample->value;
    double hits = isnan(v[COLUMN_LOAD_HITS]) ? 0 : SECTOR * v[COLUMN_LOAD_HITS];
    struct roofs r = {.instructions = v[COLUMN_WARP_INSTRUCTIONS]};

    r.bytes = fmax(v[COLUMN_BYTES_READ] - hits, 0) + v[COLUMN_BYTES_WRITTEN];
    r.bytes = fmax(r.bytes, SECTOR);
    r.intensity = r.instructions / r.bytes;
    r.rate = r.instructions / (us * 1e-6);
    r.flops = v[COLUMN_FLOPS] / (us * 1e-6);
    r.issue_roof = SCHEDULERS * gpu->sms * gpu->max_mhz * 1e6;
    r.l2_roof = r.intensity * roofs_l2(gpu);
    r.memory_roof = r.intensity * roofs_memory(gpu);
    r.share = r.rate / fmin(r.issue_roof, r.l2_roof);
    return r;
}
