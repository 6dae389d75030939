/*
 * task_clock.h - a point in the order of work, as struct task and events carry it: task_clock.c. runtime.h includes it.
 */
#ifndef CUDASIM_TASK_CLOCK_H
#define CUDASIM_TASK_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct task;

/* For each queue the newest piece of work before the point. */
struct clock {
    uint64_t *at; /* [count] ids of tasks; 0, as behind the end: none */
    size_t count; /* of queues */
};

bool clock_merge(struct clock *clock, const struct clock *other);      /* the later of each; false: no memory */
bool clock_set(struct clock *clock, size_t queue, uint64_t id);        /* false: no memory */
bool clock_covers(const struct clock *clock, const struct task *task); /* the task is before the point, or is it */
bool clock_include(struct clock *clock, const struct task *task);      /* from now on: the task, and what precedes it */
void clock_release(struct clock *clock);
/* Whether CUDA, or the host by a wait, orders a before b. */
bool task_before(const struct task *a, const struct task *b);
/*
 * A wait for a word is over. The streams' writes of the word that are over come before the work behind it. If there is
 * none, who wrote the word is not known: all work that has run counts. So the checks miss races with some of it.
 */
void clock_follow_word(struct runtime *runtime, const struct task *wait);

#endif
