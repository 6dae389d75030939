/*
 * Wrong: a radix sort that takes the keys for unsigned numbers, so that the negative ones come last.
 *
 * fails in: secret/keys/03-two
 */
#include <stdlib.h>
#include <string.h>

#include "device_user.h"

void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n)
{
    uint64_t *from = malloc(n * sizeof *from + 1), *to = malloc(n * sizeof *to + 1), *swap;

    if (!from || !to)
        abort();
    for (size_t i = 0; i < n; i++)
        from[i] = (uint64_t)(uint32_t)keys[i] << 32 | (payloads ? payloads[i] : 0);
    for (int shift = 32; shift < 64; shift += 8) {
        size_t place[256] = { 0 }, sum = 0;

        for (size_t i = 0; i < n; i++)
            place[from[i] >> shift & 255]++;
        for (int d = 0; d < 256; d++) {
            size_t here = place[d];

            place[d] = sum;
            sum += here;
        }
        for (size_t i = 0; i < n; i++)
            to[place[from[i] >> shift & 255]++] = from[i];
        swap = from;
        from = to;
        to = swap;
    }
    for (size_t i = 0; i < n; i++) {
        sorted_keys[i] = (int32_t)(from[i] >> 32);
        if (payloads)
            sorted_payloads[i] = (uint32_t)from[i];
    }
    free(from);
    free(to);
}
