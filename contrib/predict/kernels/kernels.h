/*
 * kernels.h - the regular kernels whose times the predictor learns from: one table, one row per kernel.
 *
 * A kernel NAME has three functions in kernels/: the __global__ NAME itself, launch_NAME() that starts it once for a
 * run, and host_NAME() that computes the same on the CPU, another way where there is one, for --check. All work on
 * two pieces of memory: `in`, which is only read, and `out`. Each kernel's arrays follow each other at their
 * beginnings, so that memory is filled once for all of them. Kernels that work in place do so in `out`, and stay
 * finite however often they are launched.
 *
 * No loop's trip count and no address depends on what the memory holds: so a kernel can be followed without its data.
 */
#ifndef PREDICT_KERNELS_H
#define PREDICT_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum { ARRAYS_MOST = 5 };

/* One launch. Memory is filled with float32 in [0.5, 1.5), whose bits serve as bytes, integers and float64 too. */
struct run {
    long size;       /* what the row's text calls n */
    unsigned x, y;   /* the block's threads */
    const float *in; /* device memory for launch_NAME(), host memory for host_NAME() */
    float *out;
    const float *inputs[ARRAYS_MOST]; /* the arrays in `in`, the first of them at `in` itself */
    float *outputs[ARRAYS_MOST];
};

/* What the elements of `out` are, for comparing. */
enum element { FLOATS, DOUBLES, WORDS };

/* The two classes of Riahi et al. */
enum bound { MEMORY, COMPUTATION };

/* Block shapes that a kernel is launched with. */
enum shapes {
    LINE,   /* any number of threads in a row */
    POWERS, /* powers of two, for trees */
    PLANE,  /* rectangles */
    TILE,   /* rectangles with sides of 8 at least, multiples of 8 */
    SQUARE, /* squares */
    FIXED,  /* 16 x 16, which the code knows */
    SHORT,  /* up to 512 threads in a row, that may have 128 registers each */
    CORNER  /* rectangles of up to 256 threads, for the same reason */
};

/*
 * row(name, class, shapes, tiny, least, most, multiple, sizes, check, element, input, in, out, text)
 *
 *   class      of the eight of Riahi et al. as they say. Of the others by the roofline of an H100, 67 Tflop/s over
 *              3.35 TB/s: computation from about 20 operations a byte of DRAM on, 10 in float64; instructions
 *              count where they are no floating point, special functions as eight, of which a GPU has as few lanes,
 *              and an idle lane as one that works
 *   tiny       the smallest n: a few sizes from there to `least` are launches of one or a few blocks
 *   least,     the smallest and the largest n of the others: from a few microseconds to some milliseconds on an
 *   most       H100, 8 at most with any block
 *   multiple   what all n are multiples of
 *   sizes      how many n from `least` to `most`, spread evenly in the logarithm; collect.cu adds some
 *   check      the n that --check uses: no multiple of most blocks
 *   input      elements read at least once, from n: the input size of Riahi et al.
 *   in, out    lists of each array's size in numbers of four bytes; (0) where there is none
 */
