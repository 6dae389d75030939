/*
 * spoil.h - right outputs and wrong ones, for the tests of check().
 *
 * Called by problem.c's solve() and spoil(). Knows nothing of blobs and fingerprints.
 */
#ifndef MERGESORT_SPOIL_H
#define MERGESORT_SPOIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fingerprint.h"

/* An output, which may be changed. */
struct mergesort_sorted {
    int32_t *keys;           /* [count] */
    uint32_t *payloads;      /* [count], or NULL */
    unsigned char *returned; /* [4]: CALL_RETURNED */
    size_t count;
};

/* Sorts a list, stable, into keys[count] and payloads[count] (NULL as in the list). False when memory is exhausted. */
bool mergesort_sort(const struct mergesort_list *list, int32_t *keys, uint32_t *payloads);

/*
 * Spoils a right output in the `way`-th of the ways that are possible for it. False, and nothing changed, when there
 * are no more.
 */
bool mergesort_spoil(struct mergesort_sorted sorted, size_t way);

#endif
