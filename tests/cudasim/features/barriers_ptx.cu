/*
 * barriers_ptx.cu - barriers that count and vote, named ones, those of clusters; elections; special registers.
 */

#include "../check.h"

__global__ void bars(int *o)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    unsigned v;
    asm volatile("{.reg .pred p; setp.lt.s32 p,%1,100; bar.red.popc.u32 %0,0,p;}" : "=r"(v) : "r"(t));
    o[t] = v;
    asm volatile("{.reg .pred p,q; setp.lt.s32 p,%1,100; barrier.cta.red.and.pred q,0,p; selp.u32 %0,1,0,q;}"
                 : "=r"(v)
                 : "r"(t));
    o[256 + t] = v;
    asm volatile(
        "{.reg .pred p,q; setp.eq.s32 p,%1,100; barrier.cta.red.or.aligned.pred q,3,256,p; selp.u32 %0,1,0,q;}"
        : "=r"(v)
        : "r"(t));
    o[512 + t] = v;
    o[768 + t] =
        __syncthreads_count(t & 1) + 1000 * __syncthreads_and(t >= 0) + 2000 * __syncthreads_or(t == 300);
    // producer warps 0-3, consumers 4-7 with named barriers 1 (full) and 2 (empty)
    if (t < 128) {
        for (int k = 0; k < 3; k++) {
            if (k)
                asm volatile("bar.sync 2, 256;" ::: "memory");
            s[t] = t * 10 + k;
            asm volatile("bar.arrive 1, 256;" ::: "memory");
        }
    } else {
        int sum = 0;
        for (int k = 0; k < 3; k++) {
            asm volatile("barrier.cta.sync 1, 256;" ::: "memory");
            sum += s[255 - t];
            if (k < 2)
                asm volatile("barrier.cta.arrive 2, 256;" ::: "memory");
        }
        o[1024 + t - 128] = sum;
    }
    // barrier whose number is in a register, by halves of the block
    __syncthreads();
    int id = 4 + t / 64;
    s[t] = t;
    asm volatile("barrier.cta.sync %0, 64;" ::"r"(id) : "memory");
    o[1280 + t] = s[t ^ 63];
    asm volatile("bar.warp.sync 0xffffffff;");
    __syncthreads();
    if (t < 96)
        asm volatile("{.reg .pred p; setp.lt.s32 p,%1,10; bar.red.popc.u32 %0,5,96,p;}" : "=r"(v) : "r"(t));
    if (t < 96)
        o[1536 + t] = v;
}

__global__ void __cluster_dims__(2) clus(int *o)
{
    __shared__ int x;
    unsigned r;
    asm("mov.u32 %0,%%cluster_ctarank;" : "=r"(r));
    if (!threadIdx.x)
        x = r + 5;
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
    unsigned a, v;
    asm("mapa.shared::cluster.u32 %0,%1,%2;"
        : "=r"(a)
        : "r"((unsigned)__cvta_generic_to_shared(&x)), "r"(r ^ 1));
    asm volatile("ld.shared::cluster.u32 %0,[%1];" : "=r"(v) : "r"(a));
    o[blockIdx.x * 32 + threadIdx.x] = v;
    asm volatile("barrier.cluster.arrive.relaxed; barrier.cluster.wait;" ::: "memory");
}

__global__ void elect(int *o)
{
    unsigned l, p;
    asm volatile("{.reg .pred q; elect.sync %0|q,0xffffffff; selp.u32 %1,1,0,q;}" : "=r"(l), "=r"(p));
    o[threadIdx.x] = l * 10 + p;
    if (threadIdx.x & 1) {
        asm volatile("{.reg .pred q; elect.sync _|q,0xaaaaaaaa; selp.u32 %0,1,0,q;}" : "=r"(p));
        o[32 + threadIdx.x] = p;
    }
    unsigned m;
    if (threadIdx.x > 20) {
        asm volatile("activemask.b32 %0;" : "=r"(m));
        o[64 + threadIdx.x] = m;
    }
}

__global__ void first(int *o)
{
    o[threadIdx.x] = threadIdx.x * 3;
    asm volatile("griddepcontrol.launch_dependents;");
}

__global__ void second(const int *in, int *o)
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
    o[threadIdx.x] = in[threadIdx.x] + 1;
}

