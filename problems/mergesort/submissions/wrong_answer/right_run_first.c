/*
 * Wrong for pairs: of equal keys those of the right run go first, so the sort is not stable.
 *
 * fails in: secret/pairs/05-equal, secret/pairs/06-few, secret/pairs/12-random
 */
#include <stdlib.h>
#include <string.h>

#include "device_user.h"

/* Keys, and payloads or NULL. */
struct buffer {
    int32_t *keys;
    uint32_t *payloads;
};

static inline void move(struct buffer to, size_t place, struct buffer from, size_t i)
{
    to.keys[place] = from.keys[i];
    if (from.payloads)
        to.payloads[place] = from.payloads[i];
}

/* Merges from[left..right) and from[right..end) into to[left..end). Of equal keys, those of the right run go first. */
static void merge(struct buffer from, struct buffer to, size_t left, size_t right, size_t end)
{
    size_t i = left, j = right;

    for (size_t place = left; place < end; place++)
        if (i < right && (j >= end || from.keys[i] < from.keys[j]))
            move(to, place, from, i++);
        else
            move(to, place, from, j++);
}

void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n)
{
    size_t bytes = n * sizeof *keys;
    struct buffer from = { sorted_keys, sorted_payloads }, to = { 0 }, spare;

    if (n == 0)
        return;
    to.keys = malloc(bytes);
    to.payloads = payloads ? malloc(bytes) : NULL;
    spare = to;
    if (!to.keys || (payloads && !to.payloads))
        abort();
    memcpy(sorted_keys, keys, bytes);
    if (payloads)
        memcpy(sorted_payloads, payloads, bytes);
    for (size_t run = 1; run < n; run *= 2) {
        struct buffer swap = from;

        for (size_t left = 0; left < n; left += 2 * run) {
            size_t right = left + run < n ? left + run : n, end = left + 2 * run < n ? left + 2 * run : n;

            merge(from, to, left, right, end);
        }
        from = to;
        to = swap;
    }
    if (from.keys != sorted_keys) {
        memcpy(sorted_keys, from.keys, bytes);
        if (payloads)
            memcpy(sorted_payloads, from.payloads, bytes);
    }
    free(spare.keys);
    free(spare.payloads);
}
