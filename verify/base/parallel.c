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

static void *help(void *argument)
{
    struct work *work = argument;
    size_t i;

    while ((i = atomic_fetch_add(&work->next, 1)) < work->count)
        work->work(work->context, i);
    parallel_give(1); /* who waits for others of the same work needs no processor */
    return NULL;
}

/* Threads that help with one piece of work. */
struct helpers {
    pthread_t threads[PARALLEL_MOST];
    size_t started;
    bool moved;       /* the caller runs where make_way() has put it */
    cpu_set_t before; /* and ran here */
};

/* Starts helpers for all but one of what nobody has begun, as far as there are free threads. */
static void start_helpers(struct helpers *helpers, struct work *work)
{
    const size_t next = atomic_load(&work->next), rest = next + 1 < work->count ? work->count - next - 1 : 0;
    const size_t room = PARALLEL_MOST - helpers->started;
    size_t taken = rest > 0 && atomic_load(&left) > 0 ? parallel_take(rest < room ? rest : room) : 0;

    if (taken > 0 && make_way && !helpers->moved &&
        sched_getaffinity(0, sizeof helpers->before, &helpers->before) == 0) {
        make_way(make_way_context); /* the threads inherit where the caller may run */
        helpers->moved = true;
    }
    while (taken > 0 && pthread_create(&helpers->threads[helpers->started], NULL, help, work) == 0) {
        helpers->started++;
        taken--;
    }
    parallel_give(taken);
}

void parallel_run(size_t count, void (*work)(void *context, size_t i), void *context)
{
    struct work shared = { .work = work, .context = context, .count = count };
    struct helpers helpers = { .started = 0 };
    size_t i;

    pthread_once(&counted, count_processors);
    start_helpers(&helpers, &shared);
    while ((i = atomic_fetch_add(&shared.next, 1)) < count) {
        work(context, i);
        start_helpers(&helpers, &shared); /* other work may have ended since */
    }
    for (size_t n = 0; n < helpers.started; n++)
        pthread_join(helpers.threads[n], NULL);
    if (helpers.moved)
        sched_setaffinity(0, sizeof helpers.before, &helpers.before);
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
