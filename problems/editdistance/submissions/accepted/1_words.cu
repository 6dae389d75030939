/*
 * 1_words.cu - the first step from baseline.cu to expert: 32 cells in two words of bits.
 *
 * Neighbouring cells of the table differ by -1, 0 or 1 (Ukkonen 1985). 32 rows of one column are held as two masks, the
 * vertical differences that are +1 (pv) and -1 (mv). Hyyrö (2003), after Myers (1999), gets the next column's from the
 * rows that match its character (eq), and from the horizontal difference on the word's upper edge, (hp, hn) = (is +1,
 * is -1), with some dozen operations; the addition carries it along the rows.
 *
 * A thread computes one word, one launch an anti-diagonal of words: word w of column d - w. The longer string lies
 * along the rows, so that there are few anti-diagonals: shorter + longer / 32.
 *
 * Where the time goes: into the launches, of a few microseconds each, as in baseline.cu.
 */
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "1_words.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

/* A word and the horizontal difference on its lower edge. */
struct word {
    unsigned pv, mv, hp, hn;
};

/* The table before its first column: D[i][0] = i. */
__global__ void start(word *words, int count)
{
    const int w = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (w < count)
        words[w] = { ~0u, 0, 0, 0 };
}

/* match[c][w]: the rows of word w whose character is c. */
__global__ void fill_matches(const unsigned char *a, unsigned *match, int count)
{
    const int w = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    for (int r = 0; w < count && r < 32; r++)
        match[(size_t)a[32 * w + r] * count + w] |= 1u << r;
}

/*
 * Words first .. last of anti-diagonal d, each in column d - w. A word's upper edge is that of the word above, one
 * launch ago; as that one is being overwritten, the states of even and odd anti-diagonals are two arrays.
 */
__global__ void diagonal(const unsigned char *b, const unsigned *match, int count, int d, int first, int last,
                         const word *before, word *now)
{
    const int w = first + (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (w > last)
        return;
    const word old = before[w];
    const unsigned hp = w > 0 ? before[w - 1].hp : 1, hn = w > 0 ? before[w - 1].hn : 0;
    const unsigned eq = match[(size_t)b[d - w] * count + w];
    const unsigned x = eq | old.mv, t = eq & old.pv;
    const unsigned long long sum = (unsigned long long)t + old.pv + hn;
    const unsigned s = (unsigned)sum, carries = s ^ old.pv ^ t;
    const unsigned down = old.mv | ~(x | old.pv | s), shifted = down << 1 | hp;

    now[w] = { carries | ~(x | shifted), shifted & x, down >> 31, (unsigned)(sum >> 32) };
}

/* *distance = length + the sum of the vertical differences in the last column. */
__global__ void add_up(const word *even, const word *odd, int count, int columns, int length, int *distance)
{
    int sum = 0;

    for (int w = (int)threadIdx.x; w < count; w += (int)blockDim.x) {
        const word last = (columns - 1 + w) % 2 == 0 ? even[w] : odd[w];

        sum += __popc(last.pv) - __popc(last.mv);
    }
    atomicAdd(distance, sum + (threadIdx.x == 0 ? length : 0));
}

extern "C" unsigned int device_user(char *str1, int lenStr1, char *str2, int lenStr2)
{
    const char *longer = lenStr1 >= lenStr2 ? str1 : str2, *shorter = lenStr1 >= lenStr2 ? str2 : str1;
    const int rows = max(lenStr1, lenStr2), columns = min(lenStr1, lenStr2), count = rows / 32, block = 128;
    const int blocks = (count + block - 1) / block;
    unsigned char *strings; /* the longer, then the shorter one */
    unsigned *match;
    word *words; /* [2][count] */
    int *result, distance;

    CHECK(cudaMalloc(&strings, (size_t)rows + columns));
    CHECK(cudaMalloc(&match, 256 * (size_t)count * sizeof *match));
    CHECK(cudaMalloc(&words, 2 * (size_t)count * sizeof *words));
    CHECK(cudaMalloc(&result, sizeof *result));
    CHECK(cudaMemcpy(strings, longer, rows, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(strings + rows, shorter, columns, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(match, 0, 256 * (size_t)count * sizeof *match));
    CHECK(cudaMemset(result, 0, sizeof *result));
    fill_matches<<<blocks, block>>>(strings, match, count);
    CHECK(cudaGetLastError());
    start<<<2 * blocks, block>>>(words, 2 * count);
    CHECK(cudaGetLastError());
    for (int d = 0; d < columns + count - 1; d++) {
        const int first = max(0, d - columns + 1), last = min(d, count - 1);

        diagonal<<<(last - first) / block + 1, block>>>(strings + rows, match, count, d, first, last,
                                                        words + (size_t)((d + 1) % 2) * count,
                                                        words + (size_t)(d % 2) * count);
        CHECK(cudaGetLastError());
    }
    add_up<<<1, 1024>>>(words, words + count, count, columns, columns, result);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&distance, result, sizeof distance, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(result));
    CHECK(cudaFree(words));
    CHECK(cudaFree(match));
    CHECK(cudaFree(strings));
    return (unsigned)distance;
}
