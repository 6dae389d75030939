/*
 * test_levenshtein.c - every version of the reference against the plain recurrence: test_levenshtein [PAIRS]
 */
#include "problems/editdistance/levenshtein.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "verify/base/random.h"

enum { LONGEST = 4000 };

static unsigned char a[LONGEST], b[LONGEST];

static void compare(size_t m, size_t n, const char *what)
{
    uint32_t plain, fast;

    CHECK(levenshtein_plain(a, m, b, n, &plain), "out of memory");
    for (int isa = 0; isa < LEVENSHTEIN_ISAS; isa++) {
        if (!levenshtein_isa_supported((enum levenshtein_isa)isa))
            continue;
        CHECK(levenshtein_bitparallel((enum levenshtein_isa)isa, a, m, b, n, &fast), "out of memory");
        CHECK(fast == plain, "%s, %zu x %zu, %s: %u, not %u", what, m, n,
              levenshtein_isa_name((enum levenshtein_isa)isa), fast, plain);
    }
}

static void test_worked_example(void)
{
    uint32_t distance;

    memcpy(a, "weight", 6);
    memcpy(b, "write", 5);
    CHECK(levenshtein_plain(a, 6, b, 5, &distance) && distance == 4, "weight/write is %u", distance);
    compare(6, 5, "weight/write");
}

static void test_empty_strings(void)
{
    uint32_t distance;

    memset(a, 'x', 10);
    for (int isa = 0; isa < LEVENSHTEIN_ISAS; isa++) {
        if (!levenshtein_isa_supported((enum levenshtein_isa)isa))
            continue;
        CHECK(levenshtein_bitparallel((enum levenshtein_isa)isa, a, 10, b, 0, &distance) && distance == 10, "%u",
              distance);
        CHECK(levenshtein_bitparallel((enum levenshtein_isa)isa, a, 0, b, 0, &distance) && distance == 0, "%u",
              distance);
    }
}

/* Lengths around the vectors' and bands' sizes, where the padding changes. */
static void test_edges(struct random_stream *random)
{
    static const size_t lengths[] = { 1, 2, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025,
                                      2559, 2560, 2561 };
    const size_t count = sizeof lengths / sizeof lengths[0];

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            random_string(random, "abcde", 5, (char *)a, lengths[i]);
            random_string(random, "abcde", 5, (char *)b, lengths[j]);
            compare(lengths[i], lengths[j], "edge");
        }
}

/* One pair of each kind that has broken implementations before. */
static void test_kinds(struct random_stream *random, size_t m, size_t n, size_t letters)
{
    char alphabet[256];
    size_t period = 1 + random_below(random, 40);

    random_alphabet("bytes", alphabet);
    random_string(random, alphabet, letters, (char *)a, m);
    random_string(random, alphabet, letters, (char *)b, n);
    compare(m, n, "random");
    for (size_t j = 0; j < n; j++)
        b[j] = a[j % m];
    compare(m, n, "equal");
    for (size_t j = 0; j < n; j++)
        b[j] = a[(j + period) % m];
    compare(m, n, "shifted");
    for (size_t j = 0; j < n; j++)
        if (random_below(random, 10) == 0)
            b[j] = (unsigned char)random_below(random, 256);
    compare(m, n, "mutated");
    for (size_t i = period; i < m; i++)
        a[i] = a[i % period];
    for (size_t j = 0; j < n; j++)
        b[j] = a[j % (period + 1) % m];
    compare(m, n, "repetitive");
    memset(a, 200, m);
    memset(b, 200, n);
    compare(m, n, "one character");
    for (size_t i = 0; i < m; i++)
        a[i] = (unsigned char)random_below(random, 128);
    for (size_t j = 0; j < n; j++)
        b[j] = (unsigned char)(128 + random_below(random, 128));
    compare(m, n, "disjoint");
    for (size_t i = 0; i < m; i++)
        a[i] = (unsigned char)i;
    for (size_t j = 0; j < n; j++)
        b[j] = (unsigned char)(255 - j);
    compare(m, n, "all 256 values");
}

/* Several bands of rows, which short strings never need. */
static void test_several_bands(struct random_stream *random)
{
    static const size_t lengths[][2] = { { 20481, 300 }, { 300, 41000 }, { 24576, 24576 } };

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        size_t m = lengths[i][0], n = lengths[i][1];
        unsigned char *x = malloc(m), *y = malloc(n);
        uint32_t plain = 0, fast = 0;

        random_string(random, "abcdefgh", 8, (char *)x, m);
        random_string(random, "abcdefgh", 8, (char *)y, n);
        CHECK(levenshtein_plain(x, m, y, n, &plain), "out of memory");
        for (int isa = 0; isa < LEVENSHTEIN_ISAS; isa++)
            if (levenshtein_isa_supported((enum levenshtein_isa)isa)) {
                CHECK(levenshtein_bitparallel((enum levenshtein_isa)isa, x, m, y, n, &fast), "out of memory");
                CHECK(fast == plain, "%zu x %zu, %s: %u, not %u", m, n,
                      levenshtein_isa_name((enum levenshtein_isa)isa), fast, plain);
            }
        free(x);
        free(y);
    }
}

int main(int argc, char **argv)
{
    struct random_stream random = random_stream(&(struct random_key){ .seed = 1 }, 0);
    int rounds = argc == 2 ? atoi(argv[1]) : 600;

    test_worked_example();
    test_empty_strings();
    test_edges(&random);
    for (int i = 0; i < rounds; i++) {
        static const size_t letters[] = { 1, 2, 4, 5, 16, 17, 95, 128, 129, 255, 256 };
        size_t longest = i % 20 == 0 ? LONGEST : 400;

        test_kinds(&random, 1 + random_below(&random, (uint32_t)longest), 1 + random_below(&random, (uint32_t)longest),
                   letters[(size_t)i % (sizeof letters / sizeof letters[0])]);
    }
    test_several_bands(&random);
    return unit_end();
}
