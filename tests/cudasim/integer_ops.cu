/*
 * integer_ops.cu - integer arithmetic: intrinsics, 64- and 128-bit arithmetic, carries, bit fields, funnel shifts, byte
 * permutations, dot products, saturation, packed (SIMD) intrinsics, and PTX instructions that C++ does not reach.
 * Every operation is run on random and on extreme values, and compared with plain C on the CPU.
 */
#include <algorithm>

#include "check.h"

typedef unsigned u32;
typedef unsigned long long u64;
typedef __int128 i128;
typedef unsigned __int128 u128;

/* --- 32 bits: what the device computes from a, b, c --- */

enum { WORDS = 63 };

__global__ void words(const u32 *in, u32 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    u32 a = in[i * 3], b = in[i * 3 + 1], c = in[i * 3 + 2];
    u32 r[WORDS] = {};
    int k = 0;

    r[k++] = __umulhi(a, b);
    r[k++] = __mulhi((int)a, (int)b);
    r[k++] = __mul24((int)a, (int)b);
    r[k++] = __umul24(a, b);
    r[k++] = __clz(a);
    r[k++] = __ffs(a);
    r[k++] = __popc(a);
    r[k++] = __brev(a);
    r[k++] = __byte_perm(a, b, c);
    r[k++] = __funnelshift_l(a, b, c);
    r[k++] = __funnelshift_r(a, b, c);
    r[k++] = __funnelshift_lc(a, b, c);
    r[k++] = __funnelshift_rc(a, b, c);
    r[k++] = __sad((int)a, (int)b, c);
    r[k++] = __usad(a, b, c);
    r[k++] = __dp4a((int)a, (int)b, (int)c);
    r[k++] = __dp4a(a, b, c);
    r[k++] = __dp2a_lo((int)a, (int)b, (int)c);
    r[k++] = __dp2a_hi(a, b, c);
    r[k++] = __hadd((int)a, (int)b);
    r[k++] = __rhadd((int)a, (int)b);
    r[k++] = __uhadd(a, b);
    r[k++] = __urhadd(a, b);
    r[k++] = a / (b ? b : 1);
    r[k++] = a % (b ? b : 1);
    r[k++] = (int)b == -1 || b == 0 ? 0 : (int)a / (int)b;
    r[k++] = (int)b == -1 || b == 0 ? 0 : (int)a % (int)b;
    r[k++] = a << (c & 31);
    r[k++] = (int)a >> (c & 31);
    r[k++] = a >> (c & 31);
    r[k++] = (a & b) | (~a & c);
    r[k++] = min((int)a, (int)b);
    r[k++] = max(a, b);
    r[k++] = abs((int)a);
    r[k++] = (int)(short)a * (int)(signed char)b;
    r[k++] = a * b + c;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r[k++]) : "r"(a), "r"(b & 255), "r"(c & 255));
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r[k++]) : "r"(a), "r"(b & 255), "r"(c & 255));
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r[k++]) : "r"(a), "r"(b), "r"(c & 63), "r"(c >> 8 & 63));
    asm("add.sat.s32 %0, %1, %2;" : "=r"(r[k++]) : "r"(a), "r"(b));
    asm("sub.sat.s32 %0, %1, %2;" : "=r"(r[k++]) : "r"(a), "r"(b));
    asm("mad.hi.s32 %0, %1, %2, %3;" : "=r"(r[k++]) : "r"(a), "r"(b), "r"(c));
    asm("mad.hi.sat.s32 %0, %1, %2, %3;" : "=r"(r[k++]) : "r"(a), "r"(b), "r"(c));
    asm("mul24.hi.u32 %0, %1, %2;" : "=r"(r[k++]) : "r"(a), "r"(b));
    asm("mad24.lo.s32 %0, %1, %2, %3;" : "=r"(r[k++]) : "r"(a), "r"(b), "r"(c));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r[k++]) : "r"(a), "r"(b), "r"(c));
    asm("lop3.b32 %0, %1, %2, %3, 0x1b;" : "=r"(r[k++]) : "r"(a), "r"(b), "r"(c));
    asm("bfind.u32 %0, %1;" : "=r"(r[k++]) : "r"(a));
    asm("bfind.s32 %0, %1;" : "=r"(r[k++]) : "r"(a));
    asm("bfind.shiftamt.u32 %0, %1;" : "=r"(r[k++]) : "r"(a));
    asm("szext.wrap.s32 %0, %1, %2;" : "=r"(r[k++]) : "r"(a), "r"(c));
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r[k++]) : "r"(b & 63), "r"(c & 63));
    asm("fns.b32 %0, %1, 0, 3;" : "=r"(r[k++]) : "r"(a));
    asm("shl.b32 %0, %1, %2;" : "=r"(r[k++]) : "r"(a), "r"(c & 63)); /* PTX shifts clamp at 32 */
    asm("shr.s32 %0, %1, %2;" : "=r"(r[k++]) : "r"(a), "r"(c & 63));
    asm("slct.s32.s32 %0, %1, %2, %3;" : "=r"(r[k++]) : "r"(a), "r"(b), "r"(c));
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r[k++]) : "r"(a), "r"(b), "r"(c));
    asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(r[k++]) : "r"(a), "r"(b), "r"(c));
    asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(r[k++]) : "r"(a), "r"(b), "r"(c));
    asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(r[k++]) : "r"(a), "r"(b), "r"(c));
    asm("prmt.b32.ecl %0, %1, %2, %3;" : "=r"(r[k++]) : "r"(a), "r"(b), "r"(c));
    asm("prmt.b32.ecr %0, %1, %2, %3;" : "=r"(r[k++]) : "r"(a), "r"(b), "r"(c));
    asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(r[k++]) : "r"(a), "r"(b), "r"(c));
    for (k = 0; k < WORDS; k++)
        out[i * WORDS + k] = r[k];
}

