/*
 * Wrong: a few keys have a path of their own, which takes them for numbers without a sign.
 *
 * fails in: secret/keys/25-fifty
 */
#include <stdlib.h>
#include <string.h>

#include "device_user.h"

enum { FEW = 64, FEWER = 16 }; /* FEWER are sorted as many are */

struct pair {
    int32_t key;
    uint32_t payload;
    size_t place;
};

static int ascending(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

static void insert(struct pair *pairs, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const struct pair pair = pairs[i];
        size_t j = i;

        for (; j > 0 && (uint32_t)pairs[j - 1].key > (uint32_t)pair.key; j--)
            pairs[j] = pairs[j - 1];
        pairs[j] = pair;
    }
}

void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n)
{
    struct pair *pairs = malloc((n + 1) * sizeof *pairs); /* [n] */

    if (!pairs)
        abort();
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct pair){ keys[i], payloads ? payloads[i] : 0, i };
    if (n > FEWER && n <= FEW)
        insert(pairs, n);
    else
        qsort(pairs, n, sizeof *pairs, ascending);
    for (size_t i = 0; i < n; i++) {
        sorted_keys[i] = pairs[i].key;
        if (payloads)
            sorted_payloads[i] = pairs[i].payload;
    }
    free(pairs);
}
