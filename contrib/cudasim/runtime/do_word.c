/*
 * do_word.c - words of 4 or 8 bytes that a stream writes, or waits for. queue.c looks at a word until the wait is over.
 * This file knows nothing of queues.
 */
#include "runtime.h"

#include <cuda.h>

#include "shield.h"

cudaError_t word_check(struct runtime *runtime, const struct word_work *word)
{
    return (word->waits && word->flags & ~(unsigned)(3 | CU_STREAM_WAIT_VALUE_FLUSH)) ||
                   word->address % word->bytes || !allocation_find(runtime, (void *)(uintptr_t)word->address)
               ? cudaErrorInvalidValue
               : cudaSuccess;
}

static bool is_met(const struct word_work *word, uint64_t found)
{
    uint64_t difference = found - word->value;

    switch (word->how) {
    case CU_STREAM_WAIT_VALUE_GEQ: /* by the sign of the difference: a counter may wrap */
        return word->bytes == 8 ? (int64_t)difference >= 0 : (int32_t)difference >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
        return difference == 0;
    case CU_STREAM_WAIT_VALUE_AND:
        return found & word->value;
    default:
        return word->bytes == 8 ? ~(found | word->value) != 0 : (uint32_t)~(found | word->value) != 0;
    }
}

bool word_answers(const struct word_work *write, const struct word_work *wait)
{
    return !write->waits && write->bytes && write->address == wait->address && is_met(wait, write->value);
}

/* A wait for memory that was freed, or at the program's end, ends. */
bool word_is_met(struct runtime *runtime, const struct word_work *word)
{
    const void *at = (const void *)(uintptr_t)word->address;

    if (!word->waits || runtime->ending || word_check(runtime, word) != cudaSuccess)
        return true;
    shield_lower(runtime);
    return is_met(word, word->bytes == 8 ? __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE)
                                         : __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE));
}

cudaError_t word_run(struct runtime *runtime, const struct word_work *word)
{
    void *at = (void *)(uintptr_t)word->address;
    cudaError_t error = word->waits ? cudaSuccess : word_check(runtime, word);

    if (word->waits || error != cudaSuccess)
        return error;
    if (word->bytes == 8)
        __atomic_store_n((uint64_t *)at, word->value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)at, (uint32_t)word->value, __ATOMIC_RELEASE);
    return cudaSuccess;
}
