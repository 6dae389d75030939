/*
 * table.h - rows of kernels' features, with or without measured times, from a CSV with a header.
 *
 * Columns are found by name, in any order; others are not looked at. What is not a number is refused with file, line
 * and column: a predictor that guesses a missing cell predicts something else.
 */
#ifndef PREDICT_TABLE_H
#define PREDICT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"

/* X(identifier, name in the header, kind). docs/predict/features.md says what each is and its unit.
 * WORK: files from before it came lack it. */
#define TABLE_COLUMNS(X)                          \
    X(SIZE, "size", MEASURED)                     \
    X(TIME_US, "time_us", MEASURED)               \
    X(LOW_US, "low_us", MEASURED)                 \
    X(HIGH_US, "high_us", MEASURED)               \
    X(SAMPLES, "samples", MEASURED)               \
    X(SM_MHZ, "sm_mhz", MEASURED)                 \
    X(ALONE_US, "alone_us", WORK)     \
    X(DRAW, "draw", WORK)                         \
    X(MEM_MHZ, "mem_mhz", MEASURED)               \
    X(GRID_X, "grid_x", FEATURE)                  \
    X(GRID_Y, "grid_y", FEATURE)                  \
    X(GRID_Z, "grid_z", FEATURE)                  \
    X(BLOCK_X, "block_x", FEATURE)                \
    X(BLOCK_Y, "block_y", FEATURE)                \
    X(BLOCK_Z, "block_z", FEATURE)                \
    X(N, "n", OPTIONAL)                           \
    X(S, "s", OPTIONAL)                           \
    X(ALPHA, "alpha", OPTIONAL)                   \
    X(N_B, "n_b", FEATURE)                        \
    X(N_T, "n_t", FEATURE)                        \
    X(W, "w", FEATURE)                            \
    X(CPX, "cpx", FEATURE)                        \
    X(L, "l", FEATURE)                            \
    X(L_C, "l_c", FEATURE)                        \
    X(L_MR, "l_mr", FEATURE)                      \
    X(L_MW, "l_mw", FEATURE)                      \
    X(L_SHR, "l_shr", FEATURE)                    \
    X(L_SHW, "l_shw", FEATURE)                    \
    X(L_S, "l_s", FEATURE)                        \
    X(L_DPU, "l_dpu", FEATURE)                    \
    X(L_SFU, "l_sfu", FEATURE)                    \
    X(DPC, "dpc", FEATURE)                        \
    X(SHARED_WORDS, "shared_words", FEATURE)      \
    X(REGISTERS, "registers", OPTIONAL)           \
    X(WARP_INSTRUCTIONS, "warp_instructions", FEATURE) \
    X(FLOPS, "flops", FEATURE)                    \
    X(BYTES_READ, "bytes_read", FEATURE)          \
    X(BYTES_WRITTEN, "bytes_written", FEATURE)    \
    X(FOOTPRINT, "footprint", FEATURE)            \
    X(SHARED_PASSES, "shared_passes", FEATURE)    \
    X(DIVERGENCE, "divergence", FEATURE)          \
    X(REGULAR, "regular", FEATURE) \
    X(ISSUE, "issue", WORK) \
    X(BUSY_ALU, "busy_alu", WORK) \
    X(BUSY_FMA, "busy_fma", WORK) \
    X(BUSY_FP64, "busy_fp64", WORK) \
    X(BUSY_XU, "busy_xu", WORK) \
    X(BUSY_LSU, "busy_lsu", WORK) \
    X(BUSY_TENSOR, "busy_tensor", WORK) \
    X(CHAIN, "chain", WORK) \
    X(WAIT_LOAD, "wait_load", WORK) \
    X(WAIT_SHARED, "wait_shared", WORK) \
    X(WAIT_ATOMIC, "wait_atomic", WORK) \
    X(WAIT_CONSTANT, "wait_constant", WORK) \
    X(WAIT_BARRIER, "wait_barrier", WORK) \
    X(WAIT_FENCE, "wait_fence", WORK) \
    X(LONGEST, "longest", WORK) \
    X(BLOCK_MOST, "block_most", WORK) \
    X(LOAD_REQUESTS, "load_requests", WORK) \
    X(LOAD_SECTORS, "load_sectors", WORK) \
    X(LOAD_LINES, "load_lines", WORK) \
    X(LOAD_HITS, "load_hits", WORK) \
    X(STORE_REQUESTS, "store_requests", WORK) \
    X(STORE_SECTORS, "store_sectors", WORK) \
    X(STORE_LINES, "store_lines", WORK) \
    X(LOCAL_LINES, "local_lines", WORK) \
    X(CONSTANT_REQUESTS, "constant_requests", WORK) \
    X(CONSTANT_WORDS, "constant_words", WORK) \
    X(ATOMIC_REQUESTS, "atomic_requests", WORK) \
    X(ATOMIC_LANES, "atomic_lanes", WORK) \
    X(ATOMIC_WORDS, "atomic_words", WORK) \
    X(ATOMIC_SECTORS, "atomic_sectors", WORK) \
    X(ATOMIC_HOT, "atomic_hot", WORK) \
    X(SHARED_ATOMICS, "shared_atomics", WORK) \
    X(SHARED_ROUNDS, "shared_rounds", WORK) \
    X(LOAD_FOUND, "load_found", WORK) \
    X(CODE, "code", WORK) \
    X(WAIT_HIT, "wait_hit", WORK) \
    X(LOAD_FRESH, "load_fresh", WORK) \
    X(STORE_FRESH, "store_fresh", WORK) \
    X(ATOMIC_MEET, "atomic_meet", WORK) \
    X(COLD, "cold", WORK) \
    X(ATOMIC_TURNS, "atomic_turns", WORK) \
    X(ATOMIC_ROUNDS, "atomic_rounds", WORK) \
    X(SHARED_LOOPS, "shared_loops", WORK) \
    X(HEAP, "heap", WORK) \
    X(HOST_BYTES, "host_bytes", WORK) \
    X(MANAGED_FIRST, "managed_first", WORK) \
    X(PRINTS, "prints", WORK) \
    X(CHILDREN, "children", WORK) \
    X(LOCAL_STORES, "local_stores", WORK) \
    X(PRINT_LANES, "print_lanes", WORK) \
    X(CHILD_NESTED, "child_nested", WORK) \
    X(HEAP_LIVE, "heap_live", WORK) \
    X(MANAGED_AREAS, "managed_areas", WORK) \
    X(SWAPS, "swaps", WORK) \
    X(LOADS_LONGEST, "loads_longest", WORK) \
    X(LOADS_MOST, "loads_most", WORK) \
    X(FIRST, "first", WORK) \
    X(FRESH, "fresh", WORK) \
    X(IN_PLACE, "in_place", WORK) \
    X(SHARED_MERGED, "shared_merged", WORK) \
    X(LOAD_PASSES, "load_passes", WORK) \
    X(STORE_PASSES, "store_passes", WORK) \
    X(CONSTANT_FIXED, "constant_fixed", WORK) \
    X(CONSTANT_UNIFORM, "constant_uniform", WORK) \
    X(CONSTANT_LINES, "constant_lines", WORK) \
    X(FOLLOWS, "follows", WORK) \
    X(EXECUTED, "executed", WORK) \
    X(STALE, "stale", WORK) \
    X(CLOCKED, "clocked", WORK) \
    X(DATA_BRANCHES, "data_branches", WORK) \
    X(DATA_ADDRESSES, "data_addresses", WORK) \
    X(MACHINE, "machine", WORK)

