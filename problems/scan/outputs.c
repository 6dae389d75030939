/*
 * outputs.c - right sums by other methods, and the ways in which wrong ones can differ from them, for the tests of
 * check(). It is not linked into the host.
 */
#include "problems/outputs.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "precision.h"

/* A sum of any type: since the last start in what was added, if there is one. */
struct part {
    uint64_t integer; /* modulo 2^64 */
    float real;
    bool starts;
};

static struct part part_at(const struct scan_list *list, size_t i)
{
    struct part part = { .starts = scan_begins(list, i) };

    if (list->type == SCAN_FLOAT32)
        part.real = ((const float *)list->values)[i];
    else
        part.integer = list->type == SCAN_UINT32 ? ((const uint32_t *)list->values)[i]
                                                 : ((const uint64_t *)list->values)[i];
    return part;
}

/* What goes on the left, then on the right. */
static struct part add(struct part left, struct part right)
{
    if (right.starts)
        return right;
    return (struct part){ .integer = left.integer + right.integer, .real = left.real + right.real,
                          .starts = left.starts };
}

static void write_sum(const struct scan_list *list, struct blob *output, size_t i, struct part sum)
{
    if (list->type == SCAN_FLOAT32)
        ((float *)output->data)[i] = sum.real;
    else if (list->type == SCAN_UINT32)
        ((uint32_t *)output->data)[i] = (uint32_t)sum.integer;
    else
        ((uint64_t *)output->data)[i] = sum.integer;
}

/* ------------------------------------------------------------------ right */

/* One walk; float32 in float64. */
static void by_walking(const struct scan_list *list, struct blob *output)
{
    struct part sum = { 0 };
    double real = 0;

    for (size_t i = 0; i < list->count; i++) {
        const struct part here = part_at(list, i);

        real = here.starts ? (double)here.real : real + (double)here.real;
        sum = add(sum, here);
        sum.real = (float)real;
        write_sum(list, output, i, sum);
    }
}

/* parts[count] becomes its prefix sums: in step 1, 2, 4 ... each adds what stands so far before it. */
static void by_doubling(struct part *parts, size_t count)
{
    for (size_t step = 1; step < count; step *= 2)
        for (size_t i = count; i-- > step;)
            parts[i] = add(parts[i - step], parts[i]);
}

/* The same by pairs: their sums are scanned first. */
static void by_pairs(struct part *parts, size_t count, size_t stride)
{
    if (stride >= count)
        return;
    for (size_t i = 2 * stride - 1; i < count; i += 2 * stride)
        parts[i] = add(parts[i - stride], parts[i]);
    by_pairs(parts, count, 2 * stride);
    for (size_t i = 3 * stride - 1; i < count; i += 2 * stride)
        parts[i] = add(parts[i - stride], parts[i]);
}

/*
 * As GPUs do: stretches one by one, a tree over the stretches of a tile, and the tiles one by one, or by what lies
 * between the tile and any one before it.
 */
static bool by_tiles(struct part *parts, size_t count, size_t stretch, size_t tile, bool look,
                     struct random_stream *stream)
{
    const size_t tiles = (count + tile - 1) / tile;
    struct part *ends = calloc(tiles + 1, sizeof *ends), *totals = calloc(tiles + 1, sizeof *totals);

    for (size_t t = 0; ends && totals && t < tiles; t++) { /* ends[t]: of all before the tile */
        const size_t first = t * tile, end = first + tile < count ? first + tile : count;
        const size_t stretches = (end - first + stretch - 1) / stretch;
        struct part *sums = calloc(stretches, sizeof *sums);

        if (!sums) {
            free(ends);
            ends = NULL;
            break;
        }
        for (size_t i = first; i < end; i++) {
            if ((i - first) % stretch != 0)
                parts[i] = add(parts[i - 1], parts[i]);
            sums[(i - first) / stretch] = parts[i];
        }
        by_doubling(sums, stretches);
        totals[t] = sums[stretches - 1];
        for (size_t i = first; i < end; i++) {
            const size_t s = (i - first) / stretch;
            struct part carry = ends[t];

            if (s > 0)
                carry = t > 0 ? add(carry, sums[s - 1]) : sums[s - 1];
            if (s > 0 || t > 0)
                parts[i] = add(carry, parts[i]);
        }
        if (look && t > 0) {
            size_t from = random_below(stream, (uint32_t)t + 1);
            struct part between = totals[t];

            for (size_t b = t; b-- > from;)
                between = add(totals[b], between);
            ends[t + 1] = from > 0 ? add(ends[from], between) : between;
        } else
            ends[t + 1] = t > 0 ? add(ends[t], totals[t]) : totals[t];
        free(sums);
    }
    free(totals);
    free(ends);
    return ends && totals;
}

