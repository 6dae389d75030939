/*
 * test_gpm.c - windows over the GPU's counters, by a stand-in for NVML: the functions below, which this program exports
 * and finds by dlopen(NULL). The clock is real: a window takes an eighth of a second.
 */
#include "verify/gpu/gpm.h"
#include "unit.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "verify/base/clock.h"
#include "verify/result/calls.h"

/* What the stand-in returns. */
static struct {
    int supported, query_status, allocate_status, sample_status, metrics_status;
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

/* NVML's numbers of what is asked for. */
enum { SM = 2, TENSOR = 5, MEMORY = 10, FP32 = 12 };

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

static void pass(double seconds)
{
    const struct timespec time = { .tv_nsec = (long)(seconds * 1e9) };

    nanosleep(&time, NULL);
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
    gpm_cut(&gpm, NULL);
    CHECK(gpm_end(&gpm, clock_ns(), NULL) && nvml.samples == 0, "%d samples", nvml.samples);
    gpm_close(&gpm);
}

static void check_windows(void)
{
    struct gpm_use use = { 0 };
    const char *why;
    struct gpm gpm;
    void *after;
    int64_t last;

    fresh();
    opened(&gpm, &why);
    nvml.values[FP32] = 76.5;
    gpm_begin(&gpm);
    gpm_add_call(&gpm, 0.25);
    gpm_cut(&gpm, &use);
    CHECK(use.seconds == 0 && nvml.samples == 2, "too short a window is read");
    pass(GPM_SECONDS);
    gpm_cut(&gpm, &use);
    after = nvml.after;
    CHECK(use.seconds >= GPM_SECONDS && use.calls == 0.25, "%g s, calls %g s", use.seconds, use.calls);
    CHECK(fabs(use.percent[GPM_FP32] - 76.5) < 1e-9 && use.percent[GPM_TENSOR] == 0, "%g", use.percent[GPM_FP32]);
    CHECK(!gpm_used_tensor(&use), "honest");
    /* The next window has more tensor than the last, which counts whatever the mean is. */
    nvml.values[TENSOR] = 0.01;
    pass(GPM_SECONDS);
    gpm_cut(&gpm, &use);
    CHECK(nvml.before == after && nvml.after != after, "windows follow each other");
    CHECK(use.tensor_most == 0.01 && gpm_used_tensor(&use), "%g", use.tensor_most);
    nvml.values[TENSOR] = 0;
    last = clock_ns();
    CHECK(!gpm_end(&gpm, last, &use), "the counters lag behind");
    pass(GPM_SECONDS);
    CHECK(gpm_end(&gpm, last, &use) && use.tensor_most == 0.01, "%g", use.tensor_most);
    CHECK(use.percent[GPM_TENSOR] > 0.002 && use.percent[GPM_TENSOR] < 0.005, "the mean: %g", use.percent[GPM_TENSOR]);
    CHECK(!gpm.failed && use.seconds >= 3 * GPM_SECONDS, "%g", use.seconds);
    gpm_close(&gpm);
}

/* Whether one window with these counters is read, and what became of it. */
static struct gpm_use window(struct gpm *gpm)
{
    struct gpm_use use = { 0 };
    const char *why;

    opened(gpm, &why);
    gpm_begin(gpm);
    pass(GPM_SECONDS);
    gpm_end(gpm, 0, &use);
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

static void check_verdict(void)
{
    struct case_result result = { .name = "sample/1" };
    struct gpm counters = { .device = (void *)handle };
    struct result all = { 0 };

    result.counted.tensor_most = 0.02;
    calls_take_counters(&result, &all, &counters, false);
    CHECK(result.verdict == VERDICT_AC && !all.review, "a league that allows them");
    calls_take_counters(&result, &all, &(struct gpm){ 0 }, true);
    CHECK(result.verdict == VERDICT_AC, "no counters");
    calls_take_counters(&result, &all, &counters, true);
    CHECK(result.verdict == VERDICT_SV && strstr(result.message, "0.020 %") && strstr(result.message, "case sample/1"),
          "%s", result.message);
    result.verdict = VERDICT_WA;
    snprintf(result.message, sizeof result.message, "wrong");
    calls_take_counters(&result, &all, &counters, true);
    CHECK(result.verdict == VERDICT_WA && strcmp(result.message, "wrong") == 0, "the first verdict stands");
    result = (struct case_result){ .name = "sample/1", .counted.tensor_most = GPM_TENSOR_MOST };
    calls_take_counters(&result, &all, &counters, true);
    CHECK(result.verdict == VERDICT_AC && !all.review, "as much as there may be");
    counters.failed = true;
    calls_take_counters(&result, &all, &counters, true);
    CHECK(result.verdict == VERDICT_AC && all.review, "unread counters are reviewed");
}

int main(void)
{
    check_open();
    check_windows();
    check_failures();
    check_verdict();
    return unit_end();
}
