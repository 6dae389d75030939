/*
 * mma_ptx.cu - the tensor instructions written in PTX: mma.sync of every common shape and type, with the fragments
 * laid out by hand as the PTX manual describes them, and ldmatrix and stmatrix. Results are exact.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

/* --- fragments --- */

/* Packs elements into 32-bit registers, the first in the lowest bits. */
template <typename T, int COUNT> __device__ void pack(const T *elements, unsigned *registers)
{
    memcpy(registers, elements, COUNT * sizeof(T));
}

enum kind { F16, F16_F16, BF16, TF32, S8, U8, S8_U8, SATURATED, F64 };

/*
 * The position of element i of this lane's fragment. per: elements a register (2 for 16 bits, 4 for 8 bits, 1 for 32
 * and 64). Registers alternate between rows g and g + 8 first, then between halves of k.
 */
__device__ void place_a(int i, int per, int *row, int *column)
{
    int lane = threadIdx.x;
    int reg = i / per;

    *row = lane / 4 + reg % 2 * 8;
    *column = lane % 4 * per + i % per + reg / 2 * 4 * per;
}

__device__ void place_b(int i, int per, int *row, int *column)
{
    int lane = threadIdx.x;

    *row = lane % 4 * per + i % per + i / per * 4 * per;
    *column = lane / 4;
}

__device__ void place_c(int i, int *row, int *column)
{
    int lane = threadIdx.x;

    *row = lane / 4 + i / 2 * 8;
    *column = lane % 4 * 2 + i % 2;
}

template <typename T, int COUNT>
__device__ void load_fragments(const T *a, const T *b, int k, T *fragment_a, T *fragment_b)
{
    constexpr int per = sizeof(T) >= 4 ? 1 : 4 / sizeof(T);
    int row, column;

    for (int i = 0; i < COUNT; i++) {
        place_a(i, per, &row, &column);
        fragment_a[i] = a[row * k + column];
    }
    for (int i = 0; i < COUNT / 2; i++) {
        place_b(i, per, &row, &column);
        fragment_b[i] = b[row * 8 + column];
    }
}

#define MMA_F32(shape, type, A, B) \
    asm volatile("mma.sync.aligned." shape ".row.col.f32." type "." type ".f32 {%0, %1, %2, %3}, " A ", " B \
                 ", {%0, %1, %2, %3};"

#define FLOATS "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define INTS "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])

/* --- one kernel a type; K picks the shape; d: 16 x 8, both input and output --- */

template <int K> __global__ void multiply_f16(const __half *a, const __half *b, float *out)
{
    __half fragment_a[K / 2], fragment_b[K / 4];
    unsigned ra[K / 4], rb[K / 8];
    float d[4];
    int row, column;

    load_fragments<__half, K / 2>(a, b, K, fragment_a, fragment_b);
    pack<__half, K / 2>(fragment_a, ra);
    pack<__half, K / 4>(fragment_b, rb);
    for (int i = 0; i < 4; i++) {
        place_c(i, &row, &column);
        d[i] = out[row * 8 + column];
    }
    if constexpr (K == 16)
        MMA_F32("m16n8k16", "f16", "{%4, %5, %6, %7}", "{%8, %9}")
            : FLOATS
            : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    else
        MMA_F32("m16n8k8", "f16", "{%4, %5}", "{%6}") : FLOATS : "r"(ra[0]), "r"(ra[1]), "r"(rb[0]));
    for (int i = 0; i < 4; i++) {
        place_c(i, &row, &column);
        out[row * 8 + column] = d[i];
    }
}

