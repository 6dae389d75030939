/*
 * random.c - Philox4x32-10 and strings drawn from it.
 */
#include "random.h"

#include <string.h>

void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t block[4])
{
    uint32_t x0 = counter[0], x1 = counter[1], x2 = counter[2], x3 = counter[3], k0 = key[0], k1 = key[1];

    for (int round = 0; round < 10; round++) {
        uint64_t p = (uint64_t)x0 * 0xd2511f53u, q = (uint64_t)x2 * 0xcd9e8d57u;
        uint32_t y0 = (uint32_t)(q >> 32) ^ x1 ^ k0, y2 = (uint32_t)(p >> 32) ^ x3 ^ k1;

        x1 = (uint32_t)q;
        x3 = (uint32_t)p;
        x0 = y0;
        x2 = y2;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    block[0] = x0;
    block[1] = x1;
    block[2] = x2;
    block[3] = x3;
}

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

uint32_t random_below(struct random_stream *stream, uint32_t bound)
{
    return (uint32_t)((uint64_t)random_u32(stream) * bound >> 32);
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
