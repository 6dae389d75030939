/*
 * Crashes: a recursive quicksort whose pivot is the first key. With keys in order it goes as deep as there are keys.
 *
 * fails in: secret/keys/09-extremes, secret/keys/10-sorted, secret/pairs/05-equal, secret/pairs/09-reversed
 */
#include <stdlib.h>

#include "device_user.h"

struct pair {
    int32_t key;
    uint32_t index;
};

static int before(struct pair a, struct pair b) { return a.key != b.key ? a.key < b.key : a.index < b.index; }

/* Sorts pairs[0..count). What it returns only keeps the compiler from making a loop of the recursion. */
static size_t quicksort(struct pair *pairs, size_t count)
{
    volatile size_t scratch[32];
    size_t end = 1;

    if (count < 2)
        return count;
    for (size_t i = 1; i < count; i++)
        if (before(pairs[i], pairs[0])) {
            struct pair swap = pairs[i];

            pairs[i] = pairs[end];
            pairs[end++] = swap;
        }
    struct pair pivot = pairs[0];

    pairs[0] = pairs[end - 1];
    pairs[end - 1] = pivot;
    scratch[end % 32] = end;
    return quicksort(pairs, end - 1) + quicksort(pairs + end, count - end) + scratch[end % 32];
}

void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n)
{
    struct pair *pairs = malloc(n * sizeof *pairs + 1);

    if (!pairs)
        abort();
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct pair){ keys[i], (uint32_t)i };
    quicksort(pairs, n);
    for (size_t i = 0; i < n; i++) {
        sorted_keys[i] = pairs[i].key;
        if (payloads)
            sorted_payloads[i] = payloads[pairs[i].index];
    }
    free(pairs);
}
