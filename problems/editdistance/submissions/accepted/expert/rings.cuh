/*
 * rings.cuh - how a strip's lower edge reaches the strip below, through a ring in shared memory.
 */
#pragma once

#include "job.cuh"

/*
 * Slot x of a ring holds hp and hn, see HP, of the upper edge of a strip in column x - 31 S: x is the step at which the
 * last lane of the strip above works on it.
 */
typedef u32 ring[RING];

/* The top bit of the one, and all others of the other word. */
__device__ __forceinline__ u32 with_top(u32 top, u32 others)
{
    u32 word;

    /* The compiler makes two operations of it. */
    asm("lop3.b32 %0, 0x80000000, %1, %2, 0xca;" : "=r"(word) : "r"(top), "r"(others));
    return word;
}

/* How far the two ends of a ring are. The warp between two rings looks at `written` of one and `read` of the other. */
struct __align__(8) progress {
    int written; /* slots of ring w below are there */
    int read;    /* slots of ring w + 1 below may be written again */
};

/* Where a character's entry is in the tables: c * 128, or the low half's offset and the high half's << 16. */
template <int K> __device__ __forceinline__ u32 code_of(u32 c)
{
    return K == 1 ? c * 128 : ((c & 15) | (16 + (c >> 4)) << 16) * (32 * 4 * K);
}

template <int K> struct block_memory {
    u32 tables[WARPS<K>][table_words(K)];
    __align__(8) u32 codes[CODES + 32]; /* of columns modulo CODES; the first stand behind the last again */
    __align__(16) u32 nothing[BATCH<1>]; /* zeros */
    ring rings[WARPS<K> + 1];          /* warp w reads ring w and writes ring w + 1 */
    progress seen[WARPS<K> + 2];       /* by warp w: rings w and w + 1 are its own; shifted by one, as below */
    u32 ticket;
};

template <int K> __device__ __forceinline__ int *ring_written(block_memory<K> &shared, int r)
{
    return &shared.seen[r + 1].written;
}
template <int K> __device__ __forceinline__ int *ring_read(block_memory<K> &shared, int r)
{
    return &shared.seen[r].read;
}

__device__ __forceinline__ u32 shared_address(const void *p)
{
    return (u32)__cvta_generic_to_shared(p);
}

/* Four slots. */
__device__ __forceinline__ void load4(u32 values[4], u32 address)
{
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(values[0]), "=r"(values[1]), "=r"(values[2]), "=r"(values[3])
                 : "r"(address));
}

__device__ __forceinline__ void store4(u32 address, const u32 values[4], bool mine)
{
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %5, 0; @p st.volatile.shared.v4.u32 [%4], {%0, %1, %2, %3}; }"
                 :: "r"(values[0]), "r"(values[1]), "r"(values[2]), "r"(values[3]), "r"(address), "r"((int)mine));
}

__device__ __forceinline__ void store1(u32 address, int value, bool mine)
{
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p st.volatile.shared.u32 [%0], %1; }"
                 :: "r"(address), "r"(value), "r"((int)mine));
}

__device__ __forceinline__ progress load_progress(u32 address)
{
    progress p;

    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(p.written), "=r"(p.read) : "r"(address));
    return p;
}

__device__ __forceinline__ void load4_match(u32 words[4], u32 address)
{
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(address));
}

/* The rows of a lane that match the column with this code. */
template <int K> __device__ __forceinline__ void load_match(u32 low[K], u32 high[K], u32 table, u32 code)
{
    /* The table plus one half of the code; the multipliers' unit, which does this, has time. */
    const u32 low_entry = __dp2a_lo(code, 1u, table), high_entry = __dp2a_lo(code, 0x100u, table);

    if (K == 1) {
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(low[0]) : "r"(table + code));
        high[0] = ~0u;
    } else if (K == 2) {
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                     : "=r"(low[0]), "=r"(low[K - 1])
                     : "r"(low_entry));
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(high[0]), "=r"(high[K - 1]) : "r"(high_entry));
    } else {
#pragma unroll
        for (int k = 0; k < K; k += 4) {
            load4_match(low + k, low_entry + k * 128);
            load4_match(high + k, high_entry + k * 128);
        }
    }
}

/* The address of a column's code, and of those of some 32 columns behind it. */
template <int K> __device__ __forceinline__ u32 code_address(u32 codes, int column)
{
    return codes + (u32)column % CODES * 4;
}

__device__ __forceinline__ u32 load_code(u32 address)
{
    u32 value;

    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(address));
    return value;
}

__device__ __forceinline__ void load_codes(u32 &first, u32 &second, u32 address)
{
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(first), "=r"(second) : "r"(address));
}

/* Until *counter has reached `least`, or will not. */
__device__ __forceinline__ void wait_for(const int *counter, int least)
{
    int now;

    while ((now = *(const volatile int *)counter) < least && now != STOPPED)
        __nanosleep(NAP);
}
