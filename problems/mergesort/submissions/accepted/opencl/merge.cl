/*
 * merge.cl - one pass of the merge sort: pairs of sorted runs of `run` elements become runs of twice the length.
 *
 * One work-item an element. Its place in the merged run is its place in its own run plus the number of elements of the
 * partner run that come before it, found by binary search. Among equal keys those of the left run come first: an
 * element of the left run counts the smaller ones in the right run (lower bound), one of the right run those not larger
 * in the left run (upper bound). So the sort is stable, and no two elements get the same place.
 */
__kernel void merge_pass(__global const int *keys, __global const uint *payloads, __global int *merged_keys,
                         __global uint *merged_payloads, ulong n, ulong run, int pairs)
{
    ulong i = get_global_id(0);
    ulong start, own, partner, low, high;
    int key, right;

    if (i >= n)
        return;
    start = i / (2 * run) * (2 * run); /* of the pair of runs */
    right = i >= start + run;
    key = keys[i];
    own = right ? start + run : start; /* where its run starts, and the partner run */
    partner = right ? start : min(start + run, n);
    low = partner;
    high = right ? start + run : min(start + 2 * run, n);
    while (low < high) {
        ulong middle = low + (high - low) / 2;

        if (keys[middle] < key || (right && keys[middle] == key))
            low = middle + 1;
        else
            high = middle;
    }
    low = start + (i - own) + (low - partner);
    merged_keys[low] = key;
    if (pairs)
        merged_payloads[low] = payloads[i];
}
