/*
 * feature.h - describes a launch by numbers. A model learns the launch's time from them: docs/PREDICT.md.
 *
 * The runtime calls it to write one line per launch if CUDASIM_FEATURES names a file. The program of contrib/predict
 * calls it too. It runs launches through sim.h, in full or in part. It combines counts with the properties of the code
 * (feature_code.h). It knows nothing of times.
 */
#ifndef CUDASIM_FEATURE_H
#define CUDASIM_FEATURE_H

#include <stdio.h>

#include "feature_code.h"
#include "contrib/cudasim/sim.h"

/* What the mechanistic model of time needs (feature_work.c): pipes in the order of enum pipe, waits of enum wait. */
#define FEATURES_OF_WORK(X)                                                                                            \
    X(ISSUE, "issue")                                                                                                  \
    X(BUSY_ALU, "busy_alu") X(BUSY_FMA, "busy_fma") X(BUSY_FP64, "busy_fp64") X(BUSY_XU, "busy_xu")                    \
    X(BUSY_LSU, "busy_lsu") X(BUSY_TENSOR, "busy_tensor") X(CHAIN, "chain")                                            \
    X(WAIT_LOAD, "wait_load") X(WAIT_SHARED, "wait_shared") X(WAIT_ATOMIC, "wait_atomic")                              \
    X(WAIT_CONSTANT, "wait_constant") X(WAIT_BARRIER, "wait_barrier") X(WAIT_FENCE, "wait_fence")                      \
    X(LONGEST, "longest") X(BLOCK_MOST, "block_most")                                                                  \
    X(LOAD_REQUESTS, "load_requests") X(LOAD_SECTORS, "load_sectors") X(LOAD_LINES, "load_lines")                      \
    X(LOAD_HITS, "load_hits") X(STORE_REQUESTS, "store_requests") X(STORE_SECTORS, "store_sectors")                    \
    X(STORE_LINES, "store_lines") X(LOCAL_LINES, "local_lines") X(CONSTANT_REQUESTS, "constant_requests")              \
    X(CONSTANT_WORDS, "constant_words") X(ATOMIC_REQUESTS, "atomic_requests") X(ATOMIC_LANES, "atomic_lanes")          \
    X(ATOMIC_WORDS, "atomic_words") X(ATOMIC_SECTORS, "atomic_sectors") X(ATOMIC_HOT, "atomic_hot")                    \
    X(SHARED_ATOMICS, "shared_atomics") X(SHARED_ROUNDS, "shared_rounds") X(LOAD_FOUND, "load_found") X(CODE, "code") \
    X(WAIT_HIT, "wait_hit") X(LOAD_FRESH, "load_fresh") X(STORE_FRESH, "store_fresh")                                  \
    X(ATOMIC_MEET, "atomic_meet") X(COLD, "cold") X(ATOMIC_TURNS, "atomic_turns") X(ATOMIC_ROUNDS, "atomic_rounds") \
    X(SHARED_LOOPS, "shared_loops") X(HEAP, "heap")                                                                    \
    X(HOST_BYTES, "host_bytes") X(MANAGED_FIRST, "managed_first") X(PRINTS, "prints") X(CHILDREN, "children")          \
    X(LOCAL_STORES, "local_stores") X(PRINT_LANES, "print_lanes") X(CHILD_NESTED, "child_nested")                      \
    X(HEAP_LIVE, "heap_live") X(MANAGED_AREAS, "managed_areas") X(SWAPS, "swaps")                                      \
    X(LOADS_LONGEST, "loads_longest") X(LOADS_MOST, "loads_most") X(FIRST, "first") X(FRESH, "fresh")      \
    X(IN_PLACE, "in_place") X(SHARED_MERGED, "shared_merged") X(LOAD_PASSES, "load_passes")                            \
    X(STORE_PASSES, "store_passes") X(CONSTANT_FIXED, "constant_fixed") X(CONSTANT_UNIFORM, "constant_uniform")       \
    X(CONSTANT_LINES, "constant_lines") X(FOLLOWS, "follows")

/* How far counts can be trusted: docs/PREDICT.md. */
#define FEATURES_OF_TRUST(X)                                                                                           \
    X(EXECUTED, "executed") X(STALE, "stale") X(CLOCKED, "clocked") X(DATA_BRANCHES, "data_branches")                  \
    X(DATA_ADDRESSES, "data_addresses") \
    X(MACHINE, "machine")

