/*
 * The simplest way in CUDA: in step 1, 2, 4 ... every number adds what stands so far before it (Hillis and Steele,
 * "Data parallel algorithms", Communications of the ACM 29, 1986). log2(n) kernels, each of which reads and writes
 * all.
 *
 * Right in both leagues. Judged in the league: segmented
 */
#include "device_user.h"

#include "cuda_user.h"

namespace {

constexpr unsigned THREADS = 256;

/* The steps go from one pair of arrays to the other and back: sums and flags, which say that a start is among them. */
struct buffers {
    void *spare;
    uint8_t *flags[2];
    size_t room; /* numbers */

    void release()
    {
        cudaFree(spare);
        cudaFree(flags[0]);
        cudaFree(flags[1]);
    }
    ~buffers() { release(); }
};
buffers kept;

template <class T>
__global__ void copy(const T *values, const uint8_t *starts, size_t n, T *sums, uint8_t *flags)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    sums[i] = values[i];
    flags[i] = i == 0 || (starts && starts[i]);
}

template <class T>
__global__ void add_from(size_t step, const T *sums, const uint8_t *flags, size_t n, T *new_sums, uint8_t *new_flags)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    if (i < step || flags[i]) {
        new_sums[i] = sums[i];
        new_flags[i] = flags[i];
    } else {
        new_sums[i] = sums[i - step] + sums[i];
        new_flags[i] = flags[i - step];
    }
}

template <class T> void scan(const void *values, const uint8_t *starts, void *sums, size_t n, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
    T *arrays[2] = { (T *)sums, (T *)kept.spare };
    int from = 0;

    for (size_t step = 1; step < n; step *= 2)
        from ^= 1; /* so that the last step writes to sums */
    copy<<<blocks, THREADS, 0, stream>>>((const T *)values, starts, n, arrays[from], kept.flags[from]);
    CUDA_CHECK_LAUNCH();
    for (size_t step = 1; step < n; step *= 2, from ^= 1) {
        add_from<<<blocks, THREADS, 0, stream>>>(step, arrays[from], kept.flags[from], n, arrays[from ^ 1],
                                                 kept.flags[from ^ 1]);
        CUDA_CHECK_LAUNCH();
    }
}

void make_room(size_t n)
{
    if (n <= kept.room)
        return;
    kept.release();
    CUDA_CHECK(cudaMalloc(&kept.spare, n * 8));
    CUDA_CHECK(cudaMalloc(&kept.flags[0], n));
    CUDA_CHECK(cudaMalloc(&kept.flags[1], n));
    kept.room = n;
}

} // namespace

extern "C" void device_user(const void *values, const uint8_t *starts, void *sums, size_t n, int type,
                            device_stream stream)
{
    make_room(n);
    if (type == SCAN_UINT32)
        scan<uint32_t>(values, starts, sums, n, stream);
    else if (type == SCAN_UINT64)
        scan<uint64_t>(values, starts, sums, n, stream);
    else
        scan<float>(values, starts, sums, n, stream);
}
