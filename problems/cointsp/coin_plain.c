/*
 * coin_plain.c - the algorithm as the statement tells it, one step after the other; and what both references share.
 *
 * Another formulation than coin.c in every part that could hide a mistake: the unvisited cities are a shrinking list in
 * index order, a tour's rank is counted, the update has both terms, as in the COIN thesis.
 */
#include <stdlib.h>
#include <string.h>

#include "coin.h"
#include "include/cointsp_bits.h"

void cointsp_parameters(struct cointsp_case *c, uint32_t percent, uint32_t k, uint32_t cap)
{
    uint64_t square = (uint64_t)(c->n - 1) * (c->n - 1);

    c->selected = c->population * percent / 100;
    if (c->selected == 0)
        c->selected = 1;
    /* k n / (n - 1)^2, rounded to the nearest */
    c->gain = (uint32_t)(((uint64_t)k * c->n * COINTSP_ONE + 500 * square) / (1000 * square));
    c->cap = (uint32_t)((uint64_t)cap * COINTSP_ONE / 1000);
}

int64_t cointsp_length(uint32_t n, const int32_t *distance, const int32_t *tour)
{
    int64_t length = 0;

    for (uint32_t s = 0; s < n; s++)
        length += distance[(size_t)tour[s] * n + (size_t)tour[s + 1 < n ? s + 1 : 0]];
    return length;
}

struct plain {
    const struct cointsp_case *c;
    uint32_t *generator;  /* [n][n] */
    int32_t *tours;       /* [P][n] */
    int64_t *lengths;     /* [P] */
    int32_t *good, *bad;  /* [n][n]: how often j follows i */
    uint32_t *unvisited;  /* [n], in index order */
};

static uint32_t random_word(const struct plain *plain, uint32_t generation, uint32_t individual, uint32_t step)
{
    uint32_t block[4];

    cointsp_random_block(plain->c->key, generation, individual, step / 4, block);
    return block[step % 4];
}

/* Which of the unvisited cities, as an index into their list. */
static uint32_t choose(const uint32_t *weights, const uint32_t *unvisited, uint32_t left, uint32_t random)
{
    uint32_t total = 0, threshold, sum = 0;

    for (uint32_t u = 0; u < left; u++)
        total += weights[unvisited[u]];
    if (total == 0)
        return cointsp_scale(random, left);
    threshold = cointsp_scale(random, total);
    for (uint32_t u = 0;; u++) {
        sum += weights[unvisited[u]];
        if (threshold < sum)
            return u;
    }
}

static void walk(struct plain *plain, uint32_t generation, uint32_t individual)
{
    uint32_t n = plain->c->n, left = n;
    int32_t *tour = plain->tours + (size_t)individual * n;

    for (uint32_t j = 0; j < n; j++)
        plain->unvisited[j] = j;
    for (uint32_t step = 0; step < n; step++) {
        uint32_t random = random_word(plain, generation, individual, step);
        uint32_t at = step == 0 ? cointsp_scale(random, n)
                                : choose(plain->generator + (size_t)tour[step - 1] * n, plain->unvisited, left, random);

        tour[step] = (int32_t)plain->unvisited[at];
        left--;
        memmove(plain->unvisited + at, plain->unvisited + at + 1, (left - at) * sizeof *plain->unvisited);
    }
}

/* How many tours come before this one: shorter, or as long with a lower index. */
static uint32_t rank_of(const struct plain *plain, uint32_t individual)
{
    uint32_t rank = 0;

    for (uint32_t p = 0; p < plain->c->population; p++)
        rank += plain->lengths[p] < plain->lengths[individual] ||
                (plain->lengths[p] == plain->lengths[individual] && p < individual);
    return rank;
}

static void count(int32_t *pairs, uint32_t n, const int32_t *tour)
{
    for (uint32_t s = 0; s < n; s++)
        pairs[(size_t)tour[s] * n + (size_t)tour[(s + 1) % n]]++;
}