static u32 permute(u32 a, u32 b, u32 s)
{
    u64 bytes = (u64)b << 32 | a;
    u32 result = 0;

    for (int i = 0; i < 4; i++) {
        u32 byte = (u32)(bytes >> 8 * (s >> 4 * i & 7)) & 255;

        if (s >> 4 * i & 8) /* the sign of the byte, repeated */
            byte = byte & 128 ? 255 : 0;
        result |= byte << 8 * i;
    }
    return result;
}

static int saturated(i128 x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int)x;
}

static u32 find_bit(u32 a)
{
    return a ? 31 - __builtin_clz(a) : 0xffffffffu;
}

static u32 field(u32 a, int from, int length, bool is_signed)
{
    u32 result = 0;
    u32 sign = is_signed && length ? a >> std::min(from + length - 1, 31) & 1 : 0;

    for (int i = 0; i < 32; i++)
        result |= (i < length && from + i < 32 ? a >> (from + i) & 1 : sign) << i;
    return result;
}

static u32 insert(u32 a, u32 b, int from, int length)
{
    for (int i = 0; i < length && from + i < 32; i++)
        b = (b & ~(1u << (from + i))) | (a >> i & 1) << (from + i);
    return b;
}

static int dot4(u32 a, u32 b, u32 c, bool is_signed)
{
    for (int i = 0; i < 32; i += 8)
        c += is_signed ? (u32)((int)(signed char)(a >> i) * (signed char)(b >> i)) : (a >> i & 255) * (b >> i & 255);
    return (int)c;
}

/* Sign extension of the low bits; a width of 0 gives 0. */
static u32 extended(u32 a, u32 width)
{
    width &= 31;
    return width ? (u32)((int)(a << (32 - width)) >> (32 - width)) : 0;
}

