/*
 * panels.cuh - a product of the host's matrices: what is kept from call to call, panels over the bus, and their
 * rectangles.
 */
#pragma once

#include "plan.cuh"

static void release()
{
    for (float *workspace : device.workspace)
        cudaFree(workspace);
    cudaFree(device.memory);
    cudaStreamDestroy(device.in);
    cudaStreamDestroy(device.out);
    for (cudaStream_t stream : device.compute)
        cudaStreamDestroy(stream);
    for (int e = 0; e < 2 * PANELS; e++) {
        cudaEventDestroy(device.arrived[e]);
        cudaEventDestroy(device.computed[e]);
    }
}

static void allow(const void *function, int bytes)
{
    CALL(cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    if (bytes > 0)
        CALL(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

/* How many clusters of `split` blocks the device has at once where `together` of the blocks fit on a multiprocessor;
 * 0 where there can be none. */
static int clusters_of(int split, int together)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    int clusters = 0;

    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = split;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(split);
    config.blockDim = dim3(32);
    config.dynamicSmemBytes = shared_bytes(0, together, TOGETHER_MAX + 1);
    config.attrs = &attribute;
    config.numAttrs = 1;
    if (cudaOccupancyMaxActiveClusters(&clusters, tiles[0].function, &config) == cudaSuccess)
        return clusters;
    cudaGetLastError();
    return 0;
}

static void prepare_kernels()
{
    for (int aligned = 0; aligned < 2; aligned++)
        for (int e = 0; e < 4; e++) {
            allow((const void *)few_rows[aligned][e].function, SHARED / 2);
            allow((const void *)few_columns[aligned][e].function, SHARED / 2);
        }
    allow((const void *)long_row.function, SHARED / 2);
    for (const auto &kernels : narrow)
        for (const thin_kernel &thin : kernels)
            allow((const void *)thin.function, SHARED / 2);
    for (const auto &kernels : few_products)
        for (const thin_kernel &thin : kernels)
            allow((const void *)thin.function, SHARED / 2);
    for (const tile_kernel &tile : tiles)
        allow((const void *)tile.function, SHARED - 2 * RESERVED);
    for (int split : SPLITS) {
        device.log_2[split] = std::log2(split);
        for (int together = 1; together <= TOGETHER_MAX; together++)
            device.clusters[split][together] = clusters_of(split, together);
        if (device.clusters[split][1] > 0)
            device.cluster_max = split;
    }
}

static void prepare(size_t size)
{
    if (device.multiprocessors == 0) {
        CALL(cudaDeviceGetAttribute(&device.multiprocessors, cudaDevAttrMultiProcessorCount, 0));
        CALL(cudaStreamCreateWithFlags(&device.in, cudaStreamNonBlocking));
        CALL(cudaStreamCreateWithFlags(&device.out, cudaStreamNonBlocking));
        for (int e = 0; e < STREAMS; e++) {
            CALL(cudaStreamCreateWithFlags(&device.compute[e], cudaStreamNonBlocking));
            CALL(cudaMalloc(&device.workspace[e], WORKSPACE * sizeof(float) + COUNTERS * sizeof(unsigned)));
            CALL(cudaMemset(device.workspace[e] + WORKSPACE, 0, COUNTERS * sizeof(unsigned)));
        }
        for (int e = 0; e < 2 * PANELS; e++) {
            CALL(cudaEventCreateWithFlags(&device.arrived[e], cudaEventDisableTiming));
            CALL(cudaEventCreateWithFlags(&device.computed[e], cudaEventDisableTiming));
        }
        prepare_kernels();
        std::atexit(release);
    }
    if (size > device.size) {
        CALL(cudaFree(device.memory));
        CALL(cudaMalloc(&device.memory, size));
        device.size = size;
    }
}

static bool is_page_locked(const void *x)
{
    cudaPointerAttributes attributes;

    if (cudaPointerGetAttributes(&attributes, x) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    return attributes.type == cudaMemoryTypeHost;
}

/* How long the panels of a side of `length` are: a multiple of `unit`. 2048 x 2048 elements are as many tiles as fill
 * an H100 once; smaller rectangles pay only where there would be a single one. */
static int panel_length(int length, int unit, bool locked)
{
    const int wanted = length <= 2048 ? 1024 : 2048, least = (int)round_up((length + PANELS - 1) / PANELS, unit);

    return locked ? std::max(wanted, least) : (int)round_up(length, unit);
}

/* Between two memories, `rows` rows of `width` elements. */
static void copy_matrix(float *to, size_t to_pitch, const float *from, size_t from_pitch, size_t width, size_t rows,
                        cudaMemcpyKind kind, cudaStream_t stream)
{
    const size_t element = sizeof(float);

    if (to_pitch == width && from_pitch == width)
        CALL(cudaMemcpyAsync(to, from, width * rows * element, kind, stream));
    else
        CALL(
           cudaMemcpy2DAsync(to, to_pitch * element, from, from_pitch * element, width * element, rows, kind, stream));
}

/* C[M][N] = A[M][K] B[K][N] of the host: a call of device_user(). */
static void multiply_panels(const float *A, const float *B, float *C, int M, int N, int K)
{
    const int pitch = pitch_of(N, K);
    const size_t size_a = round_up((size_t)M * K, 64), size_b = round_up((size_t)K * pitch, 64);
    const bool locked = is_page_locked(A) && is_page_locked(B) && is_page_locked(C);
    const int rows = panel_length(M, whole_tiles::BM, locked);
    /* Where C is most of it, whole rows: they are copied faster than parts of rows. */
    const bool cut_columns = locked && (long long)M * N <= (long long)K * (M + N);
    const int columns = panel_length(N, whole_tiles::BN, cut_columns);
    int row = 0, column = 0, launched = 0; // how far A and B have come

    prepare((size_a + size_b + (size_t)M * pitch) * sizeof(float));

    float *const a = (float *)device.memory, *const b = a + size_a, *const c = b + size_b;

    for (int panel = 0; row < M || column < N; panel++) {
        /* The matrix of which less is there. */
        const bool of_a = column == N || (row < M && (long long)row * N <= (long long)column * M);
        // Of the rectangle that can be computed.
        int first_row = 0, end_row = row, first_column = 0, end_column = column;

        if (of_a) {
            first_row = row;
            end_row = row = std::min(M, row + rows);
            copy_matrix(a + (size_t)first_row * K, K, A + (size_t)first_row * K, K, K, end_row - first_row,
                        cudaMemcpyHostToDevice, device.in);
        } else {
            first_column = column;
            end_column = column = std::min(N, column + columns);
            copy_matrix(b + first_column, pitch, B + first_column, N, end_column - first_column, K,
                        cudaMemcpyHostToDevice, device.in);
        }
        if (end_row == 0 || end_column == 0)
            continue; // the first panel is alone

        const int which = launched++ % STREAMS;
        const size_t first = (size_t)first_row * pitch + first_column;

        CALL(cudaEventRecord(device.arrived[panel], device.in));
        CALL(cudaStreamWaitEvent(device.compute[which], device.arrived[panel]));
        launch(a + (size_t)first_row * K, b + first_column, c + first, end_row - first_row, end_column - first_column,
               K, pitch, device.workspace[which], device.compute[which]);
        CALL(cudaEventRecord(device.computed[panel], device.compute[which]));
        CALL(cudaStreamWaitEvent(device.out, device.computed[panel]));
        copy_matrix(C + (size_t)first_row * N + first_column, N, c + first, pitch, end_column - first_column,
                    end_row - first_row, cudaMemcpyDeviceToHost, device.out);
    }
    CALL(cudaStreamSynchronize(device.out));
}
