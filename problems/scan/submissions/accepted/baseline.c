/*
 * The baseline in plain C: one walk, which adds up float32 in float64. On one CPU core. Both leagues.
 */
#include "device_user.h"

#define SCAN(type, sum_type)                                             \
    do {                                                                 \
        const type *in = values;                                         \
        type *out = sums;                                                \
        sum_type sum = 0;                                                \
                                                                         \
        for (size_t i = 0; i < n; i++) {                                 \
            sum = (sum_type)in[i] + (starts && starts[i] ? 0 : sum);     \
            out[i] = (type)sum;                                          \
        }                                                                \
    } while (0)

void device_user(const void *values, const uint8_t *starts, void *sums, size_t n, int type, device_stream stream)
{
    (void)stream;
    if (type == SCAN_UINT32)
        SCAN(uint32_t, uint32_t);
    else if (type == SCAN_UINT64)
        SCAN(uint64_t, uint64_t);
    else
        SCAN(float, double);
}
