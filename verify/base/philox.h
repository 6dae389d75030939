/*
 * philox.h - Philox4x32-10, the one definition of the random numbers: in C, C++ and CUDA, for host and device.
 *
 * Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). Used by random.c, and by
 * headers of problems that hand it to submissions. It includes nothing of the toolkit: compilers of submissions see no
 * other file of verify/base.
 */
#ifndef VERIFY_PHILOX_H
#define VERIFY_PHILOX_H

#include <stdint.h>

#ifdef __CUDACC__
#define PHILOX_FUNCTION static __host__ __device__ __forceinline__
#else
#define PHILOX_FUNCTION static inline __attribute__((always_inline, unused))
#endif

enum { PHILOX_ROUNDS = 10 };

/* What a round multiplies the words 0 and 2 by, and what is added to the key after it: golden ratio and root of 3. */
#define PHILOX_MULTIPLIER_0 0xd2511f53u
#define PHILOX_MULTIPLIER_2 0xcd9e8d57u
#define PHILOX_WEYL_0 0x9e3779b9u
#define PHILOX_WEYL_1 0xbb67ae85u

PHILOX_FUNCTION void philox_round(uint32_t *x0, uint32_t *x1, uint32_t *x2, uint32_t *x3, uint32_t k0, uint32_t k1)
{
    const uint64_t p = (uint64_t)*x0 * PHILOX_MULTIPLIER_0, q = (uint64_t)*x2 * PHILOX_MULTIPLIER_2;

    *x0 = (uint32_t)(q >> 32) ^ *x1 ^ k0;
    *x2 = (uint32_t)(p >> 32) ^ *x3 ^ k1;
    *x1 = (uint32_t)q;
    *x3 = (uint32_t)p;
}

/* One block: the ten-round bijection of `counter` under `key`. */
PHILOX_FUNCTION void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t block[4])
{
    uint32_t x0 = counter[0], x1 = counter[1], x2 = counter[2], x3 = counter[3], k0 = key[0], k1 = key[1];

#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int round = 0; round < PHILOX_ROUNDS; round++, k0 += PHILOX_WEYL_0, k1 += PHILOX_WEYL_1)
        philox_round(&x0, &x1, &x2, &x3, k0, k1);
    block[0] = x0;
    block[1] = x1;
    block[2] = x2;
    block[3] = x3;
}

#endif
