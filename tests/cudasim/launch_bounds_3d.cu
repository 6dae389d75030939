/*
 * launch_bounds_3d.cu - grids and blocks of every form: one, two and three dimensions, more blocks than 65535, blocks
 * of 1024 threads, blocks that are no multiple of a warp, tails where most threads do nothing; launch bounds.
 */
#include "check.h"

__device__ unsigned flat_thread(void)
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ unsigned flat_block(void)
{
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

/* counts: one a thread of the grid; sums: what each block's threads see of the ten index registers */
__global__ void count_all(unsigned char *counts, unsigned long long *sums)
{
    unsigned size = blockDim.x * blockDim.y * blockDim.z;
    unsigned lane;

    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    counts[(size_t)flat_block() * size + flat_thread()]++;
    atomicAdd(&sums[flat_block()], threadIdx.x + 1000ull * threadIdx.y + 1000000ull * threadIdx.z +
                                       (lane == flat_thread() % 32 ? 0 : 1ull << 60));
}

static void test_shape(dim3 grid, dim3 block)
{
    unsigned blocks = grid.x * grid.y * grid.z;
    unsigned size = block.x * block.y * block.z;
    unsigned char *counts = device_zeros<unsigned char>((size_t)blocks * size);
    unsigned long long *sums = device_zeros<unsigned long long>(blocks);
    unsigned long long sum = 0;

    for (unsigned z = 0; z < block.z; z++)
        for (unsigned y = 0; y < block.y; y++)
            for (unsigned x = 0; x < block.x; x++)
                sum += x + 1000ull * y + 1000000ull * z;
    count_all<<<grid, block>>>(counts, sums);
    CHECK_KERNEL();
    expect_device("counts", std::vector<unsigned char>((size_t)blocks * size, 1), counts);
    expect_device("sums", std::vector<unsigned long long>(blocks, sum), sums);
    device_free(counts);
    device_free(sums);
}

/* More blocks than fit in 16 bits; one thread per block. */
__global__ void many_blocks(unsigned *bits)
{
    atomicXor(&bits[blockIdx.x / 32], 1u << blockIdx.x % 32);
}

/* out = in with its borders: a stencil over a volume whose sizes are no multiples of the block's. */
__global__ void __launch_bounds__(256, 2) stencil(const int *in, int *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;

    if (x >= nx || y >= ny || z >= nz)
        return;
    auto at = [&](int dx, int dy, int dz) {
        int px = x + dx, py = y + dy, pz = z + dz;

        return px < 0 || py < 0 || pz < 0 || px >= nx || py >= ny || pz >= nz ? 0 : in[(pz * ny + py) * nx + px];
    };

    out[(z * ny + y) * nx + x] = 6 * at(0, 0, 0) - at(1, 0, 0) - at(-1, 0, 0) - at(0, 1, 0) - at(0, -1, 0) -
                                 at(0, 0, 1) - at(0, 0, -1);
}

static void test_stencil(int nx, int ny, int nz, dim3 block)
{
    struct rng rng = {(uint64_t)nx * ny * nz};
    std::vector<int> in(nx * ny * nz), want(nx * ny * nz);
    dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y, (nz + block.z - 1) / block.z);

    for (int &value : in)
        value = rng_below(&rng, 1000);
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                int i = (z * ny + y) * nx + x;

                want[i] = 6 * in[i] - (x ? in[i - 1] : 0) - (x < nx - 1 ? in[i + 1] : 0) - (y ? in[i - nx] : 0) -
                          (y < ny - 1 ? in[i + nx] : 0) - (z ? in[i - nx * ny] : 0) -
                          (z < nz - 1 ? in[i + nx * ny] : 0);
            }
    int *device_in = device_copy(in);
    int *out = device_zeros<int>(in.size());

    stencil<<<grid, block>>>(device_in, out, nx, ny, nz);
    CHECK_KERNEL();
    expect_device("stencil", want, out);
    device_free(device_in);
    device_free(out);
}

/* Nothing but a tail: of all threads only those below n work, and n may be 0. */
__global__ void __launch_bounds__(1024) tail(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = i + 1;
}

int main(void)
{
    test_shape(dim3(1), dim3(1));
    test_shape(dim3(3), dim3(1024));
    test_shape(dim3(5, 4, 3), dim3(7, 5, 3));
    test_shape(dim3(1, 1, 9), dim3(1, 1, 64));
    test_shape(dim3(1, 300), dim3(1, 33));
    test_shape(dim3(2, 3), dim3(32, 32));
    test_shape(dim3(2, 2, 2), dim3(16, 8, 8));
    test_shape(dim3(70001), dim3(1));
    test_shape(dim3(1, 65535), dim3(1));

    unsigned *bits = device_zeros<unsigned>(100000 / 32);
    int *out = device_zeros<int>(100);

    many_blocks<<<100000, 1>>>(bits);
    CHECK_KERNEL();
    expect_device("many blocks", std::vector<unsigned>(100000 / 32, 0xffffffffu), bits);
    test_stencil(17, 13, 11, dim3(8, 8, 4));
    test_stencil(64, 3, 1, dim3(64, 2, 1));
    test_stencil(5, 40, 7, dim3(3, 5, 7));
    tail<<<4, 1024>>>(out, 0);
    CHECK_KERNEL();
    expect_device("empty", std::vector<int>(100), out);
    tail<<<4, 1024>>>(out, 1);
    CHECK_KERNEL();
    EXPECT(host_copy(out, 2)[0] == 1 && host_copy(out, 2)[1] == 0);
    device_free(bits);
    device_free(out);
    return passed();
}
