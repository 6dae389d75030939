/*
 * printf_assert.cu - printf in kernels, in all formats, and asserts which hold. What it must print, the last line
 * included, is in printf_assert.expected.
 */
#include <cassert>

#include "check.h"

__device__ const char *const words[] = {"zero", "one", "two"};

__global__ void formats(double zero)
{
    int number = -42;
    long long wide = -1234567890123ll;
    double pi = 3.14159265358979;

    printf("plain text\n");
    printf("%d %i %u\n", number, 7, 4000000000u);
    printf("%x %X %#x %o\n", 0xbeef, 0xbeef, 0xbeef, 8);
    printf("[%5d] [%-5d] [%05d] [%+d] [% d]\n", 42, 42, 42, 42, 42);
    printf("%lld %llu %llx %ld\n", wide, 18446744073709551615ull, 0x123456789abcdefull, 99999999999l);
    printf("%hd %hu\n", (short)-3, (unsigned short)65535);
    printf("%c%c%c\n", 'a', 66, '!');
    printf("%f %e %g %G\n", pi, pi, pi, 1e-10);
    printf("%5.2f|%-8.3f|%08.3f|%+.1f|%.0f\n", pi, pi, pi, pi, 2.5);
    printf("%g %g %g %g\n", 1e20, 0.0001, 100000.0, 1000000.0);
    printf("%f %f %f\n", pi / zero, -pi / zero, 1.5f);
    printf("%a\n", 0.5);
    printf("[%s] [%8s] [%-8s] [%.3s]\n", words[1], words[2], "left", "truncated");
    printf("100%% of %d%%\n", 5);
    printf("%p\n", (void *)0x7f1234567890);
    printf("[%*d] [%.9f]\n", 6, 77, pi);
    printf("%d%s%d%c%lld%s%f\n", 1, " two ", 3, ' ', 4ll, " ", 5.0);
    printf("%d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    int arguments = printf("%d %d %d\n", 1, 2, 3);
    int none = printf("no argument\n");

    printf("returned %d %d\n", arguments, none);
    printf("no newline, ");
    printf("then one\n");
    printf("\ttab \"quotes\" \\ backslash\n");
}

/* One line per thread, in order. */
__global__ void in_turn(void)
{
    for (int turn = 0; turn < blockDim.x; turn++) {
        if (threadIdx.x == turn)
            printf("block %d thread %d: %s\n", blockIdx.x, threadIdx.x, words[threadIdx.x % 3]);
        __syncthreads();
    }
}

/* All threads at once: the order of the lines is open, but each line is whole; here all lines are the same. */
__global__ void together(void)
{
    printf("same line\n");
}

__global__ void asserts(int n)
{
    assert(n == 5);
    assert(threadIdx.x < blockDim.x && "a message");
}

int main(void)
{
    formats<<<1, 1>>>(0);
    CHECK_KERNEL();
    in_turn<<<1, 35>>>();
    CHECK_KERNEL();
    together<<<2, 5>>>();
    CHECK_KERNEL();
    asserts<<<3, 70>>>(5);
    CHECK_KERNEL();
    return passed();
}
