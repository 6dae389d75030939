/*
 * Adds up every sum from the beginning: n^2 / 2 additions.
 *
 * fails in: secret/plain/12-cancel, secret/plain/15-positive, secret/plain/16-ranked
 */
#include "device_user.h"

#define SCAN(type, sum_type)                                                \
    do {                                                                    \
        for (size_t i = 0; i < n; i++) {                                    \
            volatile sum_type sum = 0;                                      \
                                                                            \
            for (size_t k = 0; k <= i; k++)                                 \
                sum += ((const type *)values)[k];                           \
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
        SCAN(uint64_t, uint64_t);
    else
        SCAN(float, double);
}
