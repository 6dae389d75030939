/* Crashes: walks on until it leaves its memory. */
#include "device_user.h"

int device_user(const int *values, int count)
{
    volatile int largest = values[0];

    (void)count;
    for (long i = 1;; i++)
        if (values[i] > largest)
            largest = values[i];
}
