/*
 * stop.h - stops a process while the host changes memory that the two share.
 */
#ifndef VERIFY_STOP_H
#define VERIFY_STOP_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Stops a process by SIGSTOP and waits until every one of its threads has stopped: none runs an instruction until
 * stop_continue(). False when that takes longer than `seconds`, or the process is gone. Takes about 50 µs.
 */
bool stop_process(pid_t pid, double seconds);

void stop_continue(pid_t pid);

#endif
