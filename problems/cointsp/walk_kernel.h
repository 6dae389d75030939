/*
 * walk_kernel.h - the walks, compiled once for each instruction set (walk_*.c define WALK).
 *
 * At each step a walk needs the sum over the unvisited cities of a row of the generator, and the city where the prefix
 * sums pass a threshold. B additions of vectors give the sums of 16 runs of cells, and on the way those up to each cell
 * of a run. So a search in 16 sums finds the run, and one in B sums the cell. Several walks go side by side, as each
 * would wait for its own sums most of the time. No branch depends on where they go: nobody can predict that, and a
 * wrong guess costs as much as the whole search.
 */
#include "walk.h"

#include <string.h>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "include/cointsp_bits.h"
#include "include/device_user.h"

#define INLINE static inline __attribute__((always_inline))

/* Before a loop over the walks that go side by side. */
#define EACH_WALK _Pragma("GCC unroll 8")

enum { PACE = 4, BLOCKS_MAX = COINTSP_CITIES_MAX / LANES };

/* The unvisited cities: 32 words with a bit for each, bit j / 32 of word j % 32; or a word for each, all ones or 0. */
#if defined(__AVX512F__)
enum { WORDS = 32 };
#else
enum { WORDS = COINTSP_CITIES_MAX };
#endif

/* A walk under way. */
struct walker {
    lanes unvisited[WORDS / LANES];
    lanes sums[BLOCKS_MAX];       /* of the weights of each lane's run, up to this block */
    uint32_t before[LANES + 1];   /* of all weights of the lanes before this one */
    uint32_t city;
    uint16_t *tour;
};

/* Steps for which random words are drawn at a time; the words of step s, for each walk: words[s % 4][s / 4 % 4]. */
enum { DRAWN = LANES };

typedef uint32_t random_words[4][4][PACE];

#if defined(__AVX512F__)
/* Both halves of the products of 16 words and a factor. */
INLINE void multiply(__m512i words, uint32_t factor, __m512i *high, __m512i *low)
{
    const __m512i factors = _mm512_set1_epi64(factor);
    const __m512i even = _mm512_mul_epu32(words, factors);
    const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(words, 32), factors);

    *high = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
    *low = _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
}
#endif

/* The random words of this step, a multiple of DRAWN, and the next. */
INLINE void draw(const struct walks *walks, const uint32_t individuals[PACE], uint32_t step, random_words words)
{
#if defined(__AVX512F__)
    const __m512i quarters = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    __m512i c0 = _mm512_add_epi32(_mm512_set1_epi32((int)step / 4), quarters);
    __m512i c1 = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)individuals));
    __m512i c2 = _mm512_set1_epi32((int)walks->generation), c3 = _mm512_setzero_si512();
    uint32_t key0 = walks->key[0], key1 = walks->key[1];

    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        __m512i high0, low0, high2, low2;

        multiply(c0, PHILOX_MULTIPLIER_0, &high0, &low0);
        multiply(c2, PHILOX_MULTIPLIER_2, &high2, &low2);
        c0 = _mm512_xor_si512(_mm512_xor_si512(high2, c1), _mm512_set1_epi32((int)key0));
        c2 = _mm512_xor_si512(_mm512_xor_si512(high0, c3), _mm512_set1_epi32((int)key1));
        c1 = low2;
        c3 = low0;
        key0 += PHILOX_WEYL_0;
        key1 += PHILOX_WEYL_1;
    }
    _mm512_storeu_si512(words[0], c0);
    _mm512_storeu_si512(words[1], c1);
    _mm512_storeu_si512(words[2], c2);
    _mm512_storeu_si512(words[3], c3);
#else
    for (uint32_t quarter = 0; quarter < DRAWN / 4; quarter++)
        for (int w = 0; w < PACE; w++) {
            uint32_t block[4];

            cointsp_random_block(walks->key, walks->generation, individuals[w], step / 4 + quarter, block);
            for (int k = 0; k < 4; k++)
                words[k][quarter][w] = block[k];
        }
#endif
}

/* Adds the weights of the cells whose cities are not visited. */
INLINE void add_cells(const struct walker *w, const lanes *weights, const city_numbers *cities, lanes *sums)
{
#if defined(__AVX512F__)
    const __m512i places = _mm512_cvtepu16_epi32(_mm256_load_si256((const __m256i *)cities));
    const __m512i words = _mm512_permutex2var_epi32((__m512i)w->unvisited[0], places, (__m512i)w->unvisited[1]);
    const __m512i bits = _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_srli_epi32(places, 5));
    const __mmask16 left = _mm512_test_epi32_mask(words, bits);

    *sums = (lanes)_mm512_mask_add_epi32((__m512i)*sums, left, (__m512i)*sums, (__m512i)*weights);
#else
    for (int l = 0; l < LANES; l++)
        (*sums)[l] += (*weights)[l] & ((const uint32_t *)w->unvisited)[(*cities)[l]];
#endif
}

/* How many lanes have sums of at most the threshold. They never fall. */
INLINE uint32_t count_lanes(const lanes *up_to, uint32_t threshold)
{
#if defined(__AVX512F__)
    return (uint32_t)_mm_popcnt_u32(_mm512_cmple_epu32_mask((__m512i)*up_to, _mm512_set1_epi32((int)threshold)));
#else
    uint32_t found = 0;

    for (uint32_t half = LANES / 2; half > 0; half /= 2)
        found += half & -(uint32_t)((*up_to)[found + half - 1] <= threshold);
    return found;
#endif
}