static std::vector<u32> words_on_host(u32 a, u32 b, u32 c)
{
    static const u32 back[4] = {0x5670, 0x6701, 0x7012, 0x0123};
    static const u32 left[4] = {0x3210, 0x3211, 0x3222, 0x3333};
    static const u32 right[4] = {0x0000, 0x1110, 0x2210, 0x3210};
    int sa = (int)a, sb = (int)b, sc = (int)c;
    int a24 = (int)(a << 8) >> 8, b24 = (int)(b << 8) >> 8;
    u64 pair = (u64)b << 32 | a;
    u32 sh = c & 31, clamped = std::min(c, 32u);
    bool no_division = sb == -1 || b == 0;
    u32 third = 0xffffffffu, mask = 0, lop = 0;
    int found = 0;

    for (int i = 31; i >= 0; i--)
        lop = lop << 1 | (0x1bu >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1);
    for (int i = 0; i < 32 && third == 0xffffffffu; i++)
        if (a >> i & 1 && ++found == 3)
            third = i;
    for (u32 i = 0; i < 32; i++)
        mask |= (u32)(i >= (b & 63) && i < (b & 63) + (c & 63)) << i;
    std::vector<u32> r = {
        (u32)((u64)a * b >> 32),
        (u32)((long long)sa * sb >> 32),
        (u32)((long long)a24 * b24),
        (u32)((u64)(a & 0xffffff) * (b & 0xffffff)),
        a ? (u32)__builtin_clz(a) : 32,
        (u32)__builtin_ffs(sa),
        (u32)__builtin_popcount(a),
        0,
        permute(a, b, c & 0x7777), /* the intrinsic ignores the sign bits of the selector */
        (u32)(pair << sh >> 32),
        (u32)(pair >> sh),
        (u32)(clamped == 32 ? a : pair << clamped >> 32),
        (u32)(pair >> clamped),
        (u32)std::abs((long long)sa - sb) + c,
        (a > b ? a - b : b - a) + c,
        (u32)dot4(a, b, c, true),
        (u32)dot4(a, b, c, false),
        (u32)((short)a * (signed char)b + (short)(a >> 16) * (signed char)(b >> 8)) + c,
        (a & 0xffff) * (b >> 16 & 255) + (a >> 16) * (b >> 24) + c,
        (u32)(((long long)sa + sb) >> 1),
        (u32)(((long long)sa + sb + 1) >> 1),
        (u32)(((u64)a + b) >> 1),
        (u32)(((u64)a + b + 1) >> 1),
        a / (b ? b : 1),
        a % (b ? b : 1),
        no_division ? 0 : (u32)(sa / sb),
        no_division ? 0 : (u32)(sa % sb),
        a << sh,
        (u32)(sa >> sh),
        a >> sh,
        (a & b) | (~a & c),
        (u32)std::min(sa, sb),
        std::max(a, b),
        sa < 0 ? 0 - a : a,
        (u32)((int)(short)a * (int)(signed char)b),
        a * b + c,
        field(a, b & 255, c & 255, false),
        field(a, b & 255, c & 255, true),
        insert(a, b, c & 63, c >> 8 & 63),
        (u32)saturated((i128)sa + sb),
        (u32)saturated((i128)sa - sb),
        (u32)((long long)sa * sb >> 32) + c,
        (u32)saturated((i128)((long long)sa * sb >> 32) + sc),
        (u32)((u64)(a & 0xffffff) * (b & 0xffffff) >> 16),
        (u32)((long long)a24 * b24) + c,
        a ^ b ^ c,
        lop,
        find_bit(a),
        find_bit(sa < 0 ? ~a : a),
        a ? (u32)__builtin_clz(a) : 0xffffffffu,
        extended(a, c),
        mask,
        third,
        (c & 63) > 31 ? 0 : a << (c & 63),
        (u32)(sa >> std::min(c & 63, 31u)),
        sc >= 0 ? a : b,
        permute(a, b, c),
        permute(a, b, 0x3210 + 0x1111 * (c & 3)),
        permute(a, b, back[c & 3]),
        permute(a, b, 0x1111 * (c & 3)),
        permute(a, b, left[c & 3]),
        permute(a, b, right[c & 3]),
        permute(a, b, c & 1 ? 0x3232 : 0x1010),
    };

    for (int i = 0; i < 32; i++)
        r[7] |= (a >> i & 1) << (31 - i);
    return r;
}

/* --- 64 and 128 bits --- */

enum { LONGS = 34 };