#define PREDICT_KERNELS(row) \
    /* the eight of Riahi et al. */ \
    row(srad_1, MEMORY, LINE, 32, 128, 9600, 32, 18, 70, FLOATS, n * n, \
        (n * n), (n * n, n * n, n * n, n * n, n * n), \
        "diffusion coefficients and differences of an n x n image, a thread a pixel") \
    row(srad_2, MEMORY, LINE, 32, 128, 9600, 32, 18, 70, FLOATS, 6 * n * n, \
        (n * n, n * n, n * n, n * n, n * n), (n * n), \
        "one step of diffusion of an n x n image, in place") \
    row(nn_distance, MEMORY, LINE, 32, 16384, 1L << 28, 32, 18, 1000, FLOATS, 2 * n, \
        (2 * n), (n), \
        "distances of n places (latitude, longitude) to one") \
    row(vector_add, MEMORY, LINE, 32, 16384, 1L << 28, 32, 18, 1000, FLOATS, 2 * n, \
        (n, n), (n), \
        "c = a + b, of length n") \
    row(hotspot, COMPUTATION, TILE, 32, 128, 10000, 32, 18, 70, FLOATS, 2 * n * n, \
        (n * n, n * n), (n * n), \
        "two steps of heat on an n x n chip, in shared memory") \
    row(matmul_shared, COMPUTATION, SQUARE, 32, 64, 2048, 32, 18, 70, FLOATS, 2 * n * n, \
        (n * n, n * n), (n * n), \
        "C = A B, n x n, a tile of the block's sides in shared memory") \
    row(fan_1, COMPUTATION, LINE, 32, 128, 16000, 32, 18, 70, FLOATS, n, \
        (n * n), (n * n), \
        "Gaussian elimination, the multipliers of one column of an n x n matrix") \
    row(fan_2, COMPUTATION, PLANE, 32, 128, 16000, 32, 18, 70, FLOATS, n * n + 2 * n, \
        (n * n), (n * n, n), \
        "Gaussian elimination, one column's subtraction from all rows below, in place") \
    /* streams */ \
    row(saxpy, MEMORY, LINE, 32, 16384, 1L << 28, 32, 16, 1000, FLOATS, 2 * n, \
        (n), (n), \
        "y = a x + y, of length n") \
    row(daxpy, MEMORY, LINE, 32, 16384, 1L << 28, 32, 16, 1000, DOUBLES, 2 * n, \
        (2 * n), (2 * n), \
        "the same in float64") \
    row(copy_wide, MEMORY, LINE, 32, 16384, 1L << 27, 32, 16, 1000, FLOATS, 4 * n, \
        (4 * n), (4 * n), \
        "a copy of n times four numbers") \
    row(strided_copy, MEMORY, LINE, 32, 16384, 1L << 26, 32, 16, 1000, FLOATS, n, \
        (8 * n), (n), \
        "every eighth number of 8 n") \
    row(gather_hashed, MEMORY, LINE, 32, 16384, 1L << 26, 32, 16, 1000, FLOATS, n, \
        (n), (n), \
        "n numbers read from places that a hash of the index says") \
    row(grey_from_rgba, MEMORY, LINE, 32, 16384, 1L << 28, 32, 16, 1000, WORDS, n, \
        (n), (n / 4), \
        "brightness of n pixels of four bytes") \
    /* neighbours */ \
    row(stencil_2d, MEMORY, PLANE, 32, 128, 16000, 32, 16, 70, FLOATS, n * n, \
        (n * n), (n * n), \
        "mean of five points of an n x n grid") \
    row(stencil_3d, MEMORY, PLANE, 8, 32, 700, 4, 16, 20, FLOATS, n * n * n, \
        (n * n * n), (n * n * n), \
        "mean of seven points of a grid of n^3, one thread per column") \
    row(convolution_1d, COMPUTATION, LINE, 32, 16384, 1L << 27, 32, 16, 1000, FLOATS, n, \
        (n), (n), \
        "129 weights over n numbers, in shared memory") \
    row(convolution_2d, COMPUTATION, PLANE, 32, 128, 8192, 32, 16, 70, FLOATS, n * n, \
        (n * n), (n * n), \
        "11 x 11 weights over an n x n image, in shared memory") \
    row(edit_diagonal, MEMORY, LINE, 32, 16384, 1L << 28, 32, 16, 1000, WORDS, 2 * n + n / 2, \
        (n + 1, n, n / 4, n / 4), (n), \
        "edit distance, one anti-diagonal of n cells from the two before it") \
    /* matrices */ \
    row(matmul_naive, COMPUTATION, PLANE, 32, 64, 1536, 32, 16, 70, FLOATS, 2 * n * n, \
        (n * n, n * n), (n * n), \
        "C = A B, n x n, from global memory") \
    row(matmul_blocked, COMPUTATION, FIXED, 32, 64, 2560, 32, 18, 70, FLOATS, 2 * n * n, \
        (n * n, n * n), (n * n), \
        "C = A B, n x n, in tiles of 16 x 16: the method of the matmul problem's baseline") \
    row(matmul_double, COMPUTATION, SQUARE, 32, 64, 1536, 32, 16, 70, DOUBLES, 2 * n * n, \
        (2 * n * n, 2 * n * n), (2 * n * n), \
        "matmul_shared in float64") \
    row(matvec_rows, MEMORY, LINE, 32, 128, 9600, 32, 16, 70, FLOATS, n * n + n, \
        (n * n, n), (n), \
        "y = A x, n x n, one thread per row") \
    row(matvec_warps, MEMORY, LINE, 32, 128, 32000, 32, 16, 70, FLOATS, n * n + n, \
        (n * n, n), (n), \
        "y = A x, n x n, one warp per row") \
    row(column_sums, MEMORY, LINE, 32, 128, 20000, 32, 16, 70, FLOATS, n * n, \
        (n * n), (n), \
        "sums of the columns, n x n, one thread per column") \
    row(transpose_naive, MEMORY, PLANE, 32, 128, 16000, 32, 16, 70, FLOATS, n * n, \
        (n * n), (n * n), \
        "n x n, written in columns") \
    row(transpose_tiled, MEMORY, SQUARE, 32, 128, 16000, 32, 16, 70, FLOATS, n * n, \
        (n * n), (n * n), \
        "n x n, by a padded tile in shared memory") \
    row(transpose_unpadded, MEMORY, SQUARE, 32, 128, 16000, 32, 16, 70, FLOATS, n * n, \
        (n * n), (n * n), \
        "the same with bank conflicts") \
    /* reductions and sorting */ \
    row(dot_product, MEMORY, POWERS, 32, 16384, 1L << 28, 32, 16, 5000, FLOATS, 2 * n, \
        (n, n), (1056), \
        "a block's part of the dot product of two vectors of length n") \
    row(block_scan, MEMORY, POWERS, 32, 16384, 1L << 27, 32, 16, 1000, FLOATS, n, \
        (n), (n), \
        "prefix sums of n numbers, within each block") \
    row(row_softmax, MEMORY, POWERS, 1, 16, 1L << 18, 1, 16, 9, FLOATS, 1024 * n, \
        (1024 * n), (1024 * n), \
        "softmax of n rows of 1024, one block per row") \
    row(bitonic_step, MEMORY, LINE, 256, 16384, 1L << 28, 256, 16, 1024, FLOATS, n, \
        (0), (n), \
        "one step of a bitonic sort of n numbers: distance 64, in runs of 128, in place") \
    /* arithmetic */ \
    row(black_scholes, MEMORY, LINE, 32, 16384, 1L << 28, 32, 16, 1000, FLOATS, 3 * n, \
        (n, n, n), (n, n), \
        "prices of n calls and puts") \
    row(n_body, COMPUTATION, LINE, 32, 512, 40000, 32, 16, 300, FLOATS, 4 * n, \
        (4 * n), (3 * n), \
        "gravity among n bodies, tiles in shared memory") \
    row(mandelbrot, COMPUTATION, PLANE, 32, 64, 6000, 32, 16, 40, WORDS, 1, \
        (0), (n * n), \
        "256 steps of each of n x n points") \
    row(monte_carlo, COMPUTATION, LINE, 32, 4096, 1L << 22, 32, 16, 1000, FLOATS, 1, \
        (0), (n), \
        "n threads that each throw 128 points at a circle, with Philox") \
    row(polynomial_fp32, COMPUTATION, LINE, 32, 16384, 1L << 27, 32, 16, 1000, FLOATS, n, \
        (n), (n), \
        "a polynomial of degree 63 put into itself four times, at n points") \
    row(polynomial_fp64, COMPUTATION, LINE, 32, 16384, 1L << 26, 32, 16, 1000, DOUBLES, n, \
        (2 * n), (2 * n), \
        "the same in float64") \
    row(rastrigin, MEMORY, LINE, 32, 16384, 1L << 24, 32, 16, 1000, FLOATS, 32 * n, \
        (32 * n), (n), \
        "Rastrigin's function of n individuals in 32 dimensions: an evaluation of differential evolution") \
    row(sine_iterated, COMPUTATION, LINE, 32, 16384, 1L << 26, 32, 16, 1000, FLOATS, n, \
        (n), (n), \
        "64 fast sines of each of n numbers") \
    row(hash_rounds, COMPUTATION, LINE, 32, 16384, 1L << 26, 32, 16, 1000, WORDS, n, \
        (n), (n), \
        "128 rounds of xorshift of n integers") \
    row(nearest_centre, COMPUTATION, LINE, 32, 16384, 1L << 25, 32, 16, 1000, WORDS, 8 * n + 512, \
        (8 * n, 512), (n), \
        "k-means: the nearest of 64 centres for n points in 8 dimensions") \
    row(dct_8x8, MEMORY, TILE, 32, 128, 16000, 32, 16, 72, FLOATS, n * n, \
        (n * n), (n * n), \
        "cosine transform of an n x n image in 8 x 8 tiles") \
    /* many registers */ \
    row(matmul_tile_4, COMPUTATION, CORNER, 32, 64, 2560, 32, 18, 70, FLOATS, 2 * n * n, \
        (n * n, n * n), (n * n), \
        "C = A B, n x n, 4 x 4 elements a thread") \
    row(matmul_tile_8, COMPUTATION, CORNER, 32, 64, 3072, 32, 18, 70, FLOATS, 2 * n * n, \
        (n * n, n * n), (n * n), \
        "C = A B, n x n, 8 x 8 elements a thread") \
    row(chains_32, COMPUTATION, SHORT, 32, 16384, 1L << 26, 32, 16, 1000, FLOATS, n, \
        (n), (n), \
        "32 chains of 32 multiply-adds side by side, for each of n numbers") \
    row(chains_96, COMPUTATION, SHORT, 32, 8192, 1L << 25, 32, 16, 1000, FLOATS, n, \
        (n), (n), \
        "96 such chains") \
    row(copy_deep, MEMORY, SHORT, 32, 16384, 1L << 27, 32, 16, 1000, FLOATS, 4 * n, \
        (4 * n), (4 * n), \
        "a copy of n times four numbers, sixteen loads of a thread in flight") \
    /* lanes and blocks that differ or work together */ \
    row(lanes_2, COMPUTATION, LINE, 32, 16384, 1L << 25, 32, 16, 1000, FLOATS, n, \
        (n), (n), \
        "512 multiply-adds in every other lane, for n threads") \
    row(lanes_4, COMPUTATION, LINE, 32, 16384, 1L << 25, 32, 16, 1000, FLOATS, n, \
        (n), (n), \
        "the same in a lane of four") \
    row(lanes_32, COMPUTATION, LINE, 32, 16384, 1L << 25, 32, 16, 1000, FLOATS, n, \
        (n), (n), \
        "the same in one lane of a warp") \
    row(warp_sums, MEMORY, LINE, 32, 16384, 1L << 28, 32, 16, 1000, FLOATS, n, \
        (n), (n / 512 + 1), \
        "sums of 512 of n numbers, a warp each, by shuffles") \
    row(histogram_shared, MEMORY, LINE, 32, 16384, 1L << 28, 32, 16, 1000, WORDS, n, \
        (n), (256), \
        "n weights in 256 bins, by atomics in shared memory") \
    row(myers_words, COMPUTATION, LINE, 32, 16384, 1L << 25, 32, 16, 1000, WORDS, 4 * n, \
        (4 * n), (n), \
        "edit distance of 32 x 128 cells, n times, a column in a word") \
    row(chase_computed, MEMORY, LINE, 64, 16384, 1L << 27, 64, 16, 6400, WORDS, n, \
        (n), (n / 64), \
        "n loads, 64 of a thread one after another, from places that a hash says") \
    row(persistent_triad, MEMORY, LINE, 32, 16384, 1L << 27, 32, 16, 1000, FLOATS, 2 * n, \
        (n, n), (n), \
        "c = a + b / 4, of length n, by two blocks a multiprocessor") \
    row(persistent_powers, COMPUTATION, LINE, 32, 16384, 1L << 26, 32, 16, 1000, FLOATS, n, \
        (n), (n), \
        "128 multiply-adds of each of n numbers, by as many blocks as are resident at once") \
    row(shared_32, MEMORY, POWERS, 32, 16384, 1L << 27, 32, 16, 10000, FLOATS, n, \
        (n), (n), \
        "sums of sixteen of n numbers, from 32 KiB of shared memory a block") \
    row(shared_96, MEMORY, POWERS, 32, 32768, 1L << 27, 32, 16, 30000, FLOATS, n, \
        (n), (n), \
        "the same with 96 KiB")

#define DECLARE(name, ...) \
    void launch_##name(const struct run *run); \
    void host_##name(const struct run *run);
PREDICT_KERNELS(DECLARE)
#undef DECLARE

/* Blocks of `threads` that n elements need. */
static inline unsigned blocks_for(long n, unsigned threads)
{
    return (unsigned)((n + threads - 1) / threads);
}

#endif
