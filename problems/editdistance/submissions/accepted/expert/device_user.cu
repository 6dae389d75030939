/*
 * expert - edit distance at the speed of the machine's logic units.
 *
 * Method. Neighbouring cells of the table differ by -1, 0 or 1 (Ukkonen 1985). A *word* is 32 rows of one column, held
 * as two bit masks: the vertical differences that are +1 (pv) and -1 (mv). Hyyrö (2003), after Myers (1999), gets a
 * word from its left neighbour, the rows that match the column's character (eq), and the horizontal difference on its
 * upper edge, (hp, hn) = (is +1, is -1), in about nine logic operations and one addition, whose carry runs along the
 * rows:
 *
 *   t   = eq & pv                 s = t + pv + hn                     carry out: hn of the lower edge
 *   x   = eq | mv                 c = s ^ pv ^ t                      c: hn above every row
 *   ph  = mv | ~(x | pv | s)      ph2 = 2 ph + hp                     carry out: hp of the lower edge
 *   pv' = c | ~(x | ph2)          mv' = ph2 & x
 *
 * The top bit of a lane's last word is no row: both carries come out there, without an operation for it; see ROWS.
 *
 * What bounds it. Words of one column hang together by their edges, words of one row of words by pv and mv, so 32 rows
 * x one column is the grain of a wavefront. A chain of five dependent instructions leads from pv to pv', about 24
 * clocks, and a table of n columns has n of them in a row. Depth, not throughput, is what bounds a pair of equal
 * lengths:
 *
 *   - Two fronts. One starts at the beginning of both strings, the other one at their ends, going backwards (the
 *     distance of the reversed strings). They meet along a line of stairs, at which all strips are done at the same
 *     time; the distance is the least sum of both over the line's points. The depth is halved, the work is the same.
 *   - A lane owns K words below each other, a warp 32 times as many, a *strip*. At step t lane l works on column
 *     t - S l and passes (hp, hn) to the next lane by a shuffle, which has S steps to arrive.
 *   - The longer string lies along the rows: then more of the machine works at once.
 *
 * Strips are a pipeline: a warp hands the lower edge of its strip to the next warp through a ring in shared memory, and
 * a block of WARPS strips hands it on through global memory, 32 columns in one 64-bit word. Two further warps of the
 * block do nothing but unpack and pack these words, on a scheduler of their own where depth is the bound. No word can
 * have hp and hn in one column, so all ones means "not there yet", and no flags or fences are needed. Blocks take their
 * strips in order from a counter; so those that a block waits for are always running already, however many blocks fit
 * on the device.
 *
 * Matches. eq comes from two tables of 16 entries a lane, by the low and the high half of the character: eq = low &
 * high costs nothing, as all its uses are logic operations of three operands. With K = 1 there is room in shared memory
 * for one table of 256 entries instead.
 *
 * Wide tables. Depth bounds a square, and one word a lane makes the quickest steps. If one string is much longer, the
 * pipeline of strips is what takes long: K = 4 makes it a quarter as many strips, for three times the clocks in a step.
 *
 * Similar strings. They are cut into pieces, whose distances have a sum that can be proven: far fewer steps. That runs
 * beside the sweep on idle multiprocessors, and the first one to know the distance stops the other. See race.cuh.
 *
 * The lengths are any from 1 up. Rows are padded on top of the table by rows with pv = mv = eq = 0, which hand hp = 1,
 * the upper edge of the table, down as it is.
 *
 * Parts: job.cuh, what all share; rings.cuh, strip.cuh and edges.cuh, the sweep from warp to warp, within one, and from
 * block to block; window.cuh, cuts.cuh, wave.cuh and race.cuh, the race; sweep.cuh, the kernel of both; meet.cuh, the
 * end. This file: the plan, and the call.
 */
#include "meet.cuh"

#include "device_user.h"

/* How the work is laid out. */
struct plan {
    int words; /* K: 1, 2 or 4 */
    int slope; /* columns: how much shorter each further unit is, in whole 32s; 0 unless n is a multiple of 32 */

