/*
 * league: open
 *
 * Wrong: goes to the nearest city without remembering where it has been, so it walks to and fro between two cities.
 * Short, but no tour.
 */
#include "device_user.h"

void device_user(const struct cointsp_case *c, const int32_t *distance, struct cointsp_generation *generations,
                 int32_t *tour)
{
    int32_t city = 0;

    (void)generations;
    for (uint32_t s = 0; s < c->n; s++) {
        int32_t nearest = city == 0;

        tour[s] = city;
        for (int32_t j = 0; j < (int32_t)c->n; j++)
            if (j != city && distance[(size_t)city * c->n + j] < distance[(size_t)city * c->n + nearest])
                nearest = j;
        city = nearest;
    }
}
