/*
 * gpm.c - windows over NVML's GPM samples.
 *
 * NVML's header comes with the CUDA Toolkit only, so structures and numbers stand here, as its documentation gives
 * them ("NVML API Reference Guide", chapter GPM Functions).
 */
#include "gpm.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "verify/base/clock.h"

enum { SUCCESS = 0, SUPPORT_VERSION = 1, METRICS_VERSION = 1 };

/* How many metrics a request has room for: 98 in CUDA 12, 333 later. Only the first `count` are looked at. */
enum { METRICS_ROOM = 512 };

const char *const gpm_names[GPM_SHARES] = { "busy", "sm", "occupancy", "integer", "tensor", "fp64", "fp32", "fp16",
                                            "memory" };

/* NVML's number of each: NVML_GPM_METRIC_GRAPHICS_UTIL and so on. */
static const unsigned metric_ids[GPM_SHARES] = { 1, 2, 3, 4, 5, 11, 12, 13, 10 };

struct support {
    unsigned version, supported;
};

struct metric {
    unsigned id;
    int status;
    double value;
    const char *short_name, *long_name, *unit;
};

struct request {
    unsigned version, count;
    void *before, *after;
    struct metric metrics[METRICS_ROOM];
};

/* A function of the library into *function: ISO C has no cast from object to function pointer. */
static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

bool gpm_open(struct gpm *gpm, void *library, void *device, const char **why)
{
    int (*query)(void *device, struct support *support), (*allocate)(void **sample);
    struct support support = { .version = SUPPORT_VERSION };

    *gpm = (struct gpm){ 0 };
    *why = "the driver is too old for GPM counters";
    if (!find(library, "nvmlGpmQueryDeviceSupport", &query) || !find(library, "nvmlGpmSampleAlloc", &allocate) ||
        !find(library, "nvmlGpmSampleFree", &gpm->release) || !find(library, "nvmlGpmSampleGet", &gpm->sample) ||
        !find(library, "nvmlGpmMetricsGet", &gpm->metrics))
        return false;
    *why = "this GPU has no GPM counters";
    if (query(device, &support) != SUCCESS || !support.supported)
        return false;
    *why = "NVML has no room for GPM counters";
    for (int i = 0; i < 2; i++)
        if (allocate(&gpm->samples[i]) != SUCCESS) {
            gpm->samples[i] = NULL;
            gpm_close(gpm);
            return false;
        }
    /* The first sample takes longest, and says whether there will be others. */
    *why = "the GPM counters cannot be read: a profiler has them, or the GPU is divided (MIG)";
    if (gpm->sample(device, gpm->samples[0]) != SUCCESS) {
        gpm_close(gpm);
        return false;
    }
    *why = NULL;
    gpm->device = device;
    return true;
}

void gpm_begin(struct gpm *gpm)
{
    gpm->start = 0;
    gpm->calls = 0;
    gpm->failed = false;
    if (!gpm->device)
        return;
    if (gpm->sample(gpm->device, gpm->samples[0]) == SUCCESS)
        gpm->start = clock_ns();
    else
        gpm->failed = true;
}

/* Percent of each share between the two samples; negative where that is not known. False if nothing is. */
static bool read_window(struct gpm *gpm, double percent[GPM_SHARES])
{
    struct request request = { .version = METRICS_VERSION, .count = GPM_SHARES, .before = gpm->samples[0],
                               .after = gpm->samples[1] };

    for (int i = 0; i < GPM_SHARES; i++)
        request.metrics[i].id = metric_ids[i];
    if (gpm->sample(gpm->device, gpm->samples[1]) != SUCCESS || gpm->metrics(&request) != SUCCESS)
        return false;
    for (int i = 0; i < GPM_SHARES; i++) {
        const struct metric *metric = &request.metrics[i];
        const bool known = metric->status == SUCCESS && metric->value >= 0 && isfinite(metric->value);

        percent[i] = known ? metric->value : -1;
    }
    return true;
}

/* The second sample of a window is the first of the next. */
static void end_window(struct gpm *gpm, struct gpm_use *use)
{
    const int64_t now = clock_ns();
    const double length = clock_seconds(gpm->start, now);
    double percent[GPM_SHARES];
    void *sample;

    if (!read_window(gpm, percent) || percent[GPM_TENSOR] < 0) {
        gpm->failed = true;
        gpm->start = 0;
        return;
    }
    for (int i = 0; i < GPM_SHARES; i++) {
        const bool known = percent[i] >= 0 && use->percent[i] >= 0;

        use->percent[i] = known ? (use->percent[i] * use->seconds + percent[i] * length) / (use->seconds + length) : -1;
    }
    use->seconds += length;
    use->calls += gpm->calls;
    use->tensor_most = percent[GPM_TENSOR] > use->tensor_most ? percent[GPM_TENSOR] : use->tensor_most;
    gpm->start = now;
    gpm->calls = 0;
    sample = gpm->samples[0];
    gpm->samples[0] = gpm->samples[1];
    gpm->samples[1] = sample;
}

void gpm_cut(struct gpm *gpm, struct gpm_use *use)
{
    if (gpm->start && clock_seconds(gpm->start, clock_ns()) >= GPM_SECONDS)
        end_window(gpm, use);
}

void gpm_add_call(struct gpm *gpm, double seconds) { gpm->calls += seconds; }

bool gpm_end(struct gpm *gpm, int64_t last, struct gpm_use *use)
{
    const int64_t now = clock_ns();

    if (!gpm->start)
        return true;
    if (clock_seconds(gpm->start, now) < GPM_SECONDS || clock_seconds(last, now) < GPM_SECONDS)
        return false;
    end_window(gpm, use);
    gpm->start = 0;
    return true;
}

bool gpm_used_tensor(const struct gpm_use *use) { return use->tensor_most > GPM_TENSOR_MOST; }

void gpm_close(struct gpm *gpm)
{
    for (int i = 0; i < 2; i++)
        if (gpm->samples[i])
            gpm->release(gpm->samples[i]);
    *gpm = (struct gpm){ 0 };
}
