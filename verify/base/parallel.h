/*
 * parallel.h - work on several of the host's processors.
 *
 * It is for long work, such as judging an output of a gigabyte. The host has as many threads in all as processors. A
 * piece of work gets the free ones, also those that become free while it is done. While none is free, the caller does
 * the work alone.
 */
#ifndef VERIFY_PARALLEL_H
#define VERIFY_PARALLEL_H

#include <stddef.h>

/*
 * Call this once, before the first thread. It sets the number of processors for all threads, and a function, or NULL,
 * that moves the calling thread off processors that it must not disturb; the threads of a piece of work run there too.
 * Without this call, threads use all processors that the calling process may use.
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

/* memcpy() on several processors, as one processor cannot use the full speed of the memory. */
void parallel_copy(void *to, const void *from, size_t size);

#endif
