/*
 * Wrong: takes large arrays with at most two places where keys descend for two sorted runs, and merges these.
 *
 * fails in: secret/keys/15-one-swap, secret/pairs/11-one-swap
 */
#include <stdlib.h>
#include <string.h>

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

/* Where the first run ends; 0 where there are more than two, as it believes. */
static size_t find_runs(const struct indexed *pairs, size_t n)
{
    size_t first = n, count = 0;

    for (size_t i = 1; i < n; i++)
        if (pairs[i].key < pairs[i - 1].key && count++ == 0)
            first = i;
    return n > 1000 && count <= 2 ? first : 0;
}

static void merge(const struct indexed *from, size_t first, size_t n, struct indexed *to)
{
    size_t left = 0, right = first;

    for (size_t i = 0; i < n; i++)
        to[i] = right == n || (left < first && from[left].key <= from[right].key) ? from[left++] : from[right++];
}

void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n)
{
    struct indexed *pairs = malloc(n * sizeof *pairs + 1), *sorted = malloc(n * sizeof *sorted + 1);
    size_t first;

    if (!pairs || !sorted)
        abort();
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct indexed){keys[i], (uint32_t)i};
    first = find_runs(pairs, n);
    if (first > 0) {
        merge(pairs, first, n, sorted);
    } else {
        qsort(pairs, n, sizeof *pairs, ascending);
        memcpy(sorted, pairs, n * sizeof *pairs);
    }
    for (size_t i = 0; i < n; i++) {
        sorted_keys[i] = sorted[i].key;
        if (payloads)
            sorted_payloads[i] = payloads[sorted[i].index];
    }
    free(pairs);
    free(sorted);
}
