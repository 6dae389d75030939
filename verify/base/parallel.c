/*
 * parallel.c - threads that take the next number until there is none.
 */
#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { PARALLEL_MOST = 64 };

/* Bytes that a thread copies at a time: a millisecond, beside which starting a thread is little. */
enum { COPY_PIECE = 8 << 20 };

static void (*make_way)(const void *context); /* or NULL */
static const void *make_way_context;
static size_t processors; /* 0: all that there are */
static atomic_long left;  /* threads that may still be started */
static pthread_once_t counted = PTHREAD_ONCE_INIT;

struct work {
    void (*work)(void *context, size_t i);
    void *context;
    size_t count;
    atomic_size_t next;
};

static void count_processors(void)
{
    cpu_set_t set;

    if (processors == 0)
        processors = sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
    atomic_store(&left, (long)processors - 1);
}

void parallel_begin(size_t count, void (*way)(const void *context), const void *context)
{
    processors = count;
    make_way = way;
    make_way_context = context;
    pthread_once(&counted, count_processors);
}

size_t parallel_take(size_t most)
{
    long there, taken;

    pthread_once(&counted, count_processors);
    there = atomic_load(&left);
    do {
        taken = there < (long)most ? there : (long)most;
        if (taken <= 0)
            return 0;
    } while (!atomic_compare_exchange_weak(&left, &there, there - taken));
    return (size_t)taken;
}

void parallel_give(size_t count) { atomic_fetch_add(&left, (long)count); }

static void do_work(struct work *work)
{
    size_t i;

    while ((i = atomic_fetch_add(&work->next, 1)) < work->count)
        work->work(work->context, i);
}

static void *help(void *argument)
{
    do_work(argument);
    return NULL;
}

void parallel_run(size_t count, void (*work)(void *context, size_t i), void *context)
{
    struct work shared = { .work = work, .context = context, .count = count };
    const size_t taken = count > 1 ? parallel_take(count - 1 < PARALLEL_MOST ? count - 1 : PARALLEL_MOST) : 0;
    pthread_t threads[PARALLEL_MOST];
    size_t started = 0;
    cpu_set_t before;
    const bool makes_way = make_way && taken > 0 && sched_getaffinity(0, sizeof before, &before) == 0;

    if (makes_way) /* the threads inherit where the caller may run */
        make_way(make_way_context);
    while (started < taken && pthread_create(&threads[started], NULL, help, &shared) == 0)
        started++;
    do_work(&shared);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    if (makes_way)
        sched_setaffinity(0, sizeof before, &before);
    parallel_give(taken);
}

/* ------------------------------------------------------------------ pieces of what lies in a row */

struct pieces {
    void (*work)(void *context, size_t first, size_t end);
    void *context;
    size_t count, piece;
};

static void do_piece(void *context, size_t i)
{
    const struct pieces *pieces = context;
    const size_t first = i * pieces->piece, rest = pieces->count - first;

    pieces->work(pieces->context, first, first + (rest < pieces->piece ? rest : pieces->piece));
}

void parallel_pieces(size_t count, size_t piece, void (*work)(void *context, size_t first, size_t end), void *context)
{
    struct pieces pieces = { .work = work, .context = context, .count = count, .piece = piece };

    parallel_run(count / piece + (count % piece > 0), do_piece, &pieces);
}

struct copy {
    unsigned char *to;
    const unsigned char *from;
};

static void copy_piece(void *context, size_t first, size_t end)
{
    const struct copy *copy = context;

    memcpy(copy->to + first, copy->from + first, end - first);
}

void parallel_copy(void *to, const void *from, size_t size)
{
    parallel_pieces(size, COPY_PIECE, copy_piece, &(struct copy){ .to = to, .from = from });
}
