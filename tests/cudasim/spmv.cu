/*
 * spmv.cu - a sparse matrix times a vector: compressed rows by one thread or one warp per row, coordinates with
 * atomics, and the ELLPACK form; rows of very different lengths. Values are small integers, so results are exact.
 */
#include "check.h"

__global__ void by_threads(const int *starts, const int *columns, const double *values, const double *x, double *y,
                           int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;

    if (row >= rows)
        return;
    for (int i = starts[row]; i < starts[row + 1]; i++)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}

__global__ void by_warps(const int *starts, const int *columns, const double *values, const double *x, double *y,
                         int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    double sum = 0;

    if (row >= rows)
        return;
    for (int i = starts[row] + lane; i < starts[row + 1]; i += 32)
        sum += values[i] * x[columns[i]];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (lane == 0)
        y[row] = sum;
}

__global__ void by_elements(const int *rows, const int *columns, const double *values, const double *x, double *y,
                            int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        atomicAdd(&y[rows[i]], values[i] * x[columns[i]]);
}

/* columns and values: width x rows, element k of all rows together; -1 if there is none */
__global__ void by_ell(const int *columns, const float *values, const float *x, float *y, int rows, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (row >= rows)
        return;
    for (int k = 0; k < width; k++) {
        int column = columns[k * rows + row];

        if (column < 0)
            break;
        sum += values[k * rows + row] * x[column];
    }
    y[row] = sum;
}

static void test(int rows, int width, int most)
{
    struct rng rng = {(uint64_t)rows};
    std::vector<int> starts = {0}, columns, row_of;
    std::vector<double> values, x(width), want(rows);
    int longest = 0;

    for (double &value : x)
        value = (int)rng_below(&rng, 20) - 10;
    for (int row = 0; row < rows; row++) {
        int count = rng_below(&rng, 10) == 0 ? rng_below(&rng, most) : rng_below(&rng, 8);

        for (int i = 0; i < count; i++) {
            columns.push_back(rng_below(&rng, width));
            values.push_back((int)rng_below(&rng, 20) - 10);
            row_of.push_back(row);
            want[row] += values.back() * x[columns.back()];
        }
        longest = std::max(longest, count);
        starts.push_back((int)columns.size());
    }
    std::vector<int> ell_columns(longest * rows, -1);
    std::vector<float> ell_values(longest * rows), x_float(x.begin(), x.end()), want_float(want.begin(), want.end());

    for (int row = 0; row < rows; row++)
        for (int i = starts[row]; i < starts[row + 1]; i++) {
            ell_columns[(i - starts[row]) * rows + row] = columns[i];
            ell_values[(i - starts[row]) * rows + row] = (float)values[i];
        }
    int *device_starts = device_copy(starts);
    int *device_columns = device_copy(columns);
    int *device_rows = device_copy(row_of);
    int *device_ell = device_copy(ell_columns);
    double *device_values = device_copy(values);
    double *device_x = device_copy(x);
    double *y = device_zeros<double>(rows);
    float *device_ell_values = device_copy(ell_values);
    float *device_x_float = device_copy(x_float);
    float *y_float = device_zeros<float>(rows);
    int count = (int)columns.size();

    by_threads<<<(rows + 63) / 64, 64>>>(device_starts, device_columns, device_values, device_x, y, rows);
    CHECK_KERNEL();
    expect_device("by threads", want, y);
    CUDA_CHECK(cudaMemset(y, 0, rows * sizeof(double)));
    by_warps<<<(rows + 3) / 4, 128>>>(device_starts, device_columns, device_values, device_x, y, rows);
    CHECK_KERNEL();
    expect_device("by warps", want, y);
    CUDA_CHECK(cudaMemset(y, 0, rows * sizeof(double)));
    by_elements<<<(count + 127) / 128, 128>>>(device_rows, device_columns, device_values, device_x, y, count);
    CHECK_KERNEL();
    expect_device("by elements", want, y);
    by_ell<<<(rows + 63) / 64, 64>>>(device_ell, device_ell_values, device_x_float, y_float, rows, longest);
    CHECK_KERNEL();
    expect_device("ELLPACK", want_float, y_float);
    device_free(device_starts);
    device_free(device_columns);
    device_free(device_rows);
    device_free(device_ell);
    device_free(device_values);
    device_free(device_x);
    device_free(y);
    device_free(device_ell_values);
    device_free(device_x_float);
    device_free(y_float);
}

int main(void)
{
    test(20, 10, 30);
    test(777, 500, 200);
    return passed();
}
