/*
 * resident.h - a call of a problem whose data are resident on the GPU, as runner and warden see it.
 *
 * The warden owns device memory, the slots: the input's first, the output's behind it. The runner maps it too. Host,
 * warden and runner map a page, in which the warden releases a call and the runner says that it is done: a word in
 * memory takes a fraction of what a message takes. What the runner writes there is believed no more than its messages,
 * one of which must follow.
 */
#ifndef VERIFY_WIRE_RESIDENT_H
#define VERIFY_WIRE_RESIDENT_H

#include <stddef.h>
#include <stdint.h>

#include "call.h"

/* What `resident` of SETUP asks for: the host's memory, as it is; the runner copies; or it maps slots. */
enum resident_mode { RESIDENT_NO, RESIDENT_COPIED, RESIDENT_SLOTS };

enum { RESIDENT_PAGE = 4096 };

/* The words lie in lines of their own. */
struct resident_page {
    unsigned char header[RESIDENT_HEADER]; /* of the input that comes */
    volatile uint64_t run;                 /* the warden's: the nonce of the call that is to be made now */
    unsigned char pad1[120];
    volatile uint64_t done;                /* the runner's: the same when all that the call started has ended */
    unsigned char pad2[120];
};

/*
 * The driver writes little through the context's compute channel, and not by a copy engine: the GPU changes contexts
 * for that, and once more for the submission's first kernel, which takes 140 us on an H100. There that is so for 16 KiB
 * and less, and not for 32 KiB. So no less than this is brought, whatever an input has.
 */
enum { RESIDENT_LEAST = 128 << 10 };

/* Where the output lies behind an input of that size, bytes: behind what is brought. */
static inline size_t resident_output_offset(size_t input_size)
{
    const size_t part = 4096;

    if (input_size < RESIDENT_LEAST)
        input_size = RESIDENT_LEAST;
    return (input_size + part - 1) / part * part + part;
}

#endif
