/*
 * mergesort_threads.c - a merge sort with POSIX threads: every thread sorts its part of the array by bottom-up merging,
 * then neighbouring parts are merged two by two, half as many threads each time. Stable.
 *
 * For comparison on a CPU with many cores. The judge gives one core, where it is right and no faster than baseline.c.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device_user.h"

enum { THREADS_MIN = 2, THREADS_MAX = 64, ALONE = 4096 /* so few keys are not worth another thread */ };

/* Keys, and payloads or NULL. */
struct buffer {
    int32_t *keys;
    uint32_t *payloads;
};

/* What a thread does: sorts part [left, end) of `from`, or merges [left, right) and [right, end) of it into `to`. */
struct task {
    struct buffer from, to;
    size_t left, right, end;
    pthread_t thread;
    int started;
};

static inline void move(struct buffer to, size_t place, struct buffer from, size_t i)
{
    to.keys[place] = from.keys[i];
    if (from.payloads)
        to.payloads[place] = from.payloads[i];
}

/* Of equal keys, those of the left run go first. */
static void merge(struct buffer from, struct buffer to, size_t left, size_t right, size_t end)
{
    size_t i = left, j = right;

    for (size_t place = left; place < end; place++)
        if (i < right && (j >= end || from.keys[i] <= from.keys[j]))
            move(to, place, from, i++);
        else
            move(to, place, from, j++);
}

static void *merge_task(void *argument)
{
    const struct task *task = argument;

    merge(task->from, task->to, task->left, task->right, task->end);
    return NULL;
}

/* Sorts a part in place; the same part of `to` is its second buffer. */
static void *sort_task(void *argument)
{
    const struct task *task = argument;
    struct buffer from = task->from, to = task->to;
    size_t count = task->end - task->left;

    for (size_t run = 1; run < count; run *= 2) {
        struct buffer swap = from;

        for (size_t left = task->left; left < task->end; left += 2 * run) {
            size_t right = left + run < task->end ? left + run : task->end;
            size_t end = left + 2 * run < task->end ? left + 2 * run : task->end;

            merge(from, to, left, right, end);
        }
        from = to;
        to = swap;
    }
    if (from.keys != task->from.keys)
        merge(from, task->from, task->left, task->end, task->end); /* one run: a copy */
    return NULL;
}

/* Runs all tasks, each in a thread of its own, or here where none can be had. */
static void run_tasks(struct task *tasks, size_t count, void *(*function)(void *))
{
    for (size_t t = 1; t < count; t++)
        tasks[t].started = pthread_create(&tasks[t].thread, NULL, function, &tasks[t]) == 0;
    function(&tasks[0]);
    for (size_t t = 1; t < count; t++)
        if (!tasks[t].started)
            function(&tasks[t]);
        else if (pthread_join(tasks[t].thread, NULL) != 0)
            abort();
}

static size_t thread_count(size_t n)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = THREADS_MIN;

    if (processors > THREADS_MIN)
        threads = processors < THREADS_MAX ? (size_t)processors : THREADS_MAX;
    return n / ALONE < threads ? n / ALONE + 1 : threads;
}

void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n)
{
    struct buffer from = { sorted_keys, sorted_payloads }, to = { 0 }, spare;
    struct task tasks[THREADS_MAX];
    size_t bounds[THREADS_MAX + 1], parts = thread_count(n), bytes = n * sizeof *keys;

    if (n == 0)
        return;
    to.keys = malloc(bytes);
    to.payloads = payloads ? malloc(bytes) : NULL;
    if (!to.keys || (payloads && !to.payloads))
        abort();
    spare = to;
    memcpy(sorted_keys, keys, bytes);
    if (payloads)
        memcpy(sorted_payloads, payloads, bytes);
    for (size_t p = 0; p <= parts; p++)
        bounds[p] = n / parts * p + (p < n % parts ? p : n % parts);
    for (size_t p = 0; p < parts; p++)
        tasks[p] = (struct task){ .from = from, .to = to, .left = bounds[p], .end = bounds[p + 1] };
    run_tasks(tasks, parts, sort_task);
    while (parts > 1) {
        struct buffer swap = from;
        size_t merges = (parts + 1) / 2;

        for (size_t m = 0; m < merges; m++) {
            size_t last = 2 * m + 2 < parts ? 2 * m + 2 : parts;

            tasks[m] = (struct task){ .from = from, .to = to, .left = bounds[2 * m], .right = bounds[2 * m + 1],
                                      .end = bounds[last] };
        }
        run_tasks(tasks, merges, merge_task);
        for (size_t m = 1; m <= merges; m++)
            bounds[m] = bounds[2 * m < parts ? 2 * m : parts];
        parts = merges;
        from = to;
        to = swap;
    }
    if (from.keys != sorted_keys) {
        memcpy(sorted_keys, from.keys, bytes);
        if (payloads)
            memcpy(sorted_payloads, from.payloads, bytes);
    }
    free(spare.keys);
    free(spare.payloads);
}