/* X(identifier, name of the column), in the order of the columns; `kernel` stands before them. */
#define FEATURES(X)                                                                                                    \
    X(GRID_X, "grid_x")                                                                                                \
    X(GRID_Y, "grid_y") X(GRID_Z, "grid_z") X(BLOCK_X, "block_x") X(BLOCK_Y, "block_y") X(BLOCK_Z, "block_z")          \
        X(INPUT, "n") X(PROBLEM, "s") X(ALPHA, "alpha") X(BLOCKS, "n_b") X(THREADS, "n_t") X(WARPS, "w")               \
            X(COMPLEXITY, "cpx") X(L, "l") X(L_C, "l_c") X(L_MR, "l_mr") X(L_MW, "l_mw") X(L_SHR, "l_shr")             \
                X(L_SHW, "l_shw") X(L_S, "l_s") X(L_DPU, "l_dpu") X(L_SFU, "l_sfu") X(DPC, "dpc")                      \
                    X(SHARED_WORDS, "shared_words") X(REGISTERS, "registers")                                          \
                        X(WARP_INSTRUCTIONS, "warp_instructions") X(FLOPS, "flops") X(BYTES_READ, "bytes_read")        \
                            X(BYTES_WRITTEN, "bytes_written") X(FOOTPRINT, "footprint")                                \
                                X(SHARED_PASSES, "shared_passes") X(DIVERGENCE, "divergence") X(REGULAR, "regular") \
    FEATURES_OF_WORK(X)                                                                                                \
    FEATURES_OF_TRUST(X)

enum feature {
#define FEATURE_ID(id, name) FEATURE_##id,
    FEATURES(FEATURE_ID)
#undef FEATURE_ID
    FEATURE_COUNT
};
const char *feature_column(enum feature feature);

/* A function's own name, without scopes, template arguments and parameters: f of a::f<int, 3>. */
struct feature_name { char text[256]; };
struct feature_name feature_plain_name(const char *title);

struct features_row {
    struct feature_name kernel;
    double value[FEATURE_COUNT]; /* NaN: not known, an empty field */
};

struct features;

/*
 * Says where managed memory goes: [low, high), in bytes from the device's first address. The host touches it, or a
 * prefetch moves it. features_next_page(): the next stretch in [*low, high) that the GPU has; false if there is none.
 */
void features_move(struct features *features, struct sim *sim, uint64_t low, uint64_t high, bool to_device);
bool features_any_page(const struct features *features); /* whether any ever came to the GPU */
bool features_next_page(const struct features *features, uint64_t *low, uint64_t *end, uint64_t high);
/* The addresses in the page of this one. On a card allocations share pages: feature_pages.h. */
void features_page_of(const struct features *features, uint64_t address, uint64_t *low, uint64_t *high);
/* Managed memory is allocated: [low, high). It is freed. */
void features_place(struct features *features, uint64_t low, uint64_t high);
void features_clear(struct features *features, uint64_t low);

/* Launches that are tried, and leave no trace: what they touch is as cold afterwards as before. */
void features_try(struct features *features, bool on);

/*
 * `sample`: if a launch has more blocks than this, only about this many run (a cluster counts as one block). 0: all
 * blocks run. NULL without memory.
 */
struct features *features_create(uint64_t sample);
void features_free(struct features *features);

/*
 * Runs the launch, or a sample of its blocks, and fills *row. The device must have been created with options.features.
 * False after a fault (*fault); then *row is not filled. It reads n and s from the environment now (CUDASIM_FEATURES_N,
 * CUDASIM_FEATURES_S). Only one call at a time.
 */
bool features_run(struct features *features, struct sim *sim, const struct sim_launch *launch, struct features_row *row,
                  struct sim_fault *fault);

/* The reason why a launch of this shape is impossible, or NULL. */
const char *features_refused(const struct sim *sim, const struct sim_launch *launch);

/*
 * Runs the launch with other sizes of its block in x, and fills a row for each. The sizes are powers of two that the
 * kernel allows and that keep the number of threads. Afterwards the device's memory is as it was before. If the kernel
 * faults with a size, a line on standard error names it. False: the memory could not be copied. It may have 1 GiB.
 */
enum { FEATURES_TRIES = 11 };
bool features_tune(struct features *features, struct sim *sim, const struct sim_launch *given,
                   struct features_row rows[FEATURES_TRIES], size_t *count);

/* The properties of the kernel's code; valid as long as the kernel. NULL without memory. */
const struct features_code *features_of_kernel(struct sim_kernel *kernel);

/* The place of the loop's end: "FILE:LINE" of the source. False: it is unknown, and the line is that of the PTX. */
bool feature_loop_place(const struct sim_kernel *kernel, const struct features_loop *loop, char *text, size_t size);

/* The CSV's first line, and one line per launch. */
void features_write_header(FILE *out);
void features_write_row(FILE *out, const struct features_row *row);

/* A value as text: the fewest digits that read back as the same value, nothing for NaN. */
struct feature_text { char text[32]; };
struct feature_text feature_text(double value);

/*
 * Chooses `picked` of the `count` blocks along one side of a grid, and how many blocks each of them represents. The
 * first and the last represent themselves. The others represent equal parts of the rest. `picked` is 3 or more, or
 * `count`.
 */
void features_pick(uint64_t count, uint64_t picked, uint64_t *place, double *weight);

#endif
