/*
 * values.cuh - the functions: sums over the quads of a row, in the prescribed order.
 */
#pragma once

#include "layout.cuh"

/* What an evaluation reads beside the individual: in shared memory. */
struct surface {
    const float *shift, *factor, *rotation;
    uint32_t dimension, quads, shifts;
    float inverse; /* of the dimension */
};

/* ------------------------------------------------------------------ a division and a root without branches */

/* Whether a is 0, or between 2^-90 and 2^64: nothing below then loses bits to the end of the range. */
__device__ __forceinline__ bool is_middling(float a)
{
    const uint32_t bits = de_bits(a);

    return bits - (37u << 23) < 154u << 23 || bits == 0;
}

/* de_div(a, b) for a middling a and whole b up to 128. inverse is de_div(1, b): one correction of the quotient. */
__device__ __forceinline__ float divide_middling(float a, float b, float inverse)
{
    const float quotient = __fmul_rn(a, inverse);

    return __fmaf_rn(__fmaf_rn(-quotient, b, a), inverse, quotient);
}

/* de_sqrt(a) for a middling a: one step of Newton's method from 1 / sqrt(a). */
__device__ __forceinline__ float root_of_middling(float a)
{
    float inverse;

    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(a));
    const float root = __fmul_rn(a, inverse);

    return a == 0 ? 0 : __fmaf_rn(__fmaf_rn(-root, root, a), __fmul_rn(0.5f, inverse), root);
}

/* Schwefel's addend, and by how much t leaves the bounds. |w| is 0 or at least 2^-16: near 0, it is 420.9 less 420.9 */
__device__ __forceinline__ float2 schwefel_terms(float z)
{
    const float t = de_add(z, 420.968746f), w = de_clamp(t, -500.0f, 500.0f);

    return make_float2(de_fma(-w, de_sin(root_of_middling(w < 0.0f ? -w : w)), 418.982887f), de_sub(t, w));
}

/* de_sum_add() */
template <int FUNCTION>
__device__ __forceinline__ de_sum add_coordinate(de_sum sum, uint32_t j, float z, float factor)
{
    if (FUNCTION != DIFFEVO_SCHWEFEL)
        return de_sum_add(FUNCTION, sum, j, z, factor);
    const float2 terms = schwefel_terms(z);

    sum.a = de_add(sum.a, terms.x);
    sum.a = de_fma(de_mul(0.01f, terms.y), terms.y, sum.a);
    return sum;
}

/* de_sum_end(). Ackley's has no branch but the last, which is hardly ever taken and known long before it is reached. */
template <int FUNCTION> __device__ __forceinline__ float end_sum(de_sum s, uint32_t dimension, float inverse)
{
    if (FUNCTION != DIFFEVO_ACKLEY)
        return de_sum_end(FUNCTION, s, dimension);
    const bool middling = is_middling(s.a) && is_middling(s.b);
    const float d = (float)dimension, root = root_of_middling(divide_middling(s.a, d, inverse));
    const float a = de_expm1(de_mul(-0.2f, root)), b = de_expm1(de_mul(-2.0f, divide_middling(s.b, d, inverse)));
    float value = de_fma(-20.0f, a, de_mul(-2.71828175f, b));

    if (!middling)
        value = de_sum_end(FUNCTION, s, dimension);
    return value;
}

/* ------------------------------------------------------------------ values of rows */

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
            sum = add_coordinate<FUNCTION>(sum, j + k, z[k], FUNCTION == DIFFEVO_GRIEWANK ? s.factor[j + k] : 0);
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
    return end_sum<FUNCTION>(sum, s.dimension, s.inverse);
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
                sum = add_coordinate<FUNCTION>(sum, j + k, z[k], FUNCTION == DIFFEVO_GRIEWANK ? s.factor[j + k] : 0);
    }
    return end_sum<FUNCTION>(sum, s.dimension, s.inverse);
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
