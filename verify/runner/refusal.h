/*
 * refusal.h - notices when the submission is refused memory, and tells the host once, so that what ends for want of it
 * is not taken for a crash. Linked into the runner, where it stands before the C library for malloc(), calloc(),
 * realloc(), memalign(), aligned_alloc(), posix_memalign() and for mmap() of anonymous memory.
 *
 * Advice: it is the word of the submission's process, and turns a run-time error into a memory limit exceeded at most.
 * Not noticed are thread stacks, brk(), and allocators that a library brings along and that call the kernel themselves.
 * Sizes that no machine has are not told: they are a mistake in a program and no want of memory.
 */
#ifndef VERIFY_REFUSAL_H
#define VERIFY_REFUSAL_H

#include <stddef.h>

/* From now on the host is told. */
void refusal_arm(void);

/* Tells the host, the first time, that `size` bytes were refused. Keeps errno. */
void refusal_tell(size_t size);

#endif