    int warps() const { return words == 1 ? WARPS<1> : words == 2 ? WARPS<2> : WARPS<4>; }
    int strip_rows() const { return 32 * (words == 1 ? ROWS<1> : words == 2 ? ROWS<2> : ROWS<4>); }
    int unit_rows() const { return warps() * strip_rows(); }
};

/* What a step of a warp takes in clocks, and by how many steps a unit lags behind the one above: measured. */
static const struct {
    double clocks;
    int lag;
} cost[5] = { { 0, 0 }, { 33, 392 }, { 74, 264 }, { 0, 0 }, { 104, 256 } };

/* What is kept from call to call. */
static struct kept {
    unsigned char *strings; /* of both fronts, 128-byte aligned */
    u64 *edges;
    uint2 *lines;
    u32 *counters;
    u32 *answer; /* page-locked */
    int blocks[5], processors;
    cudaStream_t stream;

    ~kept() /* at the end of the process, when it no longer matters what CUDA says */
    {
        for (void *memory : {(void *)strings, (void *)edges, (void *)lines, (void *)counters})
            cudaFree(memory);
        cudaFreeHost(answer);
        if (stream)
            cudaStreamDestroy(stream);
    }
} device;

template <int K> static size_t sweep_memory(void)
{
    return K == 1 ? std::max(sizeof(block_memory<K>), sizeof(race_memory)) : sizeof(block_memory<K>);
}

static void device_init(void)
{
    int index;

    if (device.stream)
        return;
    CALL(cudaGetDevice(&index));
    CALL(cudaDeviceGetAttribute(&device.processors, cudaDevAttrMultiProcessorCount, index));
    CALL(cudaFuncSetAttribute(sweep<1, S1>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sweep_memory<1>()));
    CALL(cudaFuncSetAttribute(sweep<2, S2>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sweep_memory<2>()));
    CALL(cudaFuncSetAttribute(sweep<4, S4>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sweep_memory<4>()));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&device.blocks[1], sweep<1, S1>, THREADS<1>, sweep_memory<1>()));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&device.blocks[2], sweep<2, S2>, THREADS<2>, sweep_memory<2>()));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&device.blocks[4], sweep<4, S4>, THREADS<4>, sweep_memory<4>()));
    CALL(cudaMalloc(&device.strings, 2 * (LENGTH_MAX + 128)));
    CALL(cudaMalloc(&device.edges, EDGES_MAX * sizeof *device.edges));
    CALL(cudaMalloc(&device.lines, LINES_MAX * sizeof *device.lines));
    CALL(cudaMalloc(&device.counters, 2 * sizeof *device.counters + sizeof(race_state)));
    CALL(cudaMallocHost(&device.answer, sizeof *device.answer));
    CALL(cudaStreamCreateWithFlags(&device.stream, cudaStreamNonBlocking));
}

static int plan_units(struct plan plan, int m)
{
    return (m + plan.unit_rows() - 1) / plan.unit_rows();
}

/* Clocks, by the depth of the pipeline or by what the schedulers can do, whichever is more. */
static double plan_cost(struct plan plan, int m, int n)
{
    const double units = plan_units(plan, m), lag = cost[plan.words].lag;
    const double depth =
        n / 2.0 + (units - 1) * (plan.slope ? lag / 2 : lag) + lag * (units > 1 ? 1 : (double)m / plan.unit_rows());
    const double work = units * n / device.processors;
    /* Blocks that share a multiprocessor slow each other down. */
    const double crowd = plan.words > 1 && 2 * units > device.processors ? 2 * units / device.processors : 1;

    return cost[plan.words].clocks * (crowd * depth > work ? crowd * depth : work);
}

static struct plan plan_best(int m, int n)
{
    const bool level = n % 32 == 0;
    struct plan best = { 1, level ? cost[1].lag : 0 };

    for (int words = 2; words <= 4; words *= 2) {
        const struct plan plan = { words, level ? cost[words].lag : 0 };

        if (plan_cost(plan, m, n) < plan_cost(best, m, n))
            best = plan;
    }
    return best;
}

/* The race for strings of m and n characters, on what `blocks` of the sweep leave of the machine. */
static struct race_plan plan_race(int m, int n, int blocks)
{
    const int idle = device.blocks[1] * device.processors - blocks, pieces = std::min(idle, m / RACE_ROWS);
    struct race_plan race = {};

