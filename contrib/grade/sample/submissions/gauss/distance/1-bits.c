/*
 * Bit-parallel in plain C: 64 cells of a column in one word.
 *
 * Neighbouring cells differ by -1, 0 or 1, so a column is two bit strings: where D[i][j] - D[i-1][j] is +1 (pv) and
 * where it is -1 (mv). Myers (JACM 46, 1999), in the block form of Hyyrö (2003), turns column j-1 into column j in a
 * dozen operations a word; the horizontal difference at a word's lower end (+1, 0, -1) goes into the next word.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_user.h"

unsigned int device_user(char *str1, int lenStr1, char *str2, int lenStr2)
{
    size_t words = (size_t)lenStr1 / 64; /* a multiple of 128 rows: no rest */
    uint64_t *match = calloc(256 * words, sizeof *match); /* [256][words]: where a character stands in str1 */
    uint64_t *pv = malloc(words * sizeof *pv), *mv = calloc(words, sizeof *mv); /* [words] */
    int distance = lenStr1;

    if (!match || !pv || !mv) {
        fputs("device_user: out of memory\n", stderr);
        exit(1);
    }
    memset(pv, 0xff, words * sizeof *pv);
    for (int i = 0; i < lenStr1; i++)
        match[(unsigned char)str1[i] * words + (size_t)i / 64] |= 1ull << (i % 64);

    for (int j = 0; j < lenStr2; j++) {
        const uint64_t *row = match + (unsigned char)str2[j] * words;
        uint64_t ph_in = 1, mh_in = 0; /* the table's upper edge rises by 1 */

        for (size_t w = 0; w < words; w++) {
            uint64_t eq = row[w], xv = eq | mv[w], xh, ph, mh;

            eq |= mh_in;
            xh = (((eq & pv[w]) + pv[w]) ^ pv[w]) | eq;
            ph = mv[w] | ~(xh | pv[w]);
            mh = pv[w] & xh;
            uint64_t ph_out = ph >> 63, mh_out = mh >> 63;
            ph = ph << 1 | ph_in;
            mh = mh << 1 | mh_in;
            pv[w] = mh | ~(xv | ph);
            mv[w] = ph & xv;
            ph_in = ph_out;
            mh_in = mh_out;
        }
        distance += (int)ph_in - (int)mh_in;
    }
    free(mv);
    free(pv);
    free(match);
    return (unsigned int)distance;
}
