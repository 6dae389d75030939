/*
 * origins.cu - stores whose memory is hard to tell before the launch. In each kernel with a race, one block reads a
 * word that the last block stores to by another way. So the race shows at the store, if the read was looked at.
 */
#include "suite.h"

#define LAST (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
#define WORD (blockIdx.x == 3 ? 0 : 8) /* other blocks execute the same load first */

struct ways {
    const int *in;
    int *out[3];
};

__global__ void by_struct(ways w)
{
    w.out[1][1000 + blockIdx.x * 32 + threadIdx.x] = w.in[WORD];
    if (LAST)
        w.out[0][0] = 1; // RACE
}

__global__ void by_struct_apart(ways w)
{
    w.out[1][1000 + blockIdx.x * 32 + threadIdx.x] = w.in[WORD];
    if (LAST)
        w.out[0][1] = 1;
}

__global__ void by_index(ways w, int which)
{
    w.out[1][1000 + blockIdx.x * 32 + threadIdx.x] = w.in[WORD];
    if (LAST)
        w.out[which][0] = 1; // RACE
}

__global__ void by_table(const int *in, int *const *table, int *out)
{
    out[1000 + blockIdx.x * 32 + threadIdx.x] = in[WORD];
    if (LAST)
        table[0][0] = 1; // RACE
}

__global__ void by_halves(const int *in, unsigned low, unsigned high, int *out)
{
    out[1000 + blockIdx.x * 32 + threadIdx.x] = in[WORD];
    if (LAST)
        *(int *)((unsigned long long)high << 32 | low) = 1; // RACE
}

__device__ void store(int *to, int value);

__global__ void by_function(const int *in, int *out, int *to)
{
    out[1000 + blockIdx.x * 32 + threadIdx.x] = in[WORD];
    if (LAST)
        store(to, (int)blockIdx.x);
}

__device__ __noinline__ void store(int *to, int value)
{
    *to = value; // RACE
}

__global__ void by_exchange(const int *in, int *out, int *to)
{
    unsigned long long other = __shfl_xor_sync(~0u, (unsigned long long)to, 1);

    out[1000 + blockIdx.x * 32 + threadIdx.x] = in[WORD];
    if (LAST)
        *(int *)other = 1; // RACE
}

__global__ void by_choice(const int *in, int *out, int *to, int n)
{
    int *way = threadIdx.x >= n ? out + 1 : to;

    out[1000 + blockIdx.x * 32 + threadIdx.x] = in[WORD];
    if (LAST)
        *way = 1; // RACE
}

__device__ int word[16];
__global__ void by_address_of_variable(int *to, int *out)
{
    out[1000 + blockIdx.x * 32 + threadIdx.x] = word[WORD];
    if (LAST)
        to[0] = 1; // RACE
}

__global__ void by_atomic(const int *in, int *out, int *to)
{
    out[1000 + blockIdx.x * 32 + threadIdx.x] = in[WORD];
    if (LAST)
        atomicAdd(to, 1); // RACE
}

__global__ void two_allocations(const int *in, int *out)
{
    out[blockIdx.x * 32 + threadIdx.x] = in[0] + in[threadIdx.x];
}

/* A case with other arguments than the suite's. */
#define CASE(name, ...)                                                                                                \
    do {                                                                                                               \
        if (suite_begin(#name)) {                                                                                      \
            name<<<8, 32>>>(__VA_ARGS__);                                                                              \
            suite_end(#name);                                                                                          \
        }                                                                                                              \
    } while (0)

int main(int argc, char **argv)
{
    int *out, **table, *d, *variable;
    unsigned long long address;
    ways w;

    suite_only = argc > 1 ? argv[1] : NULL;
    suite_check(cudaMalloc(&d, WORDS * sizeof(int)), "cudaMalloc");
    suite_check(cudaMalloc(&out, WORDS * sizeof(int)), "cudaMalloc");
    suite_check(cudaMalloc(&table, sizeof *table), "cudaMalloc");
    suite_check(cudaMemset(d, 0, WORDS * sizeof(int)), "cudaMemset");
    suite_check(cudaMemcpy(table, &d, sizeof d, cudaMemcpyHostToDevice), "cudaMemcpy");
    suite_check(cudaGetSymbolAddress((void **)&variable, word), "cudaGetSymbolAddress");
    w = {d, {d, out, d}};
    address = (unsigned long long)d;
    CASE(by_struct, w);
    CASE(by_struct_apart, w);
    CASE(by_index, w, 2);
    CASE(by_table, d, table, out);
    CASE(by_halves, d, (unsigned)address, (unsigned)(address >> 32), out);
    CASE(by_function, d, out, d);
    CASE(by_exchange, d, out, d);
    CASE(by_choice, d, out, d, 32);
    CASE(by_address_of_variable, variable, out);
    CASE(by_atomic, d, out, d);
    CASE(two_allocations, d, out);
    return 0;
}
