/*
 * wgmma.cu - wgmma.mma_async by hand: every type, both sources of A, all swizzles, k or m (n) as the fast dimension in
 * shared memory, signs, and sums that go on or start anew.
 *
 * With small integers every sum is exact. With --digests it prints a hash of sums that are not, to be compared with
 * those of another device.
 */
#include "check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

enum type { F16, BF16, TF32, E4M3, E5M2, S8, U8, B1, TYPES };
static const char *const type_names[] = {"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "b1"};
static const int type_k[] = {16, 16, 8, 32, 32, 32, 32, 256};

#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define HAS_WGMMA 1
#endif

/* 32 registers of D for n = 64, 16 if they hold halves */
#define OUT4(d, i) "+r"((d)[i]), "+r"((d)[i + 1]), "+r"((d)[i + 2]), "+r"((d)[i + 3])
#define OUT16(d, i) OUT4(d, i), OUT4(d, i + 4), OUT4(d, i + 8), OUT4(d, i + 12)
#define OUT32(d) OUT16(d, 0), OUT16(d, 16)
#define D16 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}"
#define D32 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26," \
            "%27,%28,%29,%30,%31}"

struct job {
    unsigned long long a, b; /* descriptors without the start of shared memory */
    int adds;                /* whether D counts */
};

#define SHARED(name, form, dlist, outs, a, b, s, tail)                                                                 \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, " s ", 0; wgmma.mma_async.sync.aligned." form " " dlist ", " a ", " b \
                 ", p" tail "; }"                                                                                      \
                 : outs                                                                                                \
                 : "l"(da), "l"(db), "r"(adds))
#define FORM(form, tail) SHARED(x, form, D32, OUT32(d), "%32", "%33", "%34", tail)
#define FORM_HALF(form, tail) SHARED(x, form, D16, OUT16(d, 0), "%16", "%17", "%18", tail)
#define FROM_REGISTERS(form, tail)                                                                                     \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %37, 0; wgmma.mma_async.sync.aligned." form " " D32                   \
                 ", {%32,%33,%34,%35}, %36, p" tail "; }"                                                              \
                 : OUT32(d)                                                                                            \
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "l"(db), "r"(adds))

/* Which instruction: see variants[] */
template <int FORM_NUMBER> __device__ void product(unsigned *d, unsigned long long da, unsigned long long db, int adds,
                                                   const unsigned *ra)
{
#ifdef HAS_WGMMA
#ifdef __CUDA_ARCH__
    (void)ra;
    if constexpr (FORM_NUMBER == 0) FORM("m64n64k16.f32.f16.f16", ", 1, 1, 0, 0");
    if constexpr (FORM_NUMBER == 1) FORM("m64n64k16.f32.f16.f16", ", 1, 1, 1, 0");
    if constexpr (FORM_NUMBER == 2) FORM("m64n64k16.f32.f16.f16", ", 1, 1, 0, 1");
    if constexpr (FORM_NUMBER == 3) FORM("m64n64k16.f32.f16.f16", ", -1, 1, 1, 1");
    if constexpr (FORM_NUMBER == 4) FORM("m64n64k16.f32.bf16.bf16", ", 1, -1, 0, 0");
    if constexpr (FORM_NUMBER == 5) FORM("m64n64k8.f32.tf32.tf32", ", 1, 1");
    if constexpr (FORM_NUMBER == 6) FORM("m64n64k32.f32.e4m3.e4m3", ", 1, 1");
    if constexpr (FORM_NUMBER == 7) FORM("m64n64k32.f32.e5m2.e4m3", ", 1, 1");
    if constexpr (FORM_NUMBER == 8) FORM("m64n64k32.s32.s8.u8", "");
    if constexpr (FORM_NUMBER == 9) FORM("m64n64k32.satfinite.s32.u8.s8", "");
    if constexpr (FORM_NUMBER == 10) FORM("m64n64k256.s32.b1.b1.and.popc", "");
    if constexpr (FORM_NUMBER == 11) FORM_HALF("m64n64k16.f16.f16.f16", ", 1, 1, 0, 0");
    if constexpr (FORM_NUMBER == 12) FORM_HALF("m64n64k32.f16.e4m3.e5m2", ", 1, 1");
    if constexpr (FORM_NUMBER == 13) FROM_REGISTERS("m64n64k16.f32.f16.f16", ", 1, 1, 0");
    if constexpr (FORM_NUMBER == 14) FROM_REGISTERS("m64n64k16.f32.bf16.bf16", ", 1, 1, 1");
    if constexpr (FORM_NUMBER == 15) FROM_REGISTERS("m64n64k8.f32.tf32.tf32", ", 1, 1");
    if constexpr (FORM_NUMBER == 16) FROM_REGISTERS("m64n64k32.f32.e4m3.e4m3", ", 1, 1");
    if constexpr (FORM_NUMBER == 17) FROM_REGISTERS("m64n64k32.s32.s8.s8", "");
#endif
#endif
}

