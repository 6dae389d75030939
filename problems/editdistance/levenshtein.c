/*
 * levenshtein.c - prepares the bands for the bit-parallel kernel, runs them, and the plain version.
 *
 * The method is described in levenshtein_kernel.h.
 */
#include "levenshtein.h"

#include <stdlib.h>
#include <string.h>

#include "levenshtein_bands.h"

/* A band's state must stay in a 48 KiB first-level cache: 40 rows of 11 vectors of 64 bytes are 28 KiB. */
enum { MAX_ROWS = 40, MAX_PLANES = 8, STATE_FIXED = 3 };

#if !defined(__x86_64__)
const struct levenshtein_engine levenshtein_engine_avx2, levenshtein_engine_avx512;
#endif

static const struct {
    const char *name;
    const struct levenshtein_engine *engine;
} isas[LEVENSHTEIN_ISAS] = {
    [LEVENSHTEIN_PORTABLE] = { "portable", &levenshtein_engine_portable },
    [LEVENSHTEIN_AVX2] = { "avx2", &levenshtein_engine_avx2 },
    [LEVENSHTEIN_AVX512] = { "avx512", &levenshtein_engine_avx512 },
};

const char *levenshtein_isa_name(enum levenshtein_isa isa) { return isas[isa].name; }

bool levenshtein_isa_supported(enum levenshtein_isa isa)
{
    switch (isa) {
#if defined(__x86_64__)
    case LEVENSHTEIN_AVX2: return __builtin_cpu_supports("avx2");
    case LEVENSHTEIN_AVX512: return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vbmi2");
#endif
    case LEVENSHTEIN_PORTABLE: return true;
    default: return false;
    }
}

enum levenshtein_isa levenshtein_isa_best(void)
{
    for (int isa = LEVENSHTEIN_ISAS - 1; isa > 0; isa--)
        if (levenshtein_isa_supported((enum levenshtein_isa)isa))
            return (enum levenshtein_isa)isa;
    return LEVENSHTEIN_PORTABLE;
}

/* The characters renumbered: codes below 2^planes, equal codes of known rows meaning equal characters. */
struct alphabet {
    unsigned char code[256]; /* of a character of either string */
    bool common[256];        /* whether both strings have it */
    int planes;              /* 1 to 8 */
};

static void alphabet_init(struct alphabet *alphabet, const unsigned char *a, size_t m, const unsigned char *b,
                          size_t n)
{
    bool in_a[256] = { false }, in_b[256] = { false };
    unsigned codes = 0, strangers = 0;

    for (size_t i = 0; i < m; i++)
        in_a[a[i]] = true;
    for (size_t j = 0; j < n; j++)
        in_b[b[j]] = true;
    memset(alphabet, 0, sizeof *alphabet);
    for (int c = 0; c < 256; c++)
        if ((alphabet->common[c] = in_a[c] && in_b[c]))
            alphabet->code[c] = (unsigned char)codes++;
        else
            strangers += in_b[c];
    /* Characters of b alone share a code of their own, one that no known row has. */
    for (int c = 0; c < 256; c++)
        if (!alphabet->common[c])
            alphabet->code[c] = (unsigned char)codes;
    codes += strangers != 0;
    alphabet->planes = 1;
    while ((1u << alphabet->planes) < codes)
        alphabet->planes++;
}

/* Bit planes of 64 codes: bit i of planes[k] is bit k of codes[i]. */
static void planes_of_64(const unsigned char codes[64], uint64_t planes[8])
{
    memset(planes, 0, 8 * sizeof planes[0]);
    for (int i = 0; i < 64; i += 8) {
        uint64_t x = 0, t;

        for (int j = 0; j < 8; j++)
            x |= (uint64_t)codes[i + j] << 8 * j;
        /* Transposes an 8x8 bit matrix: Warren, Hacker's Delight, 7-3. */
        t = (x ^ x >> 7) & 0x00aa00aa00aa00aaull;
        x ^= t ^ t << 7;
        t = (x ^ x >> 14) & 0x0000cccc0000ccccull;
        x ^= t ^ t << 14;
        t = (x ^ x >> 28) & 0x00000000f0f0f0f0ull;
        x ^= t ^ t << 28;
        for (int k = 0; k < 8; k++)
            planes[k] |= (x >> 8 * k & 0xff) << i;
    }
}

static void fill_columns(uint64_t *columns, size_t per_step, const unsigned char *b, size_t n,
                         const struct alphabet *alphabet)
{
    for (size_t word = 0; word * 64 < n + 64 * per_step; word++) {
        size_t first = word / per_step * 64 * per_step + word % per_step;
        unsigned char codes[64] = { 0 };

        if (first >= n)
            break;
        for (size_t i = 0; i < 64 && first + i * per_step < n; i++)
            codes[63 - i] = alphabet->code[b[first + i * per_step]]; /* the first column in the top bit */
        planes_of_64(codes, columns + word * 8);
    }
}

