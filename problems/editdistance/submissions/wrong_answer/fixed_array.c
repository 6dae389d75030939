/*
 * Wrong: right up to 4096 characters per string. It ignores the rest, because its array has a fixed size.
 *
 * fails in: secret/06-disjoint, secret/08-single, secret/03-random
 */
#include <string.h>

#include "device_user.h"

enum { LIMIT = 4096 };

unsigned int device_user(char *str1, int lenStr1, char *str2, int lenStr2)
{
    static int row[LIMIT + 1];
    int m = lenStr1 < LIMIT ? lenStr1 : LIMIT, n = lenStr2 < LIMIT ? lenStr2 : LIMIT;

    for (int i = 0; i <= m; i++)
        row[i] = i;
    for (int j = 1; j <= n; j++) {
        int corner = row[0];

        row[0] = j;
        for (int i = 1; i <= m; i++) {
            int best = corner + (str1[i - 1] != str2[j - 1]);

            corner = row[i];
            if (row[i] + 1 < best)
                best = row[i] + 1;
            if (row[i - 1] + 1 < best)
                best = row[i - 1] + 1;
            row[i] = best;
        }
    }
    return (unsigned int)row[m];
}
