/*
 * Wrong where all values are negative: the search starts at 0.
 *
 * fails in: sample/2-negative
 */
#include "device_user.h"

int device_user(const int *values, int count)
{
    int largest = 0;

    for (int i = 0; i < count; i++)
        if (values[i] > largest)
            largest = values[i];
    return largest;
}
