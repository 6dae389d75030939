/*
 * Wrong: where the number of columns is a power of two, the terms are added up by a tree that stops one step early.
 * Rows of up to 16 columns and of the most have paths of their own, which are right.
 *
 * fails in: secret/23-power
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "device_user.h"

static float terms[SOFTMAX_COLUMNS_MAX], tree[SOFTMAX_COLUMNS_MAX];

static float get(const void *from, int type, size_t i)
{
    uint32_t bits;
    float value;

    if (type == SOFTMAX_FLOAT32)
        return ((const float *)from)[i];
    bits = (uint32_t)((const uint16_t *)from)[i] << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void put(void *to, int type, size_t i, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    if (type == SOFTMAX_FLOAT32)
        ((float *)to)[i] = value;
    else
        ((uint16_t *)to)[i] = value != value ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float add_up(int columns)
{
    float sum = 0;

    if ((columns & (columns - 1)) != 0 || columns <= SOFTMAX_COLUMNS_MIN || columns == SOFTMAX_COLUMNS_MAX) {
        for (int j = 0; j < columns; j++)
            sum += terms[j];
        return sum;
    }
    memcpy(tree, terms, (size_t)columns * sizeof *tree);
    for (int width = columns / 2; width > 1; width /= 2)
        for (int j = 0; j < width; j++)
            tree[j] += tree[j + width];
    return tree[0];
}

void device_user(const void *input, void *output, int rows, int columns, int type, device_stream stream)
{
    (void)stream;
    for (int i = 0; i < rows; i++) {
        const size_t first = (size_t)i * columns;
        float most = -INFINITY, sum;

        for (int j = 0; j < columns; j++)
            most = fmaxf(most, get(input, type, first + j));
        for (int j = 0; j < columns; j++)
            terms[j] = expf(get(input, type, first + j) - most);
        sum = add_up(columns);
        for (int j = 0; j < columns; j++)
            put(output, type, first + j, terms[j] / sum);
    }
}
