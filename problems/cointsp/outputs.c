/*
 * outputs.c - right tours and wrong ones, for the tests of check(). It is not linked into the host.
 */
#include "problems/outputs.h"

#include <stdio.h>
#include <string.h>

#include "coin.h"
#include "instances.h"
#include "opt.h"
#include "parts.h"

static bool solve(const struct blob *input, const struct blob *answer, struct blob *output, struct error *error)
{
    struct instance i = first_of(input);
    int64_t length;

    if (is_open(input))
        return cointsp_opt(i.c->n, i.distance, tour_of(output, &i), &length) ||
               error_toolkit(error, "out of memory for a tour");
    memcpy(output->data, answer->data, output->size);
    return true;
}

/* Open: a city twice, one that is none, and a tour that is one too long, made by swaps from one that is not. */
static bool spoil_open(const struct instance *i, int32_t *tour, size_t way)
{
    if (way == 0)
        tour[i->c->n - 1] = tour[0];
    else if (way == 1)
        tour[i->c->n / 2] = (int32_t)i->c->n;
    else if (way == 2)
        tour[0] = -1;
    else if (way == 3) {
        /* Whatever is longer; where no swap makes it so, as with equal distances, the tour is broken instead. */
        for (uint32_t a = 0; a < i->c->n; a++)
            for (uint32_t b = a + 1; b < i->c->n && cointsp_length(i->c->n, i->distance, tour) <= i->c->target; b++) {
                int64_t before = cointsp_length(i->c->n, i->distance, tour);
                int32_t city = tour[a];

                tour[a] = tour[b];
                tour[b] = city;
                if (cointsp_length(i->c->n, i->distance, tour) < before) {
                    tour[b] = tour[a];
                    tour[a] = city;
                }
            }
        if (cointsp_length(i->c->n, i->distance, tour) <= i->c->target)
            tour[1] = tour[0];
    }
    return way <= 3;
}

/* Prescribed: a bit of each of up to 32 generations, each part in turn, and of each of up to 32 cities of the tour. */
static bool spoil_prescribed(const struct blob *output, const struct instance *i, size_t way)
{
    uint32_t generations = i->c->generations, n = i->c->n;
    size_t bytes = generations * sizeof(struct cointsp_generation) + n * sizeof(int32_t);
    size_t ways = bytes < 64 ? bytes : 64;

    if (way >= ways)
        return false;
    output->data[i->result + way * (bytes - 1) / (ways - 1)] ^= (unsigned char)(1u << way % 8);
    return true;
}

static bool spoil(const struct blob *input, const struct blob *answer, struct blob *output, size_t way)
{
    struct instance i = first_of(input);

    (void)answer;
    if (is_open(input))
        return spoil_open(&i, tour_of(output, &i), way);
    while (advance(input, &i)) /* of a batch the last */
        ;
    return spoil_prescribed(output, &i, way);
}

/*
 * Open: any tour that is short enough, seen by counting cities. Prescribed: nothing else, but for what lies behind a
 * tour's last city to the next multiple of 8 bytes.
 */
static bool also_right(const struct blob *input, const struct blob *answer, const struct blob *right,
                       const struct blob *output)
{
    struct instance i = first_of(input);

    (void)answer;
    if (is_open(input)) {
        uint32_t visits[COINTSP_CITIES_MAX] = { 0 };
        int32_t *tour = tour_of(output, &i);

        for (uint32_t s = 0; s < i.c->n; s++)
            if (tour[s] < 0 || (uint32_t)tour[s] >= i.c->n || visits[tour[s]]++ > 0)
                return false;
        return cointsp_length(i.c->n, i.distance, tour) <= i.c->target;
    }
    do {
        if (memcmp(output->data + i.result, right->data + i.result,
                   i.c->generations * sizeof(struct cointsp_generation) + i.c->n * sizeof(int32_t)) != 0)
            return false;
    } while (advance(input, &i));
    return true;
}

/*
 * Prescribed: both references, with any bytes behind the last city. Open: the good tour from another city on, either
 * way round, four times.
 */
static enum check_result honest(const struct blob *input, const struct blob *answer, struct blob *output, size_t way,
                                struct random_stream *stream)
{
    struct instance i = first_of(input);
    int32_t tour[COINTSP_CITIES_MAX];
    int64_t length;

    (void)answer;
    if (way >= (is_open(input) ? 4 : 2))
        return CHECK_NONE;
    if (is_open(input)) {
        const uint32_t from = random_below(stream, i.c->n);

        if (!cointsp_opt(i.c->n, i.distance, tour, &length))
            return CHECK_FAILED;
        for (uint32_t s = 0; s < i.c->n; s++)
            tour_of(output, &i)[s] = tour[(from + (way % 2 ? s : i.c->n - s)) % i.c->n];
        return CHECK_RIGHT;
    }
    do {
        bool ok = (way == 0 ? cointsp_coin : cointsp_coin_plain)(i.c, i.distance, generations_of(output, &i),
                                                                 tour_of(output, &i));

        if (!ok)
            return CHECK_FAILED;
    } while (advance(input, &i));
    return CHECK_RIGHT;
}

static void any_line(struct random_stream *stream, char *text, size_t size)
{
    const char *kind = cointsp_kind_name((enum cointsp_kind)random_below(stream, COINTSP_KINDS));
    const uint32_t n = COINTSP_CITIES_MIN + random_below(stream, 40), seed = random_u32(stream);
    const uint32_t what = random_below(stream, 8);

    if (what == 0)
        snprintf(text, size, "batch %u seed=%u", 1 + random_below(stream, 20), seed);
    else if (what < 3)
        snprintf(text, size, "open %s %u target=%u seed=%u", kind, n, random_below(stream, 10), seed);
    else
        snprintf(text, size, "prescribed %s %u %u %u c=%u k=%u seed=%u", kind, n, 2 + random_below(stream, 100),
                 1 + random_below(stream, 20), 1 + random_below(stream, COINTSP_PERCENT_MAX),
                 1 + random_below(stream, COINTSP_THOUSANDTHS), seed);
}

const struct outputs outputs_cointsp = { .solve = solve, .spoil = spoil, .also_right = also_right,
                                         .any_line = any_line, .honest = honest };
