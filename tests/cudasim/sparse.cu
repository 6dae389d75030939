/*
 * sparse.cu - products of matrices of which half of A is stored: mma.sp of every width of elements, and wgmma.sp with A
 * in shared memory and in registers. All numbers are small and whole, so every sum is exact.
 */
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "check.h"

typedef unsigned long long u64;

/* What a warp's lanes hold. */
struct fragments {
    unsigned a[32][4], b[32][4], e[32];
    unsigned d[32][4];
};

enum kind { HALF, TF32, FP8, BYTES, NIBBLES };

static int bits_of(kind kind)
{
    return kind == HALF ? 16 : kind == TF32 ? 32 : kind == NIBBLES ? 4 : 8;
}

static unsigned encode(kind kind, int value)
{
    switch (kind) {
    case HALF: return __half_as_ushort(__float2half((float)value));
    case TF32: {
        float x = (float)value;
        unsigned u;

        memcpy(&u, &x, 4);
        return u;
    }
    case FP8: return __nv_cvt_float_to_fp8((float)value, __NV_SATFINITE, __NV_E4M3);
    case BYTES: return value & 0xFF;
    default: return value & 0xF;
    }
}

/* ---- A: rows of k elements with half of them zero ---- */

struct sparse {
    int m, k;
    std::vector<int> dense, stored;     /* [m][k], [m][k / 2] */
    std::vector<std::vector<bool>> meta; /* [m] bits of metadata, the lowest first */
};

static void add_bits(std::vector<bool> &to, unsigned value, int count)
{
    for (int n = 0; n < count; n++)
        to.push_back(value >> n & 1);
}

/* Two of four places, the lower one first. */
static void draw_two(rng &random, unsigned place[2])
{
    place[0] = rng_below(&random, 3);
    place[1] = place[0] + 1 + rng_below(&random, 3 - place[0]);
}

/* Of tf32 one of two is stored; of 4 bits two pairs of four; else two of four. */
static sparse draw_sparse(kind kind, int m, int k, rng &random)
{
    sparse x = {m, k, std::vector<int>(m * k), {}, std::vector<std::vector<bool>>(m)};

    for (int row = 0; row < m; row++)
        for (int group = 0; group < k; group += kind == TF32 ? 2 : kind == NIBBLES ? 8 : 4) {
            int wide = kind == NIBBLES ? 2 : 1;
            unsigned place[2];

            if (kind == TF32) {
                int at = rng_below(&random, 2), value = (int)rng_below(&random, 15) - 7;

                x.stored.push_back(value);
                x.dense[row * k + group + at] = value;
                add_bits(x.meta[row], at ? 0xE : 0x4, 4);
                continue;
            }
            draw_two(random, place);
            for (int n = 0; n < 2; n++) {
                add_bits(x.meta[row], place[n], 2);
                for (int w = 0; w < wide; w++) {
                    int value = (int)rng_below(&random, 15) - 7;

                    x.stored.push_back(value);
                    x.dense[row * k + group + place[n] * wide + w] = value;
                }
            }
        }
    return x;
}

/* The metadata of rows [first, first + 16) for the lanes of a warp; the lanes that `selector` leaves out hold noise. */
static void place_meta(const sparse &x, int first, kind kind, int selector, unsigned *e)
{
    int row_bits = (int)x.meta[0].size(), lanes = row_bits / 16;
    bool wide = kind == HALF || kind == TF32;

    for (int l = 0; l < 32; l++)
        e[l] = 0x5EED5EEDu * (l + 1);
    for (int l = 0; l < 32; l++) {
        int t = l % 4 - selector * lanes;

        if (t < 0 || t >= lanes)
            continue;
        e[l] = 0;
        for (int n = 0; n < 32; n++) {
            int row = first + l / 4 + 8 * (wide ? n / 16 : t % 2), at = wide ? 16 * t + n % 16 : 32 * (t / 2) + n;

            e[l] |= (unsigned)x.meta[row][at] << n;
        }
    }
}

/* Register `r` of a lane of A or B: the elements from `column` of row `row`, as many as fit. */
static unsigned pack(kind kind, const int *values)
{
    unsigned word = 0;

    for (int n = 0; n < 32 / bits_of(kind); n++)
        word |= encode(kind, values[n]) << n * bits_of(kind);
    return word;
}

static void place_a(const sparse &x, int first, kind kind, unsigned a[32][4], int registers)
{
    int each = 32 / bits_of(kind);

    for (int l = 0; l < 32; l++)
        for (int r = 0; r < registers; r++)
            a[l][r] = pack(kind, &x.stored[(first + l / 4 + 8 * (r % 2)) * x.k / 2 + each * (4 * (r / 2) + l % 4)]);
}

