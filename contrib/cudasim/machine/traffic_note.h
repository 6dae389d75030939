/*
 * traffic_note.h - notes a launch's traffic. Bodies of memory instructions call it.
 */
#ifndef CUDASIM_TRAFFIC_NOTE_H
#define CUDASIM_TRAFFIC_NOTE_H

#include "access.h"
#include "traffic.h"

/* Notes an access of the active lanes to global memory: `bytes` a lane at w->address. `dense`: one behind the other. */
void traffic_access(struct warp *w, const struct ins *ins, unsigned bytes, enum access access, bool dense);

#endif
