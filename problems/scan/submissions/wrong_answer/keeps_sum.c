/*
 * Wrong: never sets the sum back to zero, so every call goes on where the one before ended. The first call is right.
 *
 * fails in: secret/plain/02-two
 */
#include "device_user.h"

#define SCAN(type, sum_type)                                             \
    do {                                                                 \
        static sum_type sum;                                             \
        const type *in = values;                                         \
        type *out = sums;                                                \
                                                                         \
        for (size_t i = 0; i < n; i++)                                   \
            out[i] = sum += in[i];                                       \
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