/* ---- mma.sp ---- */

#define PRODUCT(name, shape, types, count, A, B, selector)                                                             \
    __global__ void name(fragments *x)                                                                                 \
    {                                                                                                                  \
        const unsigned *a = x->a[threadIdx.x], *b = x->b[threadIdx.x];                                                 \
        unsigned *d = x->d[threadIdx.x], e = x->e[threadIdx.x];                                                        \
                                                                                                                       \
        asm volatile("mma.sp::ordered_metadata.sync.aligned." shape ".row.col." types " {%0, %1, %2, %3}, " A ", " B   \
                     ", {%0, %1, %2, %3}, %12, " selector ";"                                                          \
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                                  \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]),         \
                       "r"(e));                                                                                        \
    }
#define TWO_A "{%4, %5}"
#define TWO_B "{%8, %9}"
#define FOUR_A "{%4, %5, %6, %7}"
#define FOUR_B "{%8, %9, %10, %11}"

PRODUCT(half_16, "m16n8k16", "f32.f16.f16.f32", 2, TWO_A, TWO_B, "2")
PRODUCT(half_32, "m16n8k32", "f32.f16.f16.f32", 4, FOUR_A, FOUR_B, "1")
PRODUCT(tf32_8, "m16n8k8", "f32.tf32.tf32.f32", 2, TWO_A, TWO_B, "3")
PRODUCT(tf32_16, "m16n8k16", "f32.tf32.tf32.f32", 4, FOUR_A, FOUR_B, "0")
PRODUCT(fp8_64, "m16n8k64", "f32.e4m3.e4m3.f32", 4, FOUR_A, FOUR_B, "0")
PRODUCT(bytes_32, "m16n8k32", "s32.s8.s8.s32", 2, TWO_A, TWO_B, "1")
PRODUCT(bytes_64, "m16n8k64", "s32.s8.s8.s32", 4, FOUR_A, FOUR_B, "0")
PRODUCT(nibbles_64, "m16n8k64", "s32.s4.s4.s32", 2, TWO_A, TWO_B, "1")
PRODUCT(nibbles_128, "m16n8k128", "s32.s4.s4.s32", 4, FOUR_A, FOUR_B, "0")

static bool is_whole(kind kind)
{
    return kind == BYTES || kind == NIBBLES;
}

static unsigned sum_word(kind kind, int sum)
{
    return is_whole(kind) ? (unsigned)sum : encode(TF32, sum);
}

static void check_mma(const char *name, void (*kernel)(fragments *), kind kind, int k, int registers, int selector)
{
    rng random = {(uint64_t)k * 31 + kind};
    sparse a = draw_sparse(kind, 16, k, random);
    std::vector<int> b(8 * k); /* [column][k] */
    std::vector<fragments> x(1);
    int each = 32 / bits_of(kind);
    fragments *device;

    for (int &value : b)
        value = (int)rng_below(&random, 15) - 7;
    place_a(a, 0, kind, x[0].a, registers);
    place_meta(a, 0, kind, selector, x[0].e);
    for (int l = 0; l < 32; l++)
        for (int r = 0; r < 4; r++) {
            x[0].d[l][r] = sum_word(kind, 100 * r + l);
            if (r < registers)
                x[0].b[l][r] = pack(kind, &b[l / 4 * k + 4 * each * r + l % 4 * each]);
        }
    device = device_copy(x);
    kernel<<<1, 32>>>(device);
    CHECK_KERNEL();
    CUDA_CHECK(cudaMemcpy(x.data(), device, sizeof x[0], cudaMemcpyDeviceToHost));
    for (int l = 0; l < 32; l++)
        for (int r = 0; r < 4; r++) {
            int row = l / 4 + 8 * (r / 2), column = l % 4 * 2 + r % 2, sum = 100 * r + l;

            for (int n = 0; n < k; n++)
                sum += a.dense[row * k + n] * b[column * k + n];
            if (x[0].d[l][r] != sum_word(kind, sum)) {
                printf("%s: row %d, column %d: %08x, not %d\n", name, row, column, x[0].d[l][r], sum);
                exit(1);
            }
        }
    device_free(device);
}

/* ---- wgmma.sp: 64 rows, 8 columns ---- */

struct group {
    unsigned char a[64 * 32], b[8 * 64]; /* in shared memory's order */
    unsigned a_registers[128][4], e[128], d[128][4];
};

__device__ static u64 descriptor(const void *p, unsigned leading, unsigned stride)
{
    return (u64)((unsigned)__cvta_generic_to_shared(p) >> 4) | (u64)(leading >> 4) << 16 | (u64)(stride >> 4) << 32;
}

