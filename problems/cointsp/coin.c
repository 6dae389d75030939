/*
 * coin.c - the fast reference: vectors of 16 numbers, all processors.
 *
 * Nearly all time goes into the walks: at each step the sum over the unvisited cities of a row of the generator, and
 * the city where the prefix sums pass a threshold. A row is stored so that lane l of the vectors holds the cities l B
 * to l B + B - 1, B = ceil(n / 16): B additions of vectors give the sums of 16 runs of cities in index order, and on
 * the way those up to each city of a run. So a search in 16 sums finds the run, and one in B sums the city. Visited
 * cities are masked out. Idle processors share the walks of a generation.
 *
 * The vectors are the compiler's own (GCC's vector extension), so one source serves every machine; the walk is compiled
 * for three levels of x86-64, and the level is chosen at run time.
 */
#include <stdlib.h>
#include <string.h>

#include "coin.h"
#include "include/cointsp_bits.h"
#include "verify/base/parallel.h"

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
    uint32_t generation;                     /* the one under way */
    void (*walk)(const struct coin *coin, uint32_t generation, uint32_t first, uint32_t second);
};

/* ------------------------------------------------------------------ walks */

/* A walk under way. */
struct walker {
    lanes mask[BLOCKS_MAX]; /* all ones where a city is unvisited; also where there is none: it has no weight */
    lanes sums[BLOCKS_MAX]; /* of the weights of each lane's run, up to this block */
    lanes up_to, before;    /* of all weights of the lanes up to this one; of those before it */
    uint32_t random[4];
    uint32_t individual, city;
    uint16_t *tour;
};

/* Without any weight: the `left`-th city of the unvisited ones, counted from 0. */
static uint32_t find_unvisited(const struct coin *coin, const uint32_t *mask, uint32_t left)
{
    for (uint32_t j = 0;; j++)
        if (mask[coin->place[j]] && left-- == 0)
            return j;
}

/* So many walks at a time: each would wait for its own sums most of the time. */
enum { PACE = 2 };

/*
 * For each walk, how many of its sums[count * stride], which never fall and end above it, are at most its threshold.
 * Without a branch that depends on them: nobody can predict where a walk goes, and a wrong guess costs as much as the
 * whole search.
 */
static inline __attribute__((always_inline)) void find(const uint32_t *const sums[PACE], uint32_t stride,
                                                       uint32_t count, const uint32_t threshold[PACE],
                                                       uint32_t found[PACE])
{
    for (uint32_t w = 0; w < PACE; w++)
        found[w] = 0;
    while (count > 1) {
        const uint32_t half = count / 2;

        for (uint32_t w = 0; w < PACE; w++)
            found[w] += half & -(uint32_t)(sums[w][(found[w] + half - 1) * stride] <= threshold[w]);
        count -= half;
    }
}

static inline __attribute__((always_inline)) void visit(const struct coin *coin, struct walker *w, uint32_t step,
                                                        uint32_t city)
{
    w->city = city;
    w->tour[step] = (uint16_t)city;
    ((uint32_t *)w->mask)[coin->place[city]] = 0;
}

static inline __attribute__((always_inline)) void set_out(const struct coin *coin, struct walker *w,
                                                          uint32_t generation, uint32_t individual)
{
    w->individual = individual;
    w->tour = coin->tours + (size_t)individual * coin->n;
    memset(w->mask, 0xff, coin->width * sizeof(uint32_t));
    cointsp_random_block(coin->c->key, generation, individual, 0, w->random);
    visit(coin, w, 0, cointsp_scale(w->random[0], coin->n));
}

/* Each lane gets what the one before has. */
static inline __attribute__((always_inline)) void shift(lanes *to, const lanes *from)
{
    *to = __builtin_shuffle((lanes){ 0 }, *from,
                            (lanes){ 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30 });
}

/* The sums of lanes 0 to l, for each l. */
static inline __attribute__((always_inline)) void add_prefixes(lanes *sums)
{
    const lanes zero = { 0 };
    lanes sum;

    shift(&sum, sums);
    sum += *sums;
    sum += __builtin_shuffle(zero, sum, (lanes){ 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29 });
    sum += __builtin_shuffle(zero, sum, (lanes){ 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27 });
    sum += __builtin_shuffle(zero, sum, (lanes){ 0, 0, 0, 0, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23 });
    *sums = sum;
}

