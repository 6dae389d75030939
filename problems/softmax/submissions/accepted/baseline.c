/*
 * baseline.c - rows in strips: an element is converted once, the exponential function is computed once, and kept in the
 * memory of a row. Sixteen maxima and sums side by side, so that the compiler makes vectors of them.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "device_user.h"

enum { LANES = 16 };

static float row[SOFTMAX_COLUMNS_MAX]; /* the terms of one row */

static void read_row(const void *input, int type, size_t first, int columns)
{
    if (type == SOFTMAX_FLOAT32) {
        memcpy(row, (const float *)input + first, (size_t)columns * sizeof *row);
        return;
    }
    for (int j = 0; j < columns; j++) {
        const uint32_t bits = (uint32_t)((const uint16_t *)input)[first + j] << 16;

        memcpy(&row[j], &bits, sizeof bits);
    }
}

static void write_row(void *output, int type, size_t first, int columns, float scale)
{
    for (int j = 0; j < columns && type == SOFTMAX_FLOAT32; j++)
        ((float *)output)[first + j] = row[j] * scale;
    for (int j = 0; j < columns && type == SOFTMAX_BFLOAT16; j++) {
        const float value = row[j] * scale;
        uint32_t bits;

        memcpy(&bits, &value, sizeof bits);
        ((uint16_t *)output)[first + j] =
            value != value ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
}

static float largest_of_row(int columns)
{
    float most[LANES];

    for (int l = 0; l < LANES; l++)
        most[l] = -INFINITY;
    for (int j = 0; j < columns; j++)
        most[j % LANES] = row[j] > most[j % LANES] ? row[j] : most[j % LANES];
    for (int l = 1; l < LANES; l++)
        most[0] = most[l] > most[0] ? most[l] : most[0];
    return most[0];
}

void device_user(const void *input, void *output, int rows, int columns, int type, device_stream stream)
{
    (void)stream;
    for (int i = 0; i < rows; i++) {
        const size_t first = (size_t)i * columns;
        float sums[LANES] = { 0 }, largest, sum = 0;

        read_row(input, type, first, columns);
        largest = largest_of_row(columns);
        for (int j = 0; j < columns; j++)
            row[j] = expf(row[j] - largest); /* NaN where all is minus infinity */
        for (int j = 0; j < columns; j++)
            sums[j % LANES] += row[j];
        for (int l = 0; l < LANES; l++)
            sum += sums[l];
        write_row(output, type, first, columns, 1 / sum);
    }
}
