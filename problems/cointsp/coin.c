/*
 * coin.c - the fast reference: vectors of 16 numbers, all processors.
 *
 * Nearly all time goes into the walks (walk_kernel.h), which idle processors share. Most cells of the generator soon
 * become 0 and stay so, and add nothing. So the walks read lists of the other cells, which are made after each
 * generation.
 */
#include <stdlib.h>
#include <string.h>

#include "coin.h"
#include "include/cointsp_bits.h"
#include "verify/base/parallel.h"
#include "walk.h"

/* A tour's length and index in one number, which sorts as the statement wants: shorter first, then the lower index. */
typedef uint64_t ranked;
enum { INDEX_BITS = 16 };

struct coin {
    const struct cointsp_case *c;
    const int32_t *distance; /* [n][n] */
    uint32_t n;
    uint32_t *generator;     /* [n][n] */
    uint64_t checksum;       /* of the generator */
    int32_t *pairs;          /* [n][n]: good minus bad */
    uint16_t *tours;         /* [P][n] */
    ranked *ranks;           /* [P] */
    struct walks walks;      /* its lists have room for rows without a 0 */
    cointsp_walk *walk;
};

/* ------------------------------------------------------------------ evaluation and selection */

static int64_t length_of(const struct coin *coin, const uint16_t *tour)
{
    const uint32_t n = coin->n;
    int64_t length = coin->distance[(size_t)tour[n - 1] * n + tour[0]];

    for (uint32_t s = 0; s + 1 < n; s++)
        length += coin->distance[(size_t)tour[s] * n + tour[s + 1]];
    return length;
}

static int ascending(const void *left, const void *right)
{
    ranked a = *(const ranked *)left, b = *(const ranked *)right;

    return (a > b) - (a < b);
}

static const uint16_t *tour_of(const struct coin *coin, ranked rank)
{
    return coin->tours + (size_t)(rank & ((1u << INDEX_BITS) - 1)) * coin->n;
}

/* ------------------------------------------------------------------ update */

static void count(struct coin *coin, const uint16_t *tour, int32_t amount)
{
    uint32_t before = tour[coin->n - 1];

    for (uint32_t s = 0; s < coin->n; s++) {
        coin->pairs[(size_t)before * coin->n + tour[s]] += amount;
        before = tour[s];
    }
}

/* Sets a cell, and keeps the checksum. Most cells stay as they are. */
static void set_cell(struct coin *coin, uint32_t cell, uint32_t value)
{
    if (value == coin->generator[cell])
        return;
    coin->checksum += cointsp_term(cell, value) - cointsp_term(cell, coin->generator[cell]);
    coin->generator[cell] = value;
}

static uint32_t count_cells(const struct coin *coin, uint32_t i)
{
    uint32_t count = 0;

    for (uint32_t j = 0; j < coin->n; j++)
        count += coin->generator[(size_t)i * coin->n + j] != 0;
    return count;
}

/* Lists a row's cells in `blocks` blocks. */
static void list_row(struct coin *coin, uint32_t i, uint32_t blocks)
{
    const uint32_t *row = coin->generator + (size_t)i * coin->n;
    lanes *weights = coin->walks.weights + (size_t)i * blocks;
    city_numbers *cities = coin->walks.cities + (size_t)i * blocks;
    uint32_t b = 0, l = 0;

    memset(weights, 0, blocks * sizeof *weights);
    memset(cities, 0, blocks * sizeof *cities);
    for (uint32_t j = 0; j < coin->n; j++) {
        if (row[j] == 0)
            continue;
        weights[b][l] = row[j];
        cities[b][l] = (uint16_t)j;
        if (++b == blocks) {
            b = 0;
            l++;
        }
    }
}

/* All rows get as many blocks: so many that nobody's walk ends a loop earlier than another's. */
static void list_rows(struct coin *coin)
{
    uint32_t most = 1, blocks;

    for (uint32_t i = 0; i < coin->n; i++) {
        const uint32_t count = count_cells(coin, i);

        most = count > most ? count : most;
    }
    blocks = (most + LANES - 1) / LANES;
    for (uint32_t i = 0; i < coin->n; i++)
        list_row(coin, i, blocks);
    coin->walks.blocks = blocks;
}

/*
 * As both groups have the same size and tours are closed, the counts of a row of `pairs` add up to 0, so the two
 * terms of the COIN thesis's formula are one: k n / (n - 1)^2 (r - p).
 */
