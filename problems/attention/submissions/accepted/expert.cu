/*
 * expert.cu - attention for Hopper: asynchronous tensor cores, fed by the tensor memory accelerator. league: accurate
 *
 * A block has 128 queries, or 192 where d = 64 and that leaves few of them empty, 64 for each of two or three groups
 * of four warps, and one more group that brings data. Keys and values come in tiles of 128 through a ring in shared
 * memory: one thread asks the tensor memory accelerator for them, barriers count their bytes, and other barriers
 * tell when a tile has been used.
 *
 * - A group of warps multiplies its 64 queries by a tile of keys (wgmma, both factors in shared memory). The scores
 *   arrive in registers, in a layout in which the weights can be an operand of the second product as they are.
 * - The second product of a tile is started behind the first product of the next tile, and the exponentials of the
 *   next tile are computed while it runs. So in each group tensor cores and ordinary arithmetic overlap.
 * - Groups take turns at starting products (named barriers): while one computes exponentials, another one's products
 *   run.
 * - The group that brings data needs few registers and gives the others of the block what it has (setmaxnreg).
 * - Tiles of keys are taken from the last to the first. So only the first ones of a query have a mask, the diagonal's
 *   and that of the ragged end, behind which the accelerator fills in zeros.
 * - Without a causal mask, or with few tiles a head, all blocks take alike: as many as there are processors stay, and
 *   take one tile of queries after the other, loading the next one's while the last one's output is written. Else the
 *   long ones start first, and the hardware hands out the rest. Heads whose keys and values fit into the second-level
 *   cache together go together.
 *
 * A tensor map, 128 bytes that describe an array to the accelerator, is usually made by the driver, which submissions
 * cannot reach. make_map() writes it down; tests/fixtures/attention_maps.cu compares that with the driver's.
 *
 * The instructions exist in code for sm_90a alone. Where that does not run, as on the simulator, a plain kernel does.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "expert.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

/* What a tensor map is to the accelerator. */
struct alignas(64) tensor_map {
    uint64_t words[16];
};

constexpr int KEYS = 128, PANEL = 64; // keys in a tile; elements of a row in a panel: 128 bytes, which are swizzled

/* Queries in groups of 64, what a block has in shared memory, and how registers are shared out. */
template <int D, int GROUPS> struct shape {
    static constexpr int QUERIES = 64 * GROUPS, PANELS = D / PANEL, STAGES = D == 128 ? 2 : 4;
    static constexpr int GROUP_BYTES = 64 * D * 2, QUERY_BYTES = GROUPS * GROUP_BYTES; // Q, and again O
    static constexpr int QUERY_PANEL = 64 * 128, KEY_PANEL = KEYS * 128, KEY_BYTES = PANELS * KEY_PANEL;
    static constexpr int BARRIERS = 2 + 4 * STAGES;
    static constexpr int SHARED = 1024 + 2 * QUERY_BYTES + 2 * STAGES * KEY_BYTES + 8 * BARRIERS;
    static constexpr int THREADS = 128 * (GROUPS + 1);
    static constexpr int REGISTERS_LOADING = GROUPS == 2 ? 24 : 32, REGISTERS_COMPUTING = GROUPS == 2 ? 240 : 160;
};

/* A kernel's arguments besides the maps. */
struct job {
    int heads, length, tiles; // tiles of queries in a head
    int together;             // heads that go together, with a causal mask
    float scale;              // log2(e) / sqrt(d): weights are powers of two
};

/* One tile of queries: which head's, which one, and how many tiles of keys it sees. */
struct place {
    int head, tile, key_tiles;
};

