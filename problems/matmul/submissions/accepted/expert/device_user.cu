/*
 * expert - float32 without tensor cores, for matrices of every shape; and what the bus allows around it.
 *
 * Five families of kernels, each for its own limit:
 *
 *   multiply_tiles         sides of more than 8: the multiply-adds are the limit
 *   multiply_few_rows      up to 8 rows of A: reading B is the limit
 *   multiply_few_columns   up to 8 columns of B: reading A is the limit
 *   multiply_narrow        up to 64 columns of B, and small K: one round trip to memory is the limit
 *   multiply_few_products  small K: writing C, or a round trip to memory, is the limit
 *
 * Where C has too few tiles for all multiprocessors, K is divided as well. The blocks that have parts of one sum form a
 * cluster: they read each other's sums from shared memory and add them in a fixed order. That takes no memory of the
 * device. But the device fills one multiprocessor with blocks of a cluster before the next, and cannot use all of them
 * for most sizes of clusters. So parts of a sum also go to memory, by clusters or by single blocks; the last block that
 * stores its part of a tile adds them all, in their order. Neither way takes a second kernel.
 *
 * plan_for() chooses: it predicts the time of each kernel and division, and takes the shortest.
 *
 * The multiply-adds: each of the four parts of a multiprocessor issues one instruction a cycle, and an FFMA takes that
 * whole cycle. Every other instruction costs as much as 32 multiply-adds. `multiply_tiles` has few others:
 *
 * - A thread has up to 8 x 16 elements of C in registers. For each k it reads 8 + 16 numbers from shared memory, by 6
 *   instructions of 16 bytes, for 128 FFMA. It reads the numbers of the next k while it multiplies this one's.
 * - Slabs of 16 k of A and B come by asynchronous copies, which pass no register, several slabs ahead. A is transposed
 *   on the way, as its copies are of 4 bytes each: a warp copies 8 k of 4 rows, whole sectors of 32 bytes, and the
 *   pitch of BM + 4 lets all of them go to different banks. Copies of 4 bytes need no aligned rows.
 * - Rows of B do not begin at 16 bytes if N is no multiple of 4. They are copied 16 bytes at a time nevertheless, from
 *   the 16 bytes on in which a row begins. So a row lies up to 3 floats further right in its slab. How far depends on
 *   k % 4, and the compiler knows k % 4 at each step of the loop: a thread reads 4 columns more and ignores some.
 * - No barrier of the whole block: with two warps on each part of the multiprocessor, nobody works while all wait. Each
 *   slab's place in shared memory has two counters (mbarriers): `full` counts the threads whose copies have arrived,
 *   `empty` the warps that have read all of it. As a slab is copied three slabs after its place was read last, warps
 *   rarely wait, and may be a slab apart.
 * - The loop looks at no index. Rows below the last are copies of other rows, columns behind the last are zero, and
 *   neither are stored. (Copies of the last columns would all read the same 16 bytes, and such copies wait for each
 *   other: a tile that C fills to a tenth took five times as long.) If K is no multiple of the slab, the slab that is
 *   copied first, before the loop, is the short one; zeros fill it up in both factors, so that no zero meets an
 *   infinity.
 *
 * The copies over the bus would take half as long again. So A comes in panels of rows and B in panels of columns, in
 * turn, and each rectangle of C is computed as soon as its panels are there, and copied back as soon as it is computed.
 * For that the matrices must be page-locked; if they are not, one panel is used.
 *
 * Parts: tiles.cuh and few.cuh, the kernels, of instructions.cuh and cluster.cuh; kernels.cuh, their launches;
 * plan.cuh, the choice; panels.cuh, the copies. This file: the entry points.
 */
#include "panels.cuh"

#include "device_user.h"

extern "C" void device_user_setup(void) { prepare(ELEMENTS * sizeof(float) + SLACK); }

extern "C" void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    multiply_panels(A, B, C, M, N, K);
}
