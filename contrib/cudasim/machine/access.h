/*
 * access.h - what bodies of memory instructions ask beyond their fast path: addresses, bounds, bytes never written.
 */
#ifndef CUDASIM_ACCESS_H
#define CUDASIM_ACCESS_H

#include "machine.h"

/*
 * Turns the addresses in w->address (of lanes in w->mask; generic, or global if `global`) into host addresses, checks
 * them for `bytes` a lane, and notes what was read or written. False: a fault was recorded.
 */
enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };
bool access_slow(struct warp *w, const struct ins *ins, unsigned bytes, enum access access);
void access_written(struct warp *w, const struct ins *ins, unsigned bytes);
void access_note(struct warp *w, unsigned bytes);

/*
 * Warns where an active lane reaches out of the shared variable that the address of `ins` was made from: `bytes` a lane
 * at offsets[32].
 */
void access_neighbour(struct warp *w, const struct ins *ins, const uint32_t *offsets, unsigned bytes,
                      enum access access);

/* Warns where one of the active lanes reads global memory that nothing was ever written to. */
void access_written(struct warp *w, const struct ins *ins, unsigned bytes);

/* Notes that the active lanes wrote global memory: `bytes` a lane at the host addresses in w->address. */
void access_note(struct warp *w, unsigned bytes);

/*
 * Checks and notes an access to local memory: `bytes` a lane of `lanes`, at asked[32]: offsets, whatever their window.
 * Needs the warp's `local_written`.
 */
void access_local_check(struct warp *w, const struct ins *ins, uint32_t lanes, unsigned bytes, enum access access,
                        const uint64_t *asked);

/* Bytes of a thread's stack of local memory. */
uint64_t local_need(const struct launch *launch);

#endif
