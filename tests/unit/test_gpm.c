/*
 * test_gpm.c - windows of the GPU's counters, by a stand-in for NVML: the functions below, which this program exports
 * and finds by dlopen(NULL). The clock is real: a window takes a quarter of a second.
 */
#include "verify/gpu/gpm.h"
#include "unit.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "verify/result/calls.h"

/* The values that the stand-in returns. */
static struct {
    int supported, query_status, allocate_status, sample_status, metrics_status, cores_status;
    int fail_from; /* nvmlGpmSampleGet() fails from this call on; 0: never */
    double values[16];
    int metric_status[16];
    int samples, allocated, asked_version;
    void *device, *before, *after;
} nvml;

struct stand_in_metric {
    unsigned id;
    int status;
    double value;
    char *names[3];
};

struct stand_in_request {
    unsigned version, count;
    void *before, *after;
    struct stand_in_metric metrics[64];
};

int nvmlGpmQueryDeviceSupport(void *device, unsigned *support);
int nvmlGpmSampleAlloc(void **sample);
int nvmlGpmSampleFree(void *sample);
int nvmlGpmSampleGet(void *device, void *sample);
int nvmlGpmMetricsGet(struct stand_in_request *request);
int nvmlDeviceGetNumGpuCores(void *device, unsigned *cores);
int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *megahertz);

int nvmlDeviceGetNumGpuCores(void *device, unsigned *cores)
{
    nvml.device = device;
    *cores = 1000;
    return nvml.cores_status;
}

int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *megahertz)
{
    nvml.device = device;
    *megahertz = 2000;
    return type == 1 ? 0 : 2;
}

int nvmlGpmQueryDeviceSupport(void *device, unsigned *support)
{
    nvml.device = device;
    nvml.asked_version = (int)support[0];
    support[1] = (unsigned)nvml.supported;
    return nvml.query_status;
}

int nvmlGpmSampleAlloc(void **sample)
{
    static char room[8];

    *sample = &room[nvml.allocated % 8];
    if (nvml.allocate_status == 0)
        nvml.allocated++;
    return nvml.allocate_status;
}

int nvmlGpmSampleFree(void *sample)
{
    nvml.allocated -= sample != NULL;
    return 0;
}

int nvmlGpmSampleGet(void *device, void *sample)
{
    nvml.device = device;
    nvml.samples++;
    return nvml.fail_from > 0 && nvml.samples >= nvml.fail_from ? 999 : sample ? nvml.sample_status : 2;
}

int nvmlGpmMetricsGet(struct stand_in_request *request)
{
    nvml.before = request->before;
    nvml.after = request->after;
    if (request->version != 1 || request->count > 64)
        return 2;
    for (unsigned i = 0; i < request->count; i++) {
        request->metrics[i].value = nvml.values[request->metrics[i].id];
        request->metrics[i].status = nvml.metric_status[request->metrics[i].id];
    }
    return nvml.metrics_status;
}

/* NVML's numbers of the requested counters. */
enum { SM = 2, TENSOR = 5, MEMORY = 10, FP64 = 11, FP32 = 12 };

static const char handle[] = "the device";

static bool opened(struct gpm *gpm, const char **why)
{
    return gpm_open(gpm, dlopen(NULL, RTLD_NOW), (void *)handle, why);
}

static void fresh(void)
{
    memset(&nvml, 0, sizeof nvml);
    nvml.supported = 1;
}

static void check_open(void)
{
    struct gpm gpm;
    const char *why;

    fresh();
    CHECK(opened(&gpm, &why) && gpm.device == handle && !why && nvml.device == handle && nvml.asked_version == 1,
          "%s", why ? why : "");
    gpm_close(&gpm);
    CHECK(nvml.allocated == 0 && !gpm.device, "%d buffers are left", nvml.allocated);

    fresh();
    nvml.supported = 0;
    CHECK(!opened(&gpm, &why) && strstr(why, "has no GPM"), "%s", why);
    fresh();
    nvml.query_status = 3;
    CHECK(!opened(&gpm, &why) && strstr(why, "has no GPM"), "%s", why);
    fresh();
    nvml.allocate_status = 20;
    CHECK(!opened(&gpm, &why) && strstr(why, "no room"), "%s", why);
    fresh();
    nvml.sample_status = 3;
    CHECK(!opened(&gpm, &why) && strstr(why, "cannot be read") && nvml.allocated == 0, "%s, %d", why, nvml.allocated);
    /* A library without those functions. */
    fresh();
    CHECK(!gpm_open(&gpm, dlopen("libm.so.6", RTLD_NOW), (void *)handle, &why) && strstr(why, "too old"), "%s", why);
    /* Without counters nothing happens. */
    gpm_begin(&gpm);
    gpm_end(&gpm, NULL);
    CHECK(gpm_is_filled(&gpm) && nvml.samples == 0, "%d samples", nvml.samples);
    gpm_close(&gpm);
}

