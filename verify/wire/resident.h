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

enum { RESIDENT_PAGE = 20480, RESIDENT_CALLS = 64 };

/* In `granted`, beside a number: no more will be granted. */
#define RESIDENT_FINAL ((uint64_t)1 << 63)

/*
 * The words of either side lie in lines of their own.
 *
 * A series is several calls that are in flight together: inputs and outputs lie one behind the other, blob_pitch()
 * apart, and the runner waits for what they started once, at the end. How many there are it learns when it has
 * returned from the last one: after each it waits for the host to grant another, or to say that there is none.
 */
struct resident_page {
    unsigned char header[RESIDENT_HEADER]; /* of the input that comes; of a series the first one's */
    volatile uint64_t run;                 /* the warden's: the nonce of the call that is to be made now */
    volatile uint64_t granted;             /* the host's: calls that may be made by now, and RESIDENT_FINAL */
    unsigned char pad1[112];
    volatile uint64_t done;                /* the runner's: the same when all that the call started has ended */
    volatile uint64_t returned;            /* the runner's: calls of a series that have returned */
    unsigned char pad2[112];
    unsigned char more[RESIDENT_CALLS - 1][RESIDENT_HEADER]; /* of the other inputs of a series */
};

/* The header of the i-th input of a series. */
static inline volatile unsigned char *resident_header(volatile struct resident_page *page, size_t i)
{
    return i == 0 ? page->header : page->more[i - 1];
}

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
