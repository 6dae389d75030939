/*
 * qsort.c - the C library's qsort(), which need not be stable: so pairs are sorted by key and, among equal keys, by the
 * place where they stood.
 */
#include <stdlib.h>
#include <string.h>

#include "device_user.h"

struct indexed {
    int32_t key;
    uint32_t index;
};

static int by_key(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;

    return (a > b) - (a < b);
}

static int by_key_and_index(const void *left, const void *right)
{
    const struct indexed *a = left, *b = right;

    return a->key != b->key ? (a->key > b->key) - (a->key < b->key) : (a->index > b->index) - (a->index < b->index);
}

void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n)
{
    struct indexed *pairs;

    if (n == 0)
        return;
    if (!payloads) {
        memcpy(sorted_keys, keys, n * sizeof *keys);
        qsort(sorted_keys, n, sizeof *sorted_keys, by_key);
        return;
    }
    pairs = malloc(n * sizeof *pairs);
    if (!pairs)
        abort();
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct indexed){ keys[i], (uint32_t)i };
    qsort(pairs, n, sizeof *pairs, by_key_and_index);
    for (size_t i = 0; i < n; i++) {
        sorted_keys[i] = pairs[i].key;
        sorted_payloads[i] = payloads[pairs[i].index];
    }
    free(pairs);
}
