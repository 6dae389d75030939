/*
 * linked.h - an image that holds several PTX texts, which are linked when it is loaded. cuLinkComplete() and nvJitLink
 * give it to programs in place of a cubin.
 */
#ifndef CUDASIM_LINKED_H
#define CUDASIM_LINKED_H

#include <stdbool.h>
#include <stddef.h>

#include "contrib/cudasim/sim.h"

/* Makes the image; free it. False: no memory. */
bool linked_make(const struct sim_text *texts, size_t count, void **image, size_t *size);
/* Bytes of the image, which has 8 bytes at least; 0: it is none. */
size_t linked_size(const void *image);
/* Lists the texts, which stay in the image. Free the list. 0: no memory. */
size_t linked_texts(const void *image, struct sim_text **texts);

#endif