template <int QUERIES, bool CAUSAL> __device__ __forceinline__ place find_place(const job &job, int number)
{
    place p;

    p.key_tiles = (job.length + KEYS - 1) / KEYS;
    if (CAUSAL) {
        const int each = job.together * job.tiles, section = number / each, rest = number - section * each;
        const int heads = min(job.together, job.heads - section * job.together);

        p.head = section * job.together + rest % heads;
        p.tile = job.tiles - 1 - rest / heads;
        p.key_tiles = min(p.key_tiles, ((p.tile + 1) * QUERIES + KEYS - 1) / KEYS);
    } else {
        p.head = number / job.tiles;
        p.tile = number - p.head * job.tiles;
    }
    return p;
}

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* ------------------------------------------------------------------ barriers, copies, products */

__device__ __forceinline__ void barrier_init(uint32_t barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/* Arrives, and says how many bytes must arrive too. */
__device__ __forceinline__ void barrier_expect(uint32_t barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void barrier_arrive(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void barrier_wait(uint32_t barrier, uint32_t parity)
{
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra AGAIN;\n}"
                 ::"r"(barrier), "r"(parity)
                 : "memory");
}

__device__ __forceinline__ void named_wait(int barrier, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

__device__ __forceinline__ void named_arrive(int barrier, int threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

__device__ __forceinline__ void load_panel(uint32_t to, const tensor_map *map, uint32_t barrier, int column, int row,
                                           int head)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to), "l"(map), "r"(barrier), "r"(column), "r"(row), "r"(head)
                 : "memory");
}

__device__ __forceinline__ void store_panel(const tensor_map *map, uint32_t from, int column, int row, int head)
{
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(map),
                 "r"(from), "r"(column), "r"(row), "r"(head)
                 : "memory");
}

/* A descriptor of swizzled panels. leading: from a panel to the next, where rows are summed over; stride: 8 rows. */
__device__ __forceinline__ uint64_t describe(uint32_t address, uint32_t leading)
{
    const uint64_t stride = 8 * 128, swizzled = 1;

    return (address & 0x3ffff) >> 4 | (uint64_t)(leading >> 4) << 16 | stride >> 4 << 32 | swizzled << 62;
}

__device__ __forceinline__ void products_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void products_end() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

/* Waits until at most PENDING groups of products are under way, and keeps the compiler from reading x before. */
template <int PENDING, int N> __device__ __forceinline__ void products_wait(float (&x)[N])
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("" : "+f"(x[i])::"memory");
}

#define FLOATS_4(x, i) "+f"((x)[i]), "+f"((x)[(i) + 1]), "+f"((x)[(i) + 2]), "+f"((x)[(i) + 3])
#define FLOATS_16(x, i) FLOATS_4(x, i), FLOATS_4(x, (i) + 4), FLOATS_4(x, (i) + 8), FLOATS_4(x, (i) + 12)

/* d[64] {+}= a b^T: 64 x 128 of 16 products, both factors in shared memory. */
__device__ __forceinline__ void multiply_shared(float (&d)[64], uint64_t a, uint64_t b, int add)
{
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
                 "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, "
                 "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, "
                 "%59, %60, %61, %62, %63}, "
                 "%64, %65, p, 1, 1, 0, 0;\n}"
                 : FLOATS_16(d, 0), FLOATS_16(d, 16), FLOATS_16(d, 32), FLOATS_16(d, 48)
                 : "l"(a), "l"(b), "r"(add));
}