    race.state = (struct race_state *)(device.counters + 2);
    race.tiles = (2 * REACH + std::abs(m - n)) / TILE + 1;
    if (pieces > 1 && m / pieces < RACE_ROWS_MAX && window_words(m / pieces + 1 + CUT_ROWS, race.tiles) <= RACE_WORDS)
        race.blocks = pieces;
    return race;
}

/* Launches the kernels for strings that are in device.strings already: a of m bytes, and b of n, at b_offset. */
static void launch(struct plan plan, int m, int n, size_t a_offset, size_t b_offset)
{
    const int words = plan.words;
    struct job job = {};

    job.a = device.strings + a_offset;
    job.b = device.strings + b_offset;
    job.a_length = m;
    job.b_length = n;
    job.ticket = device.counters;
    job.best = device.counters + 1;
    job.strips = (m + plan.strip_rows() - 1) / plan.strip_rows();
    job.units = plan_units(plan, m);
    job.warps = plan.warps();
    job.slope = plan.slope;
    job.middle = (n + (job.units - 1) * plan.slope) / 2;
    if (plan.slope)
        job.middle = job.middle / 32 * 32;
    const int pad = job.strips * plan.strip_rows() - m;
    const int length = pad + m + unit_columns(job, 0, 0) - unit_columns(job, 0, job.units - 1);

    for (int d = 0; d < 2; d++) {
        front &front = job.fronts[d];

        front.columns = unit_columns(job, d, 0);
        front.words = words == 1 ? edge_words<S1>(front.columns) : edge_words<S4>(front.columns);
        front.pad = d == 0 ? pad : 0;
        front.edges = d == 0 ? device.edges : job.fronts[0].edges + (size_t)job.units * job.fronts[0].words;
        front.line = d == 0 ? device.lines : job.fronts[0].line + length / 32 + 1;
    }
    job.line_words = 2 * (length / 32 + 1);
    const int units = 2 * job.units, room = device.blocks[words] * device.processors;

    if (words == 1)
        job.race = plan_race(m, n, units);
    job.race.state = (struct race_state *)(device.counters + 2);

    prepare<<<min(2 * device.processors, job.units * job.fronts[0].words / 256 + 1), 256, 0, device.stream>>>(job);
    CALL(cudaGetLastError());
    if (words == 1)
        sweep<1, S1><<<min(units + job.race.blocks, room), THREADS<1>, sweep_memory<1>(), device.stream>>>(job);
    else if (words == 2)
        sweep<2, S2><<<min(units, room), THREADS<2>, sweep_memory<2>(), device.stream>>>(job);
    else
        sweep<4, S4><<<min(units, room), THREADS<4>, sweep_memory<4>(), device.stream>>>(job);
    CALL(cudaGetLastError());
    meet<<<(length - pad) / MEET_SPAN + 1, MEET_THREADS, 0, device.stream>>>(
        {job.fronts[0].line, job.fronts[0].columns}, {job.fronts[1].line, job.fronts[1].columns}, pad, length,
        job.best, job.race.state);
    CALL(cudaGetLastError());
}

extern "C" void device_user_setup(void) { device_init(); }

extern "C" unsigned int device_user(char *str1, int lenStr1, char *str2, int lenStr2)
{
    const size_t second = ((size_t)lenStr1 + 127) / 128 * 128;
    const bool swap = lenStr1 < lenStr2; /* the longer string along the rows */

    device_init();
    CALL(cudaMemcpyAsync(device.strings, str1, (size_t)lenStr1, cudaMemcpyHostToDevice, device.stream));
    CALL(cudaMemcpyAsync(device.strings + second, str2, (size_t)lenStr2, cudaMemcpyHostToDevice, device.stream));
    if (swap)
        launch(plan_best(lenStr2, lenStr1), lenStr2, lenStr1, second, 0);
    else
        launch(plan_best(lenStr1, lenStr2), lenStr1, lenStr2, 0, second);
    CALL(cudaMemcpyAsync(device.answer, device.counters + 1, sizeof *device.answer, cudaMemcpyDeviceToHost,
                         device.stream));
    CALL(cudaStreamSynchronize(device.stream));
    return *device.answer;
}
