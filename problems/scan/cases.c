/*
 * cases.c - the numbers and starts of every kind of case, by several threads.
 *
 * Knows nothing of sums. Every number is drawn from its own place in a stream, so that the threads agree.
 */
#include "cases.h"

#include <string.h>

#include "input.h"
#include "verify/base/parallel.h"

enum { STREAM_VALUES = 1, STREAM_STARTS, STREAM_STRETCHES };

/* Numbers that a thread takes at a time; and those that have starts as frequent. */
enum { PIECE = 1 << 16 };

/* Words that a number is drawn from: what it is, and two that may make it. */
enum { WORDS = 3, BUFFERED = 1024 };

enum kind { RANDOM, POSITIVE, NEGATIVE, WIDE, CANCEL, SPARSE, STEP, KINDS };
static const char *const names[KINDS] = { "random", "positive", "negative", "wide", "cancel", "sparse", "step" };

struct making {
    const struct scan_case *c;
    enum kind kind;
    struct random_stream values_stream, starts_stream, stretches;
    void *values;    /* [count] */
    uint8_t *starts; /* [count], or NULL */
};

/* ------------------------------------------------------------------ numbers */

/* In [0, 1): a multiple of 2^-24. */
static float fraction(uint32_t word) { return (float)(word >> 8) * 0x1p-24f; }

static float signed_by(uint32_t word, float value) { return word & 1 ? -value : value; }

static float make_float(enum kind kind, const uint32_t words[WORDS], bool first)
{
    switch (kind) {
    case POSITIVE: return fraction(words[1]);
    case NEGATIVE: return -fraction(words[1]);
    case WIDE: {
        /* A mantissa of 24 bits, exponents from -20 to 19. */
        const uint32_t exponent = 127 - 20 + random_scaled(words[0], 40);
        const uint32_t bits = (words[1] & 0x80000000u) | exponent << 23 | (words[1] & 0x7fffffu);
        float value;

        memcpy(&value, &bits, sizeof value);
        return value;
    }
    case SPARSE: return words[0] % 256 == 0 ? signed_by(words[1], fraction(words[1])) : 0;
    case STEP: return first ? 0x1p19f : fraction(words[1]) * 0x1p-10f;
    default: return signed_by(words[1], fraction(words[1]));
    }
}

/* Of 64 bits; of 32 bits the lower half is taken. */
static uint64_t make_integer(enum kind kind, const uint32_t words[WORDS], bool first, int bits)
{
    const uint64_t any = (uint64_t)words[2] << 32 | words[1];

    switch (kind) {
    case POSITIVE: return words[1] % 16;
    case NEGATIVE: return ~(uint64_t)0 - words[1] % 16;
    case WIDE: return (bits == 32 ? words[1] : any) >> random_scaled(words[0], (uint32_t)bits);
    case SPARSE: return words[0] % 256 == 0 ? any : 0;
    case STEP: return (first ? (uint64_t)1 << (bits - 1) : 0) + words[1] % 16;
    default: return any;
    }
}

static void make_values(void *context, size_t first, size_t end)
{
    const struct making *making = context;
    struct random_stream stream = random_ahead(&making->values_stream, (uint64_t)first * WORDS);
    uint32_t words[BUFFERED * WORDS];

    for (size_t from = first; from < end; from += BUFFERED) {
        const size_t count = end - from < BUFFERED ? end - from : BUFFERED;

        random_words(&stream, words, count * WORDS);
        for (size_t i = from; i < from + count; i++) {
            const uint32_t *word = words + (i - from) * WORDS;
            const bool begins = i == 0 || (making->starts && making->starts[i]);

            if (making->c->type == SCAN_FLOAT32)
                ((float *)making->values)[i] = make_float(making->kind, word, begins);
            else if (making->c->type == SCAN_UINT32)
                ((uint32_t *)making->values)[i] = (uint32_t)make_integer(making->kind, word, begins, 32);
            else
                ((uint64_t *)making->values)[i] = make_integer(making->kind, word, begins, 64);
        }
    }
}

/* The second half is the first one backwards with other signs: the sum of all is 0. */
static void mirror(void *context, size_t first, size_t end)
{
    const struct making *making = context;
    const size_t last = making->c->count - 1;

    for (size_t i = first; i < end; i++)
        if (making->c->type == SCAN_FLOAT32)
            ((float *)making->values)[last - i] = -((float *)making->values)[i];
        else if (making->c->type == SCAN_UINT32)
            ((uint32_t *)making->values)[last - i] = 0 - ((uint32_t *)making->values)[i];
        else
            ((uint64_t *)making->values)[last - i] = 0 - ((uint64_t *)making->values)[i];
}

/* ------------------------------------------------------------------ starts */

/*
 * Every number starts a segment with a probability of 1 / mean in half of the stretches of PIECE numbers, of 16 /
 * mean in a quarter and of 1 / (16 mean) in the others. So one case has short and long segments.
 */
static void make_starts(void *context, size_t first, size_t end)
{
    const struct making *making = context;
    struct random_stream stream = random_ahead(&making->starts_stream, first);
    struct random_stream stretch = random_ahead(&making->stretches, first / PIECE);
    const uint32_t often = random_u32(&stretch) % 4;
    const uint64_t scaled = often < 2 ? 16 : often == 2 ? 256 : 1, mean = making->c->mean;
    const uint64_t bound = scaled * ((uint64_t)1 << 28) / mean; /* of 2^32: 1 / mean times scaled / 16 */
    uint32_t words[BUFFERED];

    for (size_t from = first; from < end; from += BUFFERED) {
        const size_t count = end - from < BUFFERED ? end - from : BUFFERED;

        random_words(&stream, words, count);
        for (size_t i = 0; i < count; i++)
            making->starts[from + i] = words[i] < bound;
    }
}

bool scan_make(const struct scan_case *c, const struct random_key *key, void *values, uint8_t *starts)
{
    struct making making = { .c = c,
                             .values_stream = random_stream(key, STREAM_VALUES),
                             .starts_stream = random_stream(key, STREAM_STARTS),
                             .stretches = random_stream(key, STREAM_STRETCHES),
                             .values = values,
                             .starts = c->mean > 0 ? starts : NULL };

    while (making.kind < KINDS && strcmp(names[making.kind], c->kind) != 0)
        making.kind++;
    if (making.kind == KINDS)
        return false;
    if (making.starts)
        parallel_pieces(c->count, PIECE, make_starts, &making);
    parallel_pieces(c->count, PIECE, make_values, &making);
    if (making.kind == CANCEL)
        parallel_pieces(c->count / 2, PIECE, mirror, &making);
    return true;
}
