/*
 * sums.c - exact sums: all of them by several threads in 128-bit integers, or one after the other in binary128.
 */
#include "sums.h"

#include <stdlib.h>
#include <string.h>

#include "verify/base/parallel.h"

typedef __int128 wide;

/* ------------------------------------------------------------------ by several threads */

/* A float32 in units of 2^-64. */
static wide fixed(float value)
{
    uint32_t bits;
    wide magnitude;

    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffffu) == 0)
        return 0;
    magnitude = (wide)(0x800000u | (bits & 0x7fffffu)) << ((bits >> 23 & 0xff) - (127 - 64 + 23));
    return bits >> 31 ? -magnitude : magnitude;
}

/* The type is a constant where this is called, so that loops have no choice in them. */
static inline __attribute__((always_inline)) wide value_at(const struct scan_list *list, uint32_t type, size_t i)
{
    return type == SCAN_FLOAT32  ? fixed(((const float *)list->values)[i])
           : type == SCAN_UINT32 ? (wide)((const uint32_t *)list->values)[i]
                                 : (wide)((const uint64_t *)list->values)[i];
}

/* A chunk: first alone, then with what comes before it. */
struct chunk {
    wide sum, largest; /* at its end, of the segment that lies there: alone, then with its carry; largest: of float32 */
    wide anywhere;     /* the largest of all its sums, of float32 */
    wide carry;        /* the sum of the segment that it begins in */
    size_t count;      /* numbers of the segment at its end, in the chunk */
    bool starts;       /* there is a start in it */
    uint64_t hash;
};

struct summing {
    const struct scan_list *list;
    struct chunk *chunks;
};

static inline __attribute__((always_inline)) void add_chunk(const struct scan_list *list, uint32_t type, size_t c,
                                                            struct chunk *chunk)
{
    const size_t end = (c + 1) * SCAN_CHUNK < list->count ? (c + 1) * SCAN_CHUNK : list->count;

    chunk->count = end - c * SCAN_CHUNK;
    for (size_t i = c * SCAN_CHUNK; i < end; i++) {
        if (scan_begins(list, i))
            chunk->sum = 0, chunk->count = end - i, chunk->starts = true;
        chunk->sum = (wide)((unsigned __int128)chunk->sum + (unsigned __int128)value_at(list, type, i));
    }
}

static void add_alone(void *context, size_t c)
{
    const struct summing *s = context;

    switch (s->list->type) {
    case SCAN_UINT32: add_chunk(s->list, SCAN_UINT32, c, &s->chunks[c]); break;
    case SCAN_UINT64: add_chunk(s->list, SCAN_UINT64, c, &s->chunks[c]); break;
    default: add_chunk(s->list, SCAN_FLOAT32, c, &s->chunks[c]); break;
    }
}

static inline __attribute__((always_inline)) void walk_chunk(const struct scan_list *list, uint32_t type, size_t c,
                                                             struct chunk *chunk)
{
    const size_t end = (c + 1) * SCAN_CHUNK < list->count ? (c + 1) * SCAN_CHUNK : list->count;
    wide sum = chunk->carry;

    for (size_t i = c * SCAN_CHUNK; i < end; i++) {
        if (scan_begins(list, i))
            sum = 0, chunk->largest = 0;
        sum = (wide)((unsigned __int128)sum + (unsigned __int128)value_at(list, type, i));
        if (type == SCAN_FLOAT32) {
            const wide magnitude = sum < 0 ? -sum : sum;

            chunk->largest = magnitude > chunk->largest ? magnitude : chunk->largest;
            chunk->anywhere = magnitude > chunk->anywhere ? magnitude : chunk->anywhere;
        } else
            chunk->hash += scan_hash(scan_wrap((uint64_t)sum, type), i);
    }
    chunk->sum = sum;
}

