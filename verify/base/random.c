/*
 * random.c - streams of Philox4x32-10 and strings drawn from them.
 */
#include "random.h"

#include <string.h>

struct random_stream random_stream(const struct random_key *key, uint32_t stream)
{
    return (struct random_stream){ .key = *key, .stream = stream, .used = 4 };
}

uint32_t random_u32(struct random_stream *stream)
{
    if (stream->used == 4) {
        const struct random_key *key = &stream->key;
        const uint32_t counter[4] = { stream->index++, stream->stream, key->case_seed, key->repetition };
        const uint32_t seed[2] = { (uint32_t)key->seed, (uint32_t)(key->seed >> 32) };

        philox4x32(counter, seed, stream->block);
        stream->used = 0;
    }
    return stream->block[stream->used++];
}

struct random_stream random_ahead(const struct random_stream *stream, uint64_t words)
{
    const uint64_t word = (uint64_t)stream->index * 4 + stream->used - 4 + words; /* of the whole stream */
    struct random_stream ahead = random_stream(&stream->key, stream->stream);

    ahead.index = (uint32_t)(word / 4);
    for (uint64_t i = 0; i < word % 4; i++)
        random_u32(&ahead);
    return ahead;
}

/* Blocks that are computed side by side: so many that the compiler uses vectors. */
enum { LANES = 16 };

/* As many blocks as philox4x32() would give, from the stream's next one on. */
static void philox_blocks(struct random_stream *stream, uint32_t words[4 * LANES])
{
    const struct random_key *key = &stream->key;
    uint32_t x0[LANES], x1[LANES], x2[LANES], x3[LANES], k0 = (uint32_t)key->seed, k1 = (uint32_t)(key->seed >> 32);

    for (uint32_t l = 0; l < LANES; l++) {
        x0[l] = stream->index + l;
        x1[l] = stream->stream;
        x2[l] = key->case_seed;
        x3[l] = key->repetition;
    }
    for (int round = 0; round < PHILOX_ROUNDS; round++, k0 += PHILOX_WEYL_0, k1 += PHILOX_WEYL_1)
        for (int l = 0; l < LANES; l++)
            philox_round(&x0[l], &x1[l], &x2[l], &x3[l], k0, k1);
    for (int l = 0; l < LANES; l++) {
        words[4 * l] = x0[l];
        words[4 * l + 1] = x1[l];
        words[4 * l + 2] = x2[l];
        words[4 * l + 3] = x3[l];
    }
    stream->index += LANES;
}

void random_words(struct random_stream *stream, uint32_t *words, size_t count)
{
    size_t done = 0;

    while (done < count && stream->used < 4)
        words[done++] = random_u32(stream);
    for (; count - done >= 4 * LANES; done += 4 * LANES)
        philox_blocks(stream, words + done);
    while (done < count)
        words[done++] = random_u32(stream);
}

uint32_t random_below(struct random_stream *stream, uint32_t bound)
{
    return random_scaled(random_u32(stream), bound);
}

void random_string(struct random_stream *stream, const char *alphabet, size_t size, char *string, size_t length)
{
    for (size_t i = 0; i < length; i++)
        string[i] = alphabet[random_below(stream, (uint32_t)size)];
}

size_t random_alphabet(const char *name, char characters[256])
{
    static const struct {
        const char *name;
        struct { unsigned first, last; } ranges[3]; /* inclusive; an unused one is 1 to 0 */
    } alphabets[] = {
        { "printable", { { ' ', '~' }, { 1, 0 }, { 1, 0 } } },
        { "lower", { { 'a', 'z' }, { 1, 0 }, { 1, 0 } } },
        { "upper", { { 'A', 'Z' }, { 1, 0 }, { 1, 0 } } },
        { "digits", { { '0', '9' }, { 1, 0 }, { 1, 0 } } },
        { "alnum", { { '0', '9' }, { 'A', 'Z' }, { 'a', 'z' } } },
        { "binary", { { '0', '1' }, { 1, 0 }, { 1, 0 } } },
        { "bytes", { { 0, 255 }, { 1, 0 }, { 1, 0 } } },
    };

    if (strcmp(name, "dna") == 0) {
        memcpy(characters, "ACGT", 4);
        return 4;
    }
    for (size_t i = 0; i < sizeof alphabets / sizeof alphabets[0]; i++) {
        size_t size = 0;

        if (strcmp(name, alphabets[i].name) != 0)
            continue;
        for (int r = 0; r < 3; r++)
            for (unsigned c = alphabets[i].ranges[r].first; c <= alphabets[i].ranges[r].last; c++)
                characters[size++] = (char)c;
        return size;
    }
    return 0;
}
