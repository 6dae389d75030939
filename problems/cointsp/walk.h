/*
 * walk.h - the walks of the fast reference, and the generator as they read it: for coin.c, walk_kernel.h and the unit
 * tests.
 */
#ifndef COINTSP_WALK_H
#define COINTSP_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/device_user.h"

/* Numbers side by side: one register of AVX-512. */
enum { LANES = 16 };

typedef uint32_t lanes __attribute__((vector_size(LANES * sizeof(uint32_t))));

/* The cities of a block's cells. */
typedef uint16_t city_numbers[LANES];

/*
 * What the walks of a generation read and write. A row is a list of the cells that are not 0, in B blocks: lane l has
 * the cells l B to l B + B - 1, in index order. Unused cells have the weight 0.
 */
struct walks {
    uint32_t key[2], generation;
    uint32_t n, blocks; /* cities; B */
    lanes *weights;     /* [n][blocks] */
    city_numbers *cities;    /* [n][blocks] */
    uint16_t *tours;    /* [P][n] */
};

/* Walks the tours first to end - 1. Each version gives the same ones. */
typedef void cointsp_walk(const struct walks *walks, size_t first, size_t end);

cointsp_walk cointsp_walk_portable, cointsp_walk_avx512;

bool cointsp_walk_avx512_present(void);

/* cointsp_coin() with one of them. */
bool cointsp_coin_by(cointsp_walk *walk, const struct cointsp_case *c, const int32_t *distance,
                     struct cointsp_generation *generations, int32_t *tour);

#endif
