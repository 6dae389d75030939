/*
 * clock_nanosleep.cu - clocks and waiting: clock and clock64 never run backwards, the global timer advances while a
 * thread sleeps, and the registers that say where a thread runs are within their bounds.
 */
#include "check.h"

__global__ void clocks(long long *out, int *wrong)
{
    long long start = clock64();
    unsigned narrow = clock();
    unsigned long long timer, later;
    long long before = start;
    int sum = 0;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer));
    for (int i = 0; i < 100; i++) {
        long long now = clock64();

        if (now < before)
            atomicAdd(wrong, 1);
        before = now;
        sum += (int)now;
    }
    unsigned narrow_end = clock();

    if (narrow_end - narrow > 1u << 30) /* 32 bits wrap, the difference does not */
        atomicAdd(wrong, 100);
    __nanosleep(0);
    __nanosleep(1000);
    __nanosleep(20000);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(later));
    if (later < timer)
        atomicAdd(wrong, 10000);
    out[threadIdx.x] = clock64() > start;
    if (sum == 0x12345678)
        out[threadIdx.x] = 2;
}

/* Waits by the clock. */
__global__ void wait_cycles(int cycles, int *out)
{
    long long start = clock64();

    while (clock64() - start < cycles)
        ;
    out[threadIdx.x] = 1;
}

__global__ void places(int *out)
{
    unsigned sm, sms, warps, lane, warp;
    unsigned long long grid;

    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(sms));
    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(warps));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("mov.u64 %0, %%gridid;" : "=l"(grid));
    out[blockIdx.x * blockDim.x + threadIdx.x] = sm < sms && warp < warps && lane == threadIdx.x % 32;
    if (grid == 0x123456789abcdefull)
        out[0] = 5;
}

int main(void)
{
    long long *out = device_zeros<long long>(64);
    int *wrong = device_zeros<int>(1);
    int *ints = device_zeros<int>(400);

    clocks<<<1, 64>>>(out, wrong);
    CHECK_KERNEL();
    expect_device("clocks", std::vector<long long>(64, 1), out);
    expect_device("wrong", std::vector<int>{0}, wrong);
    wait_cycles<<<1, 32>>>(2000, ints);
    CHECK_KERNEL();
    expect_device("waited", std::vector<int>(32, 1), ints);
    places<<<4, 100>>>(ints);
    CHECK_KERNEL();
    expect_device("places", std::vector<int>(400, 1), ints);
    device_free(out);
    device_free(wrong);
    device_free(ints);
    return passed();
}
