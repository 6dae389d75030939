/*
 * device_user.cu - your submission. It ships as the baseline: correct, parallel, and easy to beat.
 *
 * The distance table D has (lenStr1 + 1) x (lenStr2 + 1) cells:
 *
 *   D[i][0] = i,  D[0][j] = j,
 *   D[i][j] = min(D[i-1][j] + 1, D[i][j-1] + 1, D[i-1][j-1] + (str1[i-1] != str2[j-1])).
 *
 * A cell needs its upper, left and upper left neighbour, so the cells of one anti-diagonal i + j = d do not need
 * each other: one thread computes one cell, one kernel launch one anti-diagonal. The table is skewed: anti-diagonal
 * d is a row, D[i][d-i] is its element i. So neighbouring threads touch neighbouring addresses, and their accesses
 * coalesce:
 *
 *   row d   [i] = min(row d-1 [i-1] + 1,  row d-1 [i] + 1,  row d-2 [i-1] + (str1[i-1] != str2[d-i-1]))
 *
 * Only rows d, d-1 and d-2 are kept; three buffers take turns.
 *
 * Where the time goes: lenStr1 + lenStr2 launches of a few microseconds, and 12 bytes of memory traffic a cell.
 */
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "device_user.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

/*
 * One anti-diagonal d: cells i from `first` to `last`. newest, middle and oldest are rows d, d-1 and d-2, each of
 * length1 + 1 elements.
 */
__global__ void diagonal(const char *str1, const char *str2, int length1, int length2, int d, int first, int last,
                         const int *oldest, const int *middle, int *newest)
{
    int i = first + (int)(blockIdx.x * blockDim.x + threadIdx.x), j = d - i;

    if (i > last)
        return;
    if (i == 0 || j == 0) {
        newest[i] = d;
        return;
    }
    int up = middle[i - 1] + 1, left = middle[i] + 1;
    int corner = oldest[i - 1] + (str1[i - 1] != str2[j - 1]);

    newest[i] = min(min(up, left), corner);
}

extern "C" unsigned int device_user(char *str1, int lenStr1, char *str2, int lenStr2)
{
    const int block = 256;
    char *strings; /* str1, then str2 */
    int *rows;     /* [3][lenStr1 + 1] */
    int distance;

    CHECK(cudaMalloc(&strings, (size_t)lenStr1 + lenStr2));
    CHECK(cudaMalloc(&rows, 3 * ((size_t)lenStr1 + 1) * sizeof *rows));
    CHECK(cudaMemcpy(strings, str1, lenStr1, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(strings + lenStr1, str2, lenStr2, cudaMemcpyHostToDevice));

    int *oldest = rows, *middle = oldest + lenStr1 + 1, *newest = middle + lenStr1 + 1;

    for (int d = 0; d <= lenStr1 + lenStr2; d++) {
        int first = max(0, d - lenStr2), last = min(d, lenStr1);
        int blocks = (last - first) / block + 1;
        int *spare = oldest;

        diagonal<<<blocks, block>>>(strings, strings + lenStr1, lenStr1, lenStr2, d, first, last, oldest, middle,
                                    newest);
        CHECK(cudaGetLastError());
        oldest = middle;
        middle = newest;
        newest = spare;
    }
    /* The last anti-diagonal has one cell, and its row is `middle` by now. */
    CHECK(cudaMemcpy(&distance, middle + lenStr1, sizeof distance, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(rows));
    CHECK(cudaFree(strings));
    return (unsigned int)distance;
}
