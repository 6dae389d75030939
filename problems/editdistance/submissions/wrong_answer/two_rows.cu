/* Wrong: keeps only two rows of the skewed table, so that the corner's row is overwritten before it is read. */
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

static void check(cudaError_t status)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "two_rows.cu: %s\n", cudaGetErrorString(status));
        std::exit(1);
    }
}

__global__ void diagonal(const char *str1, const char *str2, int d, int first, int last, const int *middle, int *newest)
{
    int i = first + (int)(blockIdx.x * blockDim.x + threadIdx.x), j = d - i;

    if (i > last)
        return;
    if (i == 0 || j == 0)
        newest[i] = d;
    else /* the corner, D[i-1][j-1], should come from anti-diagonal d-2 */
        newest[i] = min(min(middle[i - 1], middle[i]) + 1, middle[i - 1] + (str1[i - 1] != str2[j - 1]));
}

extern "C" unsigned int device_user(char *str1, int lenStr1, char *str2, int lenStr2)
{
    char *strings;
    int *rows, distance;

    check(cudaMalloc(&strings, (size_t)lenStr1 + lenStr2));
    check(cudaMalloc(&rows, 2 * ((size_t)lenStr1 + 1) * sizeof *rows));
    check(cudaMemcpy(strings, str1, lenStr1, cudaMemcpyHostToDevice));
    check(cudaMemcpy(strings + lenStr1, str2, lenStr2, cudaMemcpyHostToDevice));
    for (int d = 0; d <= lenStr1 + lenStr2; d++) {
        int first = max(0, d - lenStr2), last = min(d, lenStr1);
        int *newest = rows + (d % 2) * (lenStr1 + 1), *middle = rows + ((d + 1) % 2) * (lenStr1 + 1);

        diagonal<<<(last - first) / 256 + 1, 256>>>(strings, strings + lenStr1, d, first, last, middle, newest);
        check(cudaGetLastError());
    }
    check(cudaMemcpy(&distance, rows + ((lenStr1 + lenStr2) % 2) * (lenStr1 + 1) + lenStr1, sizeof distance,
                     cudaMemcpyDeviceToHost));
    check(cudaFree(rows));
    check(cudaFree(strings));
    return (unsigned int)distance;
}
