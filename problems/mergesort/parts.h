/*
 * parts.h - the list in an input, for the host's side, which has it as a blob. The layout itself is in input.h.
 */
#ifndef MERGESORT_PARTS_H
#define MERGESORT_PARTS_H

#include "fingerprint.h"
#include "input.h"
#include "verify/base/blob.h"

static inline const struct mergesort_input *header_of(const struct blob *input)
{
    return (const struct mergesort_input *)input->data;
}

static inline struct mergesort_list list_of_input(const struct blob *input)
{
    const struct mergesort_input *header = header_of(input);
    const unsigned char *arrays = input->data + KEYS_OFFSET;

    return (struct mergesort_list){
        .keys = (const int32_t *)arrays,
        .payloads = header->pairs ? (const uint32_t *)(arrays + mergesort_paged(header->count)) : NULL,
        .round_keys = header->round_keys,
        .count = header->count,
    };
}

#endif
