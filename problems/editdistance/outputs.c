/*
 * outputs.c - the distance by other methods, for the tests of check(). It is not linked into the host.
 */
#include "problems/outputs.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "levenshtein.h"

static uint32_t least(uint32_t x, uint32_t y) { return x < y ? x : y; }

/* Anti-diagonal after anti-diagonal: cell i of diagonal d is D[i][d - i]. False when memory is exhausted. */
static bool by_diagonals(const unsigned char *a, size_t m, const unsigned char *b, size_t n, uint32_t *distance)
{
    uint32_t *cells = malloc(3 * (m + 1) * sizeof *cells), *older = cells, *old, *now;

    if (!cells)
        return false;
    old = cells + m + 1;
    now = old + m + 1;
    for (size_t d = 0; d <= m + n; d++) {
        uint32_t *spare = older;

        for (size_t i = d > n ? d - n : 0; i <= m && i <= d; i++) {
            const size_t j = d - i;

            now[i] = i == 0   ? (uint32_t)j
                     : j == 0 ? (uint32_t)i
                              : least(older[i - 1] + (a[i - 1] != b[j - 1]), least(old[i - 1], old[i]) + 1);
        }
        older = old;
        old = now;
        now = spare;
    }
    *distance = old[m];
    free(cells);
    return true;
}

/* Ukkonen's band about the main diagonal, twice as wide until the distance is surely within. False: out of memory. */
static bool by_bands(const unsigned char *a, size_t m, const unsigned char *b, size_t n, uint32_t *distance)
{
    const uint32_t far = UINT32_MAX / 2;
    uint32_t *row = malloc((n + 1) * sizeof *row);

    for (size_t half = 16 + (m > n ? m - n : n - m); row; half *= 2) {
        for (size_t j = 0; j <= n; j++)
            row[j] = j <= half ? (uint32_t)j : far;
        for (size_t i = 1; i <= m; i++) {
            const size_t first = i > half ? i - half : 1, last = i + half < n ? i + half : n;
            uint32_t diagonal = row[first - 1];

            row[first - 1] = first == 1 ? (uint32_t)i : far;
            for (size_t j = first; j <= last; j++) {
                const uint32_t above = row[j];

                row[j] = least(diagonal + (a[i - 1] != b[j - 1]), least(above, row[j - 1]) + 1);
                diagonal = above;
            }
        }
        if (row[n] <= half || (half >= m && half >= n)) {
            *distance = row[n];
            free(row);
            return true;
        }
    }
    return false;
}

static void any_line(struct random_stream *stream, char *text, size_t size)
{
    static const char *const kinds[] = { "random", "equal", "close", "shifted", "disjoint", "single", "repetitive",
                                         "mutated", "moved" };
    static const char *const alphabets[] = { "printable", "lower", "dna", "binary", "bytes" };
    const char *kind = kinds[random_below(stream, 9)], *alphabet = alphabets[random_below(stream, 5)];
    const uint32_t m = 1 + random_below(stream, 10), n = 1 + random_below(stream, 10);

    snprintf(text, size, "%s %u %u alphabet=%s period=%u seed=%u", kind, m * EDITDISTANCE_LENGTH_UNIT,
             n * EDITDISTANCE_LENGTH_UNIT, alphabet, 1 + random_below(stream, EDITDISTANCE_PERIOD_MAX),
             random_u32(stream));
}

static enum check_result honest(const struct blob *input, const struct blob *answer, struct blob *output, size_t way,
                                struct random_stream *stream)
{
    const struct editdistance_input *header = (const struct editdistance_input *)input->data;
    const unsigned char *a = input->data + STRINGS_OFFSET, *b = input->data + STRING2_OFFSET(header->length1);
    const size_t m = header->length1, n = header->length2;
    uint32_t distance = 0;
    bool ok;

    (void)answer;
    (void)stream;
    switch (way) {
    case 0: ok = levenshtein_plain(a, m, b, n, &distance); break;
    case 1: ok = levenshtein_plain(b, n, a, m, &distance); break;
    case 2: ok = by_diagonals(a, m, b, n, &distance); break;
    case 3: ok = by_bands(a, m, b, n, &distance); break;
    case 4: ok = levenshtein_bitparallel(LEVENSHTEIN_PORTABLE, b, n, a, m, &distance); break;
    default: return CHECK_NONE;
    }
    memcpy(output->data, &distance, sizeof distance);
    return ok ? CHECK_RIGHT : CHECK_FAILED;
}

const struct outputs outputs_editdistance = { .any_line = any_line, .honest = honest };
