/*
 * clock.h - the clock of all results, and the time of day. Only the host reads it; a runner's own times are only hints.
 */
#ifndef VERIFY_CLOCK_H
#define VERIFY_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since an arbitrary point, never stepped; the same for all processes of the machine. */
static inline int64_t clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Seconds between two readings. */
static inline double clock_seconds(int64_t from, int64_t to) { return (double)(to - from) * 1e-9; }

/* Seconds since 1970, UTC, as the machine believes: for notes of when, never for results. It may be stepped. */
static inline double clock_wall(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
