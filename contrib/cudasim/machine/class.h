/*
 * class.h - the classes of instructions for the counts.
 */
#ifndef CUDASIM_CLASS_H
#define CUDASIM_CLASS_H

/* Classes of instructions: those of Riahi et al., and control flow, which they count as computation. */
enum sim_class {
    CLASS_COMPUTATION,
    CLASS_CONTROL, /* branches, calls, returns; part of computation for Riahi et al. */
    CLASS_GLOBAL_LOAD, CLASS_GLOBAL_STORE, /* atomics count as a store; local memory counts with global */
    CLASS_SHARED_LOAD, CLASS_SHARED_STORE,
    CLASS_SYNCHRONISATION,
    CLASS_DOUBLE, /* double precision */
    CLASS_SPECIAL, /* special function unit */
    CLASS_PARAMETER, /* ld.param, and loads of constant memory; computation for Riahi et al. */
    CLASS_COUNT
};
const char *sim_class_name(enum sim_class class);

#endif
