/*
 * Wrong: sorts the keys and copies the payloads as they were.
 *
 * fails in: sample/2-pairs, secret/pairs/04-ten
 */
#include <stdlib.h>
#include <string.h>

#include "device_user.h"

static int ascending(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;

    return (a > b) - (a < b);
}

void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n)
{
    memcpy(sorted_keys, keys, n * sizeof *keys);
    qsort(sorted_keys, n, sizeof *keys, ascending);
    if (payloads)
        memcpy(sorted_payloads, payloads, n * sizeof *payloads);
}
