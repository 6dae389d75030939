/*
 * values.cuh - the functions: sums over the quads of a row, in the prescribed order.
 */
#pragma once

#include "layout.cuh"

/* What an evaluation reads beside the individual: in shared memory. */
struct surface {
    const float *shift, *factor, *rotation;
    uint32_t dimension, quads, shifts;
};

__device__ __forceinline__ float4 sub(float4 a, float4 b)
{
    return make_float4(de_sub(a.x, b.x), de_sub(a.y, b.y), de_sub(a.z, b.z), de_sub(a.w, b.w));
}

template <int FUNCTION>
__device__ __forceinline__ de_sum add_coordinates(de_sum sum, const surface &s, uint32_t j, const float *z,
                                                 uint32_t count)
{
#pragma unroll
    for (uint32_t k = 0; k < 4; k++)
        if (k < count)
            sum = de_sum_add(FUNCTION, sum, j + k, z[k], FUNCTION == DIFFEVO_GRIEWANK ? s.factor[j + k] : 0);
    return sum;
}

template <int FUNCTION, bool NARROW>
__device__ __forceinline__ float value_plain(const surface &s, const float *shift, char *population, uint32_t row)
{
    const float4 *shifts = reinterpret_cast<const float4 *>(shift);
    de_sum sum = de_sum_start();
    uint32_t full = s.dimension / 4;
    float4 z;

#pragma unroll 4
    for (uint32_t q = 0; q < full; q++) {
        z = sub(quad_of(population, quad_at<NARROW>(row, q)), shifts[q]);
        sum = add_coordinates<FUNCTION>(sum, s, 4 * q, &z.x, 4);
    }
    if (s.dimension % 4) {
        z = sub(quad_of(population, quad_at<NARROW>(row, full)), shifts[full]);
        sum = add_coordinates<FUNCTION>(sum, s, 4 * full, &z.x, s.dimension % 4);
    }
    return de_sum_end(FUNCTION, sum, s.dimension);
}

/* ROWS of R at once, so that what is read of the individual is used as often. */
template <int ROWS, bool NARROW>
__device__ __forceinline__ void rotate_rows(float z[ROWS], const surface &s, uint32_t first, const float *shift,
                                            char *population, uint32_t row)
{
    const float4 *shifts = reinterpret_cast<const float4 *>(shift);
    const float4 *rows[ROWS];
    uint32_t full = s.dimension / 4, rest = s.dimension % 4;

#pragma unroll
    for (int r = 0; r < ROWS; r++) { /* beyond the last row: the last one again */
        rows[r] = reinterpret_cast<const float4 *>(s.rotation) + min(first + r, s.dimension - 1) * s.quads;
        z[r] = 0;
    }
    for (uint32_t q = 0; q < full; q++) {
        float4 y = sub(quad_of(population, quad_at<NARROW>(row, q)), shifts[q]);

#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            float4 entry = rows[r][q];

            z[r] = de_rotate(z[r], entry.x, y.x);
            z[r] = de_rotate(z[r], entry.y, y.y);
            z[r] = de_rotate(z[r], entry.z, y.z);
            z[r] = de_rotate(z[r], entry.w, y.w);
        }
    }
    if (rest) {
        float4 y = sub(quad_of(population, quad_at<NARROW>(row, full)), shifts[full]);

#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            float4 entry = rows[r][full];

            z[r] = de_rotate(z[r], entry.x, y.x);
            z[r] = rest > 1 ? de_rotate(z[r], entry.y, y.y) : z[r];
            z[r] = rest > 2 ? de_rotate(z[r], entry.z, y.z) : z[r];
        }
    }
}

template <int FUNCTION, bool NARROW>
__device__ __forceinline__ float value_rotated(const surface &s, const float *shift, char *population, uint32_t row)
{
    const int ROWS = 8;
    de_sum sum = de_sum_start();

    for (uint32_t j = 0; j < s.dimension; j += ROWS) {
        float z[ROWS];

        rotate_rows<ROWS, NARROW>(z, s, j, shift, population, row);
#pragma unroll
        for (uint32_t k = 0; k < ROWS; k++)
            if (j + k < s.dimension)
                sum = de_sum_add(FUNCTION, sum, j + k, z[k], FUNCTION == DIFFEVO_GRIEWANK ? s.factor[j + k] : 0);
    }
    return de_sum_end(FUNCTION, sum, s.dimension);
}

/* The value of the row at that offset. */
template <int FUNCTION, bool NARROW, bool ROTATED>
__device__ __forceinline__ float value_of(const surface &s, char *population, uint32_t row)
{
    float value = 0;

    for (uint32_t k = 0; k < s.shifts; k++) {
        const float *shift = s.shift + k * 4 * s.quads;
        float one = ROTATED ? value_rotated<FUNCTION, NARROW>(s, shift, population, row)
                            : value_plain<FUNCTION, NARROW>(s, shift, population, row);

        value = k == 0 ? one : de_add(value, one);
    }
    return value;
}

template <bool NARROW, bool ROTATED>
__device__ __forceinline__ float evaluate(uint32_t function, const surface &s, char *population, uint32_t row)
{
    switch (function) {
    case DIFFEVO_SPHERE: return value_of<DIFFEVO_SPHERE, NARROW, ROTATED>(s, population, row);
    case DIFFEVO_ROSENBROCK: return value_of<DIFFEVO_ROSENBROCK, NARROW, ROTATED>(s, population, row);
    case DIFFEVO_RASTRIGIN: return value_of<DIFFEVO_RASTRIGIN, NARROW, ROTATED>(s, population, row);
    case DIFFEVO_ACKLEY: return value_of<DIFFEVO_ACKLEY, NARROW, ROTATED>(s, population, row);
    case DIFFEVO_GRIEWANK: return value_of<DIFFEVO_GRIEWANK, NARROW, ROTATED>(s, population, row);
    default: return value_of<DIFFEVO_SCHWEFEL, NARROW, ROTATED>(s, population, row);
    }
}
