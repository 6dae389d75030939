/*
 * opt.c - nearest neighbour, 2-opt and Or-opt.
 *
 * The moves are those of Croes (1958) and Or (1976), restricted to near neighbours and driven by a queue of cities
 * whose surroundings have changed, as Bentley describes ("Fast algorithms for geometric traveling salesman problems",
 * ORSA Journal on Computing 4, 1992). An Or-opt move is made of 2-opt exchanges.
 */
#include "opt.h"

#include <stdlib.h>
#include <string.h>

#include "coin.h"

enum { NEAR = 12, SEGMENT = 3 };

struct opt {
    const int32_t *distance; /* [n][n] */
    int32_t n, near;         /* near: neighbours a city has in its list */
    int32_t *tour;           /* [n] */
    int32_t *place;          /* [n]: where a city is in the tour */
    int32_t *neighbours;     /* [n][near], the nearest first */
    int32_t *queue;          /* [n], a ring */
    bool *queued;            /* [n] */
    int32_t first, waiting;  /* of the ring */
};

static int32_t d(const struct opt *opt, int32_t i, int32_t j)
{
    return opt->distance[(size_t)i * (size_t)opt->n + (size_t)j];
}

/* The city after `city`, or before it where `way` is -1. */
static int32_t next(const struct opt *opt, int32_t city, int way)
{
    int32_t at = opt->place[city] + way;

    return opt->tour[at < 0 ? opt->n - 1 : at == opt->n ? 0 : at];
}

static void push(struct opt *opt, int32_t city)
{
    if (opt->queued[city])
        return;
    opt->queued[city] = true;
    opt->queue[(opt->first + opt->waiting++) % opt->n] = city;
}

static int32_t pop(struct opt *opt)
{
    int32_t city = opt->queue[opt->first];

    opt->first = (opt->first + 1) % opt->n;
    opt->waiting--;
    opt->queued[city] = false;
    return city;
}

/* Turns round the part of the tour from city `from` on to city `to`. */
static void reverse(struct opt *opt, int32_t from, int32_t to)
{
    int32_t i = opt->place[from], j = opt->place[to], count = (j - i + opt->n) % opt->n + 1;

    for (int32_t swaps = count / 2; swaps > 0; swaps--) {
        int32_t a = opt->tour[i], b = opt->tour[j];

        opt->tour[i] = b;
        opt->place[b] = i;
        opt->tour[j] = a;
        opt->place[a] = j;
        i = i + 1 == opt->n ? 0 : i + 1;
        j = j == 0 ? opt->n - 1 : j - 1;
    }
}

/* Edges p-q and r-s of the tour, met in these orders one way round, become p-r and q-s. */
static void exchange(struct opt *opt, int32_t p, int32_t q, int32_t r, int32_t s)
{
    if (next(opt, p, 1) == q)
        reverse(opt, q, r);
    else
        reverse(opt, r, q);
    push(opt, p);
    push(opt, q);
    push(opt, r);
    push(opt, s);
}

static bool try_two_opt(struct opt *opt, int32_t city, int way)
{
    int32_t after = next(opt, city, way), edge = d(opt, city, after);

    for (int32_t k = 0; k < opt->near; k++) {
        int32_t other = opt->neighbours[(size_t)city * (size_t)opt->near + (size_t)k], beyond = next(opt, other, way);

        if (d(opt, city, other) >= edge)
            return false;
        if (edge + d(opt, other, beyond) > d(opt, city, other) + d(opt, after, beyond)) {
            exchange(opt, city, after, other, beyond);
            return true;
        }
    }
    return false;
}

/* Puts the segment first..last, between `before` and `after`, into the edge c-d; all are met in this order, one way. */
static void move_segment(struct opt *opt, int32_t before, int32_t first, int32_t last, int32_t after, int32_t c,
                         int32_t beyond, bool turned)
{
    exchange(opt, before, first, c, beyond);
    if (after != c)
        exchange(opt, before, c, after, last);
    if (!turned)
        exchange(opt, c, last, first, beyond);
}

