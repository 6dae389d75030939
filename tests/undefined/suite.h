/*
 * suite.h - buffers and launches for the kernels of this folder.
 */
#ifndef SUITE_H
#define SUITE_H

#include "cuda_user.h"

#define ELEMENTS 1024

/* Small numbers to read, and room for results, freed at the end. */
struct Buffers {
    int *ints, *out;
    float *floats, *out_floats;
    double *doubles, *out_doubles;

    Buffers()
    {
        CUDA_CHECK(cudaMallocManaged(&ints, ELEMENTS * sizeof *ints));
        CUDA_CHECK(cudaMallocManaged(&out, ELEMENTS * sizeof *out));
        CUDA_CHECK(cudaMallocManaged(&floats, ELEMENTS * sizeof *floats));
        CUDA_CHECK(cudaMallocManaged(&out_floats, ELEMENTS * sizeof *out_floats));
        CUDA_CHECK(cudaMallocManaged(&doubles, ELEMENTS * sizeof *doubles));
        CUDA_CHECK(cudaMallocManaged(&out_doubles, ELEMENTS * sizeof *out_doubles));
        for (int k = 0; k < ELEMENTS; k++) {
            ints[k] = k % 37;
            floats[k] = (float)(k % 11);
            doubles[k] = k % 13;
            out[k] = 0;
            out_floats[k] = 0;
            out_doubles[k] = 0;
        }
    }

    ~Buffers()
    {
        cudaFree(ints);
        cudaFree(out);
        cudaFree(floats);
        cudaFree(out_floats);
        cudaFree(doubles);
        cudaFree(out_doubles);
    }
};

/* One warp runs the kernel with the arguments in brackets. */
#define RUN(buffers, kernel, arguments)                                                                                \
    do {                                                                                                               \
        kernel<<<1, 32>>> arguments;                                                                                   \
        CUDA_CHECK(cudaGetLastError());                                                                                \
        CUDA_CHECK(cudaDeviceSynchronize());                                                                           \
    } while (0)

#endif
