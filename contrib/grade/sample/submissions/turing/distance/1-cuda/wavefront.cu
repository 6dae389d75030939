/* The kernel and the memory of wavefront.h. */
#include "wavefront.h"

#include <cstdio>
#include <cstdlib>

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "wavefront.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

__global__ void step(struct wavefront table, int d)
{
    int first = max(0, d - table.length2), last = min(d, table.length1);
    int i = first + (int)(blockIdx.x * blockDim.x + threadIdx.x), j = d - i;
    const int *middle = table.rows[(d + 2) % 3], *oldest = table.rows[(d + 1) % 3];
    int *newest = table.rows[d % 3];

    if (i > last)
        return;
    if (i == 0 || j == 0)
        newest[i] = d;
    else
        newest[i] = min(min(middle[i - 1], middle[i]) + 1, oldest[i - 1] + (table.str1[i - 1] != table.str2[j - 1]));
}

void wavefront_init(struct wavefront *table, const char *str1, int length1, const char *str2, int length2)
{
    table->length1 = length1;
    table->length2 = length2;
    CHECK(cudaMalloc(&table->str1, length1));
    CHECK(cudaMalloc(&table->str2, length2));
    for (int r = 0; r < 3; r++)
        CHECK(cudaMalloc(&table->rows[r], ((size_t)length1 + 1) * sizeof *table->rows[r]));
    CHECK(cudaMemcpy(table->str1, str1, length1, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(table->str2, str2, length2, cudaMemcpyHostToDevice));
}

void wavefront_step(struct wavefront *table, int d)
{
    int cells = min(d, table->length1) - max(0, d - table->length2) + 1;

    step<<<(cells + 255) / 256, 256>>>(*table, d);
    CHECK(cudaGetLastError());
}

int wavefront_last(const struct wavefront *table)
{
    int distance, d = table->length1 + table->length2;

    CHECK(cudaMemcpy(&distance, table->rows[d % 3] + table->length1, sizeof distance, cudaMemcpyDeviceToHost));
    return distance;
}

void wavefront_release(struct wavefront *table)
{
    for (int r = 0; r < 3; r++)
        CHECK(cudaFree(table->rows[r]));
    CHECK(cudaFree(table->str2));
    CHECK(cudaFree(table->str1));
}
