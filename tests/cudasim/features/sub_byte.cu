/*
 * sub_byte.cu - tensor instructions on bits and on four bits: wmma's bmma and s4, mma's b1 and u4.
 */
#include <mma.h>

#include "../check.h"

namespace wm = nvcuda::wmma;

static __global__ void binary(const unsigned *a, const unsigned *b, int *both, int *differ)
{
    wm::fragment<wm::matrix_a, 8, 8, 128, wm::experimental::precision::b1, wm::row_major> x;
    wm::fragment<wm::matrix_b, 8, 8, 128, wm::experimental::precision::b1, wm::col_major> y;
    wm::fragment<wm::accumulator, 8, 8, 128, int> c;

    wm::load_matrix_sync(x, a, 128);
    wm::load_matrix_sync(y, b, 128);
    wm::fill_fragment(c, 3);
    wm::bmma_sync(c, x, y, c, wm::experimental::bmmaBitOpAND);
    wm::store_matrix_sync(both, c, 8, wm::mem_row_major);
    wm::fill_fragment(c, 0);
    wm::bmma_sync(c, x, y, c, wm::experimental::bmmaBitOpXOR);
    wm::store_matrix_sync(differ, c, 8, wm::mem_row_major);
}

static __global__ void nibbles(const unsigned *a, const unsigned *b, int *signed_, int *unsigned_)
{
    wm::fragment<wm::matrix_a, 8, 8, 32, wm::experimental::precision::s4, wm::row_major> x;
    wm::fragment<wm::matrix_b, 8, 8, 32, wm::experimental::precision::s4, wm::col_major> y;
    wm::fragment<wm::accumulator, 8, 8, 32, int> c;
    int lane = (int)threadIdx.x, d0, d1;

    wm::load_matrix_sync(x, a, 32);
    wm::load_matrix_sync(y, b, 32);
    wm::fill_fragment(c, 0);
    wm::mma_sync(c, x, y, c);
    wm::store_matrix_sync(signed_, c, 8, wm::mem_row_major);
    asm volatile("mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32 {%0,%1}, {%2}, {%3}, {%4,%4};"
                 : "=r"(d0), "=r"(d1) : "r"(a[lane]), "r"(b[lane]), "r"(0));
    unsigned_[lane / 4 * 8 + lane % 4 * 2] = d0;
    unsigned_[lane / 4 * 8 + lane % 4 * 2 + 1] = d1;
}

int main(void)
{
    struct rng rng = {3};
    std::vector<unsigned> a(32), b(32);
    std::vector<int> both(64, 3), differ(64), sum(64), plain(64);

    for (int i = 0; i < 32; i++)
        a[i] = (unsigned)rng_next(&rng), b[i] = (unsigned)rng_next(&rng);
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < 4; k++) {
            unsigned x = a[i / 8 * 4 + k], y = b[i % 8 * 4 + k];

            both[i] += __builtin_popcount(x & y);
            differ[i] += __builtin_popcount(x ^ y);
            for (int s = 0; s < 32; s += 4) {
                sum[i] += ((int)(x << (28 - s)) >> 28) * ((int)(y << (28 - s)) >> 28);
                plain[i] += (int)((x >> s & 15) * (y >> s & 15));
            }
        }
    unsigned *x = device_copy(a), *y = device_copy(b);
    int *out = device_zeros<int>(256);
    binary<<<1, 32>>>(x, y, out, out + 64);
    CHECK_KERNEL();
    nibbles<<<1, 32>>>(x, y, out + 128, out + 192);
    CHECK_KERNEL();
    expect_device("and", both, out);
    expect_device("xor", differ, out + 64);
    expect_device("s4", sum, out + 128);
    expect_device("u4", plain, out + 192);
    device_free(x), device_free(y), device_free(out);
    return passed();
}
