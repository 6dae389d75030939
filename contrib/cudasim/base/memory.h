/*
 * memory.h - the device's memory: allocations, who may touch what, and which bytes were ever written.
 *
 * Device addresses are host addresses inside one reserved range. So a copy is a memcpy, and a kernel's pointer needs no
 * translation. Page-locked, registered and managed host memory are regions as well. A freed allocation keeps its region
 * for a while (quarantine). This distinguishes a use after free from a wild pointer. A gap that belongs to nobody
 * follows each allocation. It is as large as the allocation, but at least 256 bytes and at most 256 KiB; behind blocks
 * of malloc() in kernels, 16 bytes to 1 KiB.
 *
 * Space: one bit per byte of each allocation that kernels have written in part (none if one copy or memset filled it),
 * 4 bytes per 64 bytes of small allocations, and a record of about 100 bytes per region.
 *
 * Threads: every function may be called by several at once. A region's fields do not change while it is live, but for
 * `written` and `freed`: those are stored atomically, and who reads them while others run uses __atomic_load_n().
 * A region stays where it is and keeps its base and size until its record is used again, which is not before 65536
 * later frees or when the address range runs short (of several regions in quarantine, the oldest goes first).
 */
#ifndef CUDASIM_MEMORY_H
#define CUDASIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum region_kind {
    REGION_DEVICE,   /* cudaMalloc and its like */
    REGION_POOL,     /* cudaMallocAsync */
    REGION_MANAGED,  /* cudaMallocManaged */
    REGION_HOST,     /* cudaMallocHost, cudaHostAlloc */
    REGION_REGISTERED, /* cudaHostRegister: the program's own memory */
    REGION_GLOBAL,   /* a module's __device__ or __constant__ variable */
    REGION_HEAP      /* malloc() called by a kernel */
};

struct region {
    uint64_t base;         /* address of the first byte */
    uint64_t size;         /* bytes asked for */
    enum region_kind kind;
    bool freed;            /* in quarantine */
    bool read_only;        /* for kernels; set by who allocated it */
    bool written;          /* every byte is known to be written: no need to look at bits */
    unsigned flags;        /* cudaHostAlloc's flags */
    uint64_t serial;       /* counts allocations from 1, for messages and leaks */
    const char *name;      /* of a variable, else NULL */
    uint64_t span;         /* bytes of address space held, gap included; memory.c's own */
};

struct memory;

/*
 * `limit`: bytes that all device allocations (DEVICE, POOL, GLOBAL, HEAP) may have together: the virtual device's
 * memory. If the process may not have as much address space, the limit becomes smaller. NULL if it fails.
 */
struct memory *memory_create(uint64_t limit);
void memory_destroy(struct memory *memory);

/*
 * A new region of `size` bytes (> 0) at an address aligned to max(256, align), or max(64, align) for HEAP; `align` is a
 * power of two or 0. Contents are undefined (zeros or what was there before), and cost no memory before they are
 * touched. `written` starts as false for DEVICE, POOL and HEAP only: the host writes to its own memory unseen, and
 * variables are initialised. NULL when the limit is reached or no address is left.
 */
struct region *memory_allocate(struct memory *memory, uint64_t size, uint64_t align, enum region_kind kind);

/*
 * Makes the program's own bytes at `base` a region of the kind given (no copy), all written. NULL if they overlap a
 * live one or the reserved range.
 */
struct region *memory_adopt(struct memory *memory, void *base, uint64_t size, enum region_kind kind);

/* Frees the live region that starts at `address`; false if there is none. */
bool memory_release(struct memory *memory, uint64_t address);

/*
 * The region that holds `address`, live or in quarantine, or NULL. The live one with the greatest end that is not above
 * `address` is put in *below (or NULL), so that a message can say "4 bytes after an allocation of …". With `below`
 * NULL, an address in the reserved range takes two loads and no lock; with it, a lock and for a wild pointer a walk.
 */
const struct region *memory_find(struct memory *memory, uint64_t address, const struct region **below);

/* Counts releases. A caller that remembers regions must forget them when the count has changed. */
uint64_t memory_generation(const struct memory *memory);

/* Calls visit() for every live region in the order of their addresses; visit() must not call back. */
void memory_visit(struct memory *memory, void (*visit)(const struct region *, void *), void *context);

/*
 * Notes that [address, address + size) was written by a copy or memset from the host side: `written` if that is all of
 * the region, else bits. Bytes outside of the region that holds `address` are ignored.
 */
void memory_note_written(struct memory *memory, uint64_t address, uint64_t size);

/*
 * The bits of "written", one a byte of device address: bit (a & 7) of memory_bits(m)[(a - memory_origin(m)) >> 3],
 * for regions inside the reserved range only (all but adopted ones) whose `written` is false. Untouched bits read as 0
 * and cost no memory; a new region's are 0. Who sets a part of a byte uses __atomic_fetch_or() when other threads may.
 */
uint8_t *memory_bits(const struct memory *memory);
uint64_t memory_origin(const struct memory *memory);
uint64_t memory_range(const struct memory *memory); /* bytes from memory_origin() on */

/* Totals for cudaMemGetInfo, in bytes. memory_used() counts the kinds that the limit is for. */
uint64_t memory_used(const struct memory *memory);
uint64_t memory_limit(const struct memory *memory);

#endif
