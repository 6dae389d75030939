/*
 * access_bounds.c - accesses out of bounds that go on: where they read and write instead. access.c and access_local.c
 * call it around the report of the fault.
 */
#include <string.h>

#include "access.h"

/* The value of a read out of bounds. */
static const char zeros[LOST_BYTES] __attribute__((aligned(64)));

void access_bounds_begin(struct worker *k, unsigned bytes, bool anyway)
{
    k->may_go_on = (anyway || k->go_on) && bytes <= LOST_BYTES;
}

bool access_bounds_end(struct warp *w, uint32_t l, enum access access)
{
    struct worker *k = w->worker;

    k->may_go_on = false;
    if (!k->went_on)
        return false;
    if (access != ACCESS_READ)
        memset(k->lost[l], 0, LOST_BYTES);
    w->address[l] = access == ACCESS_READ ? (uintptr_t)zeros : (uintptr_t)k->lost[l];
    return true;
}
