/* launch.cuh - launches the kernels that choose.cuh chose. */
#pragma once

#include "choose.cuh"

/* Cuts the memory from `at` on for a factor; returns what is left. */
static unsigned char *place_factor(factor &f, const float *x, int pitch, int lines, int k, unsigned *counters,
                                   unsigned char *at)
{
    const size_t padded = round_up(lines, 128), slabs = cuts(k, SLAB), spans = cuts(k, SPAN);
    const size_t sizes[] = {padded / GROUP * slabs * BLOCK, spans * padded * sizeof(scale),
                            spans * padded * sizeof(float4), padded * sizeof(line), padded / GROUP * 8};
    unsigned char *parts[5];

    for (int e = 0; e < 5; e++) {
        parts[e] = at;
        at += round_up(sizes[e], 1024);
    }
    f = {x, pitch, lines, k, (int)slabs, (int)spans, (int)padded, parts[0], (scale *)parts[1], (float4 *)parts[2],
         (line *)parts[3], (unsigned long long *)parts[4], counters};
    return at;
}

/* Places both factors; returns what is left. */
static unsigned char *place_factors(factor &rows, factor &columns, const float *a, const float *b, int m, int n, int k,
                                    unsigned char *at)
{
    at = place_factor(rows, a, k, m, k, device.counters, at);
    return place_factor(columns, b, n, n, k, device.counters + MOST_TILES / 2, at);
}

/* Cuts the rows of A and the columns of B from .first up to .end; there may be none of one of them. */
struct range {
    int first, end;
};

static void launch_cut(const factor &a, range rows, const factor &b, range columns, cudaStream_t stream)
{
    const int a_groups = rows.first < rows.end ? 2 * cuts(rows.end - rows.first, BM) : 0;
    const int b_groups = columns.first < columns.end ? 2 * cuts(columns.end - columns.first, BN) : 0;

    cut<<<dim3(a.spans, a_groups + b_groups), 256, 0, stream>>>(a, rows.first / GROUP, a_groups, b,
                                                               columns.first / GROUP);
    CALL(cudaGetLastError());
}

/* Launches a kernel that may start before the last one of the stream has ended. */
template <class... PARAMETERS, class... ARGUMENTS>
static void launch_early(void (*kernel)(PARAMETERS...), dim3 grid, int threads, int shared, cudaStream_t stream,
                         ARGUMENTS... arguments)
{
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t config = {};

    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = grid;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    CALL(cudaLaunchKernelEx(&config, kernel, arguments...));
}

static void launch_tensor(const factor &a, const factor &b, float *c, int c_pitch, const rectangle &part, int parts,
                          cudaStream_t stream)
{
    job x = {a, b, c, c_pitch, part, cuts(part.row_end - part.row, BM), cuts(part.column_end - part.column, BN)};
    const int tiles = x.tiles_m * x.tiles_n;
    parts = std::min(parts, a.slabs);

    const int left = tiles_left(tiles, parts), units = tiles + left * (parts - 1);

    x.whole = tiles - left;
    x.parts = parts;
    x.partial = device.partial;
    launch_early(multiply, std::min(units, device.multiprocessors), THREADS, SHARED, stream, x, units);
    if (left > 0)
        launch_early(add_parts, dim3(left, BM / 8), 256, 0, stream, x);

}
