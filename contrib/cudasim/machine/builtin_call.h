/*
 * builtin_call.h - for the bodies of the functions that kernels call and no module defines: their arguments, their
 * results, and the memory that arguments point to. Only builtin*.c include it.
 */
#ifndef CUDASIM_BUILTIN_CALL_H
#define CUDASIM_BUILTIN_CALL_H

#include <string.h>

#include "builtin.h"
#include "machine.h"

static inline char *parameters(const struct warp *w, unsigned lane)
{
    return w->frame->params + (size_t)lane * w->frame->function->param_bytes;
}

/* Argument `n`, from 0; 0 where the call has fewer. */
static inline uint64_t argument(const struct warp *w, const struct call_site *site, unsigned lane, uint32_t n)
{
    uint64_t value = 0;

    n += site->result_count;
    if (n < site->count)
        memcpy(&value, parameters(w, lane) + site->offset[n], site->size[n] < 8 ? site->size[n] : 8);
    return value;
}

static inline void give(const struct warp *w, const struct call_site *site, unsigned lane, uint64_t value)
{
    if (site->result_count)
        memcpy(parameters(w, lane) + site->offset[0], &value, site->size[0] < 8 ? site->size[0] : 8);
}

/* Bytes that may be read. */
struct bytes {
    const char *at; /* NULL: none */
    uint64_t size;
};

/* The bytes at a generic address, up to the end of its allocation, its block's shared memory or its thread's stack. */
struct bytes builtin_bytes(const struct warp *w, unsigned lane, uint64_t address);

/* Notes the line of a call of malloc(). Returns a number above 0 for it; 0: there were too many. */
unsigned heap_site(struct warp *w, const struct ins *ins, unsigned lane);

#define HEAP_ALIGN 16 /* bytes: of what malloc() returns */

/* malloc() and free() of kernels. 0: no memory, or an alignment that is no power of two. False after a fault. */
uint64_t heap_allocate(struct warp *w, const struct ins *ins, unsigned lane, uint64_t size, uint64_t align);
bool heap_free(struct warp *w, const struct ins *ins, unsigned lane, uint64_t address);

/* The calls of the device runtime. False after a fault. */
bool builtin_device(struct warp *w, const struct ins *ins, const struct call_site *site);

#endif
