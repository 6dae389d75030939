/*
 * rows.c - writes launches as rows of features to the files that the environment names. CUDASIM_FEATURES: one row per
 * launch. CUDASIM_FEATURES_TUNE: each kernel's first launch, and the same launch with other block sizes.
 * docs/PREDICT.md describes the columns. Creating the device opens the files, launches write them, the end closes them.
 */
#include "runtime.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/features/feature.h"

#define BLOCKS_TRIED 64 /* of a launch with another block size */

/*
 * Opens the file that the variable names, and writes the header. A line is written when its launch is over. So no line
 * is lost.
 */
static bool open_file(const char *name, uint64_t sample, struct features **features, FILE **out)
{
    const char *path = getenv(name);

    *features = features_create(sample);
    *out = *features ? fopen(path, "we") : NULL;
    if (!*out) {
        runtime_complain("cannot write %s '%s': %s", name, path, *features ? strerror(errno) : "out of memory");
        features_free(*features);
        *features = NULL;
        return false;
    }
    setvbuf(*out, NULL, _IOLBF, BUFSIZ);
    features_write_header(*out);
    return true;
}

static void close_file(const char *name, struct features **features, FILE **out)
{
    bool bad = *out && ferror(*out);

    if (*out && (fclose(*out) != 0 || bad))
        runtime_complain("cannot write %s '%s': the file is not complete", name, getenv(name));
    features_free(*features);
    *features = NULL;
    *out = NULL;
}

void rows_close(struct runtime *runtime)
{
    close_file("CUDASIM_FEATURES", &runtime->features, &runtime->features_out);
    close_file("CUDASIM_FEATURES_TUNE", &runtime->tries, &runtime->tries_out);
}

/*
 * CUDASIM_FEATURES: one line per launch. CUDASIM_FEATURES_TUNE: a kernel's first launch, also with other block sizes.
 */
bool rows_open(struct runtime *runtime, uint64_t sample)
{
    const char *tries = getenv("CUDASIM_FEATURES_TUNE");

    if (open_file("CUDASIM_FEATURES", sample, &runtime->features, &runtime->features_out) &&
        (!tries || !*tries ||
         open_file("CUDASIM_FEATURES_TUNE", sample ? sample : BLOCKS_TRIED, &runtime->tries, &runtime->tries_out)))
        return true;
    rows_close(runtime);
    return false;
}

/*
 * Tries other block sizes for a kernel's first launch, before it runs. It skips kernels whose blocks wait for each
 * other, because other blocks may wait for ever. It skips kernels whose counts hold for this launch alone.
 */
static size_t try_blocks(struct runtime *runtime, const struct sim_launch *launch, const struct features_code *code,
                         struct features_row *tries)
{
    size_t count = 0;

    if (code->regular && !code->waits && !launch->cooperative &&
        !features_tune(runtime->tries, runtime->sim, launch, tries, &count))
        runtime_complain("%s: its block size is not tuned: there is more than 1 GiB of memory to keep",
                         sim_kernel_title(launch->kernel));
    return count;
}

/* A launch that faulted has no line. */
bool rows_run(struct runtime *runtime, const struct sim_launch *launch, struct sim_fault *fault)
{
    struct features_code *code = (struct features_code *)(uintptr_t)features_of_kernel(launch->kernel);
    bool tuned = runtime->tries && code && !code->tuned;
    struct features_row row, tries[FEATURES_TRIES];
    size_t count = tuned ? try_blocks(runtime, launch, code, tries) : 0;

    if (tuned)
        code->tuned = true;
    if (!features_run(runtime->features, runtime->sim, launch, &row, fault))
        return false;
    features_write_row(runtime->features_out, &row);
    if (tuned)
        features_write_row(runtime->tries_out, &row);
    for (size_t n = 0; n < count; n++)
        features_write_row(runtime->tries_out, &tries[n]);
    return true;
}
