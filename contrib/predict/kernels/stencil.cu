/*
 * stencil.cu - kernels whose elements look at their neighbours.
 */
#include "kernels.h"

#include <math.h>

/* ---- speckle reducing anisotropic diffusion (Yu, Acton 2002, eq. 55 to 63), borders reflected ---- */

/* Differences to the four neighbours, and the coefficient of diffusion, from 0 to 1; q0 is the speckle's. */
__global__ void srad_1(const float *image, float *north, float *south, float *west, float *east, float *coefficient,
                       int n, float q0)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = i / n, column = i - row * n;

    if (row >= n)
        return;

    const float here = image[i];
    const float d_n = image[(row > 0 ? row - 1 : row) * n + column] - here;
    const float d_s = image[(row < n - 1 ? row + 1 : row) * n + column] - here;
    const float d_w = image[row * n + (column > 0 ? column - 1 : column)] - here;
    const float d_e = image[row * n + (column < n - 1 ? column + 1 : column)] - here;
    const float gradient = (d_n * d_n + d_s * d_s + d_w * d_w + d_e * d_e) / (here * here);
    const float laplacian = (d_n + d_s + d_w + d_e) / here;
    const float scale = 1 + 0.25f * laplacian;
    const float q = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (scale * scale);
    const float c = 1 / (1 + (q - q0) / (q0 * (1 + q0)));

    north[i] = d_n;
    south[i] = d_s;
    west[i] = d_w;
    east[i] = d_e;
    coefficient[i] = fminf(fmaxf(c, 0), 1);
}

void launch_srad_1(const struct run *r)
{
    float *const *out = r->outputs;

    srad_1<<<blocks_for(r->size * r->size, r->x), r->x>>>(r->in, out[0], out[1], out[2], out[3], out[4],
                                                             (int)r->size, 0.5f);
}

void host_srad_1(const struct run *r)
{
    const long n = r->size, all = n * n, steps[4][2] = { { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };

    for (long i = 0; i < all; i++) {
        double squares = 0, sum = 0, q0 = 0.5;

        for (int side = 0; side < 4; side++) {
            const long row = i / n + steps[side][0], column = i % n + steps[side][1];
            const bool inside = row >= 0 && row < n && column >= 0 && column < n;
            const double d = inside ? (double)r->in[row * n + column] - r->in[i] : 0;

            r->out[side * all + i] = (float)d;
            squares += d * d / r->in[i] / r->in[i];
            sum += d / r->in[i];
        }
        const double q = (squares / 2 - sum * sum / 16) / pow(1 + sum / 4, 2);
        const double c = 1 / (1 + (q - q0) / (q0 * (1 + q0)));

        r->out[4 * all + i] = (float)fmin(fmax(c, 0), 1);
    }
}

/* The image moves by what flows in from its neighbours. */
__global__ void srad_2(float *image, const float *north, const float *south, const float *west, const float *east,
                       const float *coefficient, int n, float rate)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = i / n, column = i - row * n;

    if (row >= n)
        return;

    const float c = coefficient[i];
    const float c_s = coefficient[(row < n - 1 ? row + 1 : row) * n + column];
    const float c_e = coefficient[row * n + (column < n - 1 ? column + 1 : column)];

    image[i] += 0.25f * rate * (c * north[i] + c_s * south[i] + c * west[i] + c_e * east[i]);
}

void launch_srad_2(const struct run *r)
{
    const float *const *in = r->inputs;

    srad_2<<<blocks_for(r->size * r->size, r->x), r->x>>>(r->out, in[0], in[1], in[2], in[3], in[4],
                                                             (int)r->size, 0.5f);
}

void host_srad_2(const struct run *r)
{
    const long n = r->size, all = n * n;
    const float *c = r->in + 4 * all;

    for (long i = 0; i < all; i++) {
        const double south = i + n < all ? c[i + n] : c[i], east = i % n < n - 1 ? c[i + 1] : c[i];

        r->out[i] += (float)(0.125 * (c[i] * ((double)r->in[i] + r->in[2 * all + i]) + south * r->in[all + i] +
                                      east * r->in[3 * all + i]));
    }
}

/* ---- heat on a chip (Huang et al. 2006), by explicit steps ---- */

enum { HEAT_STEPS = 2 };
#define HEAT_AMBIENT 0.8f
#define HEAT_RATE 0.1f
#define HEAT_X 0.7f /* one over the resistance to a neighbour in x, in y, and to what is around */
#define HEAT_Y 0.6f
#define HEAT_Z 0.2f

/*
 * A block brings its threads' cells into shared memory and makes HEAT_STEPS steps there. After each step the
 * outermost ring of cells is no longer right, so blocks overlap by that many cells, and only the inner ones are
 * written.
 */
