/*
 * Too slow: compares every value with every other, all over again for each candidate.
 *
 * fails in: secret/2-million, secret/3-largest
 */
#include "device_user.h"

int device_user(const int *values, int count)
{
    for (int i = 0; i < count; i++) {
        volatile int smaller = 0; /* volatile: the compiler must not leave the loop early */

        for (int j = 0; j < count; j++)
            smaller += values[j] > values[i];
        if (smaller == 0)
            return values[i];
    }
    return 0;
}