/* Without any weight: the `left`-th of the unvisited cities, counted from 0. */
static uint32_t find_unvisited(const struct walker *w, uint32_t left)
{
    const uint32_t *words = (const uint32_t *)w->unvisited;

    for (uint32_t city = 0;; city++)
        if ((words[city % WORDS] >> city / WORDS & 1) && left-- == 0)
            return city;
}

INLINE void visit(struct walker *w, uint32_t step, uint32_t city)
{
#if defined(__AVX512F__)
    const lanes first = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
    const uint32_t word = city % WORDS, bit = 1u << city / WORDS;

    /* Whole vectors, as the load of one would wait for the store of one word. */
    w->unvisited[0] &= ~((lanes)(first == word) & bit);
    w->unvisited[1] &= ~((lanes)(first + LANES == word) & bit);
#else
    ((uint32_t *)w->unvisited)[city] = 0;
#endif
    w->city = city;
    w->tour[step] = (uint16_t)city;
}

INLINE void set_out(const struct walks *walks, struct walker *w, uint32_t individual, uint32_t random)
{
    w->tour = walks->tours + (size_t)individual * walks->n;
    w->before[0] = 0;
    memset(w->unvisited, 0xff, sizeof w->unvisited);
    visit(w, 0, cointsp_scale(random, walks->n));
}

/* The sums of lanes 0 to l, for each l. */
INLINE void add_prefixes(lanes *sums)
{
    const lanes zero = { 0 };
    lanes sum = *sums;

    sum += __builtin_shuffle(zero, sum, (lanes){ 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30 });
    sum += __builtin_shuffle(zero, sum, (lanes){ 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29 });
    sum += __builtin_shuffle(zero, sum, (lanes){ 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27 });
    sum += __builtin_shuffle(zero, sum, (lanes){ 0, 0, 0, 0, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23 });
    *sums = sum;
}

/* In which block of its lane each walk finds its city: how many sums of the lane are at most the threshold. */
INLINE void find_blocks(const struct walker walkers[PACE], uint32_t blocks, const uint32_t lane[PACE],
                        const uint32_t threshold[PACE], uint32_t found[PACE])
{
    EACH_WALK
    for (int w = 0; w < PACE; w++)
        found[w] = 0;
    while (blocks > 1) {
        const uint32_t half = blocks / 2;

        EACH_WALK
        for (int w = 0; w < PACE; w++)
            found[w] += half & -(uint32_t)(walkers[w].sums[found[w] + half - 1][lane[w]] <= threshold[w]);
        blocks -= half;
    }
}

INLINE void walk_on(const struct walks *walks, struct walker walkers[PACE], uint32_t step,
                    const uint32_t random[PACE])
{
    const lanes *weights[PACE];
    const city_numbers *cities[PACE];
    uint32_t totals[PACE], thresholds[PACE], lane[PACE], block[PACE];
    lanes sums[PACE];

    EACH_WALK
    for (int w = 0; w < PACE; w++) {
        weights[w] = walks->weights + (size_t)walkers[w].city * walks->blocks;
        cities[w] = walks->cities + (size_t)walkers[w].city * walks->blocks;
        sums[w] = (lanes){ 0 };
    }
    for (uint32_t b = 0; b < walks->blocks; b++)
        EACH_WALK
        for (int w = 0; w < PACE; w++) {
            add_cells(&walkers[w], &weights[w][b], &cities[w][b], &sums[w]);
            walkers[w].sums[b] = sums[w];
        }
    EACH_WALK
    for (int w = 0; w < PACE; w++) {
        add_prefixes(&sums[w]);
        memcpy(walkers[w].before + 1, &sums[w], sizeof sums[w]);
        totals[w] = sums[w][LANES - 1];
        thresholds[w] = cointsp_scale(random[w], totals[w]);
        lane[w] = count_lanes(&sums[w], thresholds[w]) % LANES; /* 16 without any weight */
        thresholds[w] -= walkers[w].before[lane[w]];
    }
    find_blocks(walkers, walks->blocks, lane, thresholds, block);
    EACH_WALK
    for (int w = 0; w < PACE; w++) {
        uint32_t city = cities[w][block[w]][lane[w]];

        if (totals[w] == 0) /* what was found is no city */
            city = find_unvisited(&walkers[w], cointsp_scale(random[w], walks->n - step));
        visit(&walkers[w], step, city);
    }
}

/* Where too few walks are left, the last one is done several times. */
void WALK(const struct walks *walks, size_t first, size_t end)
{
    struct walker walkers[PACE];
    uint32_t individuals[PACE];
    random_words words;

    for (; first < end; first += PACE) {
        for (size_t w = 0; w < PACE; w++)
            individuals[w] = (uint32_t)(first + w < end ? first + w : end - 1);
        draw(walks, individuals, 0, words);
        for (size_t w = 0; w < PACE; w++)
            set_out(walks, &walkers[w], individuals[w], words[0][0][w]);
        for (uint32_t step = 1; step < walks->n; step++) {
            if (step % DRAWN == 0)
                draw(walks, individuals, step, words);
            walk_on(walks, walkers, step, words[step % 4][step / 4 % 4]);
        }
    }
}