enum column {
#define X(identifier, name, kind) COLUMN_##identifier,
    TABLE_COLUMNS(X)
#undef X
    COLUMNS
};

enum kernel_class { CLASS_NONE, CLASS_MEMORY, CLASS_COMPUTATION };

struct sample {
    char gpu[64];            /* as the driver names it, or as gpus.csv does; empty where the file has no such column */
    char kernel[96];         /* the function's name */
    enum kernel_class class; /* which of Riahi et al.'s two kinds; CLASS_NONE if the file does not say */
    long line;               /* in the file, from 1 */
    double value[COLUMNS];   /* all finite and not negative; NaN: n, s, alpha, WORK that the row lacks. Registers of
                              * a row without machine code: a usual number */
};

struct table {
    char path[256];         /* where it was read from, for messages */
    struct sample *samples; /* `rows` of them */
    size_t rows;            /* below the header */
};

/* What a file must have: MEASURED asks for gpu, class and times as well. */
enum table_kind { TABLE_FEATURES, TABLE_MEASURED };

/*
 * Reads a file. An error (EXIT_USAGE) names file, line and column: an unreadable file, a missing, doubled or empty
 * column, a wrong number of cells, a cell that is no finite number or out of its range, no row at all.
 */
bool table_read(struct table *table, const char *path, enum table_kind kind, struct error *error);
void table_release(struct table *table);

/* A column's name in the header, and back: COLUMNS for a name that there is not. */
const char *column_name(enum column column);
enum column column_by_name(const char *name);

#endif