static void update_row(struct coin *coin, uint32_t i)
{
    const int64_t gain = coin->c->gain, cap = coin->c->cap;
    const uint32_t first = i * coin->n;
    uint32_t values[COINTSP_CITIES_MAX];
    uint64_t sum = 0;

    for (uint32_t j = 0; j < coin->n; j++) {
        int64_t value = coin->generator[first + j] + gain * coin->pairs[first + j];

        value = value < 0 ? 0 : value > cap ? cap : value;
        values[j] = (uint32_t)value;
        sum += (uint64_t)value;
    }
    for (uint32_t j = 0; j < coin->n; j++)
        set_cell(coin, first + j, sum > COINTSP_ONE && values[j] > 0
                                      ? (uint32_t)((uint64_t)values[j] * COINTSP_ONE / sum) : values[j]);
}

/* ------------------------------------------------------------------ the whole */

static bool coin_alloc(struct coin *coin)
{
    const size_t n = coin->n, blocks = n * ((n + LANES - 1) / LANES);
    struct walks *walks = &coin->walks;

    coin->generator = malloc(n * n * sizeof *coin->generator);
    coin->pairs = malloc(n * n * sizeof *coin->pairs);
    coin->tours = malloc(coin->c->population * n * sizeof *coin->tours);
    coin->ranks = malloc(coin->c->population * sizeof *coin->ranks);
    walks->weights = aligned_alloc(sizeof *walks->weights, blocks * sizeof *walks->weights);
    walks->cities = aligned_alloc(sizeof *walks->cities, blocks * sizeof *walks->cities);
    walks->tours = coin->tours;
    return coin->generator && coin->pairs && coin->tours && coin->ranks && walks->weights && walks->cities;
}

static void coin_free(struct coin *coin)
{
    free(coin->generator);
    free(coin->pairs);
    free(coin->tours);
    free(coin->ranks);
    free(coin->walks.weights);
    free(coin->walks.cities);
}

static void coin_start(struct coin *coin)
{
    const uint32_t n = coin->n;

    for (uint32_t cell = 0; cell < n * n; cell++) {
        coin->generator[cell] = cell / n == cell % n ? 0 : COINTSP_ONE / (n - 1);
        coin->checksum += cointsp_term(cell, coin->generator[cell]);
    }
    list_rows(coin);
}

/* Individuals that a processor takes at a time. */
enum { WALKS = 16 };

/* The tours of some individuals, and their lengths. */
static void walk_some(void *context, size_t first, size_t end)
{
    struct coin *coin = context;

    coin->walk(&coin->walks, first, end);
    for (size_t p = first; p < end; p++)
        coin->ranks[p] = (ranked)length_of(coin, coin->tours + p * coin->n) << INDEX_BITS | p;
}

/* One generation; its ranks stay in coin->ranks, the best first. */
static void coin_generation(struct coin *coin, uint32_t generation)
{
    const uint32_t population = coin->c->population;

    coin->walks.generation = generation;
    parallel_pieces(population, WALKS, walk_some, coin);
    qsort(coin->ranks, population, sizeof *coin->ranks, ascending);
    memset(coin->pairs, 0, (size_t)coin->n * coin->n * sizeof *coin->pairs);
    for (uint32_t s = 0; s < coin->c->selected; s++) {
        count(coin, tour_of(coin, coin->ranks[s]), 1);
        count(coin, tour_of(coin, coin->ranks[population - 1 - s]), -1);
    }
    for (uint32_t i = 0; i < coin->n; i++)
        update_row(coin, i);
    list_rows(coin);
}

bool cointsp_coin_by(cointsp_walk *walk, const struct cointsp_case *c, const int32_t *distance,
                     struct cointsp_generation *generations, int32_t *tour)
{
    struct coin coin = { .c = c, .distance = distance, .n = c->n, .walk = walk,
                         .walks = { .key = { c->key[0], c->key[1] }, .n = c->n } };
    int64_t shortest = INT64_MAX;
    uint64_t checksum = 0;
    bool ok = coin_alloc(&coin);

    if (ok)
        coin_start(&coin);
    for (uint32_t g = 0; ok && g < c->generations; g++) {
        coin_generation(&coin, g);
        if ((int64_t)(coin.ranks[0] >> INDEX_BITS) < shortest) {
            const uint16_t *best = tour_of(&coin, coin.ranks[0]);

            shortest = (int64_t)(coin.ranks[0] >> INDEX_BITS);
            checksum = 0;
            for (uint32_t s = 0; s < c->n; s++) {
                tour[s] = best[s];
                checksum += cointsp_term(s, best[s]);
            }
        }
        generations[g] = (struct cointsp_generation){ coin.checksum, checksum, shortest };
    }
    coin_free(&coin);
    return ok;
}

bool cointsp_walk_avx512_present(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx512f");
#else
    return false;
#endif
}

bool cointsp_coin(const struct cointsp_case *c, const int32_t *distance, struct cointsp_generation *generations,
                  int32_t *tour)
{
    return cointsp_coin_by(cointsp_walk_avx512_present() ? cointsp_walk_avx512 : cointsp_walk_portable, c, distance,
                           generations, tour);
}
