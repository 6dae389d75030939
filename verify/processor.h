/*
 * processor.h - one processor for the runner, another for the host, where there are two.
 */
#ifndef VERIFY_PROCESSOR_H
#define VERIFY_PROCESSOR_H

/*
 * Chooses a processor for the runner that no other host on this machine has chosen, by a lock file in /tmp that is
 * held until this process ends, and takes it out of the calling process's own set where another is left. *others tells
 * how many those are. Returns its number, or -1 when the system does not tell the processors.
 */
int processor_claim(int *others);

/* Moves the calling process to one processor; -1 does nothing. */
void processor_use(int processor);

#endif
