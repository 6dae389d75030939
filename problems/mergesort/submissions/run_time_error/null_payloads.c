/*
 * Crashes: reads and writes payloads where there are none.
 *
 * fails in: secret/keys/02-one
 */
#include <stdlib.h>

#include "device_user.h"

struct pair {
    int32_t key;
    uint32_t index, payload;
};

static int by_key_and_index(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;

    return a->key != b->key ? (a->key > b->key) - (a->key < b->key) : (a->index > b->index) - (a->index < b->index);
}

void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n)
{
    struct pair *pairs = malloc(n * sizeof *pairs + 1);

    if (!pairs)
        abort();
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct pair){ keys[i], (uint32_t)i, ((const volatile uint32_t *)payloads)[i] };
    qsort(pairs, n, sizeof *pairs, by_key_and_index);
    for (size_t i = 0; i < n; i++) {
        sorted_keys[i] = pairs[i].key;
        sorted_payloads[i] = pairs[i].payload;
    }
    free(pairs);
}
