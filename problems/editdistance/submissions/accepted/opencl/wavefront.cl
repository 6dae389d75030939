/*
 * wavefront.cl - one anti-diagonal d of the skewed table, as in the CUDA baseline: cells i from `first` to `last`;
 * newest, middle and oldest are where rows d, d-1 and d-2 start in `rows`, each of length1 + 1 elements.
 */
__kernel void diagonal(__global const char *str1, __global const char *str2, int d, int first, int last,
                       __global int *rows, int oldest, int middle, int newest)
{
    int i = first + (int)get_global_id(0), j = d - i;

    if (i > last)
        return;
    if (i == 0 || j == 0) {
        rows[newest + i] = d;
    } else {
        int up = rows[middle + i - 1] + 1, left = rows[middle + i] + 1;
        int corner = rows[oldest + i - 1] + (str1[i - 1] != str2[j - 1]);

        rows[newest + i] = min(min(up, left), corner);
    }
}
