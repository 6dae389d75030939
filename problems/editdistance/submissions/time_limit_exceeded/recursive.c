/* Too slow: the textbook recursion without a table. The number of calls grows exponentially with the lengths. */
#include "device_user.h"

static unsigned int distance(const char *a, int m, const char *b, int n)
{
    unsigned int best, other;

    if (m == 0 || n == 0)
        return (unsigned int)(m + n);
    best = distance(a, m - 1, b, n - 1) + (a[m - 1] != b[n - 1]);
    other = distance(a, m - 1, b, n) + 1;
    if (other < best)
        best = other;
    other = distance(a, m, b, n - 1) + 1;
    return other < best ? other : best;
}

unsigned int device_user(char *str1, int lenStr1, char *str2, int lenStr2)
{
    return distance(str1, lenStr1, str2, lenStr2);
}