static const struct variant {
    type a, b;
    char d; /* f: f32, h: f16, i: s32 */
    bool registers, turn_a, turn_b;
    int sign;
} variants[] = {
    {F16, F16, 'f', false, false, false, 1},  {F16, F16, 'f', false, true, false, 1},
    {F16, F16, 'f', false, false, true, 1},   {F16, F16, 'f', false, true, true, -1},
    {BF16, BF16, 'f', false, false, false, -1}, {TF32, TF32, 'f', false, false, false, 1},
    {E4M3, E4M3, 'f', false, false, false, 1}, {E5M2, E4M3, 'f', false, false, false, 1},
    {S8, U8, 'i', false, false, false, 1},    {U8, S8, 'i', false, false, false, 1},
    {B1, B1, 'i', false, false, false, 1},    {F16, F16, 'h', false, false, false, 1},
    {E4M3, E5M2, 'h', false, false, false, 1}, {F16, F16, 'f', true, false, false, 1},
    {BF16, BF16, 'f', true, false, true, 1},  {TF32, TF32, 'f', true, false, false, 1},
    {E4M3, E4M3, 'f', true, false, false, 1}, {S8, S8, 'i', true, false, false, 1},
};
static const int VARIANTS = sizeof variants / sizeof *variants, MATRIX = 8192; /* bytes of A or B in shared memory */

/* images: A, then B, in their shared memory layout; fragments: A's registers of each thread */
template <int FORM_NUMBER>
__global__ void run(const unsigned char *images, const unsigned *fragments, unsigned *out, job j, int steps)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    unsigned base = (unsigned)__cvta_generic_to_shared(shared), d[32], ra[4];
    unsigned long long start = (base & 0x3FFFF) >> 4;

    for (int i = threadIdx.x; i < 2 * MATRIX; i += blockDim.x)
        shared[i] = images[i];
    for (int i = 0; i < 4; i++)
        ra[i] = fragments[threadIdx.x * 4 + i];
    for (int i = 0; i < 32; i++)
        d[i] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int n = 0; n < steps; n++)
        product<FORM_NUMBER>(d, j.a + start, j.b + start + MATRIX / 16, n || j.adds, ra);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
    for (int i = 0; i < 32; i++)
        out[threadIdx.x * 32 + i] = d[i];
}

typedef void kernel(const unsigned char *, const unsigned *, unsigned *, job, int);
static kernel *const kernels[] = {run<0>, run<1>, run<2>,  run<3>,  run<4>,  run<5>,  run<6>,  run<7>,  run<8>,
                                  run<9>, run<10>, run<11>, run<12>, run<13>, run<14>, run<15>, run<16>, run<17>};

/* ---- matrices on the CPU ---- */

static int bits_of(type t)
{
    return t == B1 ? 1 : t == TF32 ? 32 : t == F16 || t == BF16 ? 16 : 8;
}

