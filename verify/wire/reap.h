/*
 * reap.h - ending everything that a child started.
 *
 * For a program whose only children are runners. reap_adopt() makes orphans of those its children too, so
 * that none can get away by forking twice.
 */
#ifndef VERIFY_REAP_H
#define VERIFY_REAP_H

#include <stdbool.h>
#include <sys/types.h>

/* Once, at the program's start. */
void reap_adopt(void);

/*
 * Kills `child` (none when not positive) and every other child and orphan of this process, but the spared ones and
 * what was given up, and waits until all are gone. The status of `child` as wait() gives it goes to *status when it was
 * not yet waited for. False when some process could not be ended within `seconds`.
 */
bool reap_all(pid_t child, int *status, double seconds);

/* What is left now, and does not end, is neither waited for nor killed again by reap_all() from here on. */
void reap_give_up(void);

/* Waits for it after all; false when it is not gone within `seconds`. */
bool reap_given_up(double seconds);

/*
 * Children that reap_all() leaves alone until reap_unspare(): the host's own helper, and runners that wait for their
 * turn. At most REAP_SPARED: more are not spared.
 */
enum { REAP_SPARED = 16 };

void reap_spare(pid_t pid);
void reap_unspare(pid_t pid);

/* Whether that spared child has ended alone and was waited for by reap_all(); then *status is its status. */
bool reap_has_ended(pid_t pid, int *status);

#endif
