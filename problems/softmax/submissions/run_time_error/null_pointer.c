/* Crashes: keeps the terms in memory that malloc() did not grant. */
#include <stdlib.h>

#include "device_user.h"

void device_user(const void *input, void *output, int rows, int columns, int type, device_stream stream)
{
    float *terms = malloc((size_t)-1 / 2); /* never granted */

    (void)input;
    (void)type;
    (void)stream;
    for (size_t e = 0; e < (size_t)rows * columns; e++)
        ((volatile float *)terms)[e] = 0;
    *(float *)output = terms[0];
}
