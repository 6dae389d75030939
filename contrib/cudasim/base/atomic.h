/*
 * atomic.h - operations of atom, red and redux. The lowering and the bodies share them.
 */
#ifndef CUDASIM_ATOMIC_H
#define CUDASIM_ATOMIC_H

enum atomic_op {
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_INC,
    ATOMIC_DEC,
    ATOMIC_EXCH,
    ATOMIC_CAS
};

#endif