static void walk(void *context, size_t c)
{
    const struct summing *s = context;

    switch (s->list->type) {
    case SCAN_UINT32: walk_chunk(s->list, SCAN_UINT32, c, &s->chunks[c]); break;
    case SCAN_UINT64: walk_chunk(s->list, SCAN_UINT64, c, &s->chunks[c]); break;
    default: walk_chunk(s->list, SCAN_FLOAT32, c, &s->chunks[c]); break;
    }
}

static double real_of(wide sum) { return (double)sum * 0x1p-64; }

bool scan_sums(const struct scan_list *list, struct scan_answer *answer)
{
    const size_t count = scan_chunks(list->count);
    const bool real = list->type == SCAN_FLOAT32;
    struct summing summing = { .list = list, .chunks = calloc(count, sizeof *summing.chunks) };
    struct chunk *chunks = summing.chunks;
    wide largest = 0, anywhere = 0;

    if (!chunks)
        return false;
    parallel_run(count, add_alone, &summing);
    for (size_t c = 1; c < count; c++) { /* what goes into each chunk */
        const struct chunk *before = &chunks[c - 1];
        struct scan_carry *carry = &answer->carries[c];

        chunks[c].carry = (wide)((unsigned __int128)before->sum +
                                 (before->starts ? 0 : (unsigned __int128)before->carry));
        carry->count = before->count + (before->starts ? 0 : answer->carries[c - 1].count);
        if (real)
            carry->real = real_of(chunks[c].carry);
        else
            carry->sum = scan_wrap((uint64_t)chunks[c].carry, list->type);
    }
    parallel_run(count, walk, &summing);
    for (size_t c = 0; c < count; c++) {
        answer->carries[c].largest = real_of(largest);
        if (chunks[c].starts || chunks[c].largest > largest)
            largest = chunks[c].largest;
        anywhere = chunks[c].anywhere > anywhere ? chunks[c].anywhere : anywhere;
        answer->hash += chunks[c].hash;
    }
    if (real)
        answer->real = real_of(chunks[count - 1].sum), answer->largest = real_of(anywhere);
    else
        answer->last = scan_wrap((uint64_t)chunks[count - 1].sum, list->type);
    free(chunks);
    return true;
}

/* ------------------------------------------------------------------ one after the other */

static void plain_float(const struct scan_list *list, struct scan_answer *answer)
{
    __float128 sum = 0, largest = 0, anywhere = 0;
    uint64_t count = 0;

    for (size_t i = 0; i < list->count; i++) {
        if (i % SCAN_CHUNK == 0 && i > 0)
            answer->carries[i / SCAN_CHUNK] =
                (struct scan_carry){ .real = (double)sum, .largest = (double)largest, .count = count };
        if (scan_begins(list, i))
            sum = 0, largest = 0, count = 0;
        sum += (__float128)((const float *)list->values)[i];
        count++;
        largest = sum > largest ? sum : -sum > largest ? -sum : largest;
        anywhere = largest > anywhere ? largest : anywhere;
    }
    answer->real = (double)sum;
    answer->largest = (double)anywhere;
}

static void plain_integer(const struct scan_list *list, struct scan_answer *answer)
{
    uint64_t sum = 0, count = 0;

    for (size_t i = 0; i < list->count; i++) {
        if (i % SCAN_CHUNK == 0 && i > 0)
            answer->carries[i / SCAN_CHUNK] = (struct scan_carry){ .sum = sum, .count = count };
        if (scan_begins(list, i))
            sum = 0, count = 0;
        if (list->type == SCAN_UINT32)
            sum = (uint32_t)((uint32_t)sum + ((const uint32_t *)list->values)[i]);
        else
            sum += ((const uint64_t *)list->values)[i];
        count++;
        answer->hash += scan_hash(sum, i);
    }
    answer->last = sum;
}

void scan_sums_plain(const struct scan_list *list, struct scan_answer *answer)
{
    if (list->type == SCAN_FLOAT32)
        plain_float(list, answer);
    else
        plain_integer(list, answer);
}
