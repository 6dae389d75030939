/*
 * league: open
 *
 * Iterated local search on one CPU core: nearest neighbour, then 2-opt and Or-opt until nothing helps; while the tour
 * is too long, a double bridge among near positions and the same again, kept where it is no worse.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cointsp_bits.h"
#include "device_user.h"

struct search {
    const int32_t *distance; /* [n][n] */
    int n;
    int32_t tour[COINTSP_CITIES_MAX], best[COINTSP_CITIES_MAX];
};

/* Between the cities at two positions. */
static int d(const struct search *s, int i, int j)
{
    return s->distance[(size_t)s->tour[i % s->n] * s->n + s->tour[j % s->n]];
}

static int64_t length(const struct search *s)
{
    int64_t sum = 0;

    for (int i = 0; i < s->n; i++)
        sum += d(s, i, i + 1);
    return sum;
}

static void nearest_neighbour(struct search *s)
{
    for (int i = 0; i < s->n; i++)
        s->tour[i] = i;
    for (int i = 0; i + 1 < s->n; i++) {
        int best = i + 1;

        for (int j = i + 2; j < s->n; j++)
            if (d(s, i, j) < d(s, i, best))
                best = j;
        int32_t city = s->tour[i + 1];
        s->tour[i + 1] = s->tour[best];
        s->tour[best] = city;
    }
}

static void reverse(int32_t *tour, int first, int last)
{
    for (; first < last; first++, last--) {
        int32_t city = tour[first];

        tour[first] = tour[last];
        tour[last] = city;
    }
}

/* Positions i + 1 to j turned round. */
static int try_two_opt(struct search *s, int i, int j)
{
    if (d(s, i, i + 1) + d(s, j, j + 1) <= d(s, i, j) + d(s, i + 1, j + 1))
        return 0;
    reverse(s->tour, i + 1, j);
    return 1;
}

/* Positions i to k - 1 and k to j change places: one of the two is a segment of up to three cities. */
static int try_or_opt(struct search *s, int i, int k, int j)
{
    if (d(s, i - 1, i) + d(s, k - 1, k) + d(s, j, j + 1) <= d(s, i - 1, k) + d(s, j, i) + d(s, k - 1, j + 1))
        return 0;
    reverse(s->tour, i, k - 1);
    reverse(s->tour, k, j);
    reverse(s->tour, i, j);
    return 1;
}

/* Until no move helps; only positions from `low` to `high` are looked at. */
static void improve(struct search *s, int low, int high)
{
    int moved = 1;

    while (moved) {
        moved = 0;
        for (int i = low; i < high; i++)
            for (int j = i + 1; j < high; j++) {
                moved |= try_two_opt(s, i, j);
                for (int length = 1; length <= 3 && i >= 1 && i + length <= j; length++)
                    moved |= try_or_opt(s, i, i + length, j) | try_or_opt(s, i, j + 1 - length, j);
            }
    }
}

/* Two neighbouring parts within 50 positions change places. */
static void kick(struct search *s, const uint32_t random[4], int low, int high)
{
    int cut[3] = { low + 1, low + 1, low + 1 };

    for (int k = 0; k < 3; k++)
        cut[k] += (int)cointsp_scale(random[k], (uint32_t)(high - low - 1));
    for (int k = 0; k < 3; k++)
        if (cut[k % 2] > cut[k % 2 + 1]) {
            int other = cut[k % 2];

            cut[k % 2] = cut[k % 2 + 1];
            cut[k % 2 + 1] = other;
        }
    if (cut[0] == cut[1] || cut[1] == cut[2])
        return;
    reverse(s->tour, cut[0], cut[1] - 1);
    reverse(s->tour, cut[1], cut[2] - 1);
    reverse(s->tour, cut[0], cut[2] - 1);
}

void device_user(const struct cointsp_case *c, const int32_t *distance, struct cointsp_generation *generations,
                 int32_t *tour)
{
    static struct search s;
    int64_t best;

    (void)generations;
    if (c->mode != COINTSP_OPEN) {
        fputs("open_two_opt.c: the prescribed league is not for me\n", stderr);
        exit(1);
    }
    s.distance = distance;
    s.n = (int)c->n;
    nearest_neighbour(&s);
    improve(&s, 0, s.n);
    best = length(&s);
    for (uint32_t round = 0; best > c->target && s.n > 7; round++) {
        int window = s.n < 50 ? s.n : 50, low;
        uint32_t random[4];
        int64_t now;

        memcpy(s.best, s.tour, sizeof s.best);
        cointsp_random_block(c->key, 0, 0, round, random);
        low = (int)cointsp_scale(random[3], (uint32_t)(s.n - window + 1));
        kick(&s, random, low, low + window);
        improve(&s, low, low + window);
        now = length(&s);
        if (now <= best)
            best = now;
        else
            memcpy(s.tour, s.best, sizeof s.tour);
        if (round % 64 == 0) { /* other positions become near */
            for (int i = 0; i < s.n; i++)
                s.best[i] = s.tour[(i + s.n / 3) % s.n];
            memcpy(s.tour, s.best, sizeof s.tour);
        }
    }
    memcpy(tour, s.tour, c->n * sizeof *tour);
}
