/*
 * word.h - a word that a stream writes, or waits for: what runtime.h keeps of it, and what do_word.c does with it.
 */
#ifndef CUDASIM_WORD_H
#define CUDASIM_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include <driver_types.h>

struct runtime;

struct word_work {
    uint64_t address; /* a multiple of `bytes` */
    uint64_t value;   /* written, or compared with the word */
    unsigned bytes;   /* 4 or 8 */
    unsigned how;     /* enum CUstreamWaitValue_flags: which words end the wait */
    bool waits;       /* else it writes; with 0 bytes it does nothing, as a barrier */
    unsigned operation, flags; /* of a graph's node: CUstreamBatchMemOpType and its flags, as the program gave them */
};

/* Whether the word is the program's; whether the wait for it is over; the write. */
cudaError_t word_check(struct runtime *runtime, const struct word_work *word);
bool word_is_met(struct runtime *runtime, const struct word_work *word);
cudaError_t word_run(struct runtime *runtime, const struct word_work *word);

#endif
