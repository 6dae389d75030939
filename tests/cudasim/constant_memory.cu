/*
 * constant_memory.cu - __constant__ data: initialised, set by the CPU, structs, pointers to other symbols, the whole
 * 64 KiB bank, read uniformly and with a different address in each thread; initialised __device__ data with addresses.
 */
#include "check.h"

__constant__ int small[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__constant__ char text[] = "constant text";
__constant__ double coefficients[4];
__constant__ struct {
    int id;
    float weights[3];
    short pairs[2][2];
} settings = {42, {0.5f, 0.25f, 0.125f}, {{1, 2}, {3, 4}}};
__constant__ unsigned char bank[60000];

__device__ int table[5] = {10, 20, 30, 40, 50};
__device__ int *middle = &table[2];
__device__ const char *const names[] = {"alpha", "beta", "gamma"};
__constant__ int *constant_pointer = &table[1];
__device__ const double pi = 3.141592653589793;

struct item {
    int value;
    const item *next;
};
__device__ item third = {3, nullptr};
__device__ item second = {2, &third};
__device__ item first = {1, &second};

/* out: 8 numbers a thread */
__global__ void read(double *out, int n)
{
    int i = threadIdx.x;
    double polynomial = 0;
    int sum = 0, length = 0;

    for (int k = 3; k >= 0; k--)
        polynomial = polynomial * i + coefficients[k];
    for (int k = i; k < 60000; k += n)
        sum += bank[k];
    while (text[length])
        length++;
    out[i * 8] = small[i % 8] + 100 * small[3];
    out[i * 8 + 1] = text[i % length];
    out[i * 8 + 2] = polynomial;
    out[i * 8 + 3] = settings.id + settings.weights[i % 3] + 1000 * settings.pairs[i % 2][1];
    out[i * 8 + 4] = sum;
    out[i * 8 + 5] = middle[i % 3 - 1] + constant_pointer[0] * 1000;
    out[i * 8 + 6] = names[i % 3][i % 4] + pi;
    int chain = 0;

    for (const item *at = &first; at; at = at->next)
        chain = chain * 10 + at->value;
    out[i * 8 + 7] = chain;
}

int main(void)
{
    enum { THREADS = 64 };
    const double host_coefficients[4] = {1.5, -2, 0.25, 3};
    const int digits[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    const char *const host_names[] = {"alpha", "beta", "gamma"};
    struct rng rng = {4};
    std::vector<unsigned char> bytes(60000);
    std::vector<double> want;
    int replaced[5] = {11, 21, 31, 41, 51};

    for (unsigned char &byte : bytes)
        byte = rng_next(&rng);
    CUDA_CHECK(cudaMemcpyToSymbol(coefficients, host_coefficients, sizeof host_coefficients));
    CUDA_CHECK(cudaMemcpyToSymbol(bank, bytes.data(), bytes.size()));
    double *out = device_zeros<double>(THREADS * 8);

    for (int round = 0; round < 2; round++) {
        int change = round;

        want.clear();
        for (int i = 0; i < THREADS; i++) {
            int sum = 0;

            for (int k = i; k < 60000; k += THREADS)
                sum += bytes[k];
            want.push_back(digits[i % 8] + 100);
            want.push_back("constant text"[i % 13]);
            want.push_back(((3.0 * i + 0.25) * i - 2) * i + 1.5);
            want.push_back(42 + 1.0 / (2 << i % 3) + 1000 * (i % 2 ? 4 : 2));
            want.push_back(sum);
            want.push_back(10 * (i % 3 + 2) + change + (20 + change) * 1000);
            want.push_back(host_names[i % 3][i % 4] + 3.141592653589793);
            want.push_back(123);
        }
        read<<<1, THREADS>>>(out, THREADS);
        CHECK_KERNEL();
        expect_device("constants", want, out);
        CUDA_CHECK(cudaMemcpyToSymbol(table, replaced, sizeof replaced));
    }
    device_free(out);
    return passed();
}
