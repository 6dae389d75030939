/*
 * processor.h - one processor for the runner, others for the host, where there are several.
 */
#ifndef VERIFY_PROCESSOR_H
#define VERIFY_PROCESSOR_H

/*
 * Chooses a processor for the runner that no other host on this machine has chosen, the highest one that is free, by a
 * lock file in /tmp that is held until this process ends, and takes it out of the calling process's own set where
 * another is left. *others tells how many those are. Returns its number, or -1 when the system does not tell the
 * processors.
 */
int processor_claim(int *others);

/* Moves the calling process to one processor; -1 does nothing. */
void processor_use(int processor);

/*
 * For work that takes long: keeps the calling thread, and threads that it makes, off the processors which are some
 * host's runner's just now, where others are left. To be called again each time: hosts begin and end.
 */
void processor_make_way(void);

/* Takes the `count` processors that hosts choose first out of the calling process's set, where others are left. */
void processor_leave(int count);

#endif
