/*
 * bit_ptx.cu - PTX on words: votes, bit fields, permutations, carries, hints for the cache, fences; and intrinsics.
 */
#include "../check.h"

#define PTX1(out, text, a) asm volatile(text " %0, %1;" : "=r"(out) : "r"((unsigned)(a)))
#define PTX2(out, text, a, b) asm volatile(text " %0, %1, %2;" : "=r"(out) : "r"((unsigned)(a)), "r"((unsigned)(b)))
#define PTX3(out, text, a, b, c) \
    asm volatile(text " %0, %1, %2, %3;" : "=r"(out) : "r"((unsigned)(a)), "r"((unsigned)(b)), "r"((unsigned)(c)))

static __global__ void votes(unsigned *o)
{
    unsigned lane = threadIdx.x, r;

    PTX2(r, "redux.sync.xor.b32", lane, ~0u);
    if (lane == 0)
        o[0] = r;
    PTX2(r, "redux.sync.max.s32", lane - 40, ~0u);
    if (lane == 0)
        o[1] = r;
    PTX2(r, "match.any.sync.b32", lane / 8, ~0u);
    if (lane == 9)
        o[2] = r;
    asm volatile("{.reg .pred p; match.all.sync.b32 %0|p, 7, 0xffffffff; @!p mov.u32 %0, 1;}" : "=r"(r));
    if (lane == 9)
        o[3] = r;
    asm volatile("{.reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p;}" : "=r"(r));
    if (r)
        o[4] = lane + 1;
}

static __global__ void bits(unsigned *o, const int *in)
{
    unsigned long long policy;

    PTX1(o[0], "bfind.u32", 0x1000);
    PTX1(o[1], "bfind.shiftamt.s32", -256);
    PTX2(o[2], "szext.wrap.s32", 0xF8, 8);
    PTX2(o[3], "bmsk.clamp.b32", 4, 8);
    PTX3(o[4], "prmt.b32.f4e", 0x33221100, 0x77665544, 1);
    PTX3(o[5], "prmt.b32.rc16", 0x33221100, 0, 1);
    PTX3(o[6], "shf.r.clamp.b32", 1, 0xABCD, 36);
    PTX3(o[7], "dp4a.u32.s32", 0xFF010203, 0xFF010101, 7);
    asm volatile("{add.cc.u32 %0, %2, %3; addc.u32 %1, %4, %5;}"
                 : "=r"(o[8]), "=r"(o[9])
                 : "r"(~0u), "r"(1u), "r"(4u), "r"(5u));
    asm volatile("{mad.lo.cc.u32 %0, %2, %2, %2; madc.hi.u32 %1, %2, %2, 0;}" : "=r"(o[10]), "=r"(o[11]) : "r"(~0u));
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.b32 %0, [%1];" : "=r"(o[12]) : "l"(in));
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 0.5;" : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.b32 %0, [%1], %2;" : "=r"(o[13]) : "l"(in + 1), "l"(policy));
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 16;" ::"l"(in));
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(in));
    asm volatile("fence.acq_rel.sys; fence.sc.gpu; fence.proxy.alias; fence.mbarrier_init.release.cluster;" ::
                     : "memory");
    o[14] = __byte_perm(0x33221100, 0x77665544, 0x5140);
    o[15] = __fns(0xF0, 0, 2);
    o[16] = __vabsdiffu4(0x10203040, 0x40302010);
    o[17] = __vcmpgtu4(0x01020304, 0x02010403);
    o[18] = __dp2a_lo(0x00030002, 0x0201, 1);
    o[19] = (unsigned)__viaddmax_s32(3, -9, 2);
    o[20] = (unsigned)__float2int_ru(2.1f) + (unsigned)__double2int_rz(norm3d(1., 2., 2.));
}

int main()
{
    const std::vector<unsigned> votes_want = {0, (unsigned)-9, 0xFF00, ~0u, 1};
    const std::vector<unsigned> bits_want = {12, 24, 0xFFFFFFF8, 0xFF0, 0x44332211, 0x33223322, 0xABCD,
                                             (unsigned)(-255 + 1 + 2 + 3 + 7), 0, 10, 0, ~0u, 11, 12, 0x55114400, 5,
                                             0x30101030, 0x00FF00FF, 9, 2, 6};
    unsigned *o = device_zeros<unsigned>(32);
    int host[32] = {11, 12}, *in;

    CUDA_CHECK(cudaMalloc(&in, sizeof host));
    CUDA_CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    votes<<<1, 32>>>(o);
    CHECK_KERNEL();
    expect_device("votes", votes_want, o);
    bits<<<1, 1>>>(o, in);
    CHECK_KERNEL();
    expect_device("bits", bits_want, o);
    CUDA_CHECK(cudaFree(in));
    device_free(o);
    return passed();
}
