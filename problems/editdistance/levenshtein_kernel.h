/*
 * levenshtein_kernel.h - the bit-parallel kernel, written once over a vector type.
 *
 * Included by levenshtein_{portable,avx2,avx512}.c, each of which first defines
 *
 *   vec                       an unsigned vector of VEC_WORDS 64-bit words, used as one string of VEC_BITS bits:
 *                             bit p is bit p % 64 of word p / 64
 *   vec_load, vec_store       aligned memory access
 *   vec_ones, vec_broadcast   all bits set; every word equal to one word
 *   vec_match(x, a, b)        x & ~(a ^ b)
 *   vec_or3(x, y, z)          x | y | z
 *   vec_ornor(x, y, z)        x | ~(y | z)
 *   vec_and(x, y)
 *   vec_select(k, x, y)       (k & x) | (~k & y)
 *   vec_shift_in(x, y)        x << 1 over the whole string, bit 0 taken from the top bit of y
 *   vec_double(x)             every word << 1
 *   vec_collect(x, y)         every word of x << 1, its bit 0 taken from the top bit of that word of y
 *   vec_top_word(x)           the last word
 *   VEC_COLUMNS               columns a step, 1 or 2: with 2 a row's state and planes are loaded once for both,
 *                             where there are registers enough
 *
 * and then the public name by LEVENSHTEIN_RUN. It knows nothing of processors.
 *
 * Method. Neighbouring cells of the table differ by -1, 0 or 1 (Ukkonen 1985), so a cell is four bits: the
 * vertical difference D[i][j] - D[i-1][j] as (vp, vn) = (is +1, is -1), the horizontal one as (hp, hn).
 * With e = (a[i] == b[j]) and the differences on the cell's upper and left side, Hyyrö (2003) gives
 *
 *   d  = e | vn | hn                        the diagonal difference is zero
 *   hp' = vn | ~(vp | d),  hn' = vp & d      on the lower side
 *   vp' = hn | ~(hp | d),  vn' = hp & d      on the right side
 *
 * Here every bit of a vector is a processor of a systolic array. Processor p owns rows p*R .. p*R+R-1 of a
 * band of VEC_BITS*R rows, and at step t it takes column t-p (or columns 2(t-p) and 2(t-p)+1) through all of
 * them: (hp, hn) stay in registers from row to row, (vp, vn) of each row wait in memory for the next step. Nothing is
 * carried along a word, unlike in the row-wise formulation with its long additions; the neighbour's output is needed
 * once in R rows, as one shift of the whole vector.
 *
 * Characters are compared bit plane by bit plane: the caller renumbers the characters that both strings
 * have, so P = 8 planes serve for any bytes and fewer for small alphabets, and marks in `known` the rows
 * whose character can match at all. Cost a vector and row: P + 5 operations.
 *
 * Rows are padded on top, by rows with (vp, vn) = 0 and no match: they hand hp = 1, the upper edge of the
 * table, down unchanged.
 */
#include <stdbool.h>

#include "levenshtein_bands.h"

#define UNROLL _Pragma("GCC unroll 8")
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* What a step hands to the next: for each column of the step its planes and its lower edge. */
struct front {
    vec b[VEC_COLUMNS][8];
    vec hp[VEC_COLUMNS], hn[VEC_COLUMNS];
    vec active; /* processors that have reached column 0 */
};

/*
 * All rows of the band for one step. `planes` and `fill` are constants for the compiler, so that the front
 * stays in registers. With `fill`, processors that are not active keep their rows' initial differences.
 */
