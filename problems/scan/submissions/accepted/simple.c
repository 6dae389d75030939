/*
 * The simplest way in C: one walk, which checks the type at every number. It adds up float32 in float64.
 *
 * Right in both leagues. Judged in the league: segmented
 */
#include "device_user.h"

void device_user(const void *values, const uint8_t *starts, void *sums, size_t n, int type, device_stream stream)
{
    uint64_t integer = 0;
    double real = 0;

    (void)stream;
    for (size_t i = 0; i < n; i++) {
        if (starts && starts[i])
            integer = 0, real = 0;
        if (type == SCAN_UINT32)
            ((uint32_t *)sums)[i] = (uint32_t)(integer += ((const uint32_t *)values)[i]);
        else if (type == SCAN_UINT64)
            ((uint64_t *)sums)[i] = integer += ((const uint64_t *)values)[i];
        else
            ((float *)sums)[i] = (float)(real += (double)((const float *)values)[i]);
    }
}
