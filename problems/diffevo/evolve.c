/*
 * evolve.c - which version of the reference is run, and its memory.
 */
#include "evolve.h"

#include <stdlib.h>

#include "evolve_layout.h"

typedef void evolve_version(const struct diffevo_problem *, const float *, void *, struct diffevo_result *, float *);

#if defined(__x86_64__)
static evolve_version *const versions[DIFFEVO_ISAS] = {
    diffevo_evolve_portable,
    diffevo_evolve_avx2,
    diffevo_evolve_avx512,
};

bool diffevo_isa_present(enum diffevo_isa isa)
{
    if (isa == DIFFEVO_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               diffevo_isa_present(DIFFEVO_AVX2);
    return isa == DIFFEVO_PORTABLE || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
}
#else
static evolve_version *const versions[DIFFEVO_ISAS] = { diffevo_evolve_portable };

bool diffevo_isa_present(enum diffevo_isa isa) { return isa == DIFFEVO_PORTABLE; }
#endif

enum diffevo_isa diffevo_isa_best(void)
{
    if (diffevo_isa_present(DIFFEVO_AVX512))
        return DIFFEVO_AVX512;
    return diffevo_isa_present(DIFFEVO_AVX2) ? DIFFEVO_AVX2 : DIFFEVO_PORTABLE;
}

bool diffevo_evolve(enum diffevo_isa isa, const struct diffevo_problem *problem, const float *data,
                    struct diffevo_result *result, float *best_x)
{
    size_t bytes = (2 * (size_t)problem->dimension + 1) * evolve_stride(problem) * sizeof(float);
    void *memory = aligned_alloc(64, bytes); /* LANES floats are 64 bytes */

    if (!memory)
        return false;
    versions[isa](problem, data, memory, result, best_x);
    free(memory);
    return true;
}
