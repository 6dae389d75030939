/* Crashes: accumulates into memory that malloc() did not grant. */
#include <stdlib.h>

#include "device_user.h"

void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    double *sums = malloc((size_t)-1 / 2); /* never granted */

    (void)A;
    (void)B;
    (void)K;
    for (size_t e = 0; e < (size_t)M * N; e++)
        ((volatile double *)sums)[e] = 0;
    C[0] = (float)sums[0];
}
