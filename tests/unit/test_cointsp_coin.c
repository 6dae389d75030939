/*
 * test_cointsp_coin.c - the two references of cointsp against each other; random numbers and parameters; made-up
 * instances; the open league's heuristic.
 */
#include "problems/cointsp/coin.h"

#include <stdlib.h>
#include <string.h>

#include "problems/cointsp/include/cointsp_bits.h"
#include "problems/cointsp/instances.h"
#include "problems/cointsp/opt.h"
#include "problems/cointsp/walk.h"
#include "unit.h"
#include "verify/base/random.h"

static int32_t distance[COINTSP_CITIES_MAX * COINTSP_CITIES_MAX];
static struct cointsp_generation fast[64], plain[64];
static int32_t fast_tour[COINTSP_CITIES_MAX], plain_tour[COINTSP_CITIES_MAX];

/* The submissions' random numbers are the toolkit's Philox. */
static void test_random(void)
{
    struct random_stream stream = random_stream(&(struct random_key){ .seed = 7 }, 0);

    for (int k = 0; k < 1000; k++) {
        uint32_t counter[4], key[2], right[4], got[4];

        for (int w = 0; w < 4; w++)
            counter[w] = random_u32(&stream);
        key[0] = random_u32(&stream);
        key[1] = random_u32(&stream);
        counter[3] = 0;
        philox4x32(counter, key, right);
        cointsp_random_block(key, counter[2], counter[1], counter[0], got);
        CHECK(memcmp(right, got, sizeof got) == 0, "%08x %08x", right[0], got[0]);
    }
}

static void test_parameters(void)
{
    struct cointsp_case c = { .n = 3, .population = 7 };

    cointsp_parameters(&c, 50, 1000, 1000);
    CHECK(c.selected == 3 && c.gain == 805306368 && c.cap == COINTSP_ONE, "%u %u %u", c.selected, c.gain, c.cap);
    c.n = 4; /* the statement's example */
    cointsp_parameters(&c, 50, 200, 500);
    CHECK(c.gain == 95443718 && c.cap == COINTSP_ONE / 2, "%u %u", c.gain, c.cap);
    c.n = 101;
    cointsp_parameters(&c, 1, 100, 10);
    /* 0.1 * 101 / 100^2 * 2^30 = 1084479.24 */
    CHECK(c.selected == 1 && c.gain == 1084479 && c.cap == 10737418, "%u %u %u", c.selected, c.gain, c.cap);
}

static void compare_by(cointsp_walk *walk, const struct cointsp_case *c)
{
    CHECK(cointsp_coin_by(walk, c, distance, fast, fast_tour) && cointsp_coin_plain(c, distance, plain, plain_tour),
          "out of memory");
    CHECK(memcmp(fast, plain, c->generations * sizeof *fast) == 0 &&
              memcmp(fast_tour, plain_tour, c->n * sizeof *fast_tour) == 0,
          "n %u P %u G %u j %u gain %u cap %u: %jd and %jd", c->n, c->population, c->generations, c->selected, c->gain,
          c->cap, (intmax_t)fast[c->generations - 1].length, (intmax_t)plain[c->generations - 1].length);
}

static void compare(const struct cointsp_case *c)
{
    compare_by(cointsp_walk_portable, c);
    if (cointsp_walk_avx512_present())
        compare_by(cointsp_walk_avx512, c);
}

/* All parameters random, as far as they go. */
static void test_references(uint32_t times)
{
    struct random_stream stream = random_stream(&(struct random_key){ .seed = 8 }, 0);

    for (uint32_t k = 0; k < times; k++) {
        struct cointsp_case c = { .n = 3 + random_below(&stream, 1u << (1 + random_below(&stream, 7))) };
        uint32_t least = (1000 + c.n - 2) / (c.n - 1);

        c.population = 2 + random_below(&stream, 100);
        c.generations = 1 + random_below(&stream, 8);
        c.key[0] = random_u32(&stream);
        c.key[1] = random_u32(&stream);
        cointsp_parameters(&c, 1 + random_below(&stream, 50), 1 + random_below(&stream, 1000),
                           least + random_below(&stream, 1001 - least));
        cointsp_make((enum cointsp_kind)random_below(&stream, COINTSP_KINDS), c.n, &stream, distance);
        compare(&c);
    }
}

/* Sizes around the fast reference's vectors. */
static void test_sizes(void)
{
    static const uint32_t sizes[] = { 3, 4, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 65, 1023, 1024 };

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct random_stream stream = random_stream(&(struct random_key){ .seed = 9 }, (uint32_t)k);
        struct cointsp_case c = { .n = sizes[k], .population = 9, .generations = 4 };

        cointsp_parameters(&c, 50, 1000, 1000);
        cointsp_make(COINTSP_WEIGHTS, c.n, &stream, distance);
        compare(&c);
    }
}

static bool is_tour(uint32_t n, const int32_t *tour)
{
    bool seen[COINTSP_CITIES_MAX] = { false };

    for (uint32_t s = 0; s < n; s++) {
        if (tour[s] < 0 || (uint32_t)tour[s] >= n || seen[tour[s]])
            return false;
        seen[tour[s]] = true;
    }
    return true;
}

/* The shortest tour of up to 8 cities, by all orders behind city 0. */
static int64_t shortest(uint32_t n, int32_t *tour, uint32_t fixed)
{
    int64_t best = INT64_MAX;

    if (fixed == n)
        return cointsp_length(n, distance, tour);
    for (uint32_t s = fixed; s < n; s++) {
        int32_t city = tour[s];
        int64_t length;

        tour[s] = tour[fixed];
        tour[fixed] = city;
        length = shortest(n, tour, fixed + 1);
        best = length < best ? length : best;
        tour[fixed] = tour[s];
        tour[s] = city;
    }
    return best;
}

/* Tours, no move left that 2-opt finds with all pairs of small instances, never below the optimum. */
static void test_heuristic(void)
{
    for (uint32_t k = 0; k < 400; k++) {
        struct random_stream stream = random_stream(&(struct random_key){ .seed = 10 }, k);
        uint32_t n = 3 + random_below(&stream, k % 20 == 0 ? 600 : 6);
        int32_t tour[COINTSP_CITIES_MAX], order[COINTSP_CITIES_MAX];
        int64_t length = 0;

        cointsp_make((enum cointsp_kind)(k % COINTSP_KINDS), n, &stream, distance);
        CHECK(cointsp_opt(n, distance, tour, &length) && is_tour(n, tour) &&
                  cointsp_length(n, distance, tour) == length,
              "n %u: %jd", n, (intmax_t)length);
        for (uint32_t s = 0; s < n; s++)
            order[s] = (int32_t)s;
        if (n <= 8)
            CHECK(length >= shortest(n, order, 1), "n %u: %jd is below the optimum", n, (intmax_t)length);
    }
}

/* Random points in a square of side 10000: the optimum is near 0.7124 * sqrt(n) * 10000 (Johnson and McGeoch, 1997). */
static void test_quality(void)
{
    struct random_stream stream = random_stream(&(struct random_key){ .seed = 11 }, 0);
    int32_t tour[COINTSP_CITIES_MAX];
    int64_t length = 0;

    cointsp_make(COINTSP_UNIFORM, 1000, &stream, distance);
    CHECK(cointsp_opt(1000, distance, tour, &length), "out of memory");
    CHECK(length > 225000 && length < 260000, "%jd", (intmax_t)length);
}

int main(void)
{
    test_random();
    test_parameters();
    test_references(3000);
    test_sizes();
    test_heuristic();
    test_quality();
    return unit_end();
}
