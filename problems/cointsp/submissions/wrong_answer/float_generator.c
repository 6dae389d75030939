/*
 * Wrong: keeps the generator in double precision, as the COIN thesis does. Its tours are as good, but not the
 * prescribed ones.
 *
 * fails in: sample/prescribed/1-small, secret/prescribed/02-four
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

/* The next city: visited ones have no weight. A sum of 0 chooses evenly among the `left` cities not visited. */
static uint32_t next_city(const double *row, const unsigned char *visited, uint32_t n, uint32_t left, uint32_t random)
{
    double total = 0, threshold;
    uint32_t last = 0;

    for (uint32_t m = 0; m < n; m++)
        total += visited[m] ? 0 : row[m];
    threshold = random * 0x1p-32 * (total > 0 ? total : left);
    for (uint32_t j = 0; j < n; j++) {
        if (visited[j])
            continue;
        last = j;
        threshold -= total > 0 ? row[j] : 1;
        if (threshold < 0)
            break;
    }
    return last;
}

static void walk(const struct cointsp_case *c, const double *generator, uint32_t generation, uint32_t individual,
                 int32_t *tour)
{
    unsigned char visited[COINTSP_CITIES_MAX] = { 0 };
    uint32_t random[4], city = 0;

    for (uint32_t step = 0; step < c->n; step++) {
        if (step % 4 == 0)
            cointsp_random_block(c->key, generation, individual, step / 4, random);
        city = step == 0 ? cointsp_scale(random[0], c->n)
                         : next_city(generator + (size_t)city * c->n, visited, c->n, c->n - step, random[step % 4]);
        visited[city] = 1;
        tour[step] = (int32_t)city;
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

static void update_row(const struct cointsp_case *c, double *row, const int32_t *pairs)
{
    const double one = COINTSP_ONE;
    double sum = 0;

    for (uint32_t j = 0; j < c->n; j++) {
        row[j] += c->gain / one * pairs[j];
        row[j] = row[j] < 0 ? 0 : row[j] > c->cap / one ? c->cap / one : row[j];
        sum += row[j];
    }
    for (uint32_t j = 0; j < c->n && sum > 1; j++)
        row[j] /= sum;
}

void device_user(const struct cointsp_case *c, const int32_t *distance, struct cointsp_generation *generations,
                 int32_t *tour)
{
    const size_t n = c->n, population = c->population;

    if (c->mode != COINTSP_PRESCRIBED) {
        fputs("float_generator.c: the open league is not for me\n", stderr);
        exit(1);
    }
    double *generator = allocate(n * n * sizeof *generator);      /* [n][n] */
    int32_t *pairs = allocate(n * n * sizeof *pairs);             /* [n][n]: good minus bad */
    int32_t *tours = allocate(population * n * sizeof *tours);    /* [P][n] */
    struct rank *ranks = allocate(population * sizeof *ranks);    /* [P] */
    int64_t best = INT64_MAX;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            generator[i * n + j] = i == j ? 0 : 1.0 / (c->n - 1);
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
            generations[g].generator += cointsp_term(cell, (uint32_t)(generator[cell] * COINTSP_ONE));
        for (uint32_t s = 0; s < n; s++)
            generations[g].tour += cointsp_term(s, (uint32_t)tour[s]);
    }
    free(generator);
    free(pairs);
    free(tours);
    free(ranks);
}
