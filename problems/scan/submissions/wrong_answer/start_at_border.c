/*
 * Blocks of 256 numbers: what comes before a block is added up to its first start, but a start at the block's very
 * first number is overlooked. league: segmented
 */
#include "device_user.h"

#define SCAN(type, sum_type)                                                                        \
    do {                                                                                            \
        sum_type sum = 0;                                                                           \
                                                                                                    \
        for (size_t i = 0; i < n; i++) {                                                            \
            sum = (sum_type)(((const type *)values)[i] + (starts[i] && i % 256 != 0 ? 0 : sum));    \
            ((type *)sums)[i] = (type)sum;                                                          \
        }                                                                                           \
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
