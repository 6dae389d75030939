/*
 * odd_ptx.cu - instructions seldom seen: fns, bfind, prmt's modes, szext, bmsk, dp2a, sad, carries, spaces, hints.
 */
#include "../check.h"

#define ASM(form, ...) asm volatile(form : __VA_ARGS__)

static __global__ void bits(unsigned *o)
{
    unsigned x = 0x00f01234, y = 0x89abcdef, lo, hi;
    unsigned long long wide = 0x123456789abcdef0ull;
    int n = 0;

    ASM("fns.b32 %0, %1, 0, 3;", "=r"(o[n++]) : "r"(x));
    ASM("fns.b32 %0, %1, 31, -2;", "=r"(o[n++]) : "r"(x));
    ASM("bfind.u32 %0, %1;", "=r"(o[n++]) : "r"(x));
    ASM("bfind.shiftamt.u32 %0, %1;", "=r"(o[n++]) : "r"(x));
    ASM("bfind.s32 %0, %1;", "=r"(o[n++]) : "r"(0xfffff000));
    ASM("prmt.b32.f4e %0, %1, %2, 3;", "=r"(o[n++]) : "r"(x), "r"(y));
    ASM("prmt.b32.b4e %0, %1, %2, 3;", "=r"(o[n++]) : "r"(x), "r"(y));
    ASM("prmt.b32.rc8 %0, %1, %2, 1;", "=r"(o[n++]) : "r"(x), "r"(y));
    ASM("prmt.b32.ecl %0, %1, %2, 2;", "=r"(o[n++]) : "r"(x), "r"(y));
    ASM("prmt.b32.ecr %0, %1, %2, 2;", "=r"(o[n++]) : "r"(x), "r"(y));
    ASM("prmt.b32.rc16 %0, %1, %2, 1;", "=r"(o[n++]) : "r"(x), "r"(y));
    ASM("prmt.b32 %0, %1, %2, 0xfa61;", "=r"(o[n++]) : "r"(x), "r"(y));
    ASM("szext.clamp.s32 %0, %1, 12;", "=r"(o[n++]) : "r"(y));
    ASM("szext.wrap.u32 %0, %1, 36;", "=r"(o[n++]) : "r"(y));
    ASM("bmsk.clamp.b32 %0, 4, 7;", "=r"(o[n++]) :);
    ASM("dp2a.lo.u32.u32 %0, %1, %2, 5;", "=r"(o[n++]) : "r"(0x00030002), "r"(0x04050607));
    ASM("dp2a.hi.s32.s32 %0, %1, %2, 5;", "=r"(o[n++]) : "r"(0xfffd0002), "r"(0x04fb0607));
    ASM("dp4a.u32.s32 %0, %1, %2, 1;", "=r"(o[n++]) : "r"(0x01020304), "r"(0xff020304));
    ASM("sad.s32 %0, %1, %2, 7;", "=r"(o[n++]) : "r"(-5), "r"(9));
    ASM("mul24.hi.u32 %0, %1, %2;", "=r"(o[n++]) : "r"(0xabcdef), "r"(0xfedcba));
    ASM("mad24.lo.s32 %0, %1, %2, 3;", "=r"(o[n++]) : "r"(-7), "r"(9));
    ASM("lop3.b32 %0, %1, %2, %3, 0x96;", "=r"(o[n++]) : "r"(x), "r"(y), "r"(0x0f0f0f0f));
    ASM("shf.l.wrap.b32 %0, %1, %2, 36;", "=r"(o[n++]) : "r"(x), "r"(y));
    ASM("shf.r.clamp.b32 %0, %1, %2, 36;", "=r"(o[n++]) : "r"(x), "r"(y));
    asm volatile("{add.cc.u32 %0, %2, %3; addc.u32 %1, 7, 8;}" : "=r"(lo), "=r"(hi) : "r"(0xffffffff), "r"(2));
    o[n++] = lo * 100 + hi;
    asm volatile("{mad.lo.cc.u32 %0, %2, %2, %3; madc.hi.u32 %1, %2, %2, 0;}"
                 : "=r"(lo), "=r"(hi) : "r"(0xffffffff), "r"(0xffffffff));
    o[n++] = lo, o[n++] = hi;
    ASM("bfi.b32 %0, %1, %2, 8, 12;", "=r"(o[n++]) : "r"(x), "r"(y));
    ASM("bfe.s32 %0, %1, 4, 8;", "=r"(o[n++]) : "r"(y));
    ASM("slct.u32.s32 %0, 11, 22, %1;", "=r"(o[n++]) : "r"(-1));
    ASM("set.lt.u32.s32 %0, %1, 5;", "=r"(o[n++]) : "r"(4));
    ASM("brev.b32 %0, %1;", "=r"(o[n++]) : "r"(x));
    ASM("{.reg .u32 h; mov.b64 {h, %0}, %1;}", "=r"(o[n++]) : "l"(wide));
    ASM("{.reg .pred p; testp.subnormal.f32 p, 0f00000001; selp.u32 %0, 1, 0, p;}", "=r"(o[n++]) :);
    ASM("copysign.f32 %0, 0fbf800000, 0f40000000;", "=r"(o[n++]) :);
    ASM("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;", "=r"(o[n++]) : "r"(300), "r"(-300), "r"(0x1234));
}