/* Accumulates in f16. */
template <int K> __global__ void multiply_f16_f16(const __half *a, const __half *b, float *out)
{
    __half fragment_a[K / 2], fragment_b[K / 4], sums[4];
    unsigned ra[K / 4], rb[K / 8], d[2];
    int row, column;

    load_fragments<__half, K / 2>(a, b, K, fragment_a, fragment_b);
    pack<__half, K / 2>(fragment_a, ra);
    pack<__half, K / 4>(fragment_b, rb);
    for (int i = 0; i < 4; i++) {
        place_c(i, &row, &column);
        sums[i] = __float2half(out[row * 8 + column]);
    }
    pack<__half, 4>(sums, d);
    if constexpr (K == 16)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
                     "{%0, %1};"
                     : "+r"(d[0]), "+r"(d[1])
                     : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    else
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
                     : "+r"(d[0]), "+r"(d[1])
                     : "r"(ra[0]), "r"(ra[1]), "r"(rb[0]));
    memcpy(sums, d, sizeof sums);
    for (int i = 0; i < 4; i++) {
        place_c(i, &row, &column);
        out[row * 8 + column] = __half2float(sums[i]);
    }
}

template <int K> __global__ void multiply_bf16(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *out)
{
    __nv_bfloat16 fragment_a[K / 2], fragment_b[K / 4];
    unsigned ra[K / 4], rb[K / 8];
    float d[4];
    int row, column;

    load_fragments<__nv_bfloat16, K / 2>(a, b, K, fragment_a, fragment_b);
    pack<__nv_bfloat16, K / 2>(fragment_a, ra);
    pack<__nv_bfloat16, K / 4>(fragment_b, rb);
    for (int i = 0; i < 4; i++) {
        place_c(i, &row, &column);
        d[i] = out[row * 8 + column];
    }
    if constexpr (K == 16)
        MMA_F32("m16n8k16", "bf16", "{%4, %5, %6, %7}", "{%8, %9}")
            : FLOATS
            : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    else
        MMA_F32("m16n8k8", "bf16", "{%4, %5}", "{%6}") : FLOATS : "r"(ra[0]), "r"(ra[1]), "r"(rb[0]));
    for (int i = 0; i < 4; i++) {
        place_c(i, &row, &column);
        out[row * 8 + column] = d[i];
    }
}

template <int K> __global__ void multiply_tf32(const float *a, const float *b, float *out)
{
    float fragment_a[K / 2], fragment_b[K / 4];
    unsigned ra[K / 2], rb[K / 4];
    float d[4];
    int row, column;

    load_fragments<float, K / 2>(a, b, K, fragment_a, fragment_b);
    pack<float, K / 2>(fragment_a, ra);
    pack<float, K / 4>(fragment_b, rb);
    for (int i = 0; i < K / 2; i++)
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(ra[i]) : "f"(fragment_a[i]));
    for (int i = 0; i < 4; i++) {
        place_c(i, &row, &column);
        d[i] = out[row * 8 + column];
    }
    if constexpr (K == 8)
        MMA_F32("m16n8k8", "tf32", "{%4, %5, %6, %7}", "{%8, %9}")
            : FLOATS
            : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    else
        MMA_F32("m16n8k4", "tf32", "{%4, %5}", "{%6}") : FLOATS : "r"(ra[0]), "r"(ra[1]), "r"(rb[0]));
    for (int i = 0; i < 4; i++) {
        place_c(i, &row, &column);
        out[row * 8 + column] = d[i];
    }
}

#define MMA_INT(variant) \
    do { \
        if constexpr (K == 32) \
            asm volatile("mma.sync.aligned.m16n8k32.row.col" variant "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, " \
                         "{%0, %1, %2, %3};" \
                         : INTS \
                         : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1])); \
        else \
            asm volatile("mma.sync.aligned.m16n8k16.row.col" variant "{%0, %1, %2, %3}, {%4, %5}, {%6}, " \
                         "{%0, %1, %2, %3};" \
                         : INTS \
                         : "r"(ra[0]), "r"(ra[1]), "r"(rb[0])); \
    } while (0)