static void check_window(void)
{
    struct gpm_use use = { 0 };
    const char *why;
    struct gpm gpm;

    fresh();
    opened(&gpm, &why);
    nvml.values[FP32] = 76.5;
    nvml.values[TENSOR] = 1;
    nvml.values[FP64] = 10;
    gpm_begin(&gpm);
    gpm_add_calls(&gpm, 1, 5);
    CHECK(!gpm_is_filled(&gpm), "the first call");
    gpm_add_calls(&gpm, 1, GPM_CALL_SECONDS / 2);
    CHECK(!gpm_is_filled(&gpm), "short calls");
    gpm_add_calls(&gpm, 1, GPM_CALL_SECONDS / 2);
    CHECK(gpm_is_filled(&gpm), "calls that are long enough");
    gpm_end(&gpm, &use);
    CHECK(nvml.samples == 3 && nvml.before != nvml.after, "two samples, and the one that tries");
    CHECK(use.seconds >= GPM_SETTLE_SECONDS && fabs(use.calls - 0.1) < 1e-9 && !gpm.failed, "%g s", use.seconds);
    CHECK(use.percent[GPM_FP32] == 76.5 && use.percent[GPM_TENSOR] == 1 && use.made == 3, "%g", use.percent[GPM_FP32]);
    CHECK(fabs(use.operations - 4e12 * use.seconds * (0.765 + 0.05)) < 1e6, "%g operations", use.operations);
    CHECK(fabs(gpm_tensor_seconds(&use) - use.seconds * 1e-2) < 1e-9 && gpm_used_tensor(&use), "used");
    gpm_end(&gpm, &use);
    CHECK(nvml.samples == 3, "a window ends once");
    gpm_close(&gpm);
}

/* One window with these counters. */
static struct gpm_use window(struct gpm *gpm)
{
    struct gpm_use use = { 0 };
    const char *why;

    opened(gpm, &why);
    gpm_begin(gpm);
    gpm_end(gpm, &use);
    return use;
}

static void check_failures(void)
{
    struct gpm_use use;
    struct gpm gpm;

    fresh();
    nvml.values[MEMORY] = NAN;
    nvml.values[SM] = -1;
    nvml.metric_status[FP32] = 3;
    use = window(&gpm);
    CHECK(!gpm.failed && use.seconds > 0, "what is not known is left out");
    CHECK(use.percent[GPM_MEMORY] < 0 && use.percent[GPM_SM] < 0 && use.percent[GPM_FP32] < 0, "it is not known");
    gpm_close(&gpm);

    for (int how = 0; how < 5; how++) {
        fresh();
        nvml.metrics_status = how == 0 ? 999 : 0;
        nvml.metric_status[TENSOR] = how == 1 ? 3 : 0;
        nvml.values[TENSOR] = how == 2 ? NAN : how == 3 ? -5 : 0;
        nvml.fail_from = how == 4 ? 3 : 0;
        use = window(&gpm);
        CHECK(gpm.failed && use.seconds == 0 && !gpm_used_tensor(&use), "way %d", how);
        gpm_close(&gpm);
    }
    fresh();
    nvml.fail_from = 2;
    use = window(&gpm);
    CHECK(gpm.failed && use.seconds == 0, "the first sample of a window");
    gpm_close(&gpm);
}

/* Tensor cores busy for that long in a window with so many seconds of calls. */
static struct gpm_use busy(double tensor, double calls, double seconds)
{
    return (struct gpm_use){ .seconds = seconds, .calls = calls, .percent[GPM_TENSOR] = 100 * tensor / seconds };
}

/* Values measured on an H100, and values beside the bounds. */
static void check_bounds(void)
{
    const struct gpm_use honest[] = { busy(0.7e-6, 0.013, 0.19), busy(19.6e-6, 0.1, 0.85), busy(1.9e-6, 0.33, 1.42),
                                      busy(4.9e-6, 0.001, 0.4), busy(62.8e-6, 0.105, 0.9), busy(500e-6, 0.1, 60) };
    const struct gpm_use doubtful = busy(200e-6, 0.1, 0.4);
    const struct gpm_use used[] = { busy(503e-6, 0.1, 0.62), busy(50e-6, 0.015, 0.27), busy(6e-3, 0.056, 0.85),
                                    busy(6e-6, 0.001, 0.4) };

    for (size_t i = 0; i < sizeof honest / sizeof honest[0]; i++)
        CHECK(!gpm_may_have_used_tensor(&honest[i]) && !gpm_used_tensor(&honest[i]), "honest %zu", i);
    CHECK(gpm_may_have_used_tensor(&doubtful) && !gpm_used_tensor(&doubtful), "in doubt");
    for (size_t i = 0; i < sizeof used / sizeof used[0]; i++)
        CHECK(gpm_used_tensor(&used[i]), "used %zu", i);
}