#define GROUP(name, op, A, b_leading, scales)                                                                          \
    __global__ void name(group *x)                                                                                     \
    {                                                                                                                  \
        __shared__ __align__(128) unsigned char a[sizeof x->a], b[sizeof x->b];                                        \
        const unsigned *f = x->a_registers[threadIdx.x];                                                               \
        unsigned *d = x->d[threadIdx.x], e = x->e[threadIdx.x];                                                        \
                                                                                                                       \
        for (unsigned n = threadIdx.x; n < sizeof a; n += blockDim.x)                                                  \
            a[n] = x->a[n];                                                                                            \
        for (unsigned n = threadIdx.x; n < sizeof b; n += blockDim.x)                                                  \
            b[n] = x->b[n];                                                                                            \
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                                   \
        __syncthreads();                                                                                               \
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                                        \
        asm volatile("wgmma.mma_async.sp.sync.aligned." op " {%0, %1, %2, %3}, " A ", %9, %10, 0, 1" scales ";"        \
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                                  \
                     : "l"(descriptor(a, 128, 256)), "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]),                       \
                       "l"(descriptor(b, 128, b_leading)), "r"(e)                                                      \
                     : "memory");                                                                                      \
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");                \
    }
GROUP(group_half, "m64n8k32.f32.f16.f16", "%4", 512, ", 1, 1, 0, 0")
GROUP(group_bytes, "m64n8k64.s32.s8.s8", "{%5, %6, %7, %8}", 512, "")

static void check_group(const char *name, void (*kernel)(group *), kind kind, int k)
{
    rng random = {(uint64_t)k + 5};
    sparse a = draw_sparse(kind, 64, k, random);
    std::vector<int> b(8 * k);
    std::vector<group> x(1);
    int bytes = bits_of(kind) / 8;
    group *device;

    for (int &value : b)
        value = (int)rng_below(&random, 15) - 7;
    for (int row = 0; row < 64; row++)
        for (int n = 0; n < k / 2; n++) {
            unsigned value = encode(kind, a.stored[row * k / 2 + n]);

            memcpy(x[0].a + row / 8 * 256 + n * bytes / 16 * 128 + row % 8 * 16 + n * bytes % 16, &value, bytes);
        }
    for (int column = 0; column < 8; column++)
        for (int n = 0; n < k; n++) {
            unsigned value = encode(kind, b[column * k + n]);

            memcpy(x[0].b + n * bytes / 16 * 128 + column * 16 + n * bytes % 16, &value, bytes);
        }
    for (int warp = 0; warp < 4; warp++) {
        place_a(a, 16 * warp, kind, x[0].a_registers + 32 * warp, 4);
        place_meta(a, 16 * warp, kind, 0, x[0].e + 32 * warp);
    }
    for (int t = 0; t < 128; t++)
        for (int r = 0; r < 4; r++)
            x[0].d[t][r] = sum_word(kind, t + r);
    device = device_copy(x);
    kernel<<<1, 128>>>(device);
    CHECK_KERNEL();
    CUDA_CHECK(cudaMemcpy(x.data(), device, sizeof x[0], cudaMemcpyDeviceToHost));
    for (int t = 0; t < 128; t++)
        for (int r = 0; r < 4; r++) {
            int row = t / 32 * 16 + t % 32 / 4 + 8 * (r / 2), column = t % 4 * 2 + r % 2, sum = t + r;

            for (int n = 0; n < k; n++)
                sum += a.dense[row * k + n] * b[column * k + n];
            if (x[0].d[t][r] != sum_word(kind, sum)) {
                printf("%s: row %d, column %d: %08x, not %d\n", name, row, column, x[0].d[t][r], sum);
                exit(1);
            }
        }
    device_free(device);
}

int main()
{
    check_mma("f16, k 16", half_16, HALF, 16, 2, 2);
    check_mma("f16, k 32", half_32, HALF, 32, 4, 1);
    check_mma("tf32, k 8", tf32_8, TF32, 8, 2, 3);
    check_mma("tf32, k 16", tf32_16, TF32, 16, 4, 0);
    check_mma("e4m3, k 64", fp8_64, FP8, 64, 4, 0);
    check_mma("s8, k 32", bytes_32, BYTES, 32, 2, 1);
    check_mma("s8, k 64", bytes_64, BYTES, 64, 4, 0);
    check_mma("s4, k 64", nibbles_64, NIBBLES, 64, 2, 1);
    check_mma("s4, k 128", nibbles_128, NIBBLES, 128, 4, 0);
    check_group("wgmma of f16", group_half, HALF, 32);
    check_group("wgmma of s8, A in registers", group_bytes, BYTES, 64);
    return passed();
}
