/*
 * dynamic_programming.cu - a knapsack (one launch per item, two rows in turn), the longest common subsequence (by
 * diagonals, in one block), and all shortest paths (Floyd and Warshall, one launch per vertex).
 */
#include <algorithm>

#include "check.h"

__global__ void knapsack_item(const int *before, int *after, int capacity, int weight, int value)
{
    int room = blockIdx.x * blockDim.x + threadIdx.x;

    if (room > capacity)
        return;
    int best = before[room];

    if (room >= weight)
        best = max(best, before[room - weight] + value);
    after[room] = best;
}

static void test_knapsack(int items, int capacity)
{
    struct rng rng = {(uint64_t)items};
    std::vector<int> want(capacity + 1);
    int *rows[2] = {device_zeros<int>(capacity + 1), device_zeros<int>(capacity + 1)};

    for (int i = 0; i < items; i++) {
        int weight = 1 + rng_below(&rng, 60), value = rng_below(&rng, 1000);

        knapsack_item<<<capacity / 128 + 1, 128>>>(rows[i % 2], rows[1 - i % 2], capacity, weight, value);
        CHECK_KERNEL();
        for (int room = capacity; room >= weight; room--)
            want[room] = std::max(want[room], want[room - weight] + value);
    }
    expect_device("knapsack", want, rows[items % 2]);
    device_free(rows[0]);
    device_free(rows[1]);
}

/* Three diagonals in shared memory; element i of diagonal d is the cell (i, d - i). */
__global__ void subsequence(const char *a, int length_a, const char *b, int length_b, int *result)
{
    extern __shared__ int shared[];
    int size = length_a + 1;
    int *diagonals[3] = {shared, shared + size, shared + 2 * size};

    for (int d = 0; d <= length_a + length_b; d++) {
        int *now = diagonals[d % 3], *last = diagonals[(d + 2) % 3], *second = diagonals[(d + 1) % 3];

        for (int i = threadIdx.x; i <= length_a; i += blockDim.x) {
            int j = d - i;

            if (j < 0 || j > length_b)
                continue;
            if (i == 0 || j == 0)
                now[i] = 0;
            else if (a[i - 1] == b[j - 1])
                now[i] = second[i - 1] + 1;
            else
                now[i] = max(last[i - 1], last[i]);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *result = diagonals[(length_a + length_b) % 3][length_a];
}

static void test_subsequence(int length_a, int length_b)
{
    struct rng rng = {(uint64_t)length_a};
    std::vector<char> a(length_a), b(length_b);
    std::vector<std::vector<int>> best(length_a + 1, std::vector<int>(length_b + 1));

    for (char &letter : a)
        letter = 'a' + rng_below(&rng, 4);
    for (char &letter : b)
        letter = 'a' + rng_below(&rng, 4);
    for (int i = 1; i <= length_a; i++)
        for (int j = 1; j <= length_b; j++)
            best[i][j] = a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : std::max(best[i - 1][j], best[i][j - 1]);
    char *device_a = device_copy(a);
    char *device_b = device_copy(b);
    int *result = device_zeros<int>(1);

    subsequence<<<1, 64, 3 * (length_a + 1) * sizeof(int)>>>(device_a, length_a, device_b, length_b, result);
    CHECK_KERNEL();
    expect_device("common subsequence", std::vector<int>{best[length_a][length_b]}, result);
    device_free(device_a);
    device_free(device_b);
    device_free(result);
}

__global__ void relax(int *distances, int n, int through)
{
    int to = blockIdx.x * blockDim.x + threadIdx.x;
    int from = blockIdx.y * blockDim.y + threadIdx.y;

    if (to < n && from < n)
        distances[from * n + to] =
            min(distances[from * n + to], distances[from * n + through] + distances[through * n + to]);
}

static void test_paths(int n)
{
    struct rng rng = {(uint64_t)n};
    std::vector<int> distances(n * n);

    for (int i = 0; i < n * n; i++)
        distances[i] = i % (n + 1) == 0 ? 0 : rng_below(&rng, 5) == 0 ? 1 + rng_below(&rng, 100) : 1000000;
    int *device = device_copy(distances);

    for (int through = 0; through < n; through++) {
        relax<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(device, n, through);
        CUDA_CHECK(cudaGetLastError());
        for (int i = 0; i < n * n; i++)
            distances[i] = std::min(distances[i], distances[i / n * n + through] + distances[through * n + i % n]);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    expect_device("paths", distances, device);
    device_free(device);
}

int main(void)
{
    test_knapsack(20, 999);
    test_knapsack(7, 0);
    test_subsequence(1, 5);
    test_subsequence(150, 97);
    test_paths(45);
    return passed();
}
