/*
 * Wrong: takes four numbers at a time, and then what is left. It forgets the case that two are left.
 *
 * fails in: secret/plain/22-rest-of-two
 */
#include "device_user.h"

#define ADD(i) (out[i] = sum += in[i])
#define SCAN(type, sum_type)                                             \
    do {                                                                 \
        const type *in = values;                                         \
        type *out = sums;                                                \
        sum_type sum = 0;                                                \
        size_t i = 0;                                                    \
                                                                         \
        for (; n - i >= 4; i += 4)                                       \
            ADD(i), ADD(i + 1), ADD(i + 2), ADD(i + 3);                  \
        if (n - i == 3 || n < 4)                                         \
            for (; i < n; i++)                                           \
                ADD(i);                                                  \
        else if (n - i == 1)                                             \
            ADD(i);                                                      \
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
