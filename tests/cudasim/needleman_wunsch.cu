/*
 * needleman_wunsch.cu - the alignment of two sequences: tiles of 16 x 16 along the diagonals of the matrix, one launch
 * a diagonal of tiles, and inside of a tile diagonal by diagonal in shared memory; then the best path is traced back.
 */
#include <algorithm>

#include "check.h"

enum { SIDE = 16, GAP = 5 };

__constant__ signed char scores[4][4] = {{6, -2, -1, -3}, {-2, 5, -4, 0}, {-1, -4, 7, -2}, {-3, 0, -2, 4}};
static const signed char host_scores[4][4] = {{6, -2, -1, -3}, {-2, 5, -4, 0}, {-1, -4, 7, -2}, {-3, 0, -2, 4}};

/* matrix: (rows + 1) x (columns + 1), its first row and column filled in */
__global__ void fill_tiles(int *matrix, const char *a, const char *b, int rows, int columns, int diagonal,
                           int first_row)
{
    __shared__ int tile[SIDE + 1][SIDE + 1];
    int tile_row = first_row + blockIdx.x;
    int top = tile_row * SIDE, left = (diagonal - tile_row) * SIDE;
    int pitch = columns + 1;
    int t = threadIdx.x;

    if (left + t < columns)
        tile[0][t + 1] = matrix[top * pitch + left + t + 1];
    if (top + t < rows)
        tile[t + 1][0] = matrix[(top + t + 1) * pitch + left];
    if (t == 0)
        tile[0][0] = matrix[top * pitch + left];
    __syncthreads();
    for (int d = 0; d < 2 * SIDE - 1; d++) {
        int x = t, y = d - t;

        if (y >= 0 && y < SIDE && left + x < columns && top + y < rows)
            tile[y + 1][x + 1] = max(tile[y][x] + scores[a[top + y]][b[left + x]],
                                     max(tile[y][x + 1], tile[y + 1][x]) - GAP);
        __syncthreads();
    }
    for (int y = 0; y < SIDE && top + y < rows; y++)
        if (left + t < columns)
            matrix[(top + y + 1) * pitch + left + t + 1] = tile[y + 1][t + 1];
}

/* One thread walks from the last cell to the first; steps: 'd', 'u' or 'l', backwards. */
__global__ void trace_back(const int *matrix, const char *a, const char *b, int rows, int columns, char *steps,
                           int *count)
{
    int pitch = columns + 1;
    int y = rows, x = columns, n = 0;

    while (y > 0 || x > 0) {
        int here = matrix[y * pitch + x];

        if (y > 0 && x > 0 && here == matrix[(y - 1) * pitch + x - 1] + scores[a[y - 1]][b[x - 1]]) {
            steps[n++] = 'd';
            y--;
            x--;
        } else if (y > 0 && here == matrix[(y - 1) * pitch + x] - GAP) {
            steps[n++] = 'u';
            y--;
        } else {
            steps[n++] = 'l';
            x--;
        }
    }
    *count = n;
}

static void test(int rows, int columns)
{
    struct rng rng = {(uint64_t)rows * columns};
    std::vector<char> a(rows), b(columns);
    int pitch = columns + 1;
    std::vector<int> matrix((rows + 1) * pitch), want;

    for (char &letter : a)
        letter = rng_below(&rng, 4);
    for (int i = 0; i < columns; i++)
        b[i] = i < rows && rng_below(&rng, 4) ? a[i] : (char)rng_below(&rng, 4);
    for (int y = 0; y <= rows; y++)
        matrix[y * pitch] = -GAP * y;
    for (int x = 0; x <= columns; x++)
        matrix[x] = -GAP * x;
    want = matrix;
    for (int y = 1; y <= rows; y++)
        for (int x = 1; x <= columns; x++)
            want[y * pitch + x] =
                std::max(want[(y - 1) * pitch + x - 1] + host_scores[(int)a[y - 1]][(int)b[x - 1]],
                         std::max(want[(y - 1) * pitch + x], want[y * pitch + x - 1]) - GAP);
    int *device = device_copy(matrix);
    char *device_a = device_copy(a);
    char *device_b = device_copy(b);
    char *steps = device_zeros<char>(rows + columns);
    int *count = device_zeros<int>(1);
    int tile_rows = (rows + SIDE - 1) / SIDE, tile_columns = (columns + SIDE - 1) / SIDE;

    for (int diagonal = 0; diagonal < tile_rows + tile_columns - 1; diagonal++) {
        int first = std::max(0, diagonal - tile_columns + 1), last = std::min(diagonal, tile_rows - 1);

        fill_tiles<<<last - first + 1, SIDE>>>(device, device_a, device_b, rows, columns, diagonal, first);
        CHECK_KERNEL();
    }
    expect_device("matrix", want, device);
    trace_back<<<1, 1>>>(device, device_a, device_b, rows, columns, steps, count);
    CHECK_KERNEL();
    int n = host_copy(count, 1)[0];
    std::vector<char> path = host_copy(steps, n);
    int score = 0, y = 0, x = 0;

    while (n-- > 0) { /* the score of the path is that of the last cell */
        if (path[n] == 'd')
            score += host_scores[(int)a[y++]][(int)b[x++]];
        else {
            score -= GAP;
            path[n] == 'u' ? y++ : x++;
        }
    }
    EXPECT(y == rows && x == columns);
    expect_value("score", want.back(), score);
    device_free(device);
    device_free(device_a);
    device_free(device_b);
    device_free(steps);
    device_free(count);
}

int main(void)
{
    test(1, 1);
    test(16, 16);
    test(50, 33);
    test(17, 100);
    test(120, 130);
    return passed();
}
