/*
 * predict_law.c - predict_law KERNELS SIZES BLOCKS NOISE [GPU]: rows of made-up kernels whose times obey a known law,
 * as CSV.
 *
 * KERNELS x SIZES x BLOCKS rows; half of the kernels are of the class memory. The time is a launch and the norm of four
 * limits, times what the kernel's dependences cost, times exp(NOISE x a normal number). Same arguments, same bytes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/predict/rows/terms.h"
#include "verify/base/random.h"

static struct random_stream chance;

static double uniform(double low, double high)
{
    return low + (high - low) * random_u32(&chance) / 4294967296.0;
}

static double normal(void)
{
    double a = uniform(1e-9, 1), b = uniform(0, 2 * 3.14159265358979);

    return sqrt(-2 * log(a)) * cos(b);
}

struct kernel {
    double compute, reads, writes, shared, barriers, special, dpc, registers, shared_words, loop;
};

static double law(const double *terms, const struct sample *sample)
{
    double issue = 1.7 * terms[TERM_ISSUE], l2 = 1.4 * terms[TERM_L2], dram = 1.25 * terms[TERM_DRAM];
    double latency = 0.6 * terms[TERM_LATENCY] + 0.5 * terms[TERM_MEMORY_LATENCY];
    double p = 3, norm = pow(pow(issue, p) + pow(l2, p) + pow(dram, p) + pow(latency, p), 1 / p);

    return 2.2 + norm * (0.8 + 0.5 * sample->value[COLUMN_DPC]);
}

int main(int argc, char **argv)
{
    struct gpu gpu = {"h100", "NVIDIA H100 80GB HBM3", 132, 1980, 3352, 52428800, 128, 64, 16, 2048, 32, 65536, 233472,
                      2.2};
    int kernels = argc > 1 ? atoi(argv[1]) : 0, sizes = argc > 2 ? atoi(argv[2]) : 0;
    int blocks = argc > 3 ? atoi(argv[3]) : 0;
    double noise = argc > 4 ? atof(argv[4]) : -1;
    const char *name = argc > 5 ? argv[5] : "h100";

    if (kernels < 1 || sizes < 1 || blocks < 1 || blocks > 6 || noise < 0)
        return fputs("usage: predict_law KERNELS SIZES BLOCKS(1-6) NOISE [GPU]\n", stderr), 2;
    if (strcmp(name, "h200") == 0)
        gpu.dram_gbs = 4800;
    printf("gpu,kernel,class");
    for (int c = 0; c < COLUMN_ISSUE; c++)
        if (c != COLUMN_ALONE_US)
            printf(",%s", column_name(c));
    putchar('\n');
    for (int k = 0; k < kernels; k++) {
        struct random_key key = {.seed = 7, .case_seed = (uint32_t)k};
        struct kernel own;
        int memory = k % 2 == 0;

        chance = random_stream(&key, 0);
        own = (struct kernel){.compute = floor(memory ? uniform(8, 40) : uniform(100, 900)),
                              .reads = floor(uniform(1, memory ? 8 : 4)), .writes = floor(uniform(1, 3)),
                              .shared = memory ? 0 : floor(uniform(0, 60)), .special = floor(uniform(0, 4)),
                              .dpc = uniform(0.3, 0.9), .registers = floor(uniform(16, 64)), .loop = uniform(0, 1)};
        own.barriers = own.shared > 20 ? 4 : 0;
        own.shared_words = own.shared > 0 ? 1024 : 0;
        for (int s = 0; s < sizes; s++)
            for (int b = 0; b < blocks; b++) {
                struct sample row = {.line = 2};
                double *v = row.value, n_t = 32 << b, n = floor(pow(2, 12 + 14.0 * s / sizes)), terms[TERMS], time, all;
                /* Of half of the kernels each thread does more for a larger size. */
                double steps = own.loop > 0.5 ? 1 + s : 1;

                v[COLUMN_SIZE] = v[COLUMN_N] = n;
                v[COLUMN_S] = n;
                v[COLUMN_N_T] = v[COLUMN_BLOCK_X] = n_t;
                v[COLUMN_N_B] = v[COLUMN_GRID_X] = ceil(n / n_t);
                v[COLUMN_BLOCK_Y] = v[COLUMN_BLOCK_Z] = v[COLUMN_GRID_Y] = v[COLUMN_GRID_Z] = 1;
                all = v[COLUMN_N_B] * n_t;
                v[COLUMN_W] = ceil(n_t / 32);
                v[COLUMN_L_C] = own.compute * steps;
                v[COLUMN_L_MR] = own.reads * steps;
                v[COLUMN_L_MW] = own.writes;
                v[COLUMN_L_SHR] = own.shared * steps;
                v[COLUMN_L_SHW] = own.shared > 0;
                v[COLUMN_L_S] = own.barriers;
                v[COLUMN_L_SFU] = own.special;
                v[COLUMN_L] = v[COLUMN_L_C] + v[COLUMN_L_MR] + v[COLUMN_L_MW] + v[COLUMN_L_SHR] + v[COLUMN_L_SHW] +
                              v[COLUMN_L_S] + v[COLUMN_L_SFU];
                v[COLUMN_ALPHA] = v[COLUMN_L_C] / (v[COLUMN_L_MR] + v[COLUMN_L_MW]);
                v[COLUMN_CPX] = 1 + (own.loop > 0.5);
                v[COLUMN_DPC] = own.dpc;
                v[COLUMN_REGISTERS] = own.registers;
                v[COLUMN_SHARED_WORDS] = own.shared_words;
                v[COLUMN_WARP_INSTRUCTIONS] = v[COLUMN_L] * all / 32;
                v[COLUMN_FLOPS] = v[COLUMN_L_C] * all / 2;
                v[COLUMN_BYTES_READ] = 4 * v[COLUMN_L_MR] * all;
                v[COLUMN_BYTES_WRITTEN] = 4 * v[COLUMN_L_MW] * all;
                v[COLUMN_FOOTPRINT] = 4 * (own.reads + own.writes) * all;
                v[COLUMN_SHARED_PASSES] = (v[COLUMN_L_SHR] + v[COLUMN_L_SHW]) * all / 32;
                v[COLUMN_DIVERGENCE] = 1;
                v[COLUMN_REGULAR] = 1;
                v[COLUMN_SM_MHZ] = 1980;
                v[COLUMN_MEM_MHZ] = 2619;
                v[COLUMN_SAMPLES] = 31;
                terms_compute(&row, &gpu, terms);
                time = law(terms, &row) * exp(noise * normal());
                v[COLUMN_TIME_US] = time;
                v[COLUMN_LOW_US] = time * (1 - noise / 2);
                v[COLUMN_HIGH_US] = time * (1 + noise / 2);
                printf("%s,kernel%d,%s", name, k, memory ? "memory" : "computation");
                for (int c = 0; c < COLUMN_ISSUE; c++)
                    if (c != COLUMN_ALONE_US)
                        printf(",%.9g", v[c]);
                putchar('\n');
            }
    }
    return 0;
}