template <int K, kind KIND>
__global__ void multiply_bytes(const unsigned char *a, const unsigned char *b, int *out)
{
    unsigned char fragment_a[K / 2], fragment_b[K / 4];
    unsigned ra[4], rb[2];
    int d[4];
    int row, column;

    load_fragments<unsigned char, K / 2>(a, b, K, fragment_a, fragment_b);
    pack<unsigned char, K / 2>(fragment_a, ra);
    pack<unsigned char, K / 4>(fragment_b, rb);
    for (int i = 0; i < 4; i++) {
        place_c(i, &row, &column);
        d[i] = out[row * 8 + column];
    }
    if constexpr (KIND == S8)
        MMA_INT(".s32.s8.s8.s32 ");
    if constexpr (KIND == U8)
        MMA_INT(".s32.u8.u8.s32 ");
    if constexpr (KIND == S8_U8)
        MMA_INT(".s32.s8.u8.s32 ");
    if constexpr (KIND == SATURATED)
        MMA_INT(".satfinite.s32.s8.s8.s32 ");
    for (int i = 0; i < 4; i++) {
        place_c(i, &row, &column);
        out[row * 8 + column] = d[i];
    }
}

__global__ void multiply_f64_small(const double *a, const double *b, double *out)
{
    int lane = threadIdx.x;
    double *c = &out[lane / 4 * 8 + lane % 4 * 2];

    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c[0]), "+d"(c[1])
                 : "d"(a[lane / 4 * 4 + lane % 4]), "d"(b[lane % 4 * 8 + lane / 4]));
}

/* --- checks --- */

template <typename T, typename S, typename Function, typename Convert>
static void test(const char *what, int m, int k, int low, int high, S start, Function function, Convert convert,
                 bool saturate = false)
{
    struct rng rng = {(uint64_t)k * 1000 + high};
    std::vector<int> ints_a(m * k), ints_b(k * 8);
    std::vector<T> a(m * k), b(k * 8);
    std::vector<S> c(m * 8), want(m * 8);

    for (int i = 0; i < m * k; i++) {
        ints_a[i] = low + (int)rng_below(&rng, high - low + 1);
        a[i] = convert(ints_a[i]);
    }
    for (int i = 0; i < k * 8; i++) {
        ints_b[i] = low + (int)rng_below(&rng, high - low + 1);
        b[i] = convert(ints_b[i]);
    }
    for (int y = 0; y < m; y++)
        for (int x = 0; x < 8; x++) {
            double sum = c[y * 8 + x] = start + (S)(y * 8 + x);

            for (int i = 0; i < k; i++)
                sum += (double)ints_a[y * k + i] * ints_b[i * 8 + x];
            if (saturate)
                sum = fmin(fmax(sum, INT32_MIN), INT32_MAX);
            want[y * 8 + x] = (S)sum;
        }
    T *device_a = device_copy(a);
    T *device_b = device_copy(b);
    S *device_c = device_copy(c);

    function<<<1, 32>>>(device_a, device_b, device_c);
    CHECK_KERNEL();
    expect_device(what, want, device_c);
    device_free(device_a);
    device_free(device_b);
    device_free(device_c);
}

/* a is signed and b unsigned: the bytes of b are taken as they are. */
static void test_mixed(int k)
{
    struct rng rng = {77};
    std::vector<unsigned char> a(16 * k), b(k * 8);
    std::vector<int> want(128);

    for (unsigned char &value : a)
        value = rng_next(&rng);
    for (unsigned char &value : b)
        value = rng_next(&rng);
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 8; x++)
            for (int i = 0; i < k; i++)
                want[y * 8 + x] += (int)(signed char)a[y * k + i] * b[i * 8 + x];
    unsigned char *device_a = device_copy(a);
    unsigned char *device_b = device_copy(b);
    int *device_c = device_zeros<int>(128);

    if (k == 16)
        multiply_bytes<16, S8_U8><<<1, 32>>>(device_a, device_b, device_c);
    else
        multiply_bytes<32, S8_U8><<<1, 32>>>(device_a, device_b, device_c);
    CHECK_KERNEL();
    expect_device("s8 u8", want, device_c);
    device_free(device_a);
    device_free(device_b);
    device_free(device_c);
}

/* --- ldmatrix and stmatrix --- */

__device__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

