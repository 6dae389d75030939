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
 * Threads: several threads may call every function at once. While a region is live, only `written`, `freed`, `away`
 * and `stored` of its fields change. They are stored atomically. Code that reads them while other threads run uses
 * __atomic_load_n().
 * A region keeps its address, base and size until its record is used again. This happens after 65536 later frees, or
 * when the address range runs short. The region that was freed first goes first.
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

enum { REGION_FRAMES = 3 };

struct region {
    uint64_t base;         /* address of the first byte */
    uint64_t size;         /* bytes asked for */
    enum region_kind kind;
    bool freed;            /* in quarantine */
    bool away;             /* allocated, and not to be used now: see memory_away() */
    bool read_only;        /* for kernels; the caller that allocates it sets this */
    bool managed;          /* a __managed__ variable; likewise */
    const void *owner;     /* the context that it ends with, or NULL; likewise */
    bool written;          /* every byte is known to be written: no need to look at bits */
    unsigned flags;        /* cudaHostAlloc's flags */
    uint64_t serial;       /* counts allocations from 1, for messages and leaks */
    const char *name;      /* of a variable, else NULL */
    void *from[REGION_FRAMES]; /* code behind the calls that allocated it, innermost first, as far as known; likewise */
    uint32_t stored;       /* the last launch that may store there: its first time, for the check for races */
    uint64_t span;         /* bytes of address space held, gap included; memory.c's own */
};

struct memory;

/*
 * `limit`: the bytes of the virtual device's memory. All device allocations (DEVICE, POOL, GLOBAL, HEAP) share them. If
 * the process may not have so much address space, the limit becomes smaller. NULL if it fails.
 */
struct memory *memory_create(uint64_t limit);
void memory_destroy(struct memory *memory);

/*
 * The `size` bytes at `address`, of the device or of the program, will be written in whole. If they are many, asks for
 * large pages: the system then clears memory once for 2 MiB, and not for each 4 KiB.
 */
void memory_fill_soon(uint64_t address, uint64_t size);

/*
 * A new region of `size` bytes (> 0) at an address aligned to max(256, align), or max(64, align) for HEAP; `align` is a
 * power of two or 0. Contents are undefined: zeros, or older bytes. They cost no memory before they are touched.
 * `written` starts as false for all kinds but GLOBAL: variables are initialised. NULL: the limit is reached, or no
 * address is left.
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
 * The region that holds `address`, live or in quarantine, or NULL. For messages such as "4 bytes after an allocation
 * of …", *below becomes the nearest live region that ends at or before `address`, or NULL. If `below` is NULL, an
 * address in the reserved range takes two loads and no lock. Otherwise it takes a lock, and a walk for a wild pointer.
 */
const struct region *memory_find(struct memory *memory, uint64_t address, const struct region **below);

/* The live region at `address` may not be used now, though it keeps its address; or it may again. */
void memory_away(struct memory *memory, uint64_t address, bool away);

/* Counts releases. A caller that remembers regions must forget them when the count has changed. */
uint64_t memory_generation(const struct memory *memory);

/* Counts allocations and releases. */
uint64_t memory_changes(const struct memory *memory);

/* Calls visit() for every live region in the order of their addresses; visit() must not call back. */
void memory_visit(struct memory *memory, void (*visit)(const struct region *, void *), void *context);

/* Sets `stored` of the region that holds `address`. False: there is no region. */
bool memory_stored(struct memory *memory, uint64_t address, uint32_t stored);

/*
 * Notes that [address, address + size) was written by a copy or memset from the host side: `written` if that is all of
 * the region, or a part of a variable, else bits. Bytes outside of the region that holds `address` are ignored.
 */
void memory_note_written(struct memory *memory, uint64_t address, uint64_t size);

/* Nobody has written the new variable at `address`, although it has a value: a constant that the host is to write. */
void memory_unwrite(struct memory *memory, uint64_t address);

/* Nobody needs these bytes of managed memory any more: whole pages of them count as never written. */
void memory_discard(struct memory *memory, uint64_t address, uint64_t size);

/*
 * For a byte of a region whose bit says that nobody wrote it: whether that is so. Memory of kind MANAGED and HOST is
 * written by the host unseen, but a page that the system has never given is as it was. Notes all other pages of the
 * region as written.
 */
bool memory_untouched(struct memory *memory, uint64_t address);

/*
 * The bits of "written", one a byte of device address: bit (a & 7) of memory_bits(m)[(a - memory_origin(m)) >> 3],
 * for regions inside the reserved range only (all but adopted ones) whose `written` is false. Untouched bits read as 0
 * and cost no memory; a new region's are 0. To set a part of a byte while other threads may, use __atomic_fetch_or().
 */
uint8_t *memory_bits(const struct memory *memory);
uint64_t memory_origin(const struct memory *memory);
uint64_t memory_range(const struct memory *memory); /* bytes from memory_origin() on */

/* Totals for cudaMemGetInfo, in bytes. memory_used() counts the kinds that the limit is for. */
uint64_t memory_used(const struct memory *memory);
uint64_t memory_limit(const struct memory *memory);

#endif
