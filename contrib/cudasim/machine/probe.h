/*
 * probe.h - what a sample of a launch's blocks does to the memory hierarchy, and the path of a few of its warps. The
 * features of a launch (features/) come from it.
 *
 * Each worker has one probe if the device was created with options.features. Blocks are looked at closely one at a
 * time: their accesses go through a model of the L1 cache, and one of their warps writes down where it jumped. The
 * lengths of all warps are noted. launch.c and the bodies of memory instructions call the functions.
 */
#ifndef CUDASIM_PROBE_H
#define CUDASIM_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;
struct ins;
struct launch;
struct sim;
struct warp;

enum {
    PROBE_BLOCKS = 64,    /* about this many blocks of a launch are looked at closely */
    PROBE_PATHS = 24,     /* warps whose path is kept, for each worker */
    PROBE_RUNS = 16384,   /* straight runs of a path; later ones are not kept */
    PROBE_LINES = 2048,   /* lines of 128 bytes of the L1 cache, all 256 KiB */
    PROBE_WAYS = 4,
    PROBE_LOADS = 65536,  /* loads of a path; later ones are not kept */
    PROBE_SEEN = 32768,   /* places for the sectors that a block asked L2 for; sectors share them by a hash */
    PROBE_HOT = 4096,     /* counters of the atomics on one word; words share them by a hash */
    PROBE_CONSTANTS = 1024 /* lines of 64 bytes in a bank of constant memory */
};

/* A straight run of instructions: code[from .. to). Its loads stand from loads[load] on. */
struct probe_run { uint32_t from, to, load; };

/* A load from global memory by the instruction code[at]. */
struct probe_load {
    uint32_t at;
    uint16_t lines;       /* of 128 bytes */
    bool found, young;    /* L1 had all of it; some of it was asked for just now, by any warp */
    uint64_t line;        /* the first of them */
};

struct probe_path {
    struct probe_run *runs;
    uint32_t count, capacity;
    bool full;            /* the warp went on */
    struct probe_load *loads;
    uint32_t load_count, load_capacity;
    uint32_t run_load;    /* the first load of the run that is being executed */
};

/* Of the blocks looked at closely. Requests are of warps. A word is an address of an access. */
struct probe_counts {
    uint64_t blocks;
    uint64_t load_requests, load_sectors, load_lines, load_hits, load_found; /* of global memory; hits: sectors */
    /* that L1 had; found: requests of which it had all */
    uint64_t store_requests, store_sectors, store_lines;
    uint64_t local_requests, local_lines;
    uint64_t constant_requests, constant_words;                  /* distinct words, summed over requests */
    uint64_t atomic_requests, atomic_lanes, atomic_words, atomic_sectors; /* on global memory */
    uint64_t shared_atomic_requests, shared_atomic_rounds;       /* rounds: the most lanes at one word of a request */
    uint64_t hot_block;                                       /* each block's most atomic lanes at a word, summed */
    uint64_t meet_block;                                      /* the same of what meets at a sector */
    uint64_t swap_block;              /* the same of requests of compare and swap that meet at a word */
    uint64_t turn_block, rounds_block; /* the same of rounds at a granule of L2, and at a sector */
    uint64_t loop_rounds;             /* as shared_atomic_rounds, of those that are loops: tenths of those of floats */
    uint64_t heap_calls;              /* of malloc() and free(), of lanes */
    uint64_t heap_live;               /* pieces that lived at each of these calls, summed */
    uint64_t print_calls;             /* of printf(), of warps */
    uint64_t print_lanes;             /* the same of lanes: each has a piece of text of its own */
    uint64_t child_launches;          /* launches by kernels, of lanes */
    uint64_t nested_launches;         /* of these, those by kernels that a kernel launched */
    uint64_t local_stores;            /* of local_lines those that are written */
    uint64_t warps, loads_longest;    /* of these blocks; the loads of each block's warp with most, summed */
    uint64_t loads_most;              /* the loads of the warp with most */
    uint64_t load_fresh, store_fresh;        /* sectors that a block asked L2 for, or wrote, for the first time */
    uint64_t in_place;               /* of the latter those that it had asked for before */
    uint64_t load_passes, store_passes; /* clocks that L1 needs for them, in quarters */
    /* Of all blocks that ran. */
    uint64_t all_blocks, all_warps, instructions;                /* of warps */
    uint64_t longest, longest_sum;   /* instructions of the longest warp; of each block's longest, summed */
    uint64_t block_most;             /* instructions of the block with most */
};

struct probe_common;

struct probe {
    struct probe_counts counts;
    struct probe_common *common; /* of all workers */
    uint64_t stride;         /* one of this many blocks is looked at */
    uint32_t lines;          /* of the L1 cache that a block has */
    const struct block *at;  /* the block whose lines the cache has */
    uint64_t stamp;
    uint64_t tag[PROBE_LINES], used[PROBE_LINES]; /* [set * ways]: number of the line plus 1, when it was used last */
    uint8_t sectors[PROBE_LINES];                 /* of the line, a bit each */
    uint64_t filled[PROBE_LINES];  /* instructions that the warp had executed which asked for the line */
    uint64_t seen[2][PROBE_SEEN];  /* numbers of sectors plus 1, loaded and stored by this block */
    uint32_t hot[PROBE_HOT];       /* atomic lanes, of all blocks looked at */
    uint32_t hot_now[PROBE_HOT];   /* of this one */
    uint32_t meet[PROBE_HOT], meet_now[PROBE_HOT]; /* tenths of atomic lanes at a sector; floats count for more */
    uint32_t turn[PROBE_HOT], turn_now[PROBE_HOT]; /* tenths of rounds of atomics at a granule */
    uint32_t rounds[PROBE_HOT], rounds_now[PROBE_HOT]; /* the same at a sector; floats count for more */
    uint32_t swap[PROBE_HOT], swap_now[PROBE_HOT]; /* requests of compare and swap at a word */
    uint64_t constants[PROBE_CONSTANTS / 64]; /* a bit for each line of constant memory that loads touched */
    struct probe_path paths[PROBE_PATHS];
    uint32_t path_count;
};

/* One probe a worker; false without memory. */
bool probe_create(struct sim *sim);
void probe_destroy(struct sim *sim);

/* Forgets everything, before launches that are counted together. `gathers`: addresses of the kernel depend on data. */
void probe_reset(struct sim *sim, bool gathers);

/* The sums over all workers, and the most of all launches' blocks together. */
struct probe_most {
    uint64_t hot, meet, turn, rounds, swap; /* of each array of struct probe the largest */
    uint64_t constants;                     /* lines of constant memory that all workers touched */
};
struct probe_counts probe_sum(const struct sim *sim, struct probe_most *most);

/* ---- while a launch runs ---- */

void probe_launch(struct probe *p, const struct launch *launch);
void probe_block(struct probe *p, struct block *block);
void probe_retire(struct probe *p, struct block *block);
void probe_run(struct probe_path *path, uint32_t from, uint32_t to);

/* An access of `bytes` bytes a lane to global or constant memory, at address[32]. */
void probe_global(struct warp *w, const struct ins *ins, const uint64_t *address, uint32_t mask, unsigned bytes);
/* A lane that copies many bytes from global memory, or to it. */
void probe_bulk(struct warp *w, uint64_t address, uint64_t bytes);
void probe_local(struct warp *w, const struct ins *ins, uint32_t mask, unsigned bytes);
void probe_shared_atomic(struct warp *w, const struct ins *ins, const uint32_t *offsets, uint32_t mask,
                         unsigned bytes);

#endif
