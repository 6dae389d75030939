/*
 * cases.c - generates keys.
 *
 *   random       any 32 bits
 *   sorted       strictly ascending over the whole range
 *   reversed     the same, descending
 *   equal        one value
 *   few          one of `distinct` random values, which may repeat among themselves
 *   sawtooth     ascending for `period` keys, then from the start: every value of a tooth is in all teeth
 *   nearly       sorted, then `swaps` times two keys at random places trade theirs
 *   extremes     every second key INT32_MIN, INT32_MIN + 1, INT32_MAX - 1 or INT32_MAX, the others random
 *   organpipe    ascending up to the middle, then descending; the two sides interleave
 *   interleaved  in every merge of a bottom-up merge sort, the keys of the two runs alternate
 */
#include "cases.h"

#include <string.h>

/* The key of rank `rank` of `count`: ascending in the rank, at random within its share of the range. */
static int32_t key_of_rank(size_t rank, size_t count, struct random_stream *stream)
{
    uint64_t share = (UINT64_C(1) << 32) / count; /* at least 16 */
    uint64_t place = rank * share + (random_u32(stream) * share >> 32);

    return (int32_t)((uint32_t)place ^ 0x80000000u);
}

static uint32_t reversed_bits(uint32_t x)
{
    x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
    x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
    x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
    return __builtin_bswap32(x);
}

static void make_random(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    for (size_t i = 0; i < c->count; i++)
        keys[i] = (int32_t)random_u32(stream);
}

static void make_sorted(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    for (size_t i = 0; i < c->count; i++)
        keys[i] = key_of_rank(i, c->count, stream);
}

static void make_reversed(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    for (size_t i = 0; i < c->count; i++)
        keys[i] = key_of_rank(c->count - 1 - i, c->count, stream);
}

static void make_equal(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    int32_t key = (int32_t)random_u32(stream);

    for (size_t i = 0; i < c->count; i++)
        keys[i] = key;
}

static void make_few(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    int32_t values[DISTINCT_MAX];

    for (uint32_t v = 0; v < c->distinct; v++)
        values[v] = (int32_t)random_u32(stream);
    for (size_t i = 0; i < c->count; i++)
        keys[i] = values[random_below(stream, c->distinct)];
}

static void make_sawtooth(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    struct mergesort_case tooth = { .count = c->period < c->count ? c->period : c->count };

    make_sorted(&tooth, stream, keys);
    for (size_t i = tooth.count; i < c->count; i++)
        keys[i] = keys[i - tooth.count];
}

static void make_nearly(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    make_sorted(c, stream, keys);
    for (uint32_t s = 0; s < c->swaps && c->count > 0; s++) {
        uint32_t a = random_below(stream, (uint32_t)c->count), b = random_below(stream, (uint32_t)c->count);
        int32_t key = keys[a];

        keys[a] = keys[b];
        keys[b] = key;
    }
}

static void make_extremes(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    static const int32_t extremes[] = { INT32_MIN, INT32_MIN + 1, INT32_MAX - 1, INT32_MAX };

    for (size_t i = 0; i < c->count; i++) {
        uint32_t choice = random_below(stream, 8);

        keys[i] = choice < 4 ? extremes[choice] : (int32_t)random_u32(stream);
    }
}

static void make_organpipe(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    for (size_t i = 0; i < c->count; i++) {
        size_t from_end = c->count - 1 - i;

        keys[i] = key_of_rank(i <= from_end ? 2 * i : 2 * from_end + 1, c->count, stream);
    }
}

/*
 * Where a bottom-up merge sort merges two runs of 2^j keys, these are the keys i with the same bits above bit j, bit j
 * tells the runs apart, and the bits below are all there are. With the bits of i reversed as the key, bit j counts less
 * than the bits below it: so the keys of the two runs alternate, in every merge, also where the last run is short.
 */
static void make_interleaved(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    int bits = 1; /* of the largest index, at most 28 */

    while ((c->count - 1) >> bits)
        bits++;
    for (size_t i = 0; i < c->count; i++) /* the other bits are random */
        keys[i] = (int32_t)((reversed_bits((uint32_t)i) | random_u32(stream) >> bits) ^ 0x80000000u);
}

bool mergesort_make_keys(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    static const struct {
        const char *kind;
        void (*make)(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys);
    } kinds[] = {
        { "random", make_random },       { "sorted", make_sorted },     { "reversed", make_reversed },
        { "equal", make_equal },         { "few", make_few },           { "sawtooth", make_sawtooth },
        { "nearly", make_nearly },       { "extremes", make_extremes }, { "organpipe", make_organpipe },
        { "interleaved", make_interleaved },
    };

    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (strcmp(kinds[k].kind, c->kind) == 0) {
            if (c->count > 0)
                kinds[k].make(c, stream, keys);
            return true;
        }
    return false;
}
