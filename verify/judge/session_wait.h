/*
 * session_wait.h - the runner's messages, its output and its end: everything that a session waits for.
 *
 * Used by the other files of a session only.
 */
#ifndef VERIFY_SESSION_WAIT_H
#define VERIFY_SESSION_WAIT_H

#include "session.h"

/* How long a process may take to end once it has let go of the channel, seconds: a CUDA context takes its time. */
static const double ending_seconds = 2.0;

/* The facts of a host that failed: `what` did, for the reason in errno. */
struct facts session_lost(struct session *session, struct facts facts, const char *what);

/* Takes in what the runner printed. True when that is more than it may. */
bool session_take_printed(struct session *session);

/* Takes in what there is of the reports, and not for ever where it never ends; of what is too long, the beginning. */
void session_take_reports(struct session *session);

/* The exit status of the child into *facts, waited for until `deadline` (clock_ns()); false when it lives on. */
bool session_take_status(struct session *session, int64_t deadline, struct facts *facts);

/*
 * Sends one message to the runner, with a descriptor unless fd is -1. The next wait detects a runner that is gone.
 * False if the message found no room: a process that does not read the host's messages is no longer the runner.
 */
bool session_deliver(struct session *session, struct channel_message *message, int fd, struct facts *facts);

/* Looks at the memory in use now; true when it is above a limit, the host's or the GPU's. */
bool session_look_at_memory(struct session *session);

/*
 * Waits until `deadline` for one message of kind `expected` and fills in how the wait ended, but not when. A message
 * already sent counts, whatever happened to its sender since.
 */
struct facts session_wait_for(struct session *session, enum channel_kind expected, int64_t deadline,
                              struct channel_message *message, struct facts facts);

/* What is known of memory, threads and printing when a stage has ended. The kernel's counts only if it ended badly. */
struct facts session_observed(struct session *session, struct facts facts);

#endif