/* The sums of all lanes and blocks of each walk's next step. */
static inline __attribute__((always_inline)) void add_up(const struct coin *coin, struct walker walkers[PACE])
{
    const lanes *rows[PACE];
    lanes sums[PACE];

    for (uint32_t w = 0; w < PACE; w++) {
        rows[w] = (const lanes *)(coin->generator + (size_t)walkers[w].city * coin->width);
        sums[w] = (lanes){ 0 };
    }
    for (uint32_t b = 0; b < coin->blocks; b++)
        for (uint32_t w = 0; w < PACE; w++)
            walkers[w].sums[b] = sums[w] += rows[w][b] & walkers[w].mask[b];
    for (uint32_t w = 0; w < PACE; w++) {
        add_prefixes(&sums[w]);
        walkers[w].up_to = sums[w];
        shift(&walkers[w].before, &sums[w]);
    }
}

static inline __attribute__((always_inline)) void walk_on(const struct coin *coin, struct walker walkers[PACE],
                                                          uint32_t generation, uint32_t step)
{
    uint32_t thresholds[PACE], lane[PACE], block[PACE];
    const uint32_t *sums[PACE];

    if (step % 4 == 0)
        for (uint32_t w = 0; w < PACE; w++)
            cointsp_random_block(coin->c->key, generation, walkers[w].individual, step / 4, walkers[w].random);
    add_up(coin, walkers);
    for (uint32_t w = 0; w < PACE; w++) {
        thresholds[w] = cointsp_scale(walkers[w].random[step % 4], walkers[w].up_to[LANES - 1]);
        sums[w] = (uint32_t *)&walkers[w].up_to;
    }
    find(sums, 1, LANES, thresholds, lane);
    for (uint32_t w = 0; w < PACE; w++) {
        thresholds[w] -= walkers[w].before[lane[w]];
        sums[w] = (uint32_t *)walkers[w].sums + lane[w];
    }
    find(sums, LANES, coin->blocks, thresholds, block);
    for (uint32_t w = 0; w < PACE; w++) {
        uint32_t city = lane[w] * coin->blocks + block[w];

        if (walkers[w].up_to[LANES - 1] == 0) /* what was found is no city */
            city = find_unvisited(coin, (uint32_t *)walkers[w].mask,
                                  cointsp_scale(walkers[w].random[step % 4], coin->n - step));
        visit(coin, &walkers[w], step, city);
    }
}

static inline __attribute__((always_inline)) void walk_two(const struct coin *coin, uint32_t generation,
                                                           uint32_t first, uint32_t second)
{
    struct walker walkers[PACE];

    set_out(coin, &walkers[0], generation, first);
    set_out(coin, &walkers[1], generation, second);
    for (uint32_t step = 1; step < coin->n; step++)
        walk_on(coin, walkers, generation, step);
}

static void walk_portable(const struct coin *coin, uint32_t generation, uint32_t first, uint32_t second)
{
    walk_two(coin, generation, first, second);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void walk_avx2(const struct coin *coin, uint32_t generation, uint32_t first,
                                                      uint32_t second)
{
    walk_two(coin, generation, first, second);
}

__attribute__((target("avx512f"))) static void walk_avx512(const struct coin *coin, uint32_t generation,
                                                           uint32_t first, uint32_t second)
{
    walk_two(coin, generation, first, second);
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
 * terms of the COIN thesis's formula are one: k n / (n - 1)^2 (r - p).
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

/* Individuals that a processor takes at a time. */
enum { WALKS = 16 };

/* The tours of some individuals, and their lengths. The last of an odd number walks twice. */
static void walk_some(void *context, size_t first, size_t end)
{
    struct coin *coin = context;

    for (size_t p = first; p < end; p += 2)
        coin->walk(coin, coin->generation, (uint32_t)p, (uint32_t)(p + 1 < end ? p + 1 : p));
    for (size_t p = first; p < end; p++)
        coin->ranks[p] = (ranked)length_of(coin, coin->tours + p * coin->n) << INDEX_BITS | p;
}

/* One generation; its ranks stay in coin->ranks, the best first. */
static void coin_generation(struct coin *coin, uint32_t generation)
{
    const uint32_t population = coin->c->population;

    coin->generation = generation;
    parallel_pieces(population, WALKS, walk_some, coin);
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
