/*
 * test_random.c - Philox against its authors' known answers, and what the generators rest on.
 */
#include "verify/random.h"

#include <string.h>

#include "unit.h"

/* Random123 1.14, tests/kat_vectors, philox4x32 with 10 rounds. */
static void test_known_answers(void)
{
    static const struct {
        uint32_t counter[4], key[2], block[4];
    } known[] = {
        { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
          { 0xffffffff, 0xffffffff },
          { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
          { 0xa4093822, 0x299f31d0 },
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint32_t block[4];

        philox4x32(known[i].counter, known[i].key, block);
        CHECK(memcmp(block, known[i].block, sizeof block) == 0, "vector %zu gives %08x %08x %08x %08x", i, block[0],
              block[1], block[2], block[3]);
    }
}

/* Streams of one key, and the same stream of keys that differ in one field, share no block. */
static void test_streams_differ(void)
{
    const struct random_key keys[] = { { 1, 0, 0 }, { 2, 0, 0 }, { 1ull << 40, 0, 0 }, { 1, 1, 0 }, { 1, 0, 1 } };
    struct random_stream base = random_stream(&keys[0], 0), other = random_stream(&keys[0], 1);
    uint32_t first = random_u32(&base);

    CHECK(first != random_u32(&other), "streams 0 and 1 start alike");
    for (size_t i = 1; i < sizeof keys / sizeof keys[0]; i++) {
        struct random_stream stream = random_stream(&keys[i], 0);

        CHECK(first != random_u32(&stream), "key %zu starts like key 0", i);
    }
}

static void test_below_is_in_range_and_even(void)
{
    struct random_stream stream = random_stream(&(struct random_key){ .seed = 7 }, 0);
    unsigned counts[95] = { 0 };
    const unsigned draws = 95 * 10000;

    for (unsigned i = 0; i < draws; i++) {
        uint32_t number = random_below(&stream, 95);

        if (number < 95)
            counts[number]++;
    }
    for (unsigned c = 0, all = 0; c < 95; c++) {
        all += counts[c];
        /* Standard deviation 99.5: 6 of them. */
        CHECK(counts[c] > 9400 && counts[c] < 10600, "%u of %u draws gave %u", counts[c], draws, c);
        CHECK(c < 94 || all == draws, "%u draws are out of range", draws - all);
    }
}

static void test_alphabets(void)
{
    static const struct {
        const char *name;
        size_t size;
    } alphabets[] = { { "printable", 95 }, { "lower", 26 },  { "upper", 26 }, { "digits", 10 }, { "alnum", 62 },
                      { "dna", 4 },        { "binary", 2 }, { "bytes", 256 }, { "", 0 },        { "Printable", 0 } };
    char characters[256];

    for (size_t i = 0; i < sizeof alphabets / sizeof alphabets[0]; i++) {
        size_t size = random_alphabet(alphabets[i].name, characters);

        CHECK(size == alphabets[i].size, "'%s' has %zu characters", alphabets[i].name, size);
        for (size_t a = 0; a < size; a++)
            for (size_t b = 0; b < a; b++)
                CHECK(characters[a] != characters[b], "'%s' has character %d twice", alphabets[i].name, characters[a]);
    }
}

int main(void)
{
    test_known_answers();
    test_streams_differ();
    test_below_is_in_range_and_even();
    test_alphabets();
    return unit_end();
}
