/*
 * multicast.cu - multimem.ld_reduce, multimem.st and multimem.red on the simulator: an address of multicast memory
 * stands for the same place on each device of a team, and there is one device. (A device faults unless the memory
 * belongs to a multicast object, so this program is for the simulator.)
 */
#include <cuda_fp16.h>

#include "check.h"

__global__ void exchange(unsigned *words, __half2 *halves, float *sums)
{
    unsigned t = threadIdx.x, old;
    __half2 pair;

    asm volatile("multimem.st.relaxed.sys.global.u32 [%0], %1;" ::"l"(words + t), "r"(10 * t) : "memory");
    asm volatile("multimem.red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(words + t), "r"(t + 1) : "memory");
    asm volatile("multimem.ld_reduce.acquire.sys.global.add.u32 %0, [%1];" : "=r"(old) : "l"(words + t) : "memory");
    words[32 + t] = old;
    asm volatile("multimem.red.relaxed.sys.global.add.f16x2 [%0], %1;" ::"l"(halves + t),
                 "r"(*(const unsigned *)&(pair = __floats2half2_rn((float)t, 3)))
                 : "memory");
    asm volatile("multimem.red.relaxed.sys.global.add.v4.f32 [%0], {%1, %1, %2, %2};" ::"l"(sums), "f"(1.0f), "f"(0.5f)
                 : "memory");
    if (t < 8) {
        float v[4];

        asm volatile("multimem.ld_reduce.weak.global.add.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                     : "l"(sums + 4)
                     : "memory");
        asm volatile("multimem.st.weak.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(sums + 8 + 4 * t), "f"(v[3]),
                     "f"(v[2]), "f"(v[1]), "f"(v[0])
                     : "memory");
    }
}

int main()
{
    std::vector<unsigned> words(64), want(64);
    std::vector<float> sums(40), want_sums(40);
    std::vector<__half2> halves(32, __floats2half2_rn(5, 2));
    unsigned *device_words = device_copy(words);
    float *device_sums;
    __half2 *device_halves = device_copy(halves);

    for (int n = 4; n < 8; n++)
        sums[n] = (float)n;
    device_sums = device_copy(sums);
    exchange<<<1, 32>>>(device_words, device_halves, device_sums);
    CHECK_KERNEL();
    for (unsigned t = 0; t < 32; t++)
        want[t] = want[32 + t] = 11 * t + 1;
    expect_device("words", want, device_words);
    for (int n = 0; n < 40; n++)
        want_sums[n] = n < 2 ? 32 : n < 4 ? 16 : n < 8 ? (float)n : (float)(7 - n % 4);
    expect_device("sums", want_sums, device_sums);
    CUDA_CHECK(cudaMemcpy(halves.data(), device_halves, 32 * sizeof(__half2), cudaMemcpyDeviceToHost));
    for (int t = 0; t < 32; t++)
        EXPECT(__low2float(halves[t]) == (float)(t + 5) && __high2float(halves[t]) == 5);
    device_free(device_words);
    device_free(device_halves);
    device_free(device_sums);
    return passed();
}
