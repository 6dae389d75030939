/*
 * multiply.cl - one work-group a tile of C, one work-item an element of it. All row-major: A[M][K], B[K][N].
 *
 * In every step the group loads a tile of A and one of B into local memory, so that an element of A or B is read from
 * global memory once a group, not TILE times. The first barrier is for tiles that are not yet there, the second for
 * tiles that are still in use. What lies beyond the matrices counts as zero.
 */
#define TILE 16

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void multiply(__global const float *A, __global const float *B, __global float *C, int M, int N, int K)
{
    __local float a[TILE][TILE], b[TILE][TILE];
    int x = (int)get_local_id(0), y = (int)get_local_id(1);
    int column = (int)get_global_id(0), row = (int)get_global_id(1);
    float sum = 0;

    for (int start = 0; start < K; start += TILE) {
        a[y][x] = row < M && start + x < K ? A[(size_t)row * K + start + x] : 0;
        b[y][x] = start + y < K && column < N ? B[(size_t)(start + y) * N + column] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += a[y][k] * b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < M && column < N)
        C[(size_t)row * N + column] = sum;
}
