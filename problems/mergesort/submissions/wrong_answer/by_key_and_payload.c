/*
 * Wrong: sorts pairs by key and, among equal keys, by payload, which is not the order in which they stood.
 *
 * fails in: sample/2-pairs, secret/pairs/03-two-equal
 */
#include <stdlib.h>

#include "device_user.h"

static int ascending(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n)
{
    int64_t *pairs = malloc(n * sizeof *pairs + 1);

    if (!pairs)
        abort();
    for (size_t i = 0; i < n; i++)
        pairs[i] = (int64_t)keys[i] * 4294967296 + (payloads ? payloads[i] : 0);
    qsort(pairs, n, sizeof *pairs, ascending);
    for (size_t i = 0; i < n; i++) {
        sorted_keys[i] = (int32_t)(pairs[i] >> 32);
        if (payloads)
            sorted_payloads[i] = (uint32_t)pairs[i];
    }
    free(pairs);
}
