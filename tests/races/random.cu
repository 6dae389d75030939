/*
 * random.cu - kernels whose accesses a number draws: random SEED. Many have races; no line has a mark. A test compares
 * what is reported by ways of the check that must agree.
 */
#include <cstdio>
#include <cstdlib>

enum { BYTES = 16384, BLOCKS = 2, THREADS = 96 };

static __device__ unsigned mixed(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Where thread `t` goes among `count` elements: in rows, in strides, or in 64 bytes of its own. */
static __device__ unsigned place(unsigned x, unsigned t, unsigned count, unsigned each)
{
    unsigned step = x & 8 ? 1 : x >> 4 & 15, from = x >> 8 & (x & 1 << 27 ? 3 : 255);

    return (x >> 16 & 3 ? t * step + from : t * each + from % each) % count;
}

template <class Type> static __device__ unsigned access(unsigned char *memory, unsigned x, unsigned t, bool store)
{
    Type *element = (Type *)memory + place(x, t, BYTES / sizeof(Type), 64 / sizeof(Type));

    if (!store)
        return (unsigned)*element;
    *element = (Type)(t * 2654435761u + x);
    return 0;
}

/* Words and, if SMALLEST is 0, bytes and halves of global memory. */
template <int SMALLEST> static __global__ void elements(unsigned char *memory, unsigned seed, int rounds, unsigned *out)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

    for (int round = 0; round < rounds; round++) {
        unsigned x = mixed(seed * 977 + round), size = SMALLEST + (x >> 20) % (4 - SMALLEST);
        bool store = (x >> 2 & 3) == 0;

        if (x >> 22 & 3 || !(threadIdx.x & 1)) {
            if (SMALLEST == 0 && size == 0)
                sum += access<unsigned char>(memory, x, t, store);
            else if (SMALLEST == 0 && size == 1)
                sum += access<unsigned short>(memory, x, t, store);
            else if (size == 2)
                sum += access<unsigned>(memory, x, t, store);
            else
                sum += access<unsigned long long>(memory, x, t, store);
        }
        if ((x >> 24 & 3) == 0)
            __syncthreads();
    }
    out[t] = sum;
}

/* Where thread `t` goes among `count` elements of shared memory: warps of two halves that are alike, or not. */
static __device__ unsigned place_in_tile(unsigned x, unsigned t, unsigned count)
{
    const unsigned steps[8] = {0, 0, 1, 1, 2, 16, 17, 33};
    unsigned near = steps[x >> 4 & 7], far = steps[x >> 7 & 7], warps = (x >> 10 & 3) * 32, from = x >> 12 & 15;

    return (x >> 16 & 7 ? t % 16 * near + t / 16 % 2 * far + t / 32 * warps + from : mixed(t * 31 + x)) % count;
}

template <class Type> static __device__ unsigned in_tile(unsigned *tile, int size, unsigned x, unsigned t, bool store)
{
    Type *element = (Type *)tile + place_in_tile(x, t, size * 4 / sizeof(Type)), value;

    if (!store) {
        value = *element;
        return *(unsigned *)&value;
    }
    *(unsigned *)&value = t * 2654435761u + x;
    *element = value;
    return 0;
}

/* Words, some of them volatile, and vectors of words of shared memory. */
static __global__ void tiles(unsigned seed, int rounds, unsigned *out)
{
    const int size = 1024;
    __shared__ uint4 vectors[size / 4];
    unsigned *tile = (unsigned *)vectors, t = threadIdx.x, sum = 0;

    for (int n = t; n < (seed & 4 ? size : size - 40); n += THREADS)
        tile[n] = n;
    __syncthreads();
    for (int round = 0; round < rounds; round++) {
        unsigned x = mixed(seed * 977 + round), width = x >> 20 & 3;
        bool store = (x >> 2 & 3) == 0;

        if (x >> 22 & 3 || !(t & 1)) {
            if (width == 0)
                sum += in_tile<uint4>(tile, size, x, t, store);
            else if (width == 1)
                sum += in_tile<uint2>(tile, size, x, t, store);
            else if (x >> 29 & 1)
                sum += in_tile<unsigned>(tile, size, x, t, store);
            else if (store)
                ((volatile unsigned *)tile)[place_in_tile(x, t, size)] = t;
            else
                sum += ((volatile unsigned *)tile)[place_in_tile(x, t, size)];
        }
        if ((x >> 24 & 3) == 0)
            __syncthreads();
        else if ((x >> 26 & 1) == 0)
            __syncwarp();
    }
    out[blockIdx.x * THREADS + t] = sum;
}

int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    unsigned char *memory;
    unsigned *out;

    cudaMalloc(&memory, BYTES);
    cudaMalloc(&out, BLOCKS * THREADS * sizeof *out);
    cudaMemset(memory, 0, BYTES);
    if (seed % 4 > 1)
        tiles<<<BLOCKS, THREADS>>>(seed, 3 + seed % 29, out);
    else if (seed % 2)
        elements<0><<<BLOCKS, THREADS>>>(memory, seed, 3 + seed % 13, out);
    else
        elements<2><<<BLOCKS, THREADS>>>(memory, seed, 3 + seed % 13, out);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    cudaFree(out);
    cudaFree(memory);
    return 0;
}
