/*
 * A segment's sums as differences of two sums of the whole input: right for integers, not precise enough for float32.
 * league: segmented
 */
#include "device_user.h"

#define SCAN(type)                                                          \
    do {                                                                    \
        type sum = 0, before = 0;                                           \
                                                                            \
        for (size_t i = 0; i < n; i++) {                                    \
            if (starts[i])                                                  \
                before = sum;                                               \
            sum += ((const type *)values)[i];                               \
            ((type *)sums)[i] = sum - before;                               \
        }                                                                   \
    } while (0)

void device_user(const void *values, const uint8_t *starts, void *sums, size_t n, int type, device_stream stream)
{
    (void)stream;
    if (type == SCAN_UINT32)
        SCAN(uint32_t);
    else if (type == SCAN_UINT64)
        SCAN(uint64_t);
    else
        SCAN(float);
}