static __device__ int global_word = 5;
static __constant__ int constant_word = 6;

static __global__ void spaces(unsigned *o, const __grid_constant__ int parameter)
{
    __shared__ int word;
    int local[4] = {1, 2, 3, (int)threadIdx.x}, got;
    unsigned long long policy, address;

    o[0] = __isGlobal(&global_word) | __isShared(&word) << 1 | __isLocal(local) << 2 |
           __isConstant(&constant_word) << 3 | __isGridConstant(&parameter) << 4 | __isShared(&global_word) << 5;
    asm volatile("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %0, 0.5;" : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.b32 %0, [%1], %2;"
                 : "=r"(got) : "l"(__cvta_generic_to_global(&global_word)), "l"(policy));
    o[1] = (unsigned)got;
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(__cvta_generic_to_global(o + 32)));
    asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(__cvta_generic_to_global(o)));
    asm volatile("prefetchu.L1 [%0];" ::"l"(o));
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.b32 %0, [%1];" : "=r"(got) : "l"(o + 31));
    o[2] = (unsigned)got;
    word = 77;
    asm volatile("{.reg .u64 s; cvta.to.shared.u64 s, %1; ld.shared.b32 %0, [s];}" : "=r"(got) : "l"(&word));
    o[3] = (unsigned)got;
    asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory");
    asm volatile("{.reg .pred p; elect.sync _|p, 1; selp.u64 %0, 1, 0, p;}" : "=l"(address));
    o[4] = (unsigned)address;
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(__cvta_generic_to_global(o + 64)));
    asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(o[5]));
    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(o[6]));
}

int main(void)
{
    /* as the manual's pseudocode gives them */
    const std::vector<unsigned> want = {
        0x00000005, 0x00000016, 0x00000017, 0x00000008, 0x0000000b, 0xabcdef00, 0x3412f000, 0x12121212,
        0x00f0f0f0, 0xf0f01234, 0x00f000f0, 0xffffab12, 0xfffffdef, 0x0000000f, 0x000007f0, 0x00000025,
        0xffffffef, 0x0000001d, 0x00000015, 0xab0a74ef, 0xffffffc4, 0x8654d0d4, 0x9abcdef0, 0x89abcdef,
        0x00000074, 0x00000000, 0xffffffff, 0x89a234ef, 0xffffffde, 0x00000016, 0xffffffff, 0x2c480f00,
        0x12345678, 0x00000001, 0xc0000000, 0x12347f80,
    };
    unsigned *o = device_zeros<unsigned>(128), *p = device_zeros<unsigned>(128);
    std::vector<unsigned> got;

    bits<<<1, 1>>>(o);
    CHECK_KERNEL();
    expect_device("bits", want, o);
    spaces<<<1, 1>>>(p, 3);
    CHECK_KERNEL();
    got = host_copy(p, 7);
    EXPECT(got[0] == 31 && got[1] == 5 && got[2] == 0 && got[3] == 77 && got[4] == 1 && got[6] >= 32);
    device_free(o), device_free(p);
    return passed();
}
