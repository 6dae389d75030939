/*
 * The baseline in plain C: device_user.cu's skewed table on one CPU core.
 *
 * Row d holds the anti-diagonal i + j = d, element i being D[i][d-i]; three rows take turns. str2 is reversed
 * first, so that all that the inner loop reads lies side by side, and the compiler makes vector instructions of it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "device_user.h"

static int min(int a, int b) { return a < b ? a : b; }
static int max(int a, int b) { return a > b ? a : b; }

unsigned int device_user(char *str1, int lenStr1, char *str2, int lenStr2)
{
    size_t width = (size_t)lenStr1 + 1;
    int *rows = malloc(3 * width * sizeof *rows), distance; /* [3][lenStr1 + 1] */
    char *reversed = malloc((size_t)lenStr2);               /* [lenStr2] */

    if (!rows || !reversed) {
        fputs("device_user: out of memory\n", stderr);
        exit(1);
    }
    for (int j = 0; j < lenStr2; j++)
        reversed[j] = str2[lenStr2 - 1 - j];

    int *oldest = rows, *middle = oldest + width, *newest = middle + width;

    for (int d = 0; d <= lenStr1 + lenStr2; d++) {
        int first = max(0, d - lenStr2), last = min(d, lenStr1);
        /* str2[d-i-1] is reversed[lenStr2 - d + i]. */
        const char *restrict b = reversed + (lenStr2 - d);
        const int *restrict corner = oldest, *restrict before = middle;
        int *restrict now = newest;

        if (first == 0)
            now[0] = d;
        if (last == d)
            now[d] = d;
        for (int i = max(first, 1); i <= min(last, d - 1); i++)
            now[i] = min(min(before[i - 1], before[i]) + 1, corner[i - 1] + (str1[i - 1] != b[i]));

        int *spare = oldest;
        oldest = middle;
        middle = newest;
        newest = spare;
    }
    distance = middle[lenStr1];
    free(reversed);
    free(rows);
    return (unsigned int)distance;
}