__global__ void longs(const u64 *in, u64 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    u64 a = in[i * 3], b = in[i * 3 + 1], c = in[i * 3 + 2];
    u64 r[LONGS] = {};
    u128 wide = (u128)a << 64 | b;
    i128 product = (i128)(long long)a * (long long)b;
    u128 sum = wide + ((u128)b << 64 | c);
    u128 quotient = wide / ((u128)(c >> 32) << 32 | 7), remainder = wide % (c | 1);
    i128 signed_quotient = (i128)wide / ((long long)c >> 3 ? (long long)c >> 3 : 1);
    int k = 0;

    r[k++] = __umul64hi(a, b);
    r[k++] = __mul64hi((long long)a, (long long)b);
    r[k++] = __clzll(a);
    r[k++] = __ffsll(a);
    r[k++] = __popcll(a);
    r[k++] = __brevll(a);
    r[k++] = a / (c | 1);
    r[k++] = a % (c | 1);
    r[k++] = (long long)a / ((long long)(c >> 20) | 1);
    r[k++] = (long long)a % ((long long)(c >> 20) | 1);
    r[k++] = a * b + c;
    r[k++] = a << (c & 63);
    r[k++] = a >> (c & 63);
    r[k++] = (long long)a >> (c & 63);
    r[k++] = min((long long)a, (long long)b);
    r[k++] = max(a, b);
    r[k++] = llabs((long long)a);
    r[k++] = (u64)product;
    r[k++] = (u64)(product >> 64);
    r[k++] = (u64)sum;
    r[k++] = (u64)(sum >> 64);
    r[k++] = (u64)quotient;
    r[k++] = (u64)(quotient >> 64);
    r[k++] = (u64)remainder;
    r[k++] = (u64)signed_quotient;
    r[k++] = (u64)(signed_quotient >> 64);
    r[k++] = (u64)(wide << (c & 127) >> 64);
    r[k++] = (u64)(wide >> (c & 127));
    r[k++] = a < b ? (long long)a < (long long)b : 2 + ((long long)a < (long long)b);
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(r[k++]) : "r"((int)a), "r"((int)b));
    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(r[k++]) : "r"((u32)a), "r"((u32)b), "l"(c));
    asm("bfe.u64 %0, %1, %2, %3;" : "=l"(r[k++]) : "l"(a), "r"((u32)b & 63), "r"((u32)c & 63));
    asm("{ .reg .b32 lo, hi; mov.b64 {lo, hi}, %1; mov.b64 %0, {hi, lo}; }" : "=l"(r[k++]) : "l"(a));
    asm("sad.u64 %0, %1, %2, %3;" : "=l"(r[k++]) : "l"(a), "l"(b), "l"(c));
    for (k = 0; k < LONGS; k++)
        out[i * LONGS + k] = r[k];
}

static std::vector<u64> longs_on_host(u64 a, u64 b, u64 c)
{
    long long sa = (long long)a, sb = (long long)b;
    u128 wide = (u128)a << 64 | b;
    i128 product = (i128)sa * sb;
    u128 sum = wide + ((u128)b << 64 | c);
    u128 quotient = wide / ((u128)(c >> 32) << 32 | 7), remainder = wide % (c | 1);
    i128 signed_quotient = (i128)wide / ((long long)c >> 3 ? (long long)c >> 3 : 1);
    long long divisor = (long long)(c >> 20) | 1;
    u64 reversed = 0;

    for (int i = 0; i < 64; i++)
        reversed |= (a >> i & 1) << (63 - i);
    return {
        (u64)((u128)a * b >> 64),
        (u64)(product >> 64),
        a ? (u64)__builtin_clzll(a) : 64,
        (u64)__builtin_ffsll(sa),
        (u64)__builtin_popcountll(a),
        reversed,
        a / (c | 1),
        a % (c | 1),
        (u64)(sa / divisor),
        (u64)(sa % divisor),
        a * b + c,
        a << (c & 63),
        a >> (c & 63),
        (u64)(sa >> (c & 63)),
        (u64)std::min(sa, sb),
        std::max(a, b),
        sa < 0 ? 0 - a : a,
        (u64)product,
        (u64)(product >> 64),
        (u64)sum,
        (u64)(sum >> 64),
        (u64)quotient,
        (u64)(quotient >> 64),
        (u64)remainder,
        (u64)signed_quotient,
        (u64)(signed_quotient >> 64),
        (u64)(wide << (c & 127) >> 64),
        (u64)(wide >> (c & 127)),
        (u64)(a < b ? sa < sb : 2 + (sa < sb)),
        (u64)((long long)(int)a * (int)b),
        (u64)(u32)a * (u32)b + c,
        (c & 63) == 0 ? 0 : a >> (b & 63) & (~0ull >> (64 - (c & 63))),
        a << 32 | a >> 32,
        (a > b ? a - b : b - a) + c,
    };
}

