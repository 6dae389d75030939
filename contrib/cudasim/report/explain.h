/*
 * explain.h - the report on kernels, for a reader who wants them faster: a text for people, JSON for programs.
 *
 * The runtime calls it when the program ends, if a report was asked for. Counts come from sim.h and are exact for the
 * PTX that ran. Occupancy is computed from what ptxas reported. Shares of time are estimates of the model in
 * explain_model.h. Nothing here measures a GPU, and the report claims no measurement. It does not know how a kernel is
 * executed or counted.
 */
#ifndef CUDASIM_EXPLAIN_H
#define CUDASIM_EXPLAIN_H

#include <stdbool.h>
#include <stdio.h>

struct sim;

/*
 * Opens `path` for a report. NULL with errno set if it is not writable. /proc/self/fd/N names the open file N, because
 * a program in the judge's box may not open a file for writing.
 */
FILE *explain_open(const char *path);

/* Writes a report into a file; false if it cannot. */
typedef bool (*explain_writer)(FILE *out, const void *context);

/*
 * Calls `writer` to write the file `path`. If it is a regular file or new, the text goes to PATH.part first. False with
 * a line on standard error if the file is not writable.
 */
bool explain_write(const char *path, explain_writer writer, const void *context);

/* Faults, each kernel's numbers, then the three findings that cost most. At most 100 columns but for faults. */
void explain_text(struct sim *sim, FILE *out);

/*
 * The same, and every finding, as JSON in the file `path` (by way of PATH.part when it is a regular file or new). False
 * with a line on standard error if it cannot be written.
 *
 * | key | |
 * |---|---|
 * | `format` | 1: the version of this table |
 * | `simulated` | true: no number in this file is of a GPU |
 * | `device.multiprocessors`, `.threads_per_sm`, `.registers_per_sm`, `.shared_per_sm` | of the virtual device; bytes |
 * | `model.clock_hz`, `.dram_bytes_per_second`, `.l2_bytes_per_cycle` | published figures that the estimates use, |
 * | `model.multiprocessors`, `.launch_seconds` | of an H100 |
 * | `faults[]` | in the order they were found: |
 * | `.kind`, `.error`, `.kernel`, `.text` | `error`: it ended the launch |
 * | `.count` | times at this place, a warp's turn counting as one; the rest is of the first |
 * | `.file`, `.line` | file null: the line is of the PTX |
 * | `.block`, `.thread`, `.address` | `[x, y, z]`; the address as hexadecimal text |
 * | `kernels[]` | in the order of their first launch: |
 * | `.name`, `.launches`, `.blocks`, `.warps`, `.threads` | sums over all launches |
 * | `.grid`, `.block`, `.dynamic_shared` | of the launch with most blocks; bytes |
 * | `.simulator_seconds` | what the simulation took on the CPU: says nothing about a GPU |
 * | `.share` | of the modelled time of all kernels, 0 to 1 |
 * | `.instructions.CLASS.warp`, `.thread`, `.per_thread` | by warps, by threads, by the average thread |
 * | classes `l_c` | computation, with control flow, parameters and constants |
 * | `l_mr`, `l_mw` | loads and stores of global and local memory; atomics are stores |
 * | `l_shr`, `l_shw`, `l_s` | loads and stores of shared memory; synchronisation |
 * | `l_dpu`, `l_sfu`, `l` | double precision; special functions; the sum of all classes |
 * | `.simd_efficiency` | thread instructions / (32 x warp instructions) |
 * | `.branches`, `.divergent_branches` | conditional ones, by warps; those where lanes parted |
 * | `.global_loads`, `.global_stores` | both hold: |
 * | `..requests`, `.sectors`, `.bytes` | by warps; of 32 bytes; asked for by threads |
 * | `..ideal_sectors`, `.efficiency` | as few as hold the bytes; bytes / (32 x sectors), above 1 where lanes share |
 * | `.shared.requests`, `.passes`, `.ideal_passes`, `.bytes` | passes above the ideal are bank conflicts |
 * | `.local.requests`, `.local.bytes`, `.atomics.requests`, `.atomics.lanes` | |
 * | `.flops`, `.integer_ops` | by threads; a fused multiply-add is two |
 * | `.flops_per_byte`, `.instructions_per_byte` | by threads, of the global sectors' bytes |
 * | `.occupancy.blocks_per_sm`, `.warps_per_sm`, `.share` | of the largest launch; share of the warps an SM can hold |
 * | `.occupancy.limiter` | `threads`, `blocks`, `registers` or `shared` |
 * | `.occupancy.registers`, `.estimated` | a thread; estimated: not by ptxas |
 * | `.occupancy.static_shared`, `.local` | bytes a block; bytes a thread |
 * | `.waves`, `.last_wave` | of the largest launch: blocks / (blocks_per_sm x multiprocessors); how full the last is |
 * | `.model.issue`, `.double`, `.special`, `.global`, `.shared`, `.local`, `.atomic` | shares of the pipes' work |
 * | `.model.launch_bound` | launches cost more than what they do |
 * | `.lines[]` | those with most modelled work first: |
 * | `..file`, `.line`, `.share` | file null: the line is of the PTX; share of the kernel's lines |
 * | `..warp_instructions`, `.thread_instructions`, `.branches`, `.divergent_branches` | |
 * | `..global_requests`, `.global_sectors`, `.global_bytes` | loads and stores together |
 * | `..shared_requests`, `.shared_passes`, `.shared_ideal_passes` | |
 * | `..worst` | what is furthest from its ideal: `sectors`, `passes`, `branches`, `lanes`, or null |
 * | `findings[]` | the costliest first: |
 * | `.kind` | `uncoalesced-loads`, `uncoalesced-stores`, `bank-conflicts`, `divergence`, `launches`, `small-grid`, |
 * | | `block-size`, `occupancy`, `local-memory`, `double-precision`, `atomics`, `special-functions`, `memory-bound` |
 * | `.kernel`, `.file`, `.line` | index in `kernels`; file and line null if of no line, file alone if of the PTX |
 * | `.share` | of the modelled time of all kernels, what it costs |
 * | `.text` | what the text report says |
 *
 * A ratio whose divisor is 0 is null.
 */
bool explain_json(struct sim *sim, const char *path);

/*
 * The same as one page of HTML with the sources and the counts beside each line. It needs no script and no other file.
 * False with a line on standard error if the file is not writable.
 */
bool explain_html(struct sim *sim, const char *path);

#endif