/* out: [x1, x1 trans, x2, x2 trans, x4, x4 trans] of 4 registers of 32 lanes; in: 4 matrices of 8 x 8, rows shuffled */
__global__ void load_matrices(const unsigned short *in, unsigned *out)
{
    __shared__ alignas(16) unsigned short rows[32][24]; /* 48 bytes a row: rows are 16-byte aligned, not adjacent */
    int lane = threadIdx.x;
    unsigned r[6][4] = {};

    for (int i = 0; i < 8; i++)
        rows[(lane * 5 + 3) % 32][i] = in[lane * 8 + i];
    __syncwarp();
    unsigned address = shared_address(rows[(lane * 5 + 3) % 32]);

    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0][0]) : "r"(address) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(r[1][0])
                 : "r"(address)
                 : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[2][0]), "=r"(r[2][1])
                 : "r"(address)
                 : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[3][0]), "=r"(r[3][1])
                 : "r"(address)
                 : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[4][0]), "=r"(r[4][1]), "=r"(r[4][2]), "=r"(r[4][3])
                 : "r"(address)
                 : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[5][0]), "=r"(r[5][1]), "=r"(r[5][2]), "=r"(r[5][3])
                 : "r"(address)
                 : "memory");
    for (int way = 0; way < 6; way++)
        for (int i = 0; i < 4; i++)
            out[(way * 4 + i) * 32 + lane] = r[way][i];
}

/* in: 4 registers of 32 lanes; out: 6 x 4 matrices as stored by each way */
__global__ void store_matrices(const unsigned *in, unsigned short *out)
{
    __shared__ alignas(16) unsigned short rows[6][32][8];
    int lane = threadIdx.x;
    unsigned r[4];

    for (int i = 0; i < 6 * 8; i++)
        rows[i / 8][lane][i % 8] = 0;
    for (int i = 0; i < 4; i++)
        r[i] = in[i * 32 + lane];
    __syncwarp();
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};"
                 :
                 : "r"(shared_address(rows[0][lane])), "r"(r[0])
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};"
                 :
                 : "r"(shared_address(rows[1][lane])), "r"(r[0])
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};"
                 :
                 : "r"(shared_address(rows[2][lane])), "r"(r[0]), "r"(r[1])
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};"
                 :
                 : "r"(shared_address(rows[3][lane])), "r"(r[0]), "r"(r[1])
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(shared_address(rows[4][lane])), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(shared_address(rows[5][lane])), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
    __syncwarp();
    for (int i = 0; i < 6 * 8; i++)
        out[i / 8 * 256 + lane * 8 + i % 8] = rows[i / 8][lane][i % 8];
}

static void test_matrices(void)
{
    std::vector<unsigned short> matrices(256), want_stored(6 * 256);
    std::vector<unsigned> want_loaded(6 * 4 * 32);
    std::vector<unsigned> registers(128);
    struct rng rng = {3};

    for (unsigned short &value : matrices)
        value = rng_next(&rng);
    for (int way = 0; way < 6; way++)
        for (int matrix = 0; matrix < 1 << way / 2; matrix++)
            for (int lane = 0; lane < 32; lane++) {
                unsigned value = 0;

                for (int i = 0; i < 2; i++) {
                    int row = lane / 4, column = lane % 4 * 2 + i;
                    int at = matrix * 64 + (way % 2 ? column * 8 + row : row * 8 + column);

                    value |= (unsigned)matrices[at] << 16 * i;
                }
                want_loaded[(way * 4 + matrix) * 32 + lane] = value;
                if (way == 4)
                    registers[matrix * 32 + lane] = value;
            }
    for (int way = 0; way < 6; way++)
        for (int i = 0; i < 64 << way / 2; i++) {
            int from = way % 2 ? i / 64 * 64 + i % 8 * 8 + i % 64 / 8 : i;

            want_stored[way * 256 + i] = matrices[from];
        }
    unsigned short *device_matrices = device_copy(matrices);
    unsigned *device_loaded = device_zeros<unsigned>(want_loaded.size());
    unsigned *device_registers = device_copy(registers);
    unsigned short *device_stored = device_zeros<unsigned short>(want_stored.size());

    load_matrices<<<1, 32>>>(device_matrices, device_loaded);
    CHECK_KERNEL();
    expect_device("ldmatrix", want_loaded, device_loaded);
    store_matrices<<<1, 32>>>(device_registers, device_stored);
    CHECK_KERNEL();
    expect_device("stmatrix", want_stored, device_stored);
    device_free(device_matrices);
    device_free(device_loaded);
    device_free(device_registers);
    device_free(device_stored);
}

