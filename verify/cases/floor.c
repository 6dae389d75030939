/*
 * floor.c - the roofline, from below.
 */
#include "floor.h"

#include <math.h>

double floor_seconds(const struct work *work, const struct peak *peak)
{
    return fmax(peak->link > 0 ? work->bytes / peak->link : 0,
                peak->operations > 0 ? work->operations / peak->operations : 0);
}