/* What calls_take_counters() makes of a window of 0.1 s of calls and the one after it. */
static struct case_result judged(const struct counted_rule *rule, const struct gpm *counters, struct gpm_use counted,
                                 struct gpm_use again, bool *review)
{
    struct case_result result = { .name = "sample/1", .counted = counted };
    struct result all = { 0 };

    calls_take_counters(&result, &all, counters, rule, &again);
    *review = all.review;
    return result;
}

static void check_verdict(void)
{
    const struct gpm counters = { .device = (void *)handle }, unread = { .failed = true },
                     half_read = { .device = (void *)handle, .failed = true };
    const struct counted_rule allows = { 0 }, refuses = { .no_tensor = true };
    const struct gpm_use much = busy(500e-6, 0.1, 0.4), little = busy(5e-6, 0.01, 0.4), none = { 0 };
    struct case_result result;
    struct result all = { 0 };
    bool review;

    result = judged(&allows, &counters, much, much, &review);
    CHECK(result.verdict == VERDICT_AC && !review, "a league that allows them");
    result = judged(&refuses, &(struct gpm){ 0 }, much, much, &review);
    CHECK(result.verdict == VERDICT_AC, "no counters");
    result = judged(&refuses, &counters, much, much, &review);
    CHECK(result.verdict == VERDICT_SV && strstr(result.message, "busy for 500.0 us in 0.100 s") &&
              strstr(result.message, "case sample/1"),
          "%s", result.message);
    result = (struct case_result){ .name = "sample/1", .counted = much, .verdict = VERDICT_WA, .message = "wrong" };
    calls_take_counters(&result, &all, &counters, &refuses, &much);
    CHECK(result.verdict == VERDICT_WA && strcmp(result.message, "wrong") == 0, "the first verdict stands");
    result = judged(&refuses, &counters, much, none, &review);
    CHECK(result.verdict == VERDICT_AC && review, "what a second window does not confirm is reviewed");
    result = judged(&refuses, &counters, little, much, &review);
    CHECK(result.verdict == VERDICT_AC && !review, "as much as there may be");
    result = judged(&refuses, &unread, little, none, &review);
    CHECK(result.verdict == VERDICT_AC && review, "counters that there are, and that cannot be had, are reviewed");
    result = judged(&refuses, &half_read, little, none, &review);
    CHECK(result.verdict == VERDICT_AC && review, "unread counters are reviewed");
}

/* A submission with HFMA2.MMA, ten calls of 1e9 operations, of which the counters saw that share. */
static void check_half(void)
{
    static const struct {
        double done, again;
        bool stretched, review;
        enum verdict verdict;
        const char *what;
    } rows[] = {
        { 1.2, 1.2, false, false, VERDICT_AC, "the work was done by FP32" },
        { 0.9, 0.9, false, false, VERDICT_AC, "by a method that needs fewer operations" },
        { 1.2, 0.5, false, true, VERDICT_AC, "not in the second window" },
        { 1.2, 1.2, true, true, VERDICT_AC, "in calls that were not timed, for all that is known" },
        { 0.5, 0.5, false, true, VERDICT_AC, "half of it" },
        { 0.1, 0.1, false, false, VERDICT_SV, "tensor cores did it" },
        { -1, -1, false, false, VERDICT_SV, "nobody knows" },
    };
    const struct gpm counters = { .device = (void *)handle };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct counted_rule rule = { .no_tensor = true, .half = true, .operations = 1e9,
                                           .stretched = rows[i].stretched };
        struct gpm_use counted = busy(500e-6, 0.1, 0.4), again = counted;
        struct case_result result;
        bool review;

        counted.made = again.made = 10;
        counted.operations = rows[i].done * 1e10;
        again.operations = rows[i].again * 1e10;
        result = judged(&rule, &counters, counted, again, &review);
        CHECK(result.verdict == rows[i].verdict && review == rows[i].review, "%s: %s", rows[i].what,
              verdict_id(result.verdict));
    }
}

int main(void)
{
    check_open();
    check_window();
    check_failures();
    check_bounds();
    check_verdict();
    check_half();
    return unit_end();
}