/* The way they are used: ldmatrix for A and, transposed, for B from shared memory; then mma of 16 x 8 x 16. */
__global__ void multiply_loaded(const __half *a, const __half *b, float *out)
{
    __shared__ alignas(16) __half tile_a[16][16];
    __shared__ alignas(16) __half tile_b[16][8];
    int lane = threadIdx.x;
    unsigned ra[4], rb[2];
    float d[4] = {};

    for (int i = lane; i < 256; i += 32)
        tile_a[i / 16][i % 16] = a[i];
    for (int i = lane; i < 128; i += 32)
        tile_b[i / 8][i % 8] = b[i];
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
                 : "r"(shared_address(&tile_a[lane % 16][lane / 16 * 8]))
                 : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(rb[0]), "=r"(rb[1])
                 : "r"(shared_address(&tile_b[lane % 16][0]))
                 : "memory");
    MMA_F32("m16n8k16", "f16", "{%4, %5, %6, %7}", "{%8, %9}")
        : FLOATS
        : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    for (int i = 0; i < 4; i++) {
        int row, column;

        place_c(i, &row, &column);
        out[row * 8 + column] += d[i];
    }
}

static unsigned char to_byte(int value)
{
    return (unsigned char)value;
}

static double to_double(int value)
{
    return value;
}

static float to_float(int value)
{
    return (float)value;
}

static __half to_half(int value)
{
    return __float2half((float)value);
}

static __nv_bfloat16 to_brain(int value)
{
    return __float2bfloat16((float)value);
}

int main(void)
{
    test<__half, float>("f16 m16n8k16", 16, 16, -50, 50, 3.0f, multiply_f16<16>, to_half);
    test<__half, float>("f16 m16n8k8", 16, 8, -50, 50, 3.0f, multiply_f16<8>, to_half);
    test<__half, float>("f16 f16 m16n8k16", 16, 16, -5, 5, 3.0f, multiply_f16_f16<16>, to_half);
    test<__half, float>("f16 f16 m16n8k8", 16, 8, -5, 5, 3.0f, multiply_f16_f16<8>, to_half);
    test<__nv_bfloat16, float>("bf16 m16n8k16", 16, 16, -50, 50, 3.0f, multiply_bf16<16>, to_brain);
    test<__nv_bfloat16, float>("bf16 m16n8k8", 16, 8, -50, 50, 3.0f, multiply_bf16<8>, to_brain);
    test<float, float>("tf32 m16n8k8", 16, 8, -500, 500, 3.0f, multiply_tf32<8>, to_float);
    test<float, float>("tf32 m16n8k4", 16, 4, -500, 500, 3.0f, multiply_tf32<4>, to_float);
    test<unsigned char, int>("s8 m16n8k32", 16, 32, -128, 127, 1000000, multiply_bytes<32, S8>, to_byte);
    test<unsigned char, int>("s8 m16n8k16", 16, 16, -128, 127, 1000000, multiply_bytes<16, S8>, to_byte);
    test<unsigned char, int>("u8 m16n8k32", 16, 32, 0, 255, 1000000, multiply_bytes<32, U8>, to_byte);
    test<unsigned char, int>("u8 m16n8k16", 16, 16, 0, 255, 1000000, multiply_bytes<16, U8>, to_byte);
    test<unsigned char, int>("s8 satfinite", 16, 32, 90, 127, INT32_MAX - 127, multiply_bytes<32, SATURATED>, to_byte,
                             true);
    test<double, double>("f64 m8n8k4", 8, 4, -1000, 1000, 0.5, multiply_f64_small, to_double);
    test_mixed(16);
    test_mixed(32);
    test_matrices();
    test<__half, float>("ldmatrix and mma", 16, 16, -50, 50, 3.0f, multiply_loaded, to_half);
    return passed();
}
