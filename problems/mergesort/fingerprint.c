/*
 * fingerprint.c - the products of fingerprint.h, part by part, and in these block by block.
 */
#include "fingerprint.h"

#include <stdbool.h>

#include "payload.h"
#include "verify/base/parallel.h"

/* CHAINS products are made side by side, as a multiplication takes longer than starting the next one. */
enum { BLOCK = 1024, CHAINS = 4 };

/* A list is gone through in parts, by several threads; the shortest of them takes a millisecond or two. */
enum { PARTS = 256, PART_LEAST = 1 << 18 };

/* Elements first..first + count of a list. False if an index is no index of the list. */
static bool make_elements(const struct mergesort_list *list, size_t first, size_t count, uint64_t elements[BLOCK])
{
    const int32_t *keys = list->keys + first;
    uint32_t above = 0;

    if (!list->payloads) {
        for (size_t i = 0; i < count; i++)
            elements[i] = mergesort_element(keys[i]);
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t index = mergesort_index(list->payloads[first + i], list->round_keys);

        above |= index >= list->count;
        elements[i] = mergesort_pair_element(keys[i], index);
    }
    return !above;
}

/* The first i where elements[i] does not go before elements[i + 1], or `count`; there are count + 1 elements. */
static size_t find_disorder(const uint64_t *elements, size_t count, bool distinct)
{
    uint64_t wrong = 0;

    /* Below 2^63, a < b is the sign of a - b. */
    for (size_t i = 0; i < count; i++)
        wrong |= elements[i + 1] - elements[i] - distinct;
    if (!(wrong >> 63))
        return count;
    for (size_t i = 0; i < count; i++)
        if ((elements[i + 1] - elements[i] - distinct) >> 63)
            return i;
    return count;
}

/* Where an index is wrong, which is known to be so. */
static size_t find_foreign(const struct mergesort_list *list, size_t first)
{
    while (mergesort_index(list->payloads[first], list->round_keys) < list->count)
        first++;
    return first;
}

static uint64_t multiply_all(const uint64_t *elements, size_t count, uint64_t point, uint64_t product)
{
    uint64_t chains[CHAINS] = { product, 1, 1, 1 };
    size_t i = 0;

    for (; i + CHAINS <= count; i += CHAINS)
        for (int c = 0; c < CHAINS; c++) {
            uint64_t e = elements[i + (size_t)c];

            chains[c] = fingerprint_multiply(chains[c], point >= e ? point - e : point - e + FINGERPRINT_PRIME);
        }
    for (; i < count; i++)
        chains[0] = fingerprint_multiply(
            chains[0], point >= elements[i] ? point - elements[i] : point - elements[i] + FINGERPRINT_PRIME);
    for (int c = 1; c < CHAINS; c++)
        chains[0] = fingerprint_multiply(chains[0], chains[c]);
    return chains[0];
}

/* A scan, and what each of its parts found. */
struct scan {
    const struct mergesort_list *list;
    const uint64_t *points;
    int point_count;
    size_t part; /* elements of one */
    struct {
        uint64_t products[POINTS];
        size_t wrong; /* list->count for nothing */
    } found[PARTS];
};

static void scan_part(void *context, size_t part)
{
    struct scan *scan = context;
    const struct mergesort_list *list = scan->list;
    const size_t start = part * scan->part, left = list->count - start, end = start + (left < scan->part ? left
                                                                                                         : scan->part);
    uint64_t *products = scan->found[part].products,
             elements[1 + BLOCK] = { 0 }; /* the last one of the block before, then the block */
    size_t wrong = list->count;

    for (int p = 0; p < scan->point_count; p++)
        products[p] = 1;
    if (start > 0) /* if its index is wrong, the part before tells */
        make_elements(list, start - 1, 1, elements);
    for (size_t first = start; first < end; first += BLOCK) {
        size_t count = end - first < BLOCK ? end - first : BLOCK, skip = first == 0;

        if (!make_elements(list, first, count, elements + 1) && wrong == list->count)
            wrong = find_foreign(list, first);
        if (wrong == list->count) {
            size_t from = find_disorder(elements + skip, count - skip, list->payloads != NULL);

            if (from < count - skip)
                wrong = first + from + skip - 1;
        }
        for (int p = 0; p < scan->point_count; p++)
            products[p] = multiply_all(elements + 1, count, scan->points[p], products[p]);
        elements[0] = elements[count];
    }
    scan->found[part].wrong = wrong;
}

size_t mergesort_scan(const struct mergesort_list *list, const uint64_t *points, int point_count, uint64_t *products)
{
    struct scan scan = { .list = list, .points = points, .point_count = point_count };
    size_t wrong = list->count, parts;

    scan.part = list->count / PARTS + 1 < PART_LEAST ? PART_LEAST : list->count / PARTS + 1;
    parts = (list->count + scan.part - 1) / scan.part;
    parallel_run(parts, scan_part, &scan);
    for (int p = 0; p < point_count; p++)
        products[p] = 1;
    for (size_t part = 0; part < parts; part++) {
        for (int p = 0; p < point_count; p++)
            products[p] = fingerprint_multiply(products[p], scan.found[part].products[p]);
        wrong = scan.found[part].wrong < wrong ? scan.found[part].wrong : wrong;
    }
    return wrong;
}
