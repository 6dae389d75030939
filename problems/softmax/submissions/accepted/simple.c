/*
 * simple.c - the definition: the largest element, the sum, the quotients. The exponential function is computed twice.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "device_user.h"

static float get(const void *elements, int type, size_t index)
{
    float value;

    if (type == SOFTMAX_BFLOAT16) {
        const uint32_t bits = (uint32_t)((const uint16_t *)elements)[index] << 16;

        memcpy(&value, &bits, sizeof value);
        return value;
    }
    return ((const float *)elements)[index];
}

/* bfloat16 is rounded to nearest, a tie to even; a NaN stays one. */
static void put(void *elements, int type, size_t index, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    if (type == SOFTMAX_BFLOAT16)
        ((uint16_t *)elements)[index] =
            value != value ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    else
        ((float *)elements)[index] = value;
}

void device_user(const void *input, void *output, int rows, int columns, int type, device_stream stream)
{
    (void)stream;
    for (int i = 0; i < rows; i++) {
        const size_t first = (size_t)i * columns, end = first + columns;
        float largest = -INFINITY, sum = 0;

        for (size_t e = first; e < end; e++)
            largest = fmaxf(largest, get(input, type, e));
        for (size_t e = first; e < end; e++)
            sum += expf(get(input, type, e) - largest);
        for (size_t e = first; e < end; e++)
            put(output, type, e, expf(get(input, type, e) - largest) / sum);
    }
}
