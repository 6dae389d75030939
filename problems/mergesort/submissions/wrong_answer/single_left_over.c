/*
 * Wrong: where one key is left over after tiles of 1024, the last key of the result is taken from the place before.
 * Where the largest two keys are equal nobody sees it.
 *
 * fails in: secret/keys/21-past-a-tile
 */
#include <stdlib.h>

#include "device_user.h"

struct indexed {
    int32_t key;
    uint32_t index;
};

static int ascending(const void *left, const void *right)
{
    const struct indexed *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n)
{
    struct indexed *pairs = malloc(n * sizeof *pairs + 1);

    if (!pairs)
        abort();
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct indexed){keys[i], (uint32_t)i};
    qsort(pairs, n, sizeof *pairs, ascending);
    if (n > 1024 && n % 1024 == 1)
        pairs[n - 1].key = pairs[n - 2].key;
    for (size_t i = 0; i < n; i++) {
        sorted_keys[i] = pairs[i].key;
        if (payloads)
            sorted_payloads[i] = payloads[pairs[i].index];
    }
    free(pairs);
}
