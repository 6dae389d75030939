/*
 * block_order.cu - atomics whose results depend on the order of the blocks, though no thread looks at them: exchanges,
 * and sums beside XOR. Blocks differ in length. On the simulator the order is that of the blocks' numbers, for any
 * number of workers. On a GPU it is open, so only the bounds are checked there.
 */
#include "check.h"

enum { BLOCKS = 400, CHOSEN = 4 };

__global__ void leave(unsigned *words)
{
    unsigned x = blockIdx.x, rounds = blockIdx.x / CHOSEN % 2 ? 0 : 40000;

    for (unsigned n = 0; n < rounds; n++)
        x = x * 1664525u + 1013904223u;
    if (threadIdx.x == 0 && x != 1)
        atomicExch(&words[blockIdx.x % CHOSEN], blockIdx.x);
}

__global__ void sums_and_bits(unsigned *words)
{
    unsigned x = blockIdx.x, rounds = blockIdx.x / CHOSEN % 2 ? 0 : 40000;

    for (unsigned n = 0; n < rounds; n++)
        x = x * 1664525u + 1013904223u;
    if (threadIdx.x == 0 && x != 1) {
        atomicAdd(&words[blockIdx.x % CHOSEN], 3 * blockIdx.x);
        atomicXor(&words[blockIdx.x % CHOSEN], blockIdx.x);
    }
}

int main()
{
    unsigned *words, host[CHOSEN];

    CUDA_CHECK(cudaMalloc(&words, sizeof host));
    for (int pass = 0; pass < 2; pass++) {
        CUDA_CHECK(cudaMemset(words, 0, sizeof host));
        if (pass)
            sums_and_bits<<<BLOCKS, 32>>>(words);
        else
            leave<<<BLOCKS, 32>>>(words);
        CHECK_KERNEL();
        CUDA_CHECK(cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost));
        for (unsigned n : host) {
            EXPECT(pass || n < BLOCKS);
            printf("%u ", n);
        }
        printf("\n");
    }
    CUDA_CHECK(cudaFree(words));
    return passed();
}