__global__ void spec(unsigned *oo)
{
    bool me = blockIdx.y + blockIdx.z + threadIdx.y == 0;
    unsigned mine[40];
    unsigned *o = mine;
    unsigned u;
    unsigned long long l;
    int n = 0;
#define S(r)                                                                                                   \
    asm volatile("mov.u32 %0,%" r ";" : "=r"(u));                                                              \
    o[n++] = u;
#define L(r)                                                                                                   \
    asm volatile("mov.u64 %0,%" r ";" : "=l"(l));                                                              \
    o[n++] = l != 0;
    S("%tid.x")
    S("%tid.z") S("%ntid.y") S("%ctaid.y") S("%nctaid.z") S("%laneid") S("%warpid") S("%nwarpid") S("%smid")
        S("%nsmid") S("%lanemask_eq") S("%lanemask_le") S("%lanemask_lt") S("%lanemask_ge") S("%lanemask_gt")
            S("%clusterid.x") S("%nclusterid.y") S("%cluster_ctaid.x") S("%cluster_nctaid.x")
                S("%cluster_ctarank") S("%cluster_nctarank") S("%dynamic_smem_size") S("%total_smem_size")
                    L("%clock64") L("%globaltimer") L("%gridid") unsigned c1,
        c2;
    asm volatile("mov.u32 %0,%%clock;" : "=r"(c1));
    asm volatile("nanosleep.u32 100;");
    asm volatile("mov.u32 %0,%%clock;" : "=r"(c2));
    o[n++] = c2 != c1;
    long long t0 = clock64(), t1 = clock64();
    o[n++] = t1 >= t0;
    asm volatile("pmevent 3; pmevent.mask 0x5;");
    asm volatile("mov.b32 %0,WARP_SZ;" : "=r"(u));
    o[n++] = u;
    asm volatile("{.reg .pred p; mov.pred p,%%is_explicit_cluster; selp.u32 %0,1,0,p;}" : "=r"(u));
    o[n++] = u;
    if (me)
        for (int i = 0; i < n; i++)
            oo[i] = mine[i];
}

int main(void)
{
    int *o = device_zeros<int>(2048);
    bars<<<1, 256>>>(o);
    CHECK_KERNEL();
    auto g = host_copy(o, 2048);
    for (int t = 0; t < 256; t++) {
        EXPECT(g[t] == 100);
        EXPECT(g[256 + t] == 0);
        EXPECT(g[512 + t] == 1);
        EXPECT(g[768 + t] == 1128);
        EXPECT(g[1280 + t] == (t ^ 63));
        if (t < 128)
            EXPECT(g[1024 + t] == (127 - t) * 30 + 3);
        if (t < 96)
            EXPECT(g[1536 + t] == 10);
    }
    clus<<<4, 32>>>(o);
    CHECK_KERNEL();
    g = host_copy(o, 128);
    for (int i = 0; i < 128; i++)
        EXPECT(g[i] == ((i / 32 % 2 ^ 1) + 5));
    CUDA_CHECK(cudaMemset(o, 0, 512));
    elect<<<1, 32>>>(o);
    CHECK_KERNEL();
    g = host_copy(o, 128);
    int w = 0, w2 = 0;
    for (int t = 0; t < 32; t++) {
        EXPECT(g[t] / 10 == g[0] / 10);
        w += g[t] % 10;
        w2 += g[32 + t];
        if (t > 20)
            EXPECT(g[64 + t] == ((int)(~0u << 21)));
    }
    EXPECT(w == 1);
    EXPECT(w2 == 1);
    int *p = o + 512;
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(1);
    c.blockDim = dim3(64);
    cudaLaunchAttribute a = {};
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = 1;
    c.attrs = &a;
    c.numAttrs = 1;
    first<<<1, 64>>>(o);
    CUDA_CHECK(cudaLaunchKernelEx(&c, second, (const int *)o, p));
    CHECK_KERNEL();
    EXPECT(host_copy(p, 11)[10] == 31);
    spec<<<dim3(1, 2, 3), dim3(1, 4), 128>>>((unsigned *)o);
    CHECK_KERNEL();
    auto h = host_copy((unsigned *)o, 40);
    EXPECT(h[7] >= 32 && h[21] == 128 && h[22] >= 128);
    EXPECT(h[2] == 4u);
    EXPECT(h[4] == 3u);
    EXPECT(h[16] == 2u);
    EXPECT(h[18] == 1u);
    EXPECT(h[20] == 1u);
    for (int i : {23, 24, 27})
        EXPECT(h[i] == 1u);
    EXPECT(h[28] == 32u);
    EXPECT(h[29] == 0u);
    device_free(o);
    return passed();
}