static unsigned encode(type t, float x)
{
    switch (t) {
    case F16: return __half_as_ushort(__float2half(x));
    case BF16: return __bfloat16_as_ushort(__float2bfloat16(x));
    case TF32: {
        unsigned u;

        memcpy(&u, &x, 4);
        return u;
    }
    case E4M3: return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
    case E5M2: return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2);
    default: return (unsigned)(int)x & (t == B1 ? 1 : 255);
    }
}

struct place {
    int width;       /* bytes that the swizzle permutes: 16 is none */
    bool turn;       /* rows are the fast dimension */
    unsigned long long descriptor;
    unsigned leading, stride;
};

/* The operand of `rows` rows by k in MATRIX bytes: K fast, groups of 8 rows one behind the other. */
static place place_of(int width, bool turn, int rows)
{
    place p = {width, turn, 0, 0, 0};
    unsigned long long mode = width == 128 ? 1 : width == 64 ? 2 : width == 32 ? 3 : 0;

    if (!turn) {
        p.stride = 8 * width;
        p.leading = width == 16 ? rows / 8 * 128 : 16;
    } else if (width == 16) {
        p.leading = 128;
        p.stride = 256;
    } else {
        p.stride = 8 * width;
        p.leading = 2 * p.stride;
    }
    p.descriptor = (unsigned long long)(p.leading >> 4) << 16 | (unsigned long long)(p.stride >> 4) << 32 | mode << 62;
    return p;
}

/* The offset of element (row, k); `size` bytes per element */
static unsigned byte_at(const place &p, int row, int k_byte, int k, int size)
{
    unsigned at;

    if (!p.turn) {
        at = row % 8 * p.width + row / 8 * p.stride + k_byte % 16 + k_byte / 16 * (p.width == 16 ? p.leading : 16);
    } else {
        int byte = row * size;

        at = byte % p.width + byte / p.width * (p.width == 16 ? p.stride : p.leading) + k % 8 * p.width +
             k / 8 * (p.width == 16 ? p.leading : p.stride);
    }
    return at ^ (at >> 7 & (p.width / 16 - 1)) << 4;
}

static void put(std::vector<unsigned char> &image, size_t from, const place &p, type t,
                const std::vector<float> &values, int rows, int k)
{
    int bits = bits_of(t);

    for (int r = 0; r < rows; r++)
        for (int n = 0; n < k; n++) {
            unsigned code = encode(t, values[r * k + n]);

            if (bits == 1)
                image[from + byte_at(p, r, n / 8, n, 1)] |= code << n % 8;
            else
                for (int byte = 0; byte < bits / 8; byte++)
                    image[from + byte_at(p, r, n * bits / 8, n, bits / 8) + byte] = code >> 8 * byte;
        }
}

/* A's registers: 8 rows and 16 bytes of k each */
static void put_fragment(std::vector<unsigned> &fragments, type t, const std::vector<float> &a, int k)
{
    int bytes = bits_of(t) / 8;

    for (int row = 0; row < 64; row++)
        for (int n = 0; n < k; n++) {
            int at = n * bytes, r = row % 16 / 8 + 2 * (at / 16);
            int thread = row / 16 * 32 + row % 8 * 4 + at % 16 / 4;

            fragments[thread * 4 + r] |= encode(t, a[row * k + n]) << 8 * (at % 4);
        }
}

static std::vector<float> small_values(type t, int count, rng *rng)
{
    std::vector<float> values;

    for (int i = 0; i < count; i++)
        values.push_back(t == B1 ? (float)rng_below(rng, 2)
                         : t == U8 ? (float)rng_below(rng, 12)
                                   : (float)rng_below(rng, 9) - 4);
    return values;
}

