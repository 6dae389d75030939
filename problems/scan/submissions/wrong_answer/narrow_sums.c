/*
 * Adds up uint64 in 32 bits: right as long as the sums are small.
 *
 * fails in: secret/plain/02-two, secret/plain/05-past-a-warp, secret/plain/07-above-power
 */
#include "device_user.h"

#define SCAN(type, sum_type)                                                \
    do {                                                                    \
        sum_type sum = 0;                                                   \
                                                                            \
        for (size_t i = 0; i < n; i++) {                                    \
            sum = (sum_type)(((const type *)values)[i] + sum);              \
            ((type *)sums)[i] = (type)sum;                                  \
        }                                                                   \
    } while (0)

void device_user(const void *values, const uint8_t *starts, void *sums, size_t n, int type, device_stream stream)
{
    (void)starts;
    (void)stream;
    if (type == SCAN_UINT32)
        SCAN(uint32_t, uint32_t);
    else if (type == SCAN_UINT64)
        SCAN(uint64_t, uint32_t);
    else
        SCAN(float, double);
}