__global__ void hotspot(const float *temperature, const float *power, float *result, int n)
{
    extern __shared__ float cells[]; /* [blockDim.y][blockDim.x] */
    const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, height = blockDim.y;
    const int x = blockIdx.x * (width - 2 * HEAT_STEPS) + tx - HEAT_STEPS;
    const int y = blockIdx.y * (height - 2 * HEAT_STEPS) + ty - HEAT_STEPS;
    const bool inside = x >= 0 && x < n && y >= 0 && y < n;
    const int here = ty * width + tx;
    const int west = x > 0 ? here - 1 : here, east = x < n - 1 ? here + 1 : here;
    const int north = y > 0 ? here - width : here, south = y < n - 1 ? here + width : here;
    float heat = 0, made = 0;

    if (inside) {
        heat = temperature[y * n + x];
        made = power[y * n + x];
    }
    cells[here] = heat;
    __syncthreads();
    for (int step = 1; step <= HEAT_STEPS; step++) {
        const bool right = inside && tx >= step && tx < width - step && ty >= step && ty < height - step;

        if (right)
            heat += HEAT_RATE * (made + (cells[north] + cells[south] - 2 * heat) * HEAT_Y +
                                 (cells[west] + cells[east] - 2 * heat) * HEAT_X + (HEAT_AMBIENT - heat) * HEAT_Z);
        __syncthreads();
        cells[here] = heat;
        __syncthreads();
        if (step == HEAT_STEPS && right)
            result[y * n + x] = heat;
    }
}

void launch_hotspot(const struct run *r)
{
    const dim3 block(r->x, r->y);
    const dim3 grid(blocks_for(r->size, r->x - 2 * HEAT_STEPS), blocks_for(r->size, r->y - 2 * HEAT_STEPS));

    hotspot<<<grid, block, r->x * r->y * sizeof(float)>>>(r->inputs[0], r->inputs[1], r->out, (int)r->size);
}

void host_hotspot(const struct run *r)
{
    const long n = r->size, all = n * n;
    float *before = (float *)malloc((size_t)all * sizeof *before);

    for (int step = 0; before && step < HEAT_STEPS; step++) {
        for (long i = 0; i < all; i++)
            before[i] = step ? r->out[i] : r->in[i];
        for (long i = 0; i < all; i++) {
            const long x = i % n, y = i / n;
            const double t = before[i];
            const double across = before[y ? i - n : i] + (double)before[y < n - 1 ? i + n : i] - 2 * t;
            const double along = before[x ? i - 1 : i] + (double)before[x < n - 1 ? i + 1 : i] - 2 * t;

            r->out[i] = (float)(t + HEAT_RATE * (r->in[all + i] + across * HEAT_Y + along * HEAT_X +
                                                 (HEAT_AMBIENT - t) * HEAT_Z));
        }
    }
    free(before);
}

/* ---- means of neighbours; the border is left out ---- */

__global__ void stencil_2d(const float *from, float *to, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int i = y * n + x;

    if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
        to[i] = 0.2f * (from[i] + from[i - 1] + from[i + 1] + from[i - n] + from[i + n]);
}

void launch_stencil_2d(const struct run *r)
{
    const dim3 block(r->x, r->y), grid(blocks_for(r->size, r->x), blocks_for(r->size, r->y));

    stencil_2d<<<grid, block>>>(r->in, r->out, (int)r->size);
}

void host_stencil_2d(const struct run *r)
{
    const long n = r->size;

    for (long y = 1; y < n - 1; y++)
        for (long i = y * n + 1; i < y * n + n - 1; i++)
            r->out[i] = (r->in[i] + r->in[i - 1] + r->in[i + 1] + r->in[i - n] + r->in[i + n]) / 5;
}

/* Along z the three numbers of a column go from register to register. */
__global__ void stencil_3d(const float *from, float *to, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int plane = n * n;

    if (x < 1 || x >= n - 1 || y < 1 || y >= n - 1)
        return;

    int i = y * n + x;
    float below = from[i], here = from[i + plane];

    for (int z = 1; z < n - 1; z++) {
        i += plane;
        const float above = from[i + plane];

        to[i] = (below + here + above + from[i - 1] + from[i + 1] + from[i - n] + from[i + n]) * (1.0f / 7);
        below = here;
        here = above;
    }
}

void launch_stencil_3d(const struct run *r)
{
    const dim3 block(r->x, r->y), grid(blocks_for(r->size, r->x), blocks_for(r->size, r->y));

    stencil_3d<<<grid, block>>>(r->in, r->out, (int)r->size);
}

void host_stencil_3d(const struct run *r)
{
    const long n = r->size, steps[] = { 0, 1, -1, n, -n, n * n, -n * n };

    for (long i = 0; i < n * n * n; i++) {
        const long x = i % n, y = i / n % n, z = i / n / n;
        double sum = 0;

        if (x == 0 || y == 0 || z == 0 || x == n - 1 || y == n - 1 || z == n - 1)
            continue;
        for (int side = 0; side < 7; side++)
            sum += r->in[i + steps[side]];
        r->out[i] = (float)(sum / 7);
    }
}

/* ---- convolutions with zeros around; the weights are known to the compiler ---- */

enum { RADIUS_1D = 64, RADIUS_2D = 5 };

