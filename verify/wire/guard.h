/*
 * guard.h - a process between the host and the box, which outlives the host by a moment: if the host is killed, it
 * kills what the host started.
 *
 * bubblewrap's --die-with-parent and PR_SET_PDEATHSIG are not enough. Both hold for a process from the moment on that
 * it asks for them, and bubblewrap's inner process does so late: if the outer one is killed before, the inner one waits
 * for it for ever (seen with 0.8.0). And they say nothing of what a submission without a box starts.
 */
#ifndef VERIFY_GUARD_H
#define VERIFY_GUARD_H

/* The first argument that makes a runner a guard: RUNNER guard COMMAND... */
#define GUARD_ARGUMENT "guard"

/*
 * Runs the command, a list of arguments that ends with NULL, and ends as it ended: with its exit code or by its signal.
 * To be called in the host's own child, which has the channel and the host's other descriptors for the command.
 */
int guard(char **command);

#endif
