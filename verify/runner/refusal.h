/*
 * refusal.h - notices when the submission is refused memory, and tells the host once, so that what ends for want of it
 * is not taken for a crash. Linked into the runner, where it stands before the C library for malloc(), calloc(),
 * realloc(), memalign(), aligned_alloc(), posix_memalign() and for mmap() of anonymous memory.
 *
 * This is only a hint, as it comes from the submission's process: at most it turns a run-time error into a memory limit
 * exceeded. It does not notice thread stacks, brk(), and allocators of libraries that call the kernel themselves. It
 * does not report sizes that no machine has: they are a mistake in a program and not a lack of memory.
 */
#ifndef VERIFY_REFUSAL_H
#define VERIFY_REFUSAL_H

#include <stddef.h>

/* From now on refusals are reported to the host. */
void refusal_arm(void);

/* Tells the host, the first time, that `size` bytes were refused. Keeps errno. */
void refusal_tell(size_t size);

#endif