/* The rows from `first`, which may be above the table, as the initial state of a band. */
static void fill_state(struct levenshtein_band *band, size_t bits, const unsigned char *a, ptrdiff_t first,
                       const struct alphabet *alphabet)
{
    const size_t words = bits / 64, stride = (STATE_FIXED + (size_t)alphabet->planes) * words;

    for (size_t r = 0; r < band->rows; r++) {
        uint64_t *row = band->state + r * stride;

        for (size_t w = 0; w < words; w++) {
            unsigned char codes[64] = { 0 };
            uint64_t inside = 0, known = 0, planes[8];

            for (size_t p = 0; p < 64; p++) {
                ptrdiff_t i = first + (ptrdiff_t)((w * 64 + p) * band->rows + r);

                if (i < 0)
                    continue;
                codes[p] = alphabet->code[a[i]];
                inside |= 1ull << p;
                known |= (uint64_t)alphabet->common[a[i]] << p;
            }
            planes_of_64(codes, planes);
            row[w] = inside;
            row[words + w] = 0;
            row[2 * words + w] = known;
            for (int k = 0; k < alphabet->planes; k++)
                row[(STATE_FIXED + (size_t)k) * words + w] = planes[k];
        }
    }
}

static void *alloc_words(size_t words)
{
    return aligned_alloc(64, (words * sizeof(uint64_t) + 63) / 64 * 64);
}

bool levenshtein_bitparallel(enum levenshtein_isa isa, const unsigned char *a, size_t m, const unsigned char *b,
                             size_t n, uint32_t *distance)
{
    const struct levenshtein_engine *engine = isas[isa].engine;
    const size_t bits = engine->bits, per_step = engine->columns;
    struct levenshtein_band band = { 0 };
    struct alphabet alphabet;
    uint64_t *columns = NULL;
    size_t bands, words, ups = 0, downs = 0;
    bool ok = false;

    if (!levenshtein_isa_supported(isa))
        return false;
    if (m > n) { /* fewer rows: less padding, and the longer string is the stream */
        const unsigned char *s = a;
        size_t length = m;

        a = b, m = n;
        b = s, n = length;
    }
    if (m == 0) {
        *distance = (uint32_t)n;
        return true;
    }
    alphabet_init(&alphabet, a, m, b, n);
    bands = (m + bits * MAX_ROWS - 1) / (bits * MAX_ROWS);
    band.rows = (m + bits * bands - 1) / (bits * bands);
    band.steps = (n + 64 * per_step - 1) / (64 * per_step) * 64 + bits;
    words = band.steps / 64 * per_step;
    columns = alloc_words(words * 8);
    band.hp = alloc_words(words);
    band.hn = alloc_words(words);
    band.state = alloc_words(band.rows * (STATE_FIXED + (size_t)alphabet.planes) * bits / 64);
    if (!columns || !band.hp || !band.hn || !band.state)
        goto out;
    memset(columns, 0, words * 8 * sizeof *columns);
    fill_columns(columns, per_step, b, n, &alphabet);
    band.columns = columns;
    memset(band.hp, 0xff, words * sizeof *band.hp); /* the upper edge of the table: D[0][j] = j */
    memset(band.hn, 0, words * sizeof *band.hn);
    for (size_t k = 0; k < bands; k++) {
        ptrdiff_t last = (ptrdiff_t)m - (ptrdiff_t)((bands - 1 - k) * bits * band.rows);

        fill_state(&band, bits, a, last - (ptrdiff_t)(bits * band.rows), &alphabet);
        engine->run(&band, alphabet.planes);
    }
    for (size_t word = 0; word < words; word++) {
        /* Of the columns c, c + C, c + 2C … below n, how many stand in this word and after it. */
        size_t before = word / per_step * 64, all = (n + per_step - 1 - word % per_step) / per_step;
        uint64_t inside = all >= before + 64 ? ~0ull : all > before ? ~(~0ull >> (all - before)) : 0;

        ups += (size_t)__builtin_popcountll(band.hp[word] & inside);
        downs += (size_t)__builtin_popcountll(band.hn[word] & inside);
    }
    *distance = (uint32_t)(m + ups - downs);
    ok = true;
out:
    free(band.state);
    free(band.hn);
    free(band.hp);
    free(columns);
    return ok;
}

bool levenshtein_plain(const unsigned char *a, size_t m, const unsigned char *b, size_t n, uint32_t *distance)
{
    uint32_t *row = malloc((m + 1) * sizeof *row);

    if (!row)
        return false;
    for (size_t i = 0; i <= m; i++)
        row[i] = (uint32_t)i;
    for (size_t j = 1; j <= n; j++) {
        uint32_t diagonal = row[0];

        row[0] = (uint32_t)j;
        for (size_t i = 1; i <= m; i++) {
            uint32_t best = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[i];
            if (row[i] + 1 < best)
                best = row[i] + 1;
            if (row[i - 1] + 1 < best)
                best = row[i - 1] + 1;
            row[i] = best;
        }
    }
    *distance = row[m];
    free(row);
    return true;
}