/* --- carries by hand: 256-bit addition, subtraction and multiplication --- */

struct big {
    u32 words[8];
};

__global__ void big_numbers(const big *in, big *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    const u32 *a = in[2 * i].words, *b = in[2 * i + 1].words;
    u32 s[8], d[8], p[8] = {};

    asm("add.cc.u32 %0, %8, %16;\n"
        "addc.cc.u32 %1, %9, %17;\n"
        "addc.cc.u32 %2, %10, %18;\n"
        "addc.cc.u32 %3, %11, %19;\n"
        "addc.cc.u32 %4, %12, %20;\n"
        "addc.cc.u32 %5, %13, %21;\n"
        "addc.cc.u32 %6, %14, %22;\n"
        "addc.u32 %7, %15, %23;"
        : "=&r"(s[0]), "=&r"(s[1]), "=&r"(s[2]), "=&r"(s[3]), "=&r"(s[4]), "=&r"(s[5]), "=&r"(s[6]), "=&r"(s[7])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]),
          "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
    asm("sub.cc.u32 %0, %8, %16;\n"
        "subc.cc.u32 %1, %9, %17;\n"
        "subc.cc.u32 %2, %10, %18;\n"
        "subc.cc.u32 %3, %11, %19;\n"
        "subc.cc.u32 %4, %12, %20;\n"
        "subc.cc.u32 %5, %13, %21;\n"
        "subc.cc.u32 %6, %14, %22;\n"
        "subc.u32 %7, %15, %23;"
        : "=&r"(d[0]), "=&r"(d[1]), "=&r"(d[2]), "=&r"(d[3]), "=&r"(d[4]), "=&r"(d[5]), "=&r"(d[6]), "=&r"(d[7])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]),
          "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
    for (int x = 0; x < 4; x++) { /* the low halves: 128 x 128 bits */
        u32 *q = &p[x];

        asm("mad.lo.cc.u32 %0, %5, %6, %0;\n"
            "madc.lo.cc.u32 %1, %5, %7, %1;\n"
            "madc.lo.cc.u32 %2, %5, %8, %2;\n"
            "madc.lo.cc.u32 %3, %5, %9, %3;\n"
            "addc.u32 %4, %4, 0;\n"
            "mad.hi.cc.u32 %1, %5, %6, %1;\n"
            "madc.hi.cc.u32 %2, %5, %7, %2;\n"
            "madc.hi.cc.u32 %3, %5, %8, %3;\n"
            "madc.hi.u32 %4, %5, %9, %4;"
            : "+r"(q[0]), "+r"(q[1]), "+r"(q[2]), "+r"(q[3]), "+r"(q[4])
            : "r"(a[x]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
    }
    for (int k = 0; k < 8; k++) {
        out[3 * i].words[k] = s[k];
        out[3 * i + 1].words[k] = d[k];
        out[3 * i + 2].words[k] = p[k];
    }
}

static void test_big_numbers(int n)
{
    struct rng rng = {6};
    std::vector<big> in(2 * n), want(3 * n);

    for (big &value : in)
        for (u32 &word : value.words)
            word = rng_below(&rng, 4) == 0 ? 0 : rng_below(&rng, 3) == 0 ? 0xffffffffu : (u32)rng_next(&rng);
    for (int i = 0; i < n; i++) {
        const u32 *a = in[2 * i].words, *b = in[2 * i + 1].words;
        u64 carry = 0, borrow = 0;

        for (int k = 0; k < 8; k++) {
            carry += (u64)a[k] + b[k];
            want[3 * i].words[k] = (u32)carry;
            carry >>= 32;
            u64 difference = (u64)a[k] - b[k] - borrow;

            want[3 * i + 1].words[k] = (u32)difference;
            borrow = difference >> 63;
        }
        for (int x = 0; x < 4; x++) {
            u64 high = 0;

            for (int y = 0; y < 4; y++) {
                high += (u64)a[x] * b[y] + want[3 * i + 2].words[x + y];
                want[3 * i + 2].words[x + y] = (u32)high;
                high >>= 32;
            }
            want[3 * i + 2].words[x + 4] = (u32)high;
        }
    }
    big *device_in = device_copy(in);
    big *out = device_zeros<big>(3 * n);

    big_numbers<<<(n + 63) / 64, 64>>>(device_in, out, n);
    CHECK_KERNEL();
    expect_bits("big numbers", want, host_copy(out, 3 * n));
    device_free(device_in);
    device_free(out);
}

/* --- packed intrinsics --- */

enum { PACKED = 26 };

__global__ void packed(const u32 *in, u32 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    u32 a = in[i * 3], b = in[i * 3 + 1];
    u32 r[PACKED] = {
        __vadd4(a, b),     __vadd2(a, b),     __vsub4(a, b),    __vsub2(a, b),     __vaddss4(a, b), __vaddus4(a, b),
        __vsubss2(a, b),   __vsubus2(a, b),   __vavgu4(a, b),   __vavgs2(a, b),    __vhaddu4(a, b), __vabsdiffu4(a, b),
        __vabsdiffs2(a, b), __vmaxs4(a, b),   __vmaxu2(a, b),   __vmins2(a, b),    __vminu4(a, b),  __vcmpeq4(a, b),
        __vcmpgts4(a, b),  __vcmpltu2(a, b),  __vsetne4(a, b),  __vsetges2(a, b),  __vsadu4(a, b),  __vsads2(a, b),
        __vneg4(a),        __vabsss2(a),
    };

    for (int k = 0; k < PACKED; k++)
        out[i * PACKED + k] = r[k];
}

/* Applies f to each byte or half; width in bits. */
template <typename F> static u32 lanes(u32 a, u32 b, int width, bool is_signed, F f)
{
    u32 result = 0;
    u32 mask = width == 8 ? 255 : 65535;

    for (int at = 0; at < 32; at += width) {
        long long x = a >> at & mask, y = b >> at & mask;

        if (is_signed) {
            x = x > mask / 2 ? x - mask - 1 : x;
            y = y > mask / 2 ? y - mask - 1 : y;
        }
        result |= ((u32)f(x, y) & mask) << at;
    }
    return result;
}

template <typename F> static u32 total(u32 a, u32 b, int width, bool is_signed, F f)
{
    u32 sum = 0;

    lanes(a, b, width, is_signed, [&](long long x, long long y) {
        sum += (u32)f(x, y);
        return 0;
    });
    return sum;
}

static long long clamp(long long x, long long low, long long high)
{
    return x < low ? low : x > high ? high : x;
}

static std::vector<u32> packed_on_host(u32 a, u32 b)
{
    typedef long long w;
    auto add = [](w x, w y) { return x + y; };
    auto subtract = [](w x, w y) { return x - y; };
    auto distance = [](w x, w y) { return x > y ? x - y : y - x; };
    auto low = [](w x, w y) { return std::min(x, y); };
    auto high = [](w x, w y) { return std::max(x, y); };

    return {
        lanes(a, b, 8, false, add),
        lanes(a, b, 16, false, add),
        lanes(a, b, 8, false, subtract),
        lanes(a, b, 16, false, subtract),
        lanes(a, b, 8, true, [](w x, w y) { return clamp(x + y, -128, 127); }),
        lanes(a, b, 8, false, [](w x, w y) { return clamp(x + y, 0, 255); }),
        lanes(a, b, 16, true, [](w x, w y) { return clamp(x - y, -32768, 32767); }),
        lanes(a, b, 16, false, [](w x, w y) { return clamp(x - y, 0, 65535); }),
        lanes(a, b, 8, false, [](w x, w y) { return (x + y + 1) >> 1; }),
        lanes(a, b, 16, true, [](w x, w y) { return (x + y + (x + y >= 0)) >> 1; }), /* away from zero */
        lanes(a, b, 8, false, [](w x, w y) { return (x + y) >> 1; }),
        lanes(a, b, 8, false, distance),
        lanes(a, b, 16, true, distance),
        lanes(a, b, 8, true, high),
        lanes(a, b, 16, false, high),
        lanes(a, b, 16, true, low),
        lanes(a, b, 8, false, low),
        lanes(a, b, 8, false, [](w x, w y) { return x == y ? 255 : 0; }),
        lanes(a, b, 8, true, [](w x, w y) { return x > y ? 255 : 0; }),
        lanes(a, b, 16, false, [](w x, w y) { return x < y ? 65535 : 0; }),
        lanes(a, b, 8, false, [](w x, w y) { return x != y; }),
        lanes(a, b, 16, true, [](w x, w y) { return x >= y; }),
        total(a, b, 8, false, distance),
        total(a, b, 16, true, distance),
        lanes(a, b, 8, true, [](w x, w) { return -x; }),
        lanes(a, b, 16, true, [](w x, w) { return x == -32768 ? 32767 : x < 0 ? -x : x; }),
    };
}

/* --- all --- */

template <typename T> static std::vector<T> interesting(int n)
{
    struct rng rng = {sizeof(T)};
    const T top = (T)1 << (8 * sizeof(T) - 1);
    const T edges[] = {0, 1, 2, 31, 32, 33, 127, 128, 255, 0x7fff, 0x8000, top - 1, top, top + 1, (T)-1, (T)-2};
    std::vector<T> values(3 * n);

    for (T &value : values) {
        value = (T)rng_next(&rng);
        if (rng_below(&rng, 4) == 0)
            value = edges[rng_below(&rng, 16)];
        else if (rng_below(&rng, 4) == 0)
            value >>= rng_below(&rng, 8 * sizeof(T));
    }
    return values;
}

int main(void)
{
    enum { N = 1000 };
    std::vector<u32> in = interesting<u32>(N);
    std::vector<u64> wide = interesting<u64>(N);
    u32 *device_in = device_copy(in);
    u64 *device_wide = device_copy(wide);
    u32 *out = device_zeros<u32>(N * WORDS);
    u64 *out_wide = device_zeros<u64>(N * LONGS);

    words<<<(N + 63) / 64, 64>>>(device_in, out, N);
    CHECK_KERNEL();
    std::vector<u32> got = host_copy(out, N * WORDS);

    for (int i = 0; i < N; i++) {
        std::vector<u32> want = words_on_host(in[3 * i], in[3 * i + 1], in[3 * i + 2]);

        for (int k = 0; k < WORDS; k++)
            if (want[k] != got[i * WORDS + k]) {
                printf("operation %d on %#x %#x %#x: want %#x, got %#x\n", k, in[3 * i], in[3 * i + 1],
                       in[3 * i + 2], want[k], got[i * WORDS + k]);
                return 1;
            }
    }
    longs<<<(N + 63) / 64, 64>>>(device_wide, out_wide, N);
    CHECK_KERNEL();
    std::vector<u64> got_wide = host_copy(out_wide, N * LONGS);

    for (int i = 0; i < N; i++) {
        std::vector<u64> want = longs_on_host(wide[3 * i], wide[3 * i + 1], wide[3 * i + 2]);

        for (int k = 0; k < LONGS; k++)
            if (want[k] != got_wide[i * LONGS + k]) {
                printf("64-bit operation %d on %#llx %#llx %#llx: want %#llx, got %#llx\n", k, wide[3 * i],
                       wide[3 * i + 1], wide[3 * i + 2], want[k], got_wide[i * LONGS + k]);
                return 1;
            }
    }
    packed<<<(N + 63) / 64, 64>>>(device_in, out, N);
    CHECK_KERNEL();
    got = host_copy(out, N * PACKED);
    for (int i = 0; i < N; i++) {
        std::vector<u32> want = packed_on_host(in[3 * i], in[3 * i + 1]);

        for (int k = 0; k < PACKED; k++)
            if (want[k] != got[i * PACKED + k]) {
                printf("packed operation %d on %#x %#x: want %#x, got %#x\n", k, in[3 * i], in[3 * i + 1], want[k],
                       got[i * PACKED + k]);
                return 1;
            }
    }
    test_big_numbers(300);
    device_free(device_in);
    device_free(device_wide);
    device_free(out);
    device_free(out_wide);
    return passed();
}
