/*
 * league: open
 *
 * Wrong: the cities in the order of their numbers. A tour, but far longer than the target.
 *
 * fails in: sample/open/1-square, sample/open/2-clusters
 */
#include "device_user.h"

void device_user(const struct cointsp_case *c, const int32_t *distance, struct cointsp_generation *generations,
                 int32_t *tour)
{
    (void)distance;
    (void)generations;
    for (uint32_t s = 0; s < c->n; s++)
        tour[s] = (int32_t)s;
}