static bool solve(const struct blob *input, const struct blob *answer, struct blob *output, struct error *error)
{
    const struct scan_list list = scan_list_of(input);

    (void)answer;
    (void)error;
    by_walking(&list, output);
    return true;
}

static enum check_result honest(const struct blob *input, const struct blob *answer, struct blob *output, size_t way,
                                struct random_stream *stream)
{
    const struct scan_list list = scan_list_of(input);
    struct part *parts;
    bool ok = true;

    (void)answer;
    if (way > 4)
        return CHECK_NONE;
    if (way == 0) {
        by_walking(&list, output);
        return CHECK_RIGHT;
    }
    parts = calloc(list.count, sizeof *parts);
    if (!parts)
        return CHECK_FAILED;
    for (size_t i = 0; i < list.count; i++)
        parts[i] = part_at(&list, i);
    if (way == 1)
        by_doubling(parts, list.count);
    else if (way == 2)
        by_pairs(parts, list.count, 1);
    else {
        const size_t stretch = (size_t)1 + random_below(stream, 64);

        ok = by_tiles(parts, list.count, stretch, stretch * (8 + random_below(stream, 1000)), way == 4, stream);
    }
    for (size_t i = 0; i < list.count; i++)
        write_sum(&list, output, i, parts[i]);
    free(parts);
    return ok ? CHECK_RIGHT : CHECK_FAILED;
}

/* ------------------------------------------------------------------ also right */

