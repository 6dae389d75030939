/*
 * feature_tune.c - the features of a launch with other block sizes. The runtime calls it if CUDASIM_FEATURES_TUNE names
 * a file. The program of contrib/predict calls it too.
 *
 * It copies the device's memory before each of these launches and restores it after. So each launch finds the memory
 * that the program's own launch would find, and the program sees none of them.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "feature.h"

#define MOST_SAVED (UINT64_C(1) << 30) /* bytes */

struct saved {
    struct {
        void *place; /* in the device's memory */
        uint64_t size;
        char *copy;
    } *part;
    size_t count, capacity;
    uint64_t bytes;
    bool failed;
};

const char *features_refused(const struct sim *sim, const struct sim_launch *launch)
{
    const struct sim_limits *limits = sim_limits(sim);
    const struct sim_kernel_facts *facts = sim_kernel_facts(launch->kernel);
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];

    for (int n = 0; n < 3; n++) {
        if (facts->required_threads[0] && facts->required_threads[n] != launch->block[n])
            return "the kernel requires blocks of another shape (.reqntid)";
        if (launch->grid[n] % launch->cluster[n])
            return "the grid is not a multiple of the kernel's cluster";
    }
    if (launch->block[0] > limits->threads_per_block || launch->block[1] > limits->threads_per_block ||
        launch->block[2] > 64 || threads > limits->threads_per_block)
        return "a block has at most 1024 threads, and 64 in z";
    if (launch->grid[1] > 65535 || launch->grid[2] > 65535)
        return "a grid has at most 65535 blocks in y and in z";
    if (facts->max_threads && threads > facts->max_threads)
        return "the kernel was compiled for smaller blocks (__launch_bounds__)";
    if (!facts->estimated && facts->registers * ((threads + 31) / 32 * 32) > limits->registers_per_sm)
        return "a block of this size needs more registers than there are";
    if ((uint64_t)facts->static_shared + launch->dynamic_shared > limits->shared_per_block_optin)
        return "a block needs more shared memory than there is";
    return NULL;
}

static void save_region(const struct region *region, void *context)
{
    struct saved *saved = context;
    void *place = (void *)(uintptr_t)region->base;

    saved->failed = saved->failed || region->size > MOST_SAVED - saved->bytes;
    if (saved->failed)
        return;
    if (saved->count == saved->capacity) {
        size_t capacity = saved->capacity ? 2 * saved->capacity : 64;
        void *part = realloc(saved->part, capacity * sizeof *saved->part);

        if (!part) {
            saved->failed = true;
            return;
        }
        saved->part = part;
        saved->capacity = capacity;
    }
    saved->part[saved->count].place = place;
    saved->part[saved->count].size = region->size;
    saved->part[saved->count].copy = malloc(region->size);
    saved->failed = !saved->part[saved->count].copy;
    if (saved->failed)
        return;
    memcpy(saved->part[saved->count++].copy, place, region->size);
    saved->bytes += region->size;
}

/* Bytes that did not change are not written, because they may be read-only, or never touched. */
static void put_back(const struct saved *saved)
{
    for (size_t n = 0; n < saved->count; n++)
        if (memcmp(saved->part[n].place, saved->part[n].copy, saved->part[n].size) != 0)
            memcpy(saved->part[n].place, saved->part[n].copy, saved->part[n].size);
}

static void drop(struct saved *saved)
{
    for (size_t n = 0; n < saved->count; n++)
        free(saved->part[n].copy);
    free(saved->part);
}

bool features_tune(struct features *features, struct sim *sim, const struct sim_launch *given,
                   struct features_row rows[FEATURES_TRIES], size_t *count)
{
    uint64_t across = (uint64_t)given->grid[0] * given->block[0];
    struct saved saved = {.part = NULL};

    *count = 0;
    memory_visit(sim_memory(sim), save_region, &saved);
    for (unsigned size = 1; size <= 1024 && !saved.failed; size *= 2) {
        struct sim_launch launch = *given;
        uint64_t threads = (uint64_t)size * given->block[1] * given->block[2];
        struct sim_fault fault;

        if (size == given->block[0] || threads < 32 || threads > 1024 || across % size || across / size > INT_MAX)
            continue;
        launch.block[0] = size;
        launch.grid[0] = (unsigned)(across / size);
        if (features_refused(sim, &launch))
            continue;
        features_try(features, true);
        if (features_run(features, sim, &launch, &rows[*count], &fault))
            ++*count;
        else
            fprintf(stderr, "features: %s does not run with blocks of %u in x: left out\n",
                    sim_kernel_title(given->kernel), size);
        features_try(features, false);
        put_back(&saved);
    }
    drop(&saved);
    return !saved.failed;
}
