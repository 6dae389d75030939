/*
 * 2_strips.cu - the second step from baseline.cu to expert: a warp computes a tile, a launch many tiles.
 *
 * The words are those of 1_words.cu. Now lane l of a warp owns word l of a strip of 1024 rows, and keeps it in
 * registers: at step t it works on column t - l, and the difference on its lower edge goes to the next lane by a
 * shuffle. A warp computes a tile of 1024 rows and TILE columns; one launch computes an anti-diagonal of tiles, whose
 * edges lie in global memory in between. So there are some hundred launches instead of 135,000.
 *
 * The rows that match a character come from two tables of 16 words a lane, by its low and its high half.
 *
 * Where the time goes: a launch lasts TILE + 31 steps, of 230 clocks as measured on an H100: a character is loaded,
 * then the rows that match it, then the word is computed, then the shuffle. At 131,072² there are at most 128 tiles in
 * a launch, one warp a multiprocessor, and on average half of that.
 */
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "2_strips.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

enum { ROWS = 1024, TILE = 1024 };

/*
 * Tile (strip, d - strip) of the strips first, first + 1 and so on, a block of one warp each.
 *
 *   a        the rows' characters, behind `pad` rows above the table, which match nothing and keep no difference: they
 *            hand the upper edge down
 *   words    [strips * 32]: (pv, mv), in and out
 *   edge     [columns]: the horizontal difference on a strip's lower edge, overwritten by the strip below; 1, 0 or -1
 */
__global__ void tiles(const unsigned char *a, int pad, const unsigned char *b, int columns, int d, int first,
                      uint2 *words, signed char *edge)
{
    __shared__ unsigned low[16][32], high[16][32];
    const int l = (int)threadIdx.x, strip = first + (int)blockIdx.x, row = strip * ROWS + l * 32 - pad;
    const int start = (d - strip) * TILE, end = min(start + TILE, columns);
    uint2 word = words[strip * 32 + l];
    unsigned hp = 0, hn = 0;

    if (start == 0) {
        const int above = -row;

        word = make_uint2(above >= 32 ? 0 : above > 0 ? ~0u << above : ~0u, 0);
    }
    for (int v = 0; v < 16; v++)
        low[v][l] = high[v][l] = 0;
    for (int r = 0; r < 32; r++)
        if (row + r >= 0) {
            low[a[row + r] & 15][l] |= 1u << r;
            high[a[row + r] >> 4][l] |= 1u << r;
        }
    for (int t = start; t < end + 31; t++) {
        const int j = t - l;

        hp = __shfl_up_sync(~0u, hp, 1);
        hn = __shfl_up_sync(~0u, hn, 1);
        if (j < start || j >= end)
            continue;
        if (l == 0) {
            hp = strip == 0 || edge[j] > 0;
            hn = strip > 0 && edge[j] < 0;
        }
        const unsigned c = b[j], eq = low[c & 15][l] & high[c >> 4][l], x = eq | word.y, m = eq & word.x;
        const unsigned long long sum = (unsigned long long)m + word.x + hn;
        const unsigned s = (unsigned)sum, carries = s ^ word.x ^ m;
        const unsigned down = word.y | ~(x | word.x | s), shifted = down << 1 | hp;

        word = make_uint2(carries | ~(x | shifted), shifted & x);
        hp = down >> 31;
        hn = (unsigned)(sum >> 32);
        if (l == 31)
            edge[j] = (signed char)((int)hp - (int)hn);
    }
    words[strip * 32 + l] = word;
}

/* *distance = length + the sum of the vertical differences in the last column. */
__global__ void add_up(const uint2 *words, int count, int length, int *distance)
{
    int sum = 0;

    for (int w = (int)threadIdx.x; w < count; w += (int)blockDim.x)
        sum += __popc(words[w].x) - __popc(words[w].y);
    atomicAdd(distance, sum + (threadIdx.x == 0 ? length : 0));
}

extern "C" unsigned int device_user(char *str1, int lenStr1, char *str2, int lenStr2)
{
    const char *longer = lenStr1 >= lenStr2 ? str1 : str2, *shorter = lenStr1 >= lenStr2 ? str2 : str1;
    const int rows = max(lenStr1, lenStr2), columns = min(lenStr1, lenStr2);
    const int strips = (rows + ROWS - 1) / ROWS, across = (columns + TILE - 1) / TILE;
    unsigned char *strings; /* the longer, then the shorter one */
    uint2 *words;
    signed char *edge;
    int *result, distance;

    CHECK(cudaMalloc(&strings, (size_t)rows + columns));
    CHECK(cudaMalloc(&words, 32 * (size_t)strips * sizeof *words));
    CHECK(cudaMalloc(&edge, (size_t)columns));
    CHECK(cudaMalloc(&result, sizeof *result));
    CHECK(cudaMemcpy(strings, longer, rows, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(strings + rows, shorter, columns, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(words, 0, 32 * (size_t)strips * sizeof *words));
    CHECK(cudaMemset(result, 0, sizeof *result));
    for (int d = 0; d < strips + across - 1; d++) {
        const int first = max(0, d - across + 1), last = min(d, strips - 1);

        tiles<<<last - first + 1, 32>>>(strings, strips * ROWS - rows, strings + rows, columns, d, first, words, edge);
        CHECK(cudaGetLastError());
    }
    add_up<<<1, 1024>>>(words, strips * 32, columns, result);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&distance, result, sizeof distance, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(result));
    CHECK(cudaFree(edge));
    CHECK(cudaFree(words));
    CHECK(cudaFree(strings));
    return (unsigned)distance;
}
