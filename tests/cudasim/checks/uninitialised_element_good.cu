// expect: nothing
/*
 * uninitialised_element_good.cu - points are copied whole, through local and global memory, but nothing computes with
 * the member that was never set.
 */
#include "check_case.h"

struct __align__(16) point {
    float x, y, z;
    int unused;
};

__global__ void make(point *points)
{
    point p;

    p.x = p.y = p.z = threadIdx.x;
    points[threadIdx.x].x = p.x;
    points[threadIdx.x].y = p.y;
    points[threadIdx.x].z = p.z;
}

__global__ void sum(const point *points, float *out, point *kept, int n)
{
    point stack[4];
    float total = 0;

    for (int k = 0; k < n; k++)
        stack[k] = points[(threadIdx.x + k) & 31];
    for (int k = n - 1; k >= 0; k--)
        total += stack[k].x * stack[k].y + stack[k].z;
    kept[threadIdx.x] = stack[n - 1];
    out[threadIdx.x] = total;
}

int main(void)
{
    point *points, *kept;
    float *out;

    CUDA_CHECK(cudaMalloc(&points, 32 * sizeof(point)));
    CUDA_CHECK(cudaMalloc(&kept, 32 * sizeof(point)));
    CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(float)));
    make<<<1, 32>>>(points);
    sum<<<1, 32>>>(points, out, kept, 3);
    int status = finish(cudaSuccess);

    cudaFree(points);
    cudaFree(kept);
    cudaFree(out);
    return status;
}