/* One row of the generator: the formula of the COIN thesis, the limits of a cell, then the limit of the sum. */
static void update_row(struct plain *plain, uint32_t i)
{
    uint32_t n = plain->c->n;
    uint32_t *row = plain->generator + (size_t)i * n;
    const int32_t *good = plain->good + (size_t)i * n, *bad = plain->bad + (size_t)i * n;
    uint64_t sum = 0;
    int64_t all = 0;

    for (uint32_t m = 0; m < n; m++)
        all += good[m] - bad[m];
    for (uint32_t j = 0; j < n; j++) {
        int64_t others = all - (good[j] - bad[j]), change, value; /* others: over m != j */

        if (j == i)
            continue;
        /* k/(n-1) (r-p) - k/(n-1)^2 others = k/(n-1)^2 change, and change is a multiple of n */
        change = (int64_t)(n - 1) * (good[j] - bad[j]) - others;
        value = row[j] + (int64_t)plain->c->gain * (change / (int64_t)n);
        if (value < 0)
            value = 0;
        if (value > plain->c->cap)
            value = plain->c->cap;
        row[j] = (uint32_t)value;
        sum += row[j];
    }
    for (uint32_t j = 0; j < n && sum > COINTSP_ONE; j++)
        row[j] = (uint32_t)((uint64_t)row[j] * COINTSP_ONE / sum);
}

static bool plain_alloc(struct plain *plain)
{
    size_t n = plain->c->n, population = plain->c->population;

    plain->generator = calloc(n * n, sizeof *plain->generator);
    plain->tours = calloc(population * n, sizeof *plain->tours);
    plain->lengths = calloc(population, sizeof *plain->lengths);
    plain->good = calloc(n * n, sizeof *plain->good);
    plain->bad = calloc(n * n, sizeof *plain->bad);
    plain->unvisited = calloc(n, sizeof *plain->unvisited);
    return plain->generator && plain->tours && plain->lengths && plain->good && plain->bad && plain->unvisited;
}

static void plain_free(struct plain *plain)
{
    free(plain->generator);
    free(plain->tours);
    free(plain->lengths);
    free(plain->good);
    free(plain->bad);
    free(plain->unvisited);
}

/* One generation; *best is its shortest tour. */
static void generation_plain(struct plain *plain, const int32_t *distance, uint32_t generation, uint32_t *best)
{
    uint32_t n = plain->c->n, population = plain->c->population;

    for (uint32_t p = 0; p < population; p++) {
        walk(plain, generation, p);
        plain->lengths[p] = cointsp_length(n, distance, plain->tours + (size_t)p * n);
    }
    memset(plain->good, 0, (size_t)n * n * sizeof *plain->good);
    memset(plain->bad, 0, (size_t)n * n * sizeof *plain->bad);
    for (uint32_t p = 0; p < population; p++) {
        uint32_t rank = rank_of(plain, p);

        if (rank == 0)
            *best = p;
        if (rank < plain->c->selected)
            count(plain->good, n, plain->tours + (size_t)p * n);
        if (rank >= population - plain->c->selected)
            count(plain->bad, n, plain->tours + (size_t)p * n);
    }
    for (uint32_t i = 0; i < n; i++)
        update_row(plain, i);
}

bool cointsp_coin_plain(const struct cointsp_case *c, const int32_t *distance, struct cointsp_generation *generations,
                        int32_t *tour)
{
    struct plain plain = { .c = c };
    uint32_t n = c->n, best = 0;
    int64_t shortest = INT64_MAX;
    bool ok = plain_alloc(&plain);

    for (uint32_t cell = 0; ok && cell < n * n; cell++)
        plain.generator[cell] = cell / n == cell % n ? 0 : COINTSP_ONE / (n - 1);
    for (uint32_t g = 0; ok && g < c->generations; g++) {
        generation_plain(&plain, distance, g, &best);
        if (plain.lengths[best] < shortest) {
            shortest = plain.lengths[best];
            memcpy(tour, plain.tours + (size_t)best * n, n * sizeof *tour);
        }
        generations[g] = (struct cointsp_generation){ .length = shortest };
        for (uint32_t cell = 0; cell < n * n; cell++)
            generations[g].generator += cointsp_term(cell, plain.generator[cell]);
        for (uint32_t s = 0; s < n; s++)
            generations[g].tour += cointsp_term(s, (uint32_t)tour[s]);
    }
    plain_free(&plain);
    return ok;
}
