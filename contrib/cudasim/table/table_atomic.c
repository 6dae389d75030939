/*
 * table_atomic.c - atomic operations. Lanes with one address take it together, in the order of the lanes.
 */
#include "contrib/cudasim/base/atomic.h"
#include "table_access.h"
#include "table_combine.h"

/* The lanes from the first one of `lanes` on that have its address; they take it together. */
INLINE u32 one_address(const u64 *address, u32 lanes)
{
    u32 same = lanes & -lanes, rest = lanes & (lanes - 1);
    u64 first = address[__builtin_ctz(lanes)];

    for (; rest && address[__builtin_ctz(rest)] == first; rest &= rest - 1)
        same |= rest & -rest;
    return same;
}

#define ATOMIC(name, T, combine)                                                                                       \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        const T *B = slot_at(w, i->b), *C = slot_at(w, i->c);                                                          \
        T *D = i->d == 1 ? NULL : slot_at(w, i->d);                                                                    \
        bool changed = false;                                                                                          \
        if (resolve(w, i, sizeof(T), ACCESS_ATOMIC) == PATTERN_FAULT)                                                  \
            return NULL;                                                                                               \
        float_default(w);                                                                                              \
        for (u32 m = w->mask, lanes; m; m &= ~lanes) {                                                                 \
            T *p = (T *)(uintptr_t)w->address[__builtin_ctz(m)], old = __atomic_load_n(p, __ATOMIC_RELAXED);           \
            T was[LANES], new;                                                                                         \
            lanes = one_address(w->address, m);                                                                        \
            do {                                                                                                       \
                new = old;                                                                                             \
                for (u32 n = lanes; n; n &= n - 1) {                                                                   \
                    int l = __builtin_ctz(n);                                                                          \
                    was[l] = new;                                                                                      \
                    new = (T)combine(i, was[l], B[l], C[l]);                                                           \
                    changed |= was[l] != new;                                                                          \
                }                                                                                                      \
            } while (!__atomic_compare_exchange_n(p, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));           \
            for (u32 n = D ? lanes : 0; n; n &= n - 1)                                                                 \
                D[__builtin_ctz(n)] = was[__builtin_ctz(n)];                                                           \
        }                                                                                                              \
        if (changed)                                                                                                   \
            w->worker->progress = true;                                                                                \
        return i + 1;                                                                                                  \
    }
ATOMIC(atom_16, u16, combine_16)
ATOMIC(atom_32, u32, combine_32)
ATOMIC(atom_64, u64, combine_64)

/* 128 bits: exchange and compare-and-swap only. One lock for all: such atomics are rare. */

STEP(atom_128)
{
    const u128 *B = slot_at(w, i->b), *C = slot_at(w, i->c);
    u128 *D = i->d == 1 ? NULL : slot_at(w, i->d);

    if (resolve(w, i, 16, ACCESS_ATOMIC) == PATTERN_FAULT)
        return NULL;
    pthread_mutex_lock(&w->block->launch->lock);
    for (u32 m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        u128 *p = (u128 *)(uintptr_t)w->address[l], old = *p;

        if (i->op == ATOMIC_EXCH || (i->op == ATOMIC_CAS && old == B[l])) {
            *p = i->op == ATOMIC_EXCH ? B[l] : C[l];
            w->worker->progress = true;
        }
        if (D)
            D[l] = old;
    }
    pthread_mutex_unlock(&w->block->launch->lock);
    return i + 1;
}

const struct row LEVELED(rows_atomic)[] = {
    {"@atom.16", atom_16, "", 0, CLASS_GLOBAL_STORE, 0},
    {"@atom.32", atom_32, "", 0, CLASS_GLOBAL_STORE, 0},
    {"@atom.64", atom_64, "", 0, CLASS_GLOBAL_STORE, 0},
    {"@atom.128", atom_128, "", 0, CLASS_GLOBAL_STORE, 0},
    ROWS_END,
};
