/*
 * game_of_life.cu - Conway's game on a torus: a byte a cell through shared memory with a border, and 32 cells in a word
 * by bitwise addition.
 */
#include "check.h"

enum { SIDE = 16 };

__global__ void by_bytes(const unsigned char *in, unsigned char *out, int width, int height)
{
    __shared__ unsigned char tile[SIDE + 2][SIDE + 2];
    int left = blockIdx.x * SIDE - 1, top = blockIdx.y * SIDE - 1;

    for (int i = threadIdx.y * SIDE + threadIdx.x; i < (SIDE + 2) * (SIDE + 2); i += SIDE * SIDE) {
        int x = (left + i % (SIDE + 2) + width) % width, y = (top + i / (SIDE + 2) + height) % height;

        tile[i / (SIDE + 2)][i % (SIDE + 2)] = in[y * width + x];
    }
    __syncthreads();
    int x = left + 1 + threadIdx.x, y = top + 1 + threadIdx.y;

    if (x >= width || y >= height)
        return;
    int count = 0;

    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            count += tile[threadIdx.y + dy][threadIdx.x + dx];
    out[y * width + x] = count == 3 || (count == 4 && tile[threadIdx.y + 1][threadIdx.x + 1]);
}

/* width in words; the cells of a word from the lowest bit */
__global__ void by_words(const unsigned *in, unsigned *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= width || y >= height)
        return;
    unsigned ones = 0, twos = 0, fours = 0, self = 0;

    for (int dy = -1; dy <= 1; dy++) {
        const unsigned *row = &in[(y + dy + height) % height * width];
        unsigned middle = row[x], west = row[(x + width - 1) % width], east = row[(x + 1) % width];
        unsigned cells[3] = {__funnelshift_l(west, middle, 1), dy ? middle : 0, __funnelshift_r(middle, east, 1)};

        if (dy == 0)
            self = middle;
        for (unsigned cell : cells) {
            unsigned carry = ones & cell;

            ones ^= cell;
            fours ^= twos & carry; /* 8 becomes 0: dead either way */
            twos ^= carry;
        }
    }
    out[y * width + x] = twos & ~fours & (ones | self);
}

static void test(int width, int height, int generations)
{
    struct rng rng = {(uint64_t)width * height};
    std::vector<unsigned char> cells(width * height), next(width * height);
    std::vector<unsigned> words(width / 32 * height), want_words(width / 32 * height);

    for (int i = 0; i < width * height; i++) {
        cells[i] = rng_below(&rng, 3) == 0;
        if (width % 32 == 0)
            words[i / 32] |= (unsigned)cells[i] << i % 32;
    }
    unsigned char *bytes[2] = {device_copy(cells), device_zeros<unsigned char>(width * height)};
    unsigned *packed[2] = {device_copy(words), device_zeros<unsigned>(words.size())};

    for (int g = 0; g < generations; g++) {
        by_bytes<<<dim3((width + SIDE - 1) / SIDE, (height + SIDE - 1) / SIDE), dim3(SIDE, SIDE)>>>(
            bytes[g % 2], bytes[1 - g % 2], width, height);
        CUDA_CHECK(cudaGetLastError());
        if (width % 32 == 0) {
            by_words<<<dim3((width / 32 + 3) / 4, (height + 15) / 16), dim3(4, 16)>>>(packed[g % 2], packed[1 - g % 2],
                                                                                     width / 32, height);
            CUDA_CHECK(cudaGetLastError());
        }
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                int count = 0;

                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++)
                        count += cells[(y + dy + height) % height * width + (x + dx + width) % width];
                next[y * width + x] = count == 3 || (count == 4 && cells[y * width + x]);
            }
        cells.swap(next);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    expect_device("bytes", cells, bytes[generations % 2]);
    if (width % 32 == 0) {
        for (int i = 0; i < width * height; i++)
            want_words[i / 32] |= (unsigned)cells[i] << i % 32;
        expect_device("words", want_words, packed[generations % 2]);
    }
    for (int i = 0; i < 2; i++) {
        device_free(bytes[i]);
        device_free(packed[i]);
    }
}

int main(void)
{
    test(64, 64, 8);
    test(96, 33, 5);
    test(50, 37, 6);
    test(3, 3, 3);
    return passed();
}