ALWAYS_INLINE void band_step(const struct levenshtein_band *band, int planes, bool fill, struct front *front)
{
    uint64_t *row = band->state;

    for (size_t r = 0; r < band->rows; r++, row += (3 + planes) * VEC_WORDS) {
        const vec vp_old = vec_load(row), vn_old = vec_load(row + VEC_WORDS);
        const vec known = vec_load(row + 2 * VEC_WORDS);
        vec vp = vp_old, vn = vn_old;

        UNROLL for (int c = 0; c < VEC_COLUMNS; c++) {
            const vec hp = front->hp[c], hn = front->hn[c];
            vec d = known, vp_left = vp;

            UNROLL for (int k = 0; k < planes; k++)
                d = vec_match(d, vec_load(row + (3 + k) * VEC_WORDS), front->b[c][k]);
            d = vec_or3(d, vn, hn);
            front->hp[c] = vec_ornor(vn, vp, d);
            vp = vec_ornor(hn, hp, d);
            front->hn[c] = vec_and(vp_left, d);
            vn = vec_and(hp, d);
        }
        if (fill) {
            vp = vec_select(front->active, vp, vp_old);
            vn = vec_select(front->active, vn, vn_old);
        }
        vec_store(row, vp);
        vec_store(row + VEC_WORDS, vn);
    }
}

/* Steps first..last, multiples of 64: feeds the streams in at processor 0, collects what the last one emits. */
ALWAYS_INLINE void band_steps(const struct levenshtein_band *band, size_t first, size_t last, int planes, bool fill,
                              struct front *carry)
{
    struct front front = *carry;
    vec hp_out[VEC_COLUMNS], hn_out[VEC_COLUMNS];

    for (int c = 0; c < VEC_COLUMNS; c++)
        hp_out[c] = hn_out[c] = vec_broadcast(0);
    for (size_t group = first / 64; group < last / 64; group++) {
        vec hp_in[VEC_COLUMNS], hn_in[VEC_COLUMNS], b_in[VEC_COLUMNS][8];

        UNROLL for (int c = 0; c < VEC_COLUMNS; c++) {
            hp_in[c] = vec_broadcast(band->hp[group * VEC_COLUMNS + c]);
            hn_in[c] = vec_broadcast(band->hn[group * VEC_COLUMNS + c]);
            UNROLL for (int k = 0; k < planes; k++)
                b_in[c][k] = vec_broadcast(band->columns[(group * VEC_COLUMNS + c) * 8 + k]);
        }
        for (int step = 0; step < 64; step++) {
            UNROLL for (int c = 0; c < VEC_COLUMNS; c++) {
                hp_out[c] = vec_collect(hp_out[c], front.hp[c]);
                hn_out[c] = vec_collect(hn_out[c], front.hn[c]);
                front.hp[c] = vec_shift_in(front.hp[c], hp_in[c]);
                front.hn[c] = vec_shift_in(front.hn[c], hn_in[c]);
                hp_in[c] = vec_double(hp_in[c]);
                hn_in[c] = vec_double(hn_in[c]);
                UNROLL for (int k = 0; k < planes; k++) {
                    front.b[c][k] = vec_shift_in(front.b[c][k], b_in[c][k]);
                    b_in[c][k] = vec_double(b_in[c][k]);
                }
            }
            if (fill)
                front.active = vec_shift_in(front.active, vec_ones());
            band_step(band, planes, fill, &front);
        }
        /* A bit is collected VEC_BITS steps after its column went in. */
        if (group >= VEC_WORDS)
            for (int c = 0; c < VEC_COLUMNS; c++) {
                band->hp[(group - VEC_WORDS) * VEC_COLUMNS + c] = vec_top_word(hp_out[c]);
                band->hn[(group - VEC_WORDS) * VEC_COLUMNS + c] = vec_top_word(hn_out[c]);
            }
    }
    *carry = front;
}

ALWAYS_INLINE void band_run(const struct levenshtein_band *band, int planes)
{
    struct front front = { 0 };

    band_steps(band, 0, VEC_BITS, planes, true, &front);
    band_steps(band, VEC_BITS, band->steps, planes, false, &front);
}

static void band_dispatch(const struct levenshtein_band *band, int planes)
{
    switch (planes) {
    case 1: band_run(band, 1); break;
    case 2: band_run(band, 2); break;
    case 3: band_run(band, 3); break;
    case 4: band_run(band, 4); break;
    case 5: band_run(band, 5); break;
    case 6: band_run(band, 6); break;
    case 7: band_run(band, 7); break;
    default: band_run(band, 8); break;
    }
}

const struct levenshtein_engine LEVENSHTEIN_ENGINE = {
    .bits = VEC_BITS, .columns = VEC_COLUMNS, .run = band_dispatch
};