/* By exact sums of all numbers, in binary128. */
static bool also_right(const struct blob *input, const struct blob *answer, const struct blob *right,
                       const struct blob *output)
{
    const struct scan_list list = scan_list_of(input);
    __float128 sum = 0, largest = 0;
    uint64_t count = 0;

    (void)answer;
    if (list.type != SCAN_FLOAT32)
        return memcmp(right->data, output->data, output->size) == 0;
    for (size_t i = 0; i < list.count; i++) {
        const float wrote = ((const float *)output->data)[i];
        __float128 off;

        if (scan_begins(&list, i))
            sum = 0, largest = 0, count = 0;
        sum += (__float128)((const float *)list.values)[i];
        largest = sum > largest ? sum : -sum > largest ? -sum : largest;
        count++;
        if (!isfinite(wrote))
            return false;
        off = (__float128)wrote - sum;
        if ((off < 0 ? -off : off) > (__float128)scan_roundings((double)count) * largest)
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ wrong */

/* The largest absolute sum of the segment of i up to i, and how many numbers that are. */
static double largest_at(const struct scan_list *list, size_t i, double *count, double *sum)
{
    size_t first = i;
    double largest = 0;

    while (!scan_begins(list, first))
        first--;
    *sum = 0;
    *count = (double)(i - first + 1);
    for (size_t k = first; k <= i; k++) {
        *sum += (double)((const float *)list->values)[k];
        largest = fmax(largest, fabs(*sum));
    }
    return largest;
}

/* Off at i: by 1, or of float32 by a fifth more than is allowed, upwards or downwards. False where that is nothing. */
static bool off_at(const struct scan_list *list, struct blob *output, size_t i, int sign)
{
    double count, sum, largest;

    if (list->type == SCAN_UINT32)
        ((uint32_t *)output->data)[i] += (uint32_t)sign;
    else if (list->type == SCAN_UINT64)
        ((uint64_t *)output->data)[i] += (uint64_t)(int64_t)sign;
    else {
        largest = largest_at(list, i, &count, &sum);
        ((float *)output->data)[i] = (float)(sum + sign * 1.2 * scan_roundings(count) * largest);
        return largest > 0;
    }
    return true;
}

/* The sums before each number: exclusive instead of inclusive. */
static bool exclusive(const struct scan_list *list, struct blob *output)
{
    const size_t width = scan_width(list->type);

    memmove(output->data + width, output->data, output->size - width);
    memset(output->data, 0, width);
    return true;
}

/* From the middle on what came before is missing: a carry lost at the border of two blocks. */
static bool lost_carry(const struct scan_list *list, struct blob *output)
{
    struct part sum = { 0 };

    for (size_t i = list->count / 2; i < list->count; i++) {
        sum = i == list->count / 2 ? part_at(list, i) : add(sum, part_at(list, i));
        write_sum(list, output, i, sum);
    }
    return true;
}

/* As if there were no starts. */
static bool starts_ignored(const struct scan_list *list, struct blob *output)
{
    const struct scan_list plain = { .values = list->values, .count = list->count, .type = list->type };

    by_walking(&plain, output);
    return true;
}

/* The last ones not written: other bytes in their place. */
static bool end_missing(const struct scan_list *list, struct blob *output)
{
    const size_t left = list->count % 4 == 0 ? 1 : list->count % 4;

    memset(output->data + (list->count - left) * scan_width(list->type), 0x7f, left * scan_width(list->type));
    return true;
}

static bool not_a_number(const struct scan_list *list, struct blob *output)
{
    if (list->type != SCAN_FLOAT32)
        return false;
    ((float *)output->data)[list->count / 2] = NAN;
    return true;
}

static bool infinite(const struct scan_list *list, struct blob *output)
{
    if (list->type != SCAN_FLOAT32)
        return false;
    ((float *)output->data)[list->count - 1] = INFINITY;
    return true;
}

/* Sums of 64 bits cut to 32. */
static bool narrow(const struct scan_list *list, struct blob *output)
{
    if (list->type != SCAN_UINT64)
        return false;
    for (size_t i = 0; i < list->count; i++)
        ((uint64_t *)output->data)[i] = (uint32_t)((uint64_t *)output->data)[i];
    return true;
}

static bool first_up(const struct scan_list *list, struct blob *output) { return off_at(list, output, 0, 1); }
static bool last_up(const struct scan_list *list, struct blob *output)
{
    return off_at(list, output, list->count - 1, 1);
}
static bool last_down(const struct scan_list *list, struct blob *output)
{
    return off_at(list, output, list->count - 1, -1);
}
static bool middle_up(const struct scan_list *list, struct blob *output)
{
    return off_at(list, output, list->count / 2, 1);
}
static bool third_down(const struct scan_list *list, struct blob *output)
{
    return off_at(list, output, list->count / 3, -1);
}

/* In the `way`-th of the ways that make something wrong of this output. */
static bool spoil(const struct blob *input, const struct blob *answer, struct blob *output, size_t way)
{
    static bool (*const ways[])(const struct scan_list *, struct blob *) = {
        first_up, last_up, last_down, middle_up, third_down, exclusive, lost_carry, starts_ignored, end_missing,
        not_a_number, infinite, narrow,
    };
    const struct scan_list list = scan_list_of(input);
    struct blob right = { 0 };
    struct error error;
    bool spoiled = false;

    if (!blob_alloc(&right, output->size, &error))
        return false;
    memcpy(right.data, output->data, output->size);
    for (size_t w = 0; w < sizeof ways / sizeof ways[0] && !spoiled; w++) {
        spoiled = ways[w](&list, output) && !also_right(input, answer, &right, output) && way-- == 0;
        if (!spoiled)
            memcpy(output->data, right.data, right.size);
    }
    blob_release(&right);
    return spoiled;
}

static void any_line(struct random_stream *stream, char *text, size_t size)
{
    static const char *const kinds[] = { "random", "positive", "negative", "wide", "cancel", "sparse", "step" };
    static const char *const types[] = { "uint32", "uint64", "float32" };
    const char *kind = kinds[random_below(stream, 7)], *type = types[random_below(stream, 3)];
    const uint32_t scale = random_below(stream, 15), count = 1 + random_below(stream, 1u << scale);
    const uint32_t mean = 1 + random_below(stream, 1u << random_below(stream, 14)), seed = random_u32(stream);

    if (random_below(stream, 2))
        snprintf(text, size, "%s %s %u mean=%u seed=%u", kind, type, count, mean, seed);
    else
        snprintf(text, size, "%s %s %u seed=%u", kind, type, count, seed);
}

const struct outputs outputs_scan = { .solve = solve, .spoil = spoil, .also_right = also_right, .any_line = any_line,
                                      .honest = honest };
