/*
 * fingerprint.h - whether two long lists hold the same elements, told by a few numbers.
 *
 * An element is a number below 2^61 - 1 that stands for a key, or for a key with the index of its payload, and orders
 * as they do. The fingerprint of elements e[0..n) at the point r is the product of all (r - e[i]) modulo the prime P =
 * 2^61 - 1. It does not depend on the order. For two lists of n elements that are not the same multiset, the products
 * are two different polynomials in r, both with the leading term r^n; so they agree in at most n - 1 of the P points,
 * and at a random r the fingerprints agree with a probability of at most (n - 1) / P. (R. J. Lipton, "Fingerprinting
 * sets", Princeton CS-TR-212-89, 1989.) With two points and n <= 2^28 that is (2^28 / 2^61)^2 = 2^-66. No assumption
 * about a hash function is in this, only that the points are random and that who made the output did not know them.
 *
 * In fact they come from a seed of 64 bits by way of Philox. That matters only to an output made to fit the points of
 * certain seeds: its polynomial less the right one has at most n - 1 roots, so it fits the two points of about n / 2 of
 * the 2^64 seeds at best, which is 2^-37 for n = 2^28, and no way is known to find such keys.
 *
 * Called by problem.c and by the tests. Knows nothing of blobs.
 */
#ifndef MERGESORT_FINGERPRINT_H
#define MERGESORT_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

#define FINGERPRINT_PRIME ((UINT64_C(1) << 61) - 1)

/* Two secret points, and one that everybody may know, for showing. */
enum { SECRET_POINTS = 2, POINTS };

/* Some keys, and their payloads if they have some. */
struct mergesort_list {
    const int32_t *keys;        /* [count] */
    const uint32_t *payloads;   /* [count], or NULL */
    const uint32_t *round_keys; /* [4]: payload.h */
    size_t count;
};

/* The element of a key alone: index 0. */
static inline uint64_t mergesort_element(int32_t key) { return (uint32_t)key ^ 0x80000000u; }

/* And with the index of its payload, any 32 bits: below 2^60 + 2^32. One to one for indices below 2^28. */
static inline uint64_t mergesort_pair_element(int32_t key, uint32_t index)
{
    return (mergesort_element(key) << 28) + index;
}

/* a * b modulo FINGERPRINT_PRIME, for a and b below it. */
static inline uint64_t fingerprint_multiply(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t sum = ((uint64_t)product & FINGERPRINT_PRIME) + (uint64_t)(product >> 61); /* 2^61 = 1 modulo P */

    return sum >= FINGERPRINT_PRIME ? sum - FINGERPRINT_PRIME : sum;
}

/*
 * Goes through a list once. products[p] becomes its fingerprint at points[p], for p < point_count <= POINTS. Returns
 * the first i where element i stands wrongly before element i + 1 (above it, or for pairs not below it), or, for
 * pairs, where element i has an index that is not below `count`; and `count` if there is none.
 */
size_t mergesort_scan(const struct mergesort_list *list, const uint64_t *points, int point_count, uint64_t *products);

#endif
