/*
 * Wrong: multiplies a row's cells by the quotient ONE / S in double precision. Where H * ONE / S is a whole number, the
 * product may be the number below it.
 *
 * fails in: secret/prescribed/21-thirds
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cointsp_bits.h"
#include "device_user.h"

/* A tour's place in the order of a generation. */
struct rank {
    int64_t length;
    uint32_t index;
};

static void *allocate(size_t size)
{
    void *memory = malloc(size);

    if (!memory) {
        fputs("device_user: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* Which of the `left` cities not visited, in index order, is next. A sum of 0 chooses evenly among them. */
static uint32_t choose(const uint32_t *row, const uint16_t *not_visited, uint32_t left, uint32_t random)
{
    uint32_t total = 0, threshold, at = 0;

    for (uint32_t u = 0; u < left; u++)
        total += row[not_visited[u]];
    if (total == 0)
        return cointsp_scale(random, left);
    threshold = cointsp_scale(random, total);
    for (; threshold >= row[not_visited[at]]; at++)
        threshold -= row[not_visited[at]];
    return at;
}

static void walk(const struct cointsp_case *c, const uint32_t *generator, uint32_t generation, uint32_t individual,
                 int32_t *tour)
{
    uint16_t not_visited[COINTSP_CITIES_MAX];
    uint32_t random[4], at, city = 0;

    for (uint32_t j = 0; j < c->n; j++)
        not_visited[j] = (uint16_t)j;
    for (uint32_t step = 0; step < c->n; step++) {
        uint32_t left = c->n - step;

        if (step % 4 == 0)
            cointsp_random_block(c->key, generation, individual, step / 4, random);
        at = step == 0 ? cointsp_scale(random[0], left)
                       : choose(generator + (size_t)city * c->n, not_visited, left, random[step % 4]);
        city = not_visited[at];
        tour[step] = (int32_t)city;
        memmove(not_visited + at, not_visited + at + 1, (left - 1 - at) * sizeof *not_visited);
    }
}

static int64_t evaluate(uint32_t n, const int32_t *distance, const int32_t *tour)
{
    int64_t length = distance[(size_t)tour[n - 1] * n + tour[0]];

    for (uint32_t s = 0; s + 1 < n; s++)
        length += distance[(size_t)tour[s] * n + tour[s + 1]];
    return length;
}

static int ascending(const void *left, const void *right)
{
    const struct rank *a = left, *b = right;

    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

static void count(int32_t *pairs, uint32_t n, const int32_t *tour, int32_t amount)
{
    for (uint32_t s = 0; s < n; s++)
        pairs[(size_t)tour[s] * n + tour[s + 1 < n ? s + 1 : 0]] += amount;
}

static void update_row(const struct cointsp_case *c, uint32_t *row, const int32_t *pairs)
{
    uint64_t sum = 0;

    for (uint32_t j = 0; j < c->n; j++) {
        int64_t value = row[j] + (int64_t)c->gain * pairs[j];

        row[j] = (uint32_t)(value < 0 ? 0 : value > c->cap ? c->cap : value);
        sum += row[j];
    }
    for (uint32_t j = 0; j < c->n && sum > COINTSP_ONE; j++)
        row[j] = (uint32_t)(row[j] * ((double)COINTSP_ONE / (double)sum));
}

void device_user(const struct cointsp_case *c, const int32_t *distance, struct cointsp_generation *generations,
                 int32_t *tour)
{
    const size_t n = c->n, population = c->population;

    if (c->mode != COINTSP_PRESCRIBED) {
        fputs("baseline.c: the open league is not for me\n", stderr);
        exit(1);
    }
    uint32_t *generator = allocate(n * n * sizeof *generator);    /* [n][n] */
    int32_t *pairs = allocate(n * n * sizeof *pairs);             /* [n][n]: good minus bad */
    int32_t *tours = allocate(population * n * sizeof *tours);    /* [P][n] */
    struct rank *ranks = allocate(population * sizeof *ranks);    /* [P] */
    int64_t best = INT64_MAX;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            generator[i * n + j] = i == j ? 0 : COINTSP_ONE / (c->n - 1);
    for (uint32_t g = 0; g < c->generations; g++) {
        for (uint32_t p = 0; p < population; p++) {
            walk(c, generator, g, p, tours + p * n);
            ranks[p] = (struct rank){ evaluate(c->n, distance, tours + p * n), p };
        }
        qsort(ranks, population, sizeof *ranks, ascending);
        memset(pairs, 0, n * n * sizeof *pairs);
        for (uint32_t s = 0; s < c->selected; s++) {
            count(pairs, c->n, tours + ranks[s].index * n, 1);
            count(pairs, c->n, tours + ranks[population - 1 - s].index * n, -1);
        }
        for (size_t i = 0; i < n; i++)
            update_row(c, generator + i * n, pairs + i * n);
        if (ranks[0].length < best) {
            best = ranks[0].length;
            memcpy(tour, tours + ranks[0].index * n, n * sizeof *tour);
        }
        generations[g] = (struct cointsp_generation){ .length = best };
        for (uint32_t cell = 0; cell < n * n; cell++)
            generations[g].generator += cointsp_term(cell, generator[cell]);
        for (uint32_t s = 0; s < n; s++)
            generations[g].tour += cointsp_term(s, (uint32_t)tour[s]);
    }
    free(generator);
    free(pairs);
    free(tours);
    free(ranks);
}
