/* The baseline in plain C. */
#include "device_user.h"

int device_user(const int *values, int count)
{
    int largest = values[0];

    for (int i = 1; i < count; i++)
        if (values[i] > largest)
            largest = values[i];
    return largest;
}