/* d[64] += a b: 64 x 128 of 16 products, a in registers, b in shared memory row by row. */
__device__ __forceinline__ void multiply_registers(float (&d)[64], const uint32_t *a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
                 "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, "
                 "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, "
                 "%59, %60, %61, %62, %63}, "
                 "{%64, %65, %66, %67}, %68, 1, 1, 1, 1;"
                 : FLOATS_16(d, 0), FLOATS_16(d, 16), FLOATS_16(d, 32), FLOATS_16(d, 48)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

/* d[32] += a b: 64 x 64 of 16 products, a in registers, b in shared memory row by row. */
__device__ __forceinline__ void multiply_registers(float (&d)[32], const uint32_t *a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
                 "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                 "{%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
                 : FLOATS_16(d, 0), FLOATS_16(d, 16)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

__device__ __forceinline__ float power_of_two(float x)
{
    float y;

    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* Two bfloat16, the first one in the lower half. */
__device__ __forceinline__ uint32_t pack(float first, float second)
{
    uint32_t both;

    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
    return both;
}

/* ------------------------------------------------------------------ the parts of a block */

/* Where things are in shared memory. */
template <typename S> struct room {
    uint32_t q, o, k, v;                              // k, v: [STAGES]
    uint32_t q_full, q_empty;                         // barriers
    uint32_t k_full, k_empty, v_full, v_empty;        // [STAGES] barriers each

    __device__ __forceinline__ explicit room(const void *shared)
    {
        q = ((uint32_t)__cvta_generic_to_shared(shared) + 1023) & ~1023u;
        o = q + S::QUERY_BYTES;
        k = o + S::QUERY_BYTES;
        v = k + S::STAGES * S::KEY_BYTES;
        q_full = v + S::STAGES * S::KEY_BYTES;
        q_empty = q_full + 8;
        k_full = q_empty + 8;
        k_empty = k_full + 8 * S::STAGES;
        v_full = k_empty + 8 * S::STAGES;
        v_empty = v_full + 8 * S::STAGES;
    }

    __device__ __forceinline__ void init_barriers(int groups) const
    {
        barrier_init(q_full, 1);
        barrier_init(q_empty, groups);
        for (int stage = 0; stage < S::STAGES; stage++) {
            barrier_init(k_full + 8 * stage, 1);
            barrier_init(v_full + 8 * stage, 1);
            barrier_init(k_empty + 8 * stage, groups);
            barrier_init(v_empty + 8 * stage, groups);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
};

/* The number of a tile of keys in the ring: its stage, and how often the ring went round before. */
template <typename S> struct turn {
    uint32_t count = 0;

    __device__ __forceinline__ uint32_t stage(uint32_t ahead = 0) const { return (count + ahead) % S::STAGES; }
    __device__ __forceinline__ uint32_t parity(uint32_t ahead = 0) const { return (count + ahead) / S::STAGES & 1; }
};

/* One thread brings what all tiles of queries of this block need. */
template <int D, int GROUPS, bool CAUSAL>
__device__ __forceinline__ void bring(const job &job, const room<shape<D, GROUPS>> &at, const tensor_map *q_map,
                                      const tensor_map *k_map, const tensor_map *v_map)
{
    using S = shape<D, GROUPS>;
    turn<S> turn;
    uint32_t done = 0;

    for (int number = blockIdx.x; number < job.heads * job.tiles; number += gridDim.x, done++) {
        const place p = find_place<S::QUERIES, CAUSAL>(job, number);

        barrier_wait(at.q_empty, (done & 1) ^ 1);
        barrier_expect(at.q_full, S::QUERY_BYTES);
        for (int group = 0; group < GROUPS; group++)
            for (int panel = 0; panel < S::PANELS; panel++)
                load_panel(at.q + group * S::GROUP_BYTES + panel * S::QUERY_PANEL, q_map, at.q_full, panel * PANEL,
                           p.tile * S::QUERIES + group * 64, p.head);
        for (int n = p.key_tiles - 1; n >= 0; n--, turn.count++) {
            const uint32_t stage = turn.stage(), barrier = 8 * stage, bytes = stage * S::KEY_BYTES;

            barrier_wait(at.k_empty + barrier, turn.parity() ^ 1);
            barrier_expect(at.k_full + barrier, S::KEY_BYTES);
            for (int panel = 0; panel < S::PANELS; panel++)
                load_panel(at.k + bytes + panel * S::KEY_PANEL, k_map, at.k_full + barrier, panel * PANEL, n * KEYS,
                           p.head);
            barrier_wait(at.v_empty + barrier, turn.parity() ^ 1);
            barrier_expect(at.v_full + barrier, S::KEY_BYTES);
            for (int panel = 0; panel < S::PANELS; panel++)
                load_panel(at.v + bytes + panel * S::KEY_PANEL, v_map, at.v_full + barrier, panel * PANEL, n * KEYS,
                           p.head);
        }
    }
}

/*
 * What a thread has of 64 queries: elements of two rows, 8 apart. Of each eight columns it has two neighbours, so that
 * x[4 n] and x[4 n + 1] are of the first row, x[4 n + 2] and x[4 n + 3] of the second.
 */
template <int D> struct queries {
    float o[D / 2];      // sums of weights times V, relative to `most`
    float s[KEYS / 2];   // scores, then weights, of the present tile of keys
    uint32_t p[KEYS / 4]; // weights of the tile before, two bfloat16 each
    float most[2], total[2];

    /* s = scores of the tile of keys. */
    template <typename S> __device__ __forceinline__ void begin_scores(uint64_t q, uint64_t k)
    {
        products_begin();
#pragma unroll
        for (int step = 0; step < D / 16; step++) {
            const int panel = step / 4, bytes = step % 4 * 32;

            multiply_shared(s, q + ((panel * S::QUERY_PANEL + bytes) >> 4), k + ((panel * S::KEY_PANEL + bytes) >> 4),
                            step > 0);
        }
        products_end();
    }

    /* o += p times the tile of values. */
    __device__ __forceinline__ void begin_sums(uint64_t v)
    {
        products_begin();
#pragma unroll
        for (int step = 0; step < KEYS / 16; step++)
            multiply_registers(o, p + 4 * step, v + (step * 16 * 128 >> 4));
        products_end();
    }

    /* The keys from `first` on that a query does not see have no weight. row: of this thread; low: of all its group. */
    template <bool CAUSAL> __device__ __forceinline__ void mask(int first, int length, int row, int low)
    {
        if (first + KEYS <= length && !(CAUSAL && first + KEYS - 1 > low))
            return;
#pragma unroll
        for (int i = 0; i < KEYS / 2; i++) {
            const int key = first + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;

            if (key >= length || (CAUSAL && key > row + i % 4 / 2 * 8))
                s[i] = -INFINITY;
        }
    }

    /* s becomes weights relative to the largest score so far; `shrink` is what older sums must be multiplied by. */
    __device__ __forceinline__ void weigh(float scale, bool first, float (&shrink)[2])
    {
#pragma unroll
        for (int row = 0; row < 2; row++) {
            float x = fmaxf(s[2 * row], s[2 * row + 1]), part = 0;

#pragma unroll
            for (int i = 4 + 2 * row; i < KEYS / 2; i += 4)
                x = fmaxf(x, fmaxf(s[i], s[i + 1]));
            x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
            x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
            if (!first)
                x = fmaxf(x, most[row]);

            const float base = x == -INFINITY ? 0.0f : x * scale; // no key of this row so far

            shrink[row] = first ? 0.0f : power_of_two(most[row] * scale - base);
            most[row] = x;
#pragma unroll
            for (int i = 2 * row; i < KEYS / 2; i += 4) {
                s[i] = power_of_two(fmaf(s[i], scale, -base));
                s[i + 1] = power_of_two(fmaf(s[i + 1], scale, -base));
                part += s[i] + s[i + 1];
            }
            total[row] = (first ? 0.0f : total[row] * shrink[row]) + part;
        }
    }

    __device__ __forceinline__ void pack_weights()
    {
#pragma unroll
        for (int i = 0; i < KEYS / 4; i++)
            p[i] = pack(s[2 * i], s[2 * i + 1]);
    }

    __device__ __forceinline__ void shrink_sums(const float (&shrink)[2])
    {
#pragma unroll
        for (int i = 0; i < D / 2; i++)
            o[i] *= shrink[i % 4 / 2];
    }

    __device__ __forceinline__ void clear_sums()
    {
#pragma unroll
        for (int i = 0; i < D / 2; i++)
            o[i] = 0;
    }

    /* One over the sums of all weights of a row, which four threads share. */
    __device__ __forceinline__ void finish(float (&inverse)[2])
    {
#pragma unroll
        for (int row = 0; row < 2; row++) {
            float x = total[row];

            x += __shfl_xor_sync(0xffffffffu, x, 1);
            x += __shfl_xor_sync(0xffffffffu, x, 2);
            inverse[row] = 1 / x;
        }
    }

    /* O of the group into shared memory, swizzled as the accelerator wants it. */
    template <typename S> __device__ __forceinline__ void put(uint32_t to, const float (&inverse)[2])
    {
        const int row = threadIdx.x % 128 / 32 * 16 + threadIdx.x % 16;

#pragma unroll
        for (int step = 0; step < D / 16; step++) {
            const int chunk = 2 * (step % 4) + threadIdx.x % 32 / 16;
            const uint32_t at = to + step / 4 * S::QUERY_PANEL + row * 128 + ((chunk ^ row % 8) << 4);
            const float *x = o + 8 * step;

            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at),
                         "r"(pack(x[0] * inverse[0], x[1] * inverse[0])),
                         "r"(pack(x[2] * inverse[1], x[3] * inverse[1])),
                         "r"(pack(x[4] * inverse[0], x[5] * inverse[0])),
                         "r"(pack(x[6] * inverse[1], x[7] * inverse[1]))
                         : "memory");
        }
    }
};

/* Group `group` of warps computes its 64 queries of all tiles of this block. */
template <int D, int GROUPS, bool CAUSAL>
__device__ __forceinline__ void compute(const job &job, const room<shape<D, GROUPS>> &at, int group,
                                        const tensor_map *o_map)
{
    using S = shape<D, GROUPS>;
    const bool leader = threadIdx.x % 128 == 0;
    const uint32_t own_o = at.o + group * S::GROUP_BYTES;
    const uint64_t q = describe(at.q + group * S::GROUP_BYTES, 16);
    const uint64_t k = describe(at.k, 16), v = describe(at.v, S::KEY_PANEL);
    const int own_turn = 1 + group, next_turn = 1 + (group + 1) % GROUPS, own_barrier = 1 + GROUPS + group;
    queries<D> x;
    turn<S> turn;
    uint32_t done = 0;

    if (group == GROUPS - 1)
        named_arrive(next_turn, 256); // the first group begins
    for (int number = blockIdx.x; number < job.heads * job.tiles; number += gridDim.x, done++) {
        const place p = find_place<S::QUERIES, CAUSAL>(job, number);
        const int low = p.tile * S::QUERIES + group * 64;
        const int row = low + threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
        float shrink[2], inverse[2];

        barrier_wait(at.q_full, done & 1);
        barrier_wait(at.k_full + 8 * turn.stage(), turn.parity());
        named_wait(own_turn, 256);
        x.template begin_scores<S>(q, k + (turn.stage() * S::KEY_BYTES >> 4));
        named_arrive(next_turn, 256);
        products_wait<0>(x.s);
        if (leader)
            barrier_arrive(at.k_empty + 8 * turn.stage());
        x.template mask<CAUSAL>((p.key_tiles - 1) * KEYS, job.length, row, low);
        x.weigh(job.scale, true, shrink);
        x.pack_weights();
        x.clear_sums();
        for (int n = p.key_tiles - 2; n >= 0; n--, turn.count++) {
            barrier_wait(at.k_full + 8 * turn.stage(1), turn.parity(1));
            named_wait(own_turn, 256);
            x.template begin_scores<S>(q, k + (turn.stage(1) * S::KEY_BYTES >> 4));
            barrier_wait(at.v_full + 8 * turn.stage(), turn.parity());
            x.begin_sums(v + (turn.stage() * S::KEY_BYTES >> 4));
            named_arrive(next_turn, 256);
            products_wait<1>(x.s);
            if (leader)
                barrier_arrive(at.k_empty + 8 * turn.stage(1));
            x.template mask<CAUSAL>(n * KEYS, job.length, row, low);
            x.weigh(job.scale, false, shrink);
            products_wait<0>(x.o);
            if (leader)
                barrier_arrive(at.v_empty + 8 * turn.stage());
            x.pack_weights();
            x.shrink_sums(shrink);
        }
        if (leader)
            barrier_arrive(at.q_empty);
        barrier_wait(at.v_full + 8 * turn.stage(), turn.parity());
        x.begin_sums(v + (turn.stage() * S::KEY_BYTES >> 4));
        x.finish(inverse);
        if (leader) // what this group stored before has been read
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        named_wait(own_barrier, 128);
        products_wait<0>(x.o);
        if (leader)
            barrier_arrive(at.v_empty + 8 * turn.stage());
        turn.count++;
        x.template put<S>(own_o, inverse);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        named_wait(own_barrier, 128);
        if (leader && low < job.length) // rows behind the length are not stored
            for (int panel = 0; panel < S::PANELS; panel++)
                store_panel(o_map, own_o + panel * S::QUERY_PANEL, panel * PANEL, low, p.head);
        if (leader)
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
    if (leader)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

#endif

template <int D, int GROUPS, bool CAUSAL>
__global__ void __launch_bounds__(shape<D, GROUPS>::THREADS, 1)
    attend(const __grid_constant__ tensor_map q_map, const __grid_constant__ tensor_map k_map,
           const __grid_constant__ tensor_map v_map, const __grid_constant__ tensor_map o_map, const job job)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    using S = shape<D, GROUPS>;
    extern __shared__ unsigned char shared[];
    const room<S> at(shared);
    const int group = threadIdx.x / 128;

    if (threadIdx.x == 0)
        at.init_barriers(GROUPS);
    __syncthreads();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(S::REGISTERS_LOADING));
        if (threadIdx.x == 0)
            bring<D, GROUPS, CAUSAL>(job, at, &q_map, &k_map, &v_map);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(S::REGISTERS_COMPUTING));
        compute<D, GROUPS, CAUSAL>(job, at, group - 1, &o_map);
    }
#endif
}

/* ------------------------------------------------------------------ where there is no code for sm_90a */

/* A warp for each query. q, k, v, o: [heads][length][dim]. */
__global__ void attend_plainly(const uint16_t *q, const uint16_t *k, const uint16_t *v, uint16_t *o, int rows,
                               int length, int dim, int causal)
{
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    const size_t first = (size_t)(row / length) * length * dim;
    float sum[4] = {0}, most = -INFINITY, total = 0;

    for (int j = 0; row < rows && j < (causal ? row % length + 1 : length); j++) {
        const size_t key = first + (size_t)j * dim;
        float score = 0;

        for (int c = lane; c < dim; c += 32)
            score += __uint_as_float((unsigned)q[(size_t)row * dim + c] << 16) *
                     __uint_as_float((unsigned)k[key + c] << 16);
        for (int other = 16; other > 0; other /= 2)
            score += __shfl_xor_sync(0xffffffffu, score, other);
        score *= rsqrtf((float)dim);

        const float higher = fmaxf(most, score), shrink = expf(most - higher), weight = expf(score - higher);

        most = higher;
        total = total * shrink + weight;
        for (int c = 0; c < 4 && 32 * c < dim; c++)
            sum[c] = sum[c] * shrink + weight * __uint_as_float((unsigned)v[key + 32 * c + lane] << 16);
    }
    for (int c = 0; row < rows && c < 4 && 32 * c < dim; c++) {
        const unsigned bits = __float_as_uint(sum[c] / total);

        o[(size_t)row * dim + 32 * c + lane] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
}

__device__ int of_hopper;

__global__ void tell()
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    of_hopper = 1;
#else
    of_hopper = 0;
#endif
}

/* ------------------------------------------------------------------ the CPU's part */

/*
 * The map of an array [heads][length][dim] of bfloat16, of which boxes of `rows` rows and 64 columns are copied, with
 * 128-byte swizzle. By words of 64 bits: the address; type, dimensions, swizzle and the promotion of the second-level
 * cache, and above them the first stride; the second stride (strides in units of 16 bytes); sizes and box less 1; the
 * box's bytes.
 */
static tensor_map make_map(const void *array, int heads, int length, int dim, int rows)
{
    tensor_map map = {};

    map.words[0] = (uint64_t)array;
    map.words[1] = 0x66520 | (uint64_t)(2 * dim / 16) << 32;
    map.words[2] = (uint64_t)length * dim * 2 / 16;
    map.words[4] = (uint64_t)(dim - 1) | (uint64_t)(length - 1) << 32;
    map.words[5] = (uint64_t)(heads - 1);
    map.words[6] = (uint64_t)(PANEL - 1) << 56;
    map.words[7] = (uint64_t)(rows - 1);
    map.words[8] = (uint64_t)rows * PANEL * 2;
    map.words[9] = 0x400;
    return map;
}

static int hopper, processors;

template <int D, int GROUPS, bool CAUSAL> static void prepare()
{
    CHECK(cudaFuncSetAttribute(attend<D, GROUPS, CAUSAL>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               shape<D, GROUPS>::SHARED));
}

extern "C" void device_user_setup(void)
{
    tell<<<1, 1>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyFromSymbol(&hopper, of_hopper, sizeof hopper));
    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    if (!hopper)
        return;
    prepare<128, 2, false>();
    prepare<128, 2, true>();
    prepare<64, 2, false>();
    prepare<64, 2, true>();
    prepare<64, 3, false>();
    prepare<64, 3, true>();
}

template <int D, int GROUPS, bool CAUSAL>
static void start(const uint16_t *q, const uint16_t *k, const uint16_t *v, uint16_t *o, int heads, int length,
                  cudaStream_t stream)
{
    using S = shape<D, GROUPS>;
    const int tiles = (length + S::QUERIES - 1) / S::QUERIES;
    const int together = (24 << 20) / (length * D * 4); // keys and values in half of the second-level cache
    const job job = {heads, length, tiles, std::max(1, std::min(heads, together)),
                     1.4426950408889634f / sqrtf((float)D)};
    const int blocks = CAUSAL && tiles > 4 ? heads * tiles : std::min(heads * tiles, processors);

    attend<D, GROUPS, CAUSAL><<<blocks, S::THREADS, S::SHARED, stream>>>(
        make_map(q, heads, length, D, 64), make_map(k, heads, length, D, KEYS), make_map(v, heads, length, D, KEYS),
        make_map(o, heads, length, D, 64), job);
    CHECK(cudaGetLastError());
}

/* Whether 192 queries a block are better than 128, for d = 64: by an eighth where all of them are there. */
static bool three_groups(int length) { return 8 * ((length + 191) / 192 * 192) < 9 * ((length + 127) / 128 * 128); }

extern "C" void device_user(const uint16_t *Q, const uint16_t *K, const uint16_t *V, uint16_t *O, int heads,
                            int length, int dim, int causal, device_stream stream)
{
    if (!hopper) {
        attend_plainly<<<(heads * length + 3) / 4, 128, 0, stream>>>(Q, K, V, O, heads * length, length, dim, causal);
        CHECK(cudaGetLastError());
    } else if (dim == 128 && causal) {
        start<128, 2, true>(Q, K, V, O, heads, length, stream);
    } else if (dim == 128) {
        start<128, 2, false>(Q, K, V, O, heads, length, stream);
    } else if (three_groups(length)) {
        causal ? start<64, 3, true>(Q, K, V, O, heads, length, stream)
               : start<64, 3, false>(Q, K, V, O, heads, length, stream);
    } else {
        causal ? start<64, 2, true>(Q, K, V, O, heads, length, stream)
               : start<64, 2, false>(Q, K, V, O, heads, length, stream);
    }
}
