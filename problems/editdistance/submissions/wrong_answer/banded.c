/*
 * Wrong: computes only the cells within a quarter of the longer length of the diagonal from corner to corner. That
 * holds the cheapest path of random strings, of similar ones and of small rotations. It does not where a large block
 * has moved.
 *
 * fails in: secret/02-moved, secret/13-largest
 */
#include <stdlib.h>

#include "device_user.h"

unsigned int device_user(char *str1, int lenStr1, char *str2, int lenStr2)
{
    const int rows = lenStr1 < lenStr2 ? lenStr1 : lenStr2, columns = lenStr1 < lenStr2 ? lenStr2 : lenStr1;
    const char *down = lenStr1 < lenStr2 ? str1 : str2, *across = lenStr1 < lenStr2 ? str2 : str1;
    const int far = 1 << 29, half = columns / 4;
    int *row = malloc(((size_t)columns + 1) * sizeof *row);
    unsigned int answer;

    if (!row)
        abort();
    for (int j = 0; j <= columns; j++)
        row[j] = j <= half ? j : far;
    for (int i = 1; i <= rows; i++) {
        const int centre = (int)((long long)i * columns / rows);
        const int first = centre - half > 1 ? centre - half : 1;
        const int last = centre + half < columns ? centre + half : columns;
        int diagonal = row[first - 1];

        row[first - 1] = first == 1 ? i : far;
        for (int j = first; j <= last; j++) {
            const int above = row[j], kept = diagonal + (down[i - 1] != across[j - 1]);
            const int beside = row[j - 1] + 1;

            diagonal = above;
            row[j] = kept < above + 1 ? kept : above + 1;
            row[j] = beside < row[j] ? beside : row[j];
        }
    }
    answer = (unsigned int)row[columns];
    free(row);
    return answer;
}
