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
 *   mixed        five of eight keys random, two of eight one of 16 random values, one of eight an extreme one: equal
 *                keys far apart, both ends of the range, and random ones between
 */
#include "cases.h"

#include <string.h>

#include "verify/base/parallel.h"

/* Keys that a thread makes at a time, some milliseconds, and those that words are drawn for at once. */
enum { PIECE = 1 << 20, CHUNK = 1024 };

/* The key of rank `rank` of `count`: ascending in the rank, and by the word somewhere in its share of the range. */
static int32_t key_of_rank(size_t rank, size_t count, uint32_t word)
{
    uint64_t share = (UINT64_C(1) << 32) / count; /* at least 16 */
    uint64_t place = rank * share + (word * share >> 32);

    return (int32_t)((uint32_t)place ^ 0x80000000u);
}

static uint32_t reversed_bits(uint32_t x)
{
    x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
    x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
    x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
    return __builtin_bswap32(x);
}

/* ------------------------------------------------------------------ a word of the stream a key, in their order */

struct keys {
    const struct mergesort_case *c;
    const struct random_stream *stream;
    const int32_t *values; /* for few and mixed */
    int32_t *keys;
    int32_t (*key)(const struct keys *keys, size_t i, uint32_t word);
};

static void make_piece(void *context, size_t first, size_t end)
{
    const struct keys *keys = context;
    struct random_stream stream = random_ahead(keys->stream, first);
    uint32_t words[CHUNK];

    for (; first < end; first += CHUNK) {
        const size_t count = end - first < CHUNK ? end - first : CHUNK;

        random_words(&stream, words, count);
        for (size_t i = 0; i < count; i++)
            keys->keys[first + i] = keys->key(keys, first + i, words[i]);
    }
}

static void make_all(struct keys keys, struct random_stream *stream)
{
    const struct random_stream start = *stream;

    keys.stream = &start;
    parallel_pieces(keys.c->count, PIECE, make_piece, &keys);
    *stream = random_ahead(&start, keys.c->count);
}

static int32_t random_key_at(const struct keys *keys, size_t i, uint32_t word)
{
    (void)keys;
    (void)i;
    return (int32_t)word;
}

static int32_t sorted_key_at(const struct keys *keys, size_t i, uint32_t word)
{
    return key_of_rank(i, keys->c->count, word);
}

static int32_t reversed_key_at(const struct keys *keys, size_t i, uint32_t word)
{
    return key_of_rank(keys->c->count - 1 - i, keys->c->count, word);
}

static int32_t few_key_at(const struct keys *keys, size_t i, uint32_t word)
{
    (void)i;
    return keys->values[random_scaled(word, keys->c->distinct)];
}

static int32_t organpipe_key_at(const struct keys *keys, size_t i, uint32_t word)
{
    const size_t from_end = keys->c->count - 1 - i;

    return key_of_rank(i <= from_end ? 2 * i : 2 * from_end + 1, keys->c->count, word);
}

/*
 * Where a bottom-up merge sort merges two runs of 2^j keys, these are the keys i with the same bits above bit j, bit j
 * tells the runs apart, and the bits below are all there are. With the bits of i reversed as the key, bit j counts less
 * than the bits below it: so the keys of the two runs alternate, in every merge, also where the last run is short.
 */
static int32_t interleaved_key_at(const struct keys *keys, size_t i, uint32_t word)
{
    const size_t last = keys->c->count - 1;
    const int bits = last > 0 ? 64 - __builtin_clzl(last) : 1; /* of the largest index, at most 28 */

    /* the other bits are random */
    return (int32_t)((reversed_bits((uint32_t)i) | word >> bits) ^ 0x80000000u);
}

/* The least, the next, the last but one, the last. */
static const int32_t extremes[] = { INT32_MIN, INT32_MIN + 1, INT32_MAX - 1, INT32_MAX };

static int32_t mixed_key_at(const struct keys *keys, size_t i, uint32_t word)
{
    const uint32_t choice = word & 7;

    (void)i;
    return choice < 5 ? (int32_t)word : choice < 7 ? keys->values[word >> 3 & 15] : extremes[word >> 3 & 3];
}

static void make_random(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    make_all((struct keys){ .c = c, .keys = keys, .key = random_key_at }, stream);
}

static void make_sorted(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    make_all((struct keys){ .c = c, .keys = keys, .key = sorted_key_at }, stream);
}

static void make_reversed(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    make_all((struct keys){ .c = c, .keys = keys, .key = reversed_key_at }, stream);
}

static void make_organpipe(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    make_all((struct keys){ .c = c, .keys = keys, .key = organpipe_key_at }, stream);
}

static void make_interleaved(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    make_all((struct keys){ .c = c, .keys = keys, .key = interleaved_key_at }, stream);
}

static void make_few(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    int32_t values[MERGESORT_DISTINCT_MAX];

    for (uint32_t v = 0; v < c->distinct; v++)
        values[v] = (int32_t)random_u32(stream);
    make_all((struct keys){ .c = c, .keys = keys, .values = values, .key = few_key_at }, stream);
}

static void make_mixed(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    int32_t values[16];

    for (int v = 0; v < 16; v++)
        values[v] = (int32_t)random_u32(stream);
    make_all((struct keys){ .c = c, .keys = keys, .values = values, .key = mixed_key_at }, stream);
}

/* ------------------------------------------------------------------ the other kinds */

static void make_equal(const struct mergesort_case *c, struct random_stream *stream, int32_t *keys)
{
    int32_t key = (int32_t)random_u32(stream);

    for (size_t i = 0; i < c->count; i++)
        keys[i] = key;
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
    for (size_t i = 0; i < c->count; i++) {
        uint32_t choice = random_below(stream, 8);

        keys[i] = choice < 4 ? extremes[choice] : (int32_t)random_u32(stream);
    }
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
        { "interleaved", make_interleaved }, { "mixed", make_mixed },
    };

    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (strcmp(kinds[k].kind, c->kind) == 0) {
            if (c->count > 0)
                kinds[k].make(c, stream, keys);
            return true;
        }
    return false;
}
