/* Wrong: subtracts the maximum and the logarithm of the sum at once. For large elements this loses too many bits. */
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

static uint16_t to_bfloat16(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return value != value ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void put(void *elements, int type, size_t index, float value)
{
    if (type == SOFTMAX_BFLOAT16)
        ((uint16_t *)elements)[index] = to_bfloat16(value);
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
            put(output, type, e, expf(get(input, type, e) - (largest + logf(sum))));
    }
}
