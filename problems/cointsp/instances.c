/*
 * instances.c - made-up instances. Whole numbers and a correctly rounded square root: the same bytes on every machine.
 */
#include "instances.h"

#include <math.h>
#include <string.h>

#include "include/device_user.h"

enum {
    SIDE = 10000,
    FAR_SIDE = 1480000, /* times sqrt(2) is below COINTSP_DISTANCE_MAX */
    SPREAD = 400,
    SPACING = 100,
};

struct point {
    int32_t x, y;
};

static const char *const names[COINTSP_KINDS] = { "uniform", "clustered", "grid", "weights", "far" };

enum cointsp_kind cointsp_kind_find(const char *name)
{
    int kind = 0;

    while (kind < COINTSP_KINDS && strcmp(names[kind], name) != 0)
        kind++;
    return (enum cointsp_kind)kind;
}

const char *cointsp_kind_name(enum cointsp_kind kind) { return names[kind]; }

static struct point any_point(struct random_stream *stream, uint32_t side)
{
    int32_t x = (int32_t)random_below(stream, side);

    return (struct point){ x, (int32_t)random_below(stream, side) };
}

/* The sum of two uniform offsets: denser in the middle. */
static int32_t offset(struct random_stream *stream)
{
    int32_t first = (int32_t)random_below(stream, SPREAD);

    return first + (int32_t)random_below(stream, SPREAD) - SPREAD;
}

static void make_clustered(uint32_t n, struct random_stream *stream, struct point *points)
{
    struct point centres[COINTSP_CITIES_MAX / 10 + 1];
    uint32_t count = n / 10 + 1;

    for (uint32_t i = 0; i < count; i++)
        centres[i] = any_point(stream, SIDE);
    for (uint32_t i = 0; i < n; i++) {
        struct point centre = centres[random_below(stream, count)];
        int32_t x = centre.x + offset(stream);

        points[i] = (struct point){ x, centre.y + offset(stream) };
    }
}

/* n of the lattice's points, in a random order. */
static void make_grid(uint32_t n, struct random_stream *stream, struct point *points)
{
    uint32_t cells[32 * 32], side = 1; /* 32 * 32 = COINTSP_CITIES_MAX */

    while (side * side < n)
        side++;
    for (uint32_t i = 0; i < side * side; i++)
        cells[i] = i;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t other = i + random_below(stream, side * side - i), cell = cells[other];

        cells[other] = cells[i];
        points[i] = (struct point){ (int32_t)(cell % side * SPACING), (int32_t)(cell / side * SPACING) };
    }
}

void cointsp_make(enum cointsp_kind kind, uint32_t n, struct random_stream *stream, int32_t *distance)
{
    struct point points[COINTSP_CITIES_MAX];

    if (kind == COINTSP_CLUSTERED)
        make_clustered(n, stream, points);
    else if (kind == COINTSP_GRID)
        make_grid(n, stream, points);
    for (uint32_t i = 0; i < n && (kind == COINTSP_UNIFORM || kind == COINTSP_FAR); i++)
        points[i] = any_point(stream, kind == COINTSP_FAR ? FAR_SIDE : SIDE);
    for (uint32_t i = 0; i < n; i++) {
        distance[(size_t)i * n + i] = 0;
        for (uint32_t j = 0; j < i; j++) {
            int32_t d;

            if (kind == COINTSP_WEIGHTS) {
                d = (int32_t)random_below(stream, 10);
            } else {
                double x = points[i].x - points[j].x, y = points[i].y - points[j].y;

                d = (int32_t)(sqrt(x * x + y * y) + 0.5);
            }
            distance[(size_t)i * n + j] = distance[(size_t)j * n + i] = d;
        }
    }
}
