/*
 * clock.h - the simulator's clock: for events, for special registers, and to share work. It ranks nothing.
 */
#ifndef CUDASIM_CLOCK_H
#define CUDASIM_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since an arbitrary point, never stepped. */
static inline int64_t sim_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Nanoseconds since 1970, as the timer of a GPU has them. */
static inline int64_t sim_timer_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
