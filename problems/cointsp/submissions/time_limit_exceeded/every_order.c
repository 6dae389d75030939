/*
 * league: open
 *
 * Too slow: tries the cities in every order until a tour is short enough.
 *
 * fails in: sample/open/1-square
 */
#include <stdint.h>

#include "device_user.h"

/* Cities from position `fixed` on in every order; whether a tour was found. */
static int search(const struct cointsp_case *c, const int32_t *distance, int32_t *tour, uint32_t fixed, int64_t length)
{
    if (fixed == c->n)
        return length + distance[(size_t)tour[fixed - 1] * c->n + tour[0]] <= c->target;
    for (uint32_t s = fixed; s < c->n; s++) {
        int32_t city = tour[s];

        tour[s] = tour[fixed];
        tour[fixed] = city;
        if (search(c, distance, tour, fixed + 1, length + distance[(size_t)tour[fixed - 1] * c->n + city]))
            return 1;
        tour[fixed] = tour[s];
        tour[s] = city;
    }
    return 0;
}

void device_user(const struct cointsp_case *c, const int32_t *distance, struct cointsp_generation *generations,
                 int32_t *tour)
{
    (void)generations;
    for (uint32_t s = 0; s < c->n; s++)
        tour[s] = (int32_t)s;
    search(c, distance, tour, 1, 0);
}
