/*
 * coin.c - the fast reference: one core, vectors of 16 numbers.
 *
 * Nearly all time goes into the walks: at each step the sum over the unvisited cities of a row of the generator, and
 * the city where the prefix sums pass a threshold. A row is stored so that lane l of the vectors holds the cities l B
 * to l B + B - 1, B = ceil(n / 16): B additions of vectors give the sums of 16 runs of cities in index order, a scan
 * of those finds the run, and at most B numbers of that run are looked at one by one. Visited cities are masked out.
 *
 * The vectors are the compiler's own (GCC's vector extension), so one source serves every machine; the walk is compiled
 * for three levels of x86-64, and the level is chosen at run time.
 */
#include <stdlib.h>
#include <string.h>

#include "coin.h"
#include "include/cointsp_bits.h"

enum { LANES = 16, BLOCKS_MAX = COINTSP_CITIES_MAX / LANES };

typedef uint32_t lanes __attribute__((vector_size(LANES * sizeof(uint32_t))));

/* A tour's length and index in one number, which sorts as the statement wants: shorter first, then the lower index. */
typedef uint64_t ranked;
enum { INDEX_BITS = 16 };

struct coin {
    const struct cointsp_case *c;
    const int32_t *distance;                 /* [n][n] */
    uint32_t n, blocks, width;               /* blocks: B; width = 16 B: numbers in a stored row */
    uint32_t *generator;                     /* [n][width], as told above; 0 where there is no city */
    int32_t *pairs;                          /* [n][width]: good minus bad */
    uint16_t *tours;                         /* [P][n] */
    ranked *ranks;                           /* [P] */
    uint16_t place[COINTSP_CITIES_MAX];      /* where a city is stored in a row */
    void (*walk)(struct coin *coin, uint32_t generation, uint32_t individual);
};

/* ------------------------------------------------------------------ walks */

/* The lane whose run holds `threshold`, which becomes what is left of it in that run. */
static inline uint32_t find_lane(const uint32_t *sums, uint32_t *threshold)
{
    uint32_t lane = 0;

    while (*threshold >= sums[lane])
        *threshold -= sums[lane++];
    return lane;
}

/* Without any weight: the `left`-th city of the unvisited ones, counted from 0. */
static uint32_t find_unvisited(const struct coin *coin, const uint32_t *mask, uint32_t left)
{
    for (uint32_t j = 0;; j++)
        if (mask[coin->place[j]] && left-- == 0)
            return j;
}

static inline __attribute__((always_inline)) void walk(struct coin *coin, uint32_t generation, uint32_t individual)
{
    lanes mask_lanes[BLOCKS_MAX], weights[BLOCKS_MAX];
    uint32_t *mask = (uint32_t *)mask_lanes, *weight = (uint32_t *)weights, random[4];
    const uint32_t n = coin->n, blocks = coin->blocks;
    uint16_t *tour = coin->tours + (size_t)individual * n;
    uint32_t city;

    memset(mask, 0xff, coin->width * sizeof *mask); /* what is no city has no weight */
    cointsp_random_block(coin->c->key, generation, individual, 0, random);
    city = cointsp_scale(random[0], n);
    tour[0] = (uint16_t)city;
    mask[coin->place[city]] = 0;
    for (uint32_t step = 1; step < n; step++) {
        const lanes *row = (const lanes *)(coin->generator + (size_t)city * coin->width);
        uint32_t sums[LANES] __attribute__((aligned(64))), total = 0, threshold, lane;
        lanes sum = { 0 };

        if (step % 4 == 0)
            cointsp_random_block(coin->c->key, generation, individual, step / 4, random);
        for (uint32_t b = 0; b < blocks; b++) {
            weights[b] = row[b] & mask_lanes[b];
            sum += weights[b];
        }
        memcpy(sums, &sum, sizeof sums);
        for (int l = 0; l < LANES; l++)
            total += sums[l];
        if (total == 0) {
            city = find_unvisited(coin, mask, cointsp_scale(random[step % 4], n - step));
        } else {
            threshold = cointsp_scale(random[step % 4], total);
            lane = find_lane(sums, &threshold);
            city = lane * blocks;
            for (const uint32_t *w = weight + lane; threshold >= *w; w += LANES, city++)
                threshold -= *w;
        }
        tour[step] = (uint16_t)city;
        mask[coin->place[city]] = 0;
    }
}

