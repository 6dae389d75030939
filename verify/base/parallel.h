/*
 * parallel.h - a piece of work on several of the host's processors.
 *
 * For what takes long by itself, such as judging an output of a gigabyte. All threads of the host together are as many
 * as it has processors: who starts some takes them from what is left, and where nothing is left the caller does all.
 */
#ifndef VERIFY_PARALLEL_H
#define VERIFY_PARALLEL_H

#include <stddef.h>

/*
 * Once, before the first thread: how many processors there are for all threads together, and what takes the calling
 * thread off processors that it is not to disturb just now, or NULL; the threads of a piece of work run where that
 * leaves it. Without this, all processors that the calling process may use.
 */
void parallel_begin(size_t processors, void (*make_way)(const void *context), const void *context);

/* How many threads may be started beside the caller's, `most` at most. To be given back, all or one by one. */
size_t parallel_take(size_t most);
void parallel_give(size_t count);

/*
 * Calls work(context, i) once for each i below `count`, in any order, some at the same time; all have returned when
 * this does. May be called by several threads, and by the work itself.
 */
void parallel_run(size_t count, void (*work)(void *context, size_t i), void *context);

/*
 * The same for what lies in a row: calls work(context, first, end) for `count` things `piece` at a time, the last time
 * perhaps for fewer.
 */
void parallel_pieces(size_t count, size_t piece, void (*work)(void *context, size_t first, size_t end), void *context);

/* memcpy(). One processor alone copies slower than the memory could. */
void parallel_copy(void *to, const void *from, size_t size);

#endif
