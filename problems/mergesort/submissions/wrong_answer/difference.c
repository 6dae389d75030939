/*
 * Wrong: compares keys by their difference, which overflows for keys more than 2^31 apart.
 *
 * fails in: secret/keys/03-two
 */
#include <stdlib.h>
#include <string.h>

#include "device_user.h"

struct indexed {
    int32_t key;
    uint32_t index;
};

static int by_difference(const void *left, const void *right)
{
    const struct indexed *a = left, *b = right;
    int difference = (int)((uint32_t)a->key - (uint32_t)b->key); /* as a->key - b->key in fact does */

    return difference != 0 ? difference : (a->index > b->index) - (a->index < b->index);
}

void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n)
{
    struct indexed *pairs = malloc(n * sizeof *pairs + 1);

    if (!pairs)
        abort();
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct indexed){ keys[i], (uint32_t)i };
    qsort(pairs, n, sizeof *pairs, by_difference);
    for (size_t i = 0; i < n; i++) {
        sorted_keys[i] = pairs[i].key;
        if (payloads)
            sorted_payloads[i] = payloads[pairs[i].index];
    }
    free(pairs);
}
