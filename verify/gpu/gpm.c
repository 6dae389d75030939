/*
 * gpm.c - a window between two of NVML's GPM samples.
 *
 * NVML's header comes with the CUDA Toolkit only, so structures and numbers stand here, as its documentation gives
 * them ("NVML API Reference Guide", chapter GPM Functions).
 */
#include "gpm.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include <time.h>

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

/* nvmlClockType_t */
enum { CLOCK_SM = 1 };

/* A function of the library into *function: ISO C has no cast from object to function pointer. */
static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* Each CUDA core does one multiplication with addition of FP32 a clock. */
static double highest_rate(void *library, void *device)
{
    int (*count)(void *device, unsigned *cores), (*clock)(void *device, int type, unsigned *megahertz);
    unsigned cores = 0, megahertz = 0;

    return find(library, "nvmlDeviceGetNumGpuCores", &count) && find(library, "nvmlDeviceGetMaxClockInfo", &clock) &&
                   count(device, &cores) == SUCCESS && clock(device, CLOCK_SM, &megahertz) == SUCCESS
               ? 1e6 * megahertz * cores
               : 0;
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
    *why = "the GPM counters cannot be read: a profiler uses them, or the GPU is split (MIG)";
    if (gpm->sample(device, gpm->samples[0]) != SUCCESS) {
        gpm_close(gpm);
        gpm->failed = true;
        return false;
    }
    *why = NULL;
    gpm->device = device;
    gpm->rate = highest_rate(library, device);
    return true;
}

void gpm_begin(struct gpm *gpm)
{
    if (!gpm->device)
        return;
    gpm->start = 0;
    gpm->calls = 0;
    gpm->made = 0;
    gpm->failed = false;
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

void gpm_add_calls(struct gpm *gpm, size_t calls, double seconds)
{
    if (gpm->made > 0)
        gpm->calls += seconds;
    gpm->made += calls;
}

bool gpm_is_filled(const struct gpm *gpm)
{
    return !gpm->start || gpm->calls >= GPM_CALL_SECONDS;
}

/* Operations of FP32 and of FP64, whose pipe is half as wide at most. */
static double operations(const struct gpm *gpm, const struct gpm_use *use)
{
    const double *percent = use->percent;

    return gpm->rate > 0 && percent[GPM_FP32] >= 0 && percent[GPM_FP64] >= 0
               ? 2 * gpm->rate * use->seconds * (percent[GPM_FP32] + percent[GPM_FP64] / 2) / 100
               : -1;
}

void gpm_end(struct gpm *gpm, struct gpm_use *use)
{
    const struct timespec settle = { .tv_nsec = (long)(GPM_SETTLE_SECONDS * 1e9) };

    if (!gpm->start)
        return;
    nanosleep(&settle, NULL);
    use->seconds = clock_seconds(gpm->start, clock_ns());
    use->calls = gpm->calls;
    use->made = gpm->made;
    gpm->start = 0;
    if (read_window(gpm, use->percent) && use->percent[GPM_TENSOR] >= 0) {
        use->operations = operations(gpm, use);
        return;
    }
    gpm->failed = true;
    *use = (struct gpm_use){ 0 };
}

double gpm_tensor_seconds(const struct gpm_use *use) { return use->percent[GPM_TENSOR] / 100 * use->seconds; }

static bool tensor_above(const struct gpm_use *use, double of_calls)
{
    const double busy = gpm_tensor_seconds(use);

    return busy > GPM_TENSOR_SECONDS && busy > of_calls * use->calls && busy > GPM_TENSOR_OF_WINDOW * use->seconds;
}

bool gpm_used_tensor(const struct gpm_use *use) { return tensor_above(use, GPM_TENSOR_OF_CALLS); }

bool gpm_may_have_used_tensor(const struct gpm_use *use) { return tensor_above(use, GPM_TENSOR_DOUBT); }

void gpm_close(struct gpm *gpm)
{
    for (int i = 0; i < 2; i++)
        if (gpm->samples[i])
            gpm->release(gpm->samples[i]);
    *gpm = (struct gpm){ 0 };
}
