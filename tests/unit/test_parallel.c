/*
 * test_parallel.c - pieces of work on several processors: each number once, threads within their number, affinity kept.
 */
#include "verify/base/parallel.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

enum { PROCESSORS = 4, COUNT = 1000 };

static atomic_int seen[COUNT], now, most, ways, empty;

static void enter(void)
{
    int there = atomic_fetch_add(&now, 1) + 1, before = atomic_load(&most);

    while (there > before && !atomic_compare_exchange_weak(&most, &before, there))
        ;
}

static void mark(void *context, size_t i)
{
    enter();
    atomic_fetch_add((atomic_int *)context + i, 1);
    if (i % 50 == 0)
        usleep(1000); /* so that others have a turn */
    atomic_fetch_sub(&now, 1);
}

/* The tenth piece gives a thread back that was taken before. */
static void give_one(void *context, size_t i)
{
    if (i == 10)
        parallel_give(1);
    mark(context, i);
}

/* A piece of work that has pieces itself. */
static void mark_tens(void *context, size_t i)
{
    parallel_run(10, mark, (atomic_int *)context + 10 * i);
}

static bool each_once(int count)
{
    bool ok = true;

    for (int i = 0; i < count; i++)
        ok = ok && atomic_load(&seen[i]) == 1;
    memset(seen, 0, sizeof seen);
    return ok;
}

static void mark_piece(void *context, size_t first, size_t end)
{
    atomic_fetch_add(&empty, first >= end);
    for (size_t i = first; i < end; i++)
        mark(context, i);
}

/* Sizes around whole pieces of a copy, and 0; the bytes beside stay unchanged. */
static void test_copy(void)
{
    enum { PIECE = 8 << 20, MOST = 2 * PIECE + 1 };
    static unsigned char from[MOST], to[MOST + 1];
    const size_t sizes[] = { 0, 1, PIECE - 1, PIECE, PIECE + 1, MOST };

    for (size_t i = 0; i < MOST; i++)
        from[i] = (unsigned char)(i % 251);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        memset(to, 0xff, sizeof to);
        parallel_copy(to, from, sizes[s]);
        CHECK(memcmp(to, from, sizes[s]) == 0, "a copy of %zu bytes", sizes[s]);
        CHECK(to[sizes[s]] == 0xff, "a copy of %zu bytes went on", sizes[s]);
    }
}

static void step_aside(const void *context)
{
    cpu_set_t set;

    atomic_fetch_add((atomic_int *)context, 1);
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    sched_setaffinity(0, sizeof set, &set);
}

int main(void)
{
    cpu_set_t before, after;

    sched_getaffinity(0, sizeof before, &before);
    parallel_begin(PROCESSORS, step_aside, &ways);
    for (int round = 0; round < 20; round++) {
        parallel_run(COUNT, mark, seen);
        CHECK(each_once(COUNT), "round %d", round);
        parallel_run(COUNT / 10, mark_tens, seen);
        CHECK(each_once(COUNT), "round %d, pieces of pieces", round);
    }
    CHECK(atomic_load(&most) > 1 && atomic_load(&most) <= PROCESSORS, "%d at a time", atomic_load(&most));
    CHECK(atomic_load(&ways) > 0, "nobody was made way for");
    sched_getaffinity(0, sizeof after, &after);
    CHECK(CPU_EQUAL(&before, &after), "the caller may run elsewhere than before");
    parallel_run(0, mark, seen);
    CHECK(each_once(0), "something of nothing was done");

    for (size_t piece = 1; piece <= COUNT + 1; piece += 333) {
        parallel_pieces(COUNT, piece, mark_piece, seen);
        CHECK(each_once(COUNT), "pieces of %zu", piece);
    }
    parallel_pieces(0, 10, mark_piece, seen);
    CHECK(each_once(0) && atomic_load(&empty) == 0, "a piece of nothing");
    test_copy();

    CHECK(parallel_take(100) == PROCESSORS - 1, "all that are left");
    CHECK(parallel_take(1) == 0, "one more than there are");
    atomic_store(&most, 0);
    parallel_run(COUNT, mark, seen);
    CHECK(each_once(COUNT) && atomic_load(&most) == 1, "%d at a time where no thread is left", atomic_load(&most));
    parallel_run(COUNT, give_one, seen);
    CHECK(each_once(COUNT) && atomic_load(&most) == 2, "%d at a time where one became free", atomic_load(&most));
    CHECK(parallel_take(2) == 1, "the one that was given back");
    parallel_give(PROCESSORS - 1);
    CHECK(parallel_take(0) == 0, "none of some");
    return unit_end();
}
