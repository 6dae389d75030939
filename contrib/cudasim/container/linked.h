/*
 * linked.h - an image that holds several PTX texts, which are linked when it is loaded. cuLinkComplete() and nvJitLink
 * give it to programs in place of a cubin.
 */
#ifndef CUDASIM_LINKED_H
#define CUDASIM_LINKED_H

#include <stdbool.h>
#include <stddef.h>

struct linked_text {
    const char *text;
    size_t size; /* bytes; it need not end in NUL */
};

/* Makes the image; free it. False: no memory. */
bool linked_make(const struct linked_text *texts, size_t count, void **image, size_t *size);
/* Bytes of the image, which has 8 bytes at least; 0: it is none. */
size_t linked_size(const void *image);
/* Lists the texts, which stay in the image. Free the list. 0: no memory. */
size_t linked_texts(const void *image, struct linked_text **texts);

#endif