__global__ void convolution_1d(const float *from, float *to, int n)
{
    extern __shared__ float near[]; /* [blockDim.x + 2 RADIUS_1D] */
    const int first = blockIdx.x * blockDim.x - RADIUS_1D;
    float sum = 0;

    for (int k = threadIdx.x; k < blockDim.x + 2 * RADIUS_1D; k += blockDim.x)
        near[k] = first + k >= 0 && first + k < n ? from[first + k] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int d = -RADIUS_1D; d <= RADIUS_1D; d++)
        sum += near[(int)threadIdx.x + RADIUS_1D + d] * (1.0f / (1 + (d < 0 ? -d : d)));

    const int i = first + RADIUS_1D + threadIdx.x;

    if (i < n)
        to[i] = sum;
}

void launch_convolution_1d(const struct run *r)
{
    const size_t bytes = (r->x + 2 * RADIUS_1D) * sizeof(float);

    convolution_1d<<<blocks_for(r->size, r->x), r->x, bytes>>>(r->in, r->out, (int)r->size);
}

void host_convolution_1d(const struct run *r)
{
    for (long i = 0; i < r->size; i++) {
        double sum = 0;

        for (long k = i - RADIUS_1D; k <= i + RADIUS_1D; k++)
            if (k >= 0 && k < r->size)
                sum += r->in[k] / (1.0 + labs(k - i));
        r->out[i] = (float)sum;
    }
}

__global__ void convolution_2d(const float *from, float *to, int n)
{
    extern __shared__ float near[]; /* [blockDim.y + 2 RADIUS_2D][blockDim.x + 2 RADIUS_2D] */
    const int width = blockDim.x + 2 * RADIUS_2D, height = blockDim.y + 2 * RADIUS_2D;
    const int first_x = blockIdx.x * blockDim.x - RADIUS_2D, first_y = blockIdx.y * blockDim.y - RADIUS_2D;
    float sum = 0;

    for (int b = threadIdx.y; b < height; b += blockDim.y)
        for (int a = threadIdx.x; a < width; a += blockDim.x) {
            const int x = first_x + a, y = first_y + b;

            near[b * width + a] = x >= 0 && x < n && y >= 0 && y < n ? from[y * n + x] : 0.0f;
        }
    __syncthreads();
#pragma unroll
    for (int b = 0; b <= 2 * RADIUS_2D; b++)
#pragma unroll
        for (int a = 0; a <= 2 * RADIUS_2D; a++)
            sum += near[(threadIdx.y + b) * width + threadIdx.x + a] *
                   (1.0f / (1 + (a - RADIUS_2D) * (a - RADIUS_2D) + (b - RADIUS_2D) * (b - RADIUS_2D)));

    const int x = first_x + RADIUS_2D + threadIdx.x, y = first_y + RADIUS_2D + threadIdx.y;

    if (x < n && y < n)
        to[y * n + x] = sum;
}

void launch_convolution_2d(const struct run *r)
{
    const dim3 block(r->x, r->y), grid(blocks_for(r->size, r->x), blocks_for(r->size, r->y));
    const size_t bytes = (r->x + 2 * RADIUS_2D) * (r->y + 2 * RADIUS_2D) * sizeof(float);

    convolution_2d<<<grid, block, bytes>>>(r->in, r->out, (int)r->size);
}

void host_convolution_2d(const struct run *r)
{
    const long n = r->size;

    for (long i = 0; i < n * n; i++) {
        double sum = 0;

        for (long y = i / n - RADIUS_2D; y <= i / n + RADIUS_2D; y++)
            for (long x = i % n - RADIUS_2D; x <= i % n + RADIUS_2D; x++)
                if (x >= 0 && x < n && y >= 0 && y < n)
                    sum += r->in[y * n + x] / (1.0 + (x - i % n) * (x - i % n) + (y - i / n) * (y - i / n));
        r->out[i] = (float)sum;
    }
}

/* ---- edit distance: an anti-diagonal of cells, from the two before it ---- */

/* Cell i has one[i] and one[i + 1] beside it and two[i] between them; its characters are a[i] and b[n - 1 - i]. */
__global__ void edit_diagonal(const int *one, const int *two, const char *a, const char *b, int *cells, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        cells[i] = min(min(one[i], one[i + 1]) + 1, two[i] + (a[i] != b[n - 1 - i]));
}

void launch_edit_diagonal(const struct run *r)
{
    const long n = r->size;
    const int *one = (const int *)r->inputs[0], *two = (const int *)r->inputs[1];
    const char *a = (const char *)r->inputs[2], *b = (const char *)r->inputs[3];

    edit_diagonal<<<blocks_for(n, r->x), r->x>>>(one, two, a, b, (int *)r->out, (int)n);
}

void host_edit_diagonal(const struct run *r)
{
    const long n = r->size;
    const int *one = (const int *)r->in, *two = one + n + 1;
    const char *a = (const char *)(one + 2 * n + 1), *b = a + n;
    int *cells = (int *)r->out;

    for (long i = 0; i < n; i++) {
        cells[i] = two[i] + (a[i] == b[n - 1 - i] ? 0 : 1);
        if (one[i] + 1 < cells[i])
            cells[i] = one[i] + 1;
        if (one[i + 1] + 1 < cells[i])
            cells[i] = one[i + 1] + 1;
    }
}
