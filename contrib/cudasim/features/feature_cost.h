/*
 * feature_cost.h - what the instructions of a kernel cost a multiprocessor: issue slots, clocks of its pipes, and the
 * path of a warp that runs alone.
 *
 * The costs are those of PTX instructions on compute capability 9.0, as the microbenchmarks of contrib/predict measured
 * them. They leave out the time of memory: a path counts how often it waits. It does not know how times are predicted.
 */
#ifndef CUDASIM_FEATURE_COST_H
#define CUDASIM_FEATURE_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe_path;
struct program;

/* The pipes of a multiprocessor. */
enum pipe { PIPE_ALU, PIPE_FMA, PIPE_FP64, PIPE_XU, PIPE_LSU, PIPE_TENSOR, PIPES };

/* What a warp waits for, besides results of the pipes. HIT: loads that L1 has; LOAD: the others. */
enum wait { WAIT_LOAD, WAIT_SHARED, WAIT_ATOMIC, WAIT_CONSTANT, WAIT_BARRIER, WAIT_FENCE, WAIT_HIT, WAITS,
            WAIT_NONE = WAITS };

struct cost {
    double slots;       /* issue slots */
    double busy[PIPES]; /* clocks of a multiprocessor's pipe */
};

/* One instruction of the program, for walks. */
struct cost_step;

/* The costs of a whole program, as long-lived as it. NULL without memory. */
struct costs *costs_create(const struct program *program);
void costs_free(struct costs *costs);

/* Adds what executing instruction number `index` of the program costs, `times` times, by a warp. */
void costs_add(const struct costs *costs, uint32_t index, double times, struct cost *sum);

/* Whether it loads from shared memory, and says so. */
bool costs_loads_shared(const struct costs *costs, uint32_t index);

/* Whether it is a fence of more than a block, which a warp waits for. */
bool costs_fences(const struct costs *costs, uint32_t index);

/* The 8 bytes of constant memory that the instruction loads at an address which all lanes have, and ptxas knows it. */
double costs_constants(const struct costs *costs, uint32_t index);

/* Whether it loads from constant memory at an address of the code: it is an operand of who uses it. */
bool costs_fixed(const struct costs *costs, uint32_t index);

/* A warp alone on a multiprocessor: clocks without what it waits for, and how often it waits in full. */
struct walk {
    double instructions; /* of the simulator: what is counted elsewhere */
    double clocks;
    double waits[WAITS];
};

/* Adds the path of a warp. False without memory. */
bool costs_walk(struct costs *costs, const struct probe_path *path, struct walk *sum);

#endif