static void walk_portable(struct coin *coin, uint32_t generation, uint32_t individual)
{
    walk(coin, generation, individual);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void walk_avx2(struct coin *coin, uint32_t generation, uint32_t individual)
{
    walk(coin, generation, individual);
}

__attribute__((target("avx512f"))) static void walk_avx512(struct coin *coin, uint32_t generation, uint32_t individual)
{
    walk(coin, generation, individual);
}
#endif

static void choose_walk(struct coin *coin)
{
    coin->walk = walk_portable;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f"))
        coin->walk = walk_avx512;
    else if (__builtin_cpu_supports("avx2"))
        coin->walk = walk_avx2;
#endif
}

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
        coin->pairs[(size_t)before * coin->width + coin->place[tour[s]]] += amount;
        before = tour[s];
    }
}

/*
 * As both groups have the same size and tours are closed, the counts of a row of `pairs` add up to 0, so the two
 * terms of the source's formula are one: k n / (n - 1)^2 (r - p).
 */
static void update_row(struct coin *coin, uint32_t i)
{
    const int64_t gain = coin->c->gain, cap = coin->c->cap;
    uint32_t *row = coin->generator + (size_t)i * coin->width;
    const int32_t *pairs = coin->pairs + (size_t)i * coin->width;
    uint64_t sum = 0;

    for (uint32_t place = 0; place < coin->width; place++) {
        int64_t value = row[place] + gain * pairs[place];

        value = value < 0 ? 0 : value > cap ? cap : value;
        row[place] = (uint32_t)value;
        sum += (uint64_t)value;
    }
    if (sum > COINTSP_ONE)
        for (uint32_t place = 0; place < coin->width; place++)
            row[place] = (uint32_t)((uint64_t)row[place] * COINTSP_ONE / sum);
}

static uint64_t generator_checksum(const struct coin *coin)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < coin->n; i++)
        for (uint32_t j = 0; j < coin->n; j++)
            sum += cointsp_term(i * coin->n + j, coin->generator[(size_t)i * coin->width + coin->place[j]]);
    return sum;
}

/* ------------------------------------------------------------------ the whole */

static bool coin_alloc(struct coin *coin)
{
    size_t cells = (size_t)coin->n * coin->width;

    coin->generator = aligned_alloc(sizeof(lanes), cells * sizeof *coin->generator);
    coin->pairs = malloc(cells * sizeof *coin->pairs);
    coin->tours = malloc((size_t)coin->c->population * coin->n * sizeof *coin->tours);
    coin->ranks = malloc(coin->c->population * sizeof *coin->ranks);
    return coin->generator && coin->pairs && coin->tours && coin->ranks;
}

static void coin_free(struct coin *coin)
{
    free(coin->generator);
    free(coin->pairs);
    free(coin->tours);
    free(coin->ranks);
}

static void coin_start(struct coin *coin)
{
    memset(coin->generator, 0, (size_t)coin->n * coin->width * sizeof *coin->generator);
    for (uint32_t j = 0; j < coin->n; j++)
        coin->place[j] = (uint16_t)(j % coin->blocks * LANES + j / coin->blocks);
    for (uint32_t i = 0; i < coin->n; i++)
        for (uint32_t j = 0; j < coin->n; j++)
            if (i != j)
                coin->generator[(size_t)i * coin->width + coin->place[j]] = COINTSP_ONE / (coin->n - 1);
}

/* One generation; its ranks stay in coin->ranks, the best first. */
static void coin_generation(struct coin *coin, uint32_t generation)
{
    const uint32_t population = coin->c->population;

    for (uint32_t p = 0; p < population; p++) {
        coin->walk(coin, generation, p);
        coin->ranks[p] = (ranked)length_of(coin, coin->tours + (size_t)p * coin->n) << INDEX_BITS | p;
    }
    qsort(coin->ranks, population, sizeof *coin->ranks, ascending);
    memset(coin->pairs, 0, (size_t)coin->n * coin->width * sizeof *coin->pairs);
    for (uint32_t s = 0; s < coin->c->selected; s++) {
        count(coin, tour_of(coin, coin->ranks[s]), 1);
        count(coin, tour_of(coin, coin->ranks[population - 1 - s]), -1);
    }
    for (uint32_t i = 0; i < coin->n; i++)
        update_row(coin, i);
}

bool cointsp_coin(const struct cointsp_case *c, const int32_t *distance, struct cointsp_generation *generations,
                  int32_t *tour)
{
    const uint32_t blocks = (c->n + LANES - 1) / LANES;
    struct coin coin = { .c = c, .distance = distance, .n = c->n, .blocks = blocks, .width = blocks * LANES };
    int64_t shortest = INT64_MAX;
    uint64_t checksum = 0;
    bool ok = coin_alloc(&coin);

    choose_walk(&coin);
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
        generations[g] = (struct cointsp_generation){ generator_checksum(&coin), checksum, shortest };
    }
    coin_free(&coin);
    return ok;
}
