/*
 * test_random.c - Philox against its authors' known answers, and the base of the generators.
 */
#include "verify/base/random.h"

#include <inttypes.h>
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

/* From any position of a stream, also in the middle of a block. */
static void test_ahead(void)
{
    const struct random_key key = { .seed = 20091, .case_seed = 7, .repetition = 2 };

    for (int taken = 0; taken < 9; taken++)
        for (int further = 0; further < 9; further++) {
            struct random_stream there = random_stream(&key, 5), ahead;

            for (int i = 0; i < taken; i++)
                random_u32(&there);
            ahead = random_ahead(&there, (uint64_t)further);
            for (int i = 0; i < further; i++)
                random_u32(&there);
            for (int i = 0; i < 6; i++)
                CHECK(random_u32(&ahead) == random_u32(&there), "word %d, %d ahead of %d", i, further, taken);
        }
    for (uint64_t far = (1 << 20) - 1; far <= (1 << 20) + 3; far++) { /* as a second piece of a matrix begins */
        struct random_stream there = random_stream(&key, 5), ahead = random_ahead(&there, far);

        for (uint64_t i = 0; i < far; i++)
            random_u32(&there);
        CHECK(random_u32(&ahead) == random_u32(&there), "the word after %" PRIu64, far);
    }
}

/* The same words as one by one, from any position of a stream, and the next words. */
static void test_words(void)
{
    const struct random_key key = { .seed = 20092, .case_seed = 8, .repetition = 1 };
    uint32_t words[200];

    for (size_t taken = 0; taken < 5; taken++)
        for (size_t count = 0; count <= 200; count += count < 10 ? 1 : 19) {
            struct random_stream at_once = random_stream(&key, 6), one_by_one;

            for (size_t i = 0; i < taken; i++)
                random_u32(&at_once);
            one_by_one = at_once;
            random_words(&at_once, words, count);
            for (size_t i = 0; i < count; i++)
                CHECK(words[i] == random_u32(&one_by_one), "word %zu of %zu, after %zu", i, count, taken);
            CHECK(random_u32(&at_once) == random_u32(&one_by_one), "the one after %zu, after %zu", count, taken);
        }
}

int main(void)
{
    test_known_answers();
    test_streams_differ();
    test_below_is_in_range_and_even();
    test_alphabets();
    test_ahead();
    test_words();
    return unit_end();
}
