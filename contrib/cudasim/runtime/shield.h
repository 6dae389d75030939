/*
 * shield.h - the check "host": the host has no access to the device's memory.
 */
#ifndef CUDASIM_SHIELD_H
#define CUDASIM_SHIELD_H

#include <stdbool.h>

struct runtime;
struct shield;

/* Begins the check. False: no memory, or no handler of SIGSEGV. Before any other file of the runtime sets a handler. */
bool shield_create(struct runtime *runtime);
void shield_free(struct runtime *runtime);

/* The program goes on: closes the device's memory, if the budget allows. */
void shield_raise(struct runtime *runtime);

/* The same, for a host function that is the only work that runs. */
void shield_raise_for_function(struct runtime *runtime);

/* Opens it. Needed before work runs, and before the host gets memory that may have been the device's. */
void shield_lower(struct runtime *runtime);

#endif
