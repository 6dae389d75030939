/* multiply.cl - one work-item an element of C: its row of A times its column of B. All row-major: A[M][K], B[K][N]. */
__kernel void multiply(__global const float *A, __global const float *B, __global float *C, int M, int N, int K)
{
    int column = (int)get_global_id(0), row = (int)get_global_id(1);
    float sum = 0;

    if (row >= M || column >= N)
        return;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * K + k] * B[(size_t)k * N + column];
    C[(size_t)row * N + column] = sum;
}
