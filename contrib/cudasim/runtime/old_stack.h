/*
 * old_stack.h - finds work that uses variables of functions of the host that have returned.
 */
#ifndef CUDASIM_OLD_STACK_H
#define CUDASIM_OLD_STACK_H

#include "runtime.h"

/* Notes the variables of the calling thread's functions that the work will use. */
void old_stack_submitted(const struct call *call, struct task *task);
/* A call of the thread: functions whose variables lie below it have returned. */
void old_stack_called(const struct call *call);
/* Reports work that is about to use such a variable. */
void old_stack_run(const struct call *call, const struct task *task);
/* The thread ends, and its stack with it. */
void old_stack_ended(struct runtime *runtime, const struct thread_state *thread);

#endif
