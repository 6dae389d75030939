/*
 * access.h - the slow path for bodies of memory instructions: addresses, bounds, bytes never written.
 */
#ifndef CUDASIM_ACCESS_H
#define CUDASIM_ACCESS_H

#include "machine.h"

/*
 * Turns the addresses in w->address into host addresses. It takes the lanes in w->mask; the addresses are generic, or
 * global if `global`. It checks `bytes` per lane, and notes the bytes read or written. False: it recorded a fault.
 */
enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };
bool access_slow(struct warp *w, const struct ins *ins, unsigned bytes, enum access access);
void access_written(struct warp *w, const struct ins *ins, unsigned bytes);
void access_note(struct warp *w, unsigned bytes);

/*
 * Around a fault_at() for an access of `bytes` bytes out of bounds, which may go on. It does where CUDASIM_GO_ON asks
 * for it, or `anyway`: then the fault is found but the kernel goes on, so that one run finds several. The end is false
 * if the launch ends. Else the lane reads zeros, or writes what nobody reads.
 */
void access_bounds_begin(struct worker *k, unsigned bytes, bool anyway);
bool access_bounds_end(struct warp *w, uint32_t l, enum access access);

/*
 * Warns if an active lane leaves the shared variable from which `ins` computed its address. A lane accesses `bytes`
 * bytes at offsets[lane], [32].
 */
void access_neighbour(struct warp *w, const struct ins *ins, const uint32_t *offsets, unsigned bytes,
                      enum access access);

/*
 * Warns if one of `lanes` leaves the local variable from which `ins` computed its address: `bytes` per lane at the
 * offsets asked[32], in any window.
 */
void access_local_neighbour(struct warp *w, const struct ins *ins, uint32_t lanes, unsigned bytes, enum access access,
                            const uint64_t *asked);

/* Warns if an active lane reads global memory that was never written. */
void access_written(struct warp *w, const struct ins *ins, unsigned bytes);

/* Notes that the active lanes wrote global memory: `bytes` per lane at the host addresses in w->address. */
void access_note(struct warp *w, unsigned bytes);

/*
 * Checks and notes an access to local memory: `bytes` per lane of `lanes` at the offsets asked[32], in any window.
 * The warp must have `local_written`.
 */
void access_local_check(struct warp *w, const struct ins *ins, uint32_t lanes, unsigned bytes, enum access access,
                        const uint64_t *asked);

/* Turns lane `l`'s address in local memory into the host's, checked. False: it recorded a fault. */
bool access_local_resolve(struct warp *w, const struct ins *ins, uint32_t l, unsigned bytes, enum access access);

/* What the generic addresses of thread `lane`'s local variables have above the offset. */
uint64_t local_window(const struct warp *w, unsigned lane);

/* The offset that such an address, or any other, has in the window of local memory. */
uint64_t local_offset(const struct warp *w, unsigned lane, uint64_t address);

/*
 * Takes the owner out of lane `l`'s generic address of local memory. On a GPU all threads have the same addresses
 * there: warns if the variable is another thread's.
 */
void access_local_own(struct warp *w, const struct ins *ins, uint32_t l, unsigned bytes, enum access access);

/* The size of a thread's stack of local memory, in bytes. */
uint64_t local_need(const struct launch *launch);

#endif
