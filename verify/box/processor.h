/*
 * processor.h - gives one processor to the runner and the others to the host, if there are several.
 */
#ifndef VERIFY_PROCESSOR_H
#define VERIFY_PROCESSOR_H

#include <sched.h>
#include <sys/types.h>

/* In place of the number of a processor: any. */
enum { PROCESSOR_ANY = -1 };

/* The processors of a host. */
struct processors {
    int runner;    /* the one that its runner has; PROCESSOR_ANY when the system does not tell the processors */
    int others;    /* how many it has beside that */
    cpu_set_t own; /* these; the runner's where there is no other */
};

/*
 * Chooses a processor for the runner: the highest one that no other host on this machine has chosen. A lock file in
 * /tmp marks it until this process ends. It also removes the processor from the calling process's set, if another is
 * left. If all are chosen, the highest one is shared.
 */
void processors_claim(struct processors *processors);

/* Moves the calling process to one processor; PROCESSOR_ANY does nothing. */
void processor_use(int processor);

/* The same with another process, all its threads. */
void processor_keep(int processor, pid_t pid);

/* Keeps another process of the host's, all its threads, to the host's own processors. */
void processors_confine(const struct processors *processors, pid_t pid);

/*
 * For long work: keeps the calling thread off the processors that other hosts' runners use now, if others are left.
 * Call it each time, as hosts start and end; processors_return() undoes it.
 */
void processors_make_way(const struct processors *processors);
void processors_return(const struct processors *processors);

/*
 * Takes the processors that hosts choose first, `count` or half of those that there are if that is less, out of the
 * calling process's set.
 */
void processor_leave(int count);

#endif