/* Moves `city` and up to two more after it between a near neighbour and one of that one's neighbours in the tour. */
static bool try_or_opt(struct opt *opt, int32_t city, int way)
{
    int32_t before = next(opt, city, -way), segment[SEGMENT] = { city };

    for (int length = 1; length <= SEGMENT && length + 3 <= opt->n; length++) {
        int32_t last, after, gain;

        if (length > 1)
            segment[length - 1] = next(opt, segment[length - 2], way);
        last = segment[length - 1];
        after = next(opt, last, way);
        gain = d(opt, before, city) + d(opt, last, after) - d(opt, before, after);
        for (int32_t k = 0; k < opt->near; k++) {
            int32_t near = opt->neighbours[(size_t)city * (size_t)opt->near + (size_t)k];

            if (d(opt, city, near) >= gain)
                break;
            if (near == segment[1 % length] || near == last)
                continue;
            for (int side = -1; side <= 1; side += 2) {
                int32_t other = next(opt, near, side * way);
                int32_t c = side > 0 ? near : other, beyond = side > 0 ? other : near;

                /* Neither where the segment is now, nor the edge before that, which the other way round covers. */
                if (other == city || other == last || beyond == before)
                    continue;
                if (gain + d(opt, near, other) > d(opt, near, city) + d(opt, last, other)) {
                    move_segment(opt, before, city, last, after, c, beyond, side < 0);
                    return true;
                }
            }
        }
    }
    return false;
}

static bool improve(struct opt *opt, int32_t city)
{
    return try_two_opt(opt, city, 1) || try_two_opt(opt, city, -1) || try_or_opt(opt, city, 1) ||
           try_or_opt(opt, city, -1);
}

static void nearest_neighbour(struct opt *opt)
{
    int32_t city = 0;

    memset(opt->place, 0xff, (size_t)opt->n * sizeof *opt->place);
    for (int32_t s = 0; s < opt->n; s++) {
        int32_t nearest = -1;

        opt->tour[s] = city;
        opt->place[city] = s;
        for (int32_t j = 0; j < opt->n; j++)
            if (opt->place[j] < 0 && (nearest < 0 || d(opt, city, j) < d(opt, city, nearest)))
                nearest = j;
        city = nearest;
    }
}

/* The `near` nearest of each city by insertion, the lower index first among equals. */
static void find_neighbours(struct opt *opt)
{
    for (int32_t i = 0; i < opt->n; i++) {
        int32_t *list = opt->neighbours + (size_t)i * (size_t)opt->near, count = 0;

        for (int32_t j = 0; j < opt->n; j++) {
            int32_t at = count;

            if (j == i || (count == opt->near && d(opt, i, j) >= d(opt, i, list[count - 1])))
                continue;
            if (count < opt->near)
                count++;
            else
                at--;
            for (; at > 0 && d(opt, i, list[at - 1]) > d(opt, i, j); at--)
                list[at] = list[at - 1];
            list[at] = j;
        }
    }
}

bool cointsp_opt(uint32_t n, const int32_t *distance, int32_t *tour, int64_t *length)
{
    struct opt opt = { .distance = distance, .n = (int32_t)n, .tour = tour };
    bool ok;

    opt.near = opt.n - 1 < NEAR ? opt.n - 1 : NEAR;
    opt.place = malloc(n * sizeof *opt.place);
    opt.neighbours = malloc((size_t)n * (size_t)opt.near * sizeof *opt.neighbours);
    opt.queue = malloc(n * sizeof *opt.queue);
    opt.queued = calloc(n, sizeof *opt.queued);
    ok = opt.place && opt.neighbours && opt.queue && opt.queued;
    if (ok) {
        nearest_neighbour(&opt);
        find_neighbours(&opt);
        for (int32_t city = 0; city < opt.n; city++)
            push(&opt, city);
        while (opt.waiting > 0)
            for (int32_t city = pop(&opt); improve(&opt, city);)
                ;
        *length = cointsp_length(n, distance, tour);
    }
    free(opt.place);
    free(opt.neighbours);
    free(opt.queue);
    free(opt.queued);
    return ok;
}