/* Of one thread's registers: the row and column of value `r`. */
static void check_result(const variant &v, const std::vector<float> &a, const std::vector<float> &b, int k, int steps,
                         const std::vector<unsigned> &out, const char *what)
{
    for (int thread = 0; thread < 128; thread++)
        for (int r = 0; r < 32; r++) {
            int row = thread / 32 * 16 + thread % 32 / 4 + r / 2 % 2 * 8, column = r / 4 * 8 + thread % 4 * 2 + r % 2;
            double want = 0, got;
            unsigned word = out[thread * 32 + (v.d == 'h' ? r / 2 : r)];

            for (int n = 0; n < k; n++)
                want += (double)a[row * k + n] * b[column * k + n];
            want *= steps * v.sign;
            if (v.d == 'h') {
                got = __half2float(__ushort_as_half((unsigned short)(word >> 16 * (r % 2))));
            } else if (v.d == 'f') {
                float f;

                memcpy(&f, &word, 4);
                got = f;
            } else {
                got = (int)word;
            }
            if (want != got) {
                printf("%s: row %d, column %d: want %g, got %g\n", what, row, column, want, got);
                exit(1);
            }
        }
}

/* Sums of inexact products; `values` from -1 to 1. */
static uint64_t digest(const std::vector<unsigned> &out)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (unsigned word : out)
        hash = (hash ^ word) * 0x100000001b3u;
    return hash;
}

static std::vector<unsigned> product_of(int n, int width, const std::vector<float> &a, const std::vector<float> &b,
                                        int k, int steps, int adds)
{
    const variant &v = variants[n];
    place pa = place_of(width, v.turn_a, 64), pb = place_of(width, v.turn_b, 64);
    std::vector<unsigned char> image(2 * MATRIX);
    std::vector<unsigned> fragments(128 * 4), out;
    unsigned char *images;
    unsigned *device_fragments, *device_out = device_zeros<unsigned>(128 * 32);

    put(image, 0, pa, v.a, a, 64, k);
    put(image, MATRIX, pb, v.b, b, 64, k);
    if (v.registers)
        put_fragment(fragments, v.a, a, k);
    images = device_copy(image);
    device_fragments = device_copy(fragments);
    kernels[n]<<<1, 128, 2 * MATRIX>>>(images, device_fragments, device_out, job{pa.descriptor, pb.descriptor, adds},
                                       steps);
    CHECK_KERNEL();
    out = host_copy(device_out, 128 * 32);
    device_free(images);
    device_free(device_fragments);
    device_free(device_out);
    return out;
}

int main(int argc, char **argv)
{
    bool digests = argc > 1 && !strcmp(argv[1], "--digests");
    rng rng{11};

    for (int n = 0; n < VARIANTS; n++) {
        const variant &v = variants[n];
        int k = type_k[v.a];

        for (int width = 16; width <= 128 && !digests; width *= 2) {
            std::vector<float> a = small_values(v.a, 64 * k, &rng), b = small_values(v.b, 64 * k, &rng);
            char what[64];

            snprintf(what, sizeof what, "form %d (%s.%s), swizzle of %d bytes", n, type_names[v.a], type_names[v.b],
                     width);
            check_result(v, a, b, k, 1, product_of(n, width, a, b, k, 1, 0), what);
            check_result(v, a, b, k, 3, product_of(n, width, a, b, k, 3, 1), what);
        }
        if (digests && v.d != 'i') {
            std::vector<float> a, b;

            for (int i = 0; i < 64 * k; i++) {
                a.push_back((float)(2 * rng_unit(&rng) - 1));
                b.push_back((float)(2 * rng_unit(&rng) - 1));
            }
            printf("wgmma %d %s.%s.%c %016llx %016llx\n", n, type_names[v.a], type_names[v.b], v.d,
                   (unsigned long long)digest(product_of(n, 128, a, b, k, 1, 0)),
                   (unsigned long long)digest(product_of(n, 128, a, b, k, 4, 0)));
        }
    }
    return passed();
}
