/*
 * list.h - the numbers of an input, as the parts of this problem hand them to each other.
 */
#ifndef SCAN_LIST_H
#define SCAN_LIST_H

#include "input.h"
#include "verify/base/blob.h"

/* Arrays in an input; they are the input's. */
struct scan_list {
    const void *values;    /* [count] of the type */
    const uint8_t *starts; /* [count], 0 or 1; NULL in plain cases */
    size_t count;
    uint32_t type;
};

static inline const struct scan_input *scan_header_of(const struct blob *input)
{
    return (const struct scan_input *)input->data;
}

static inline struct scan_list scan_list_of(const struct blob *input)
{
    const struct scan_input *header = scan_header_of(input);

    return (struct scan_list){ .values = input->data + SCAN_HEADER,
                               .starts = header->segmented
                                             ? input->data + scan_starts_offset(header->count, header->type)
                                             : NULL,
                               .count = header->count,
                               .type = header->type };
}

/* Whether a sum begins at i. */
static inline int scan_begins(const struct scan_list *list, size_t i)
{
    return i == 0 || (list->starts && list->starts[i]);
}

#endif
