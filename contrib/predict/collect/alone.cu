/*
 * alone.cu - alone.h by CUPTI, loaded with dlopen(). Its callbacks have no pointer of the caller's, so what they
 * collect is state of this file.
 */
#include "alone.h"

#include <stdio.h>

#if __has_include(<cupti.h>)

#include <algorithm>
#include <cupti.h>
#include <dlfcn.h>
#include <mutex>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <vector>

/* The newest record of a kernel: what it begins with, and these two times, is as in the ones before. */
#if CUPTI_API_VERSION >= 130000
typedef CUpti_ActivityKernel10 kernel_record;
#else
typedef CUpti_ActivityKernel9 kernel_record;
#endif

struct span {
    uint64_t start, end; /* ns */
};

static struct {
    void *library;
    CUptiResult (*flush)(uint32_t);
    CUptiResult (*disable)(CUpti_ActivityKind);
    CUptiResult (*next)(uint8_t *, size_t, CUpti_Activity **);
    std::mutex lock; /* of spans: CUPTI calls from a thread of its own */
    std::vector<struct span> spans;
} cupti;

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *records)
{
    enum { BYTES = 1 << 20 };

    *buffer = (uint8_t *)aligned_alloc(ACTIVITY_RECORD_ALIGNMENT, BYTES);
    *size = *buffer ? BYTES : 0;
    *records = 0; /* as many as fit */
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    CUpti_Activity *record = NULL;
    std::lock_guard<std::mutex> guard(cupti.lock);

    (void)context;
    (void)stream;
    (void)size;
    while (valid > 0 && cupti.next(buffer, valid, &record) == CUPTI_SUCCESS)
        if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || record->kind == CUPTI_ACTIVITY_KIND_KERNEL) {
            const kernel_record *kernel = (const kernel_record *)record;

            cupti.spans.push_back({ kernel->start, kernel->end });
        }
    free(buffer);
}

bool alone_open(char why[256])
{
    static const char *const names[] = { "libcupti.so.13", "libcupti.so.12", "libcupti.so" };
    CUptiResult (*enable)(CUpti_ActivityKind), (*callbacks)(CUpti_BuffersCallbackRequestFunc,
                                                           CUpti_BuffersCallbackCompleteFunc);
    CUptiResult result;

    for (const char *name : names)
        if (!cupti.library)
            cupti.library = dlopen(name, RTLD_NOW);
    if (!cupti.library) {
        snprintf(why, 256, "%s; LD_LIBRARY_PATH should have the CUDA Toolkit's lib64 or extras/CUPTI/lib64", dlerror());
        return false;
    }
    enable = (CUptiResult (*)(CUpti_ActivityKind))dlsym(cupti.library, "cuptiActivityEnable");
    callbacks = (CUptiResult (*)(CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc))dlsym(
        cupti.library, "cuptiActivityRegisterCallbacks");
    cupti.disable = (CUptiResult (*)(CUpti_ActivityKind))dlsym(cupti.library, "cuptiActivityDisable");
    cupti.flush = (CUptiResult (*)(uint32_t))dlsym(cupti.library, "cuptiActivityFlushAll");
    cupti.next = (CUptiResult (*)(uint8_t *, size_t, CUpti_Activity **))dlsym(cupti.library,
                                                                              "cuptiActivityGetNextRecord");
    if (!enable || !callbacks || !cupti.disable || !cupti.flush || !cupti.next) {
        snprintf(why, 256, "a function of libcupti is missing");
        cupti.flush = NULL;
        return false;
    }
    result = callbacks(give_buffer, take_buffer);
    if (result == CUPTI_SUCCESS)
        result = enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    if (result != CUPTI_SUCCESS) {
        snprintf(why, 256, "CUPTI says error %d, %s", (int)result,
                 result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "insufficient privileges" : "see cupti_result.h");
        cupti.flush = NULL;
        return false;
    }
    return true;
}

bool alone_take(double *us, size_t count)
{
    bool good;

    /* Records come some time after the kernel has ended; what does not come in half the time is asked for by force. */
    for (int attempt = 0; attempt < 1000; attempt++) {
        cupti.flush(attempt < 500 ? 0 : CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
        {
            std::lock_guard<std::mutex> guard(cupti.lock);

            if (cupti.spans.size() >= count)
                break;
        }
        usleep(1000);
    }

    std::lock_guard<std::mutex> guard(cupti.lock);

    good = cupti.spans.size() == count;
    if (good) {
        std::sort(cupti.spans.begin(), cupti.spans.end(),
                  [](const struct span &a, const struct span &b) { return a.start < b.start; });
        for (size_t i = 0; i < count; i++) {
            us[i] = (double)(cupti.spans[i].end - cupti.spans[i].start) / 1000;
            good &= cupti.spans[i].end > cupti.spans[i].start; /* 0 where CUPTI had no memory for times */
        }
    }
    cupti.spans.clear();
    return good;
}

/* The library stays: CUPTI cannot be unloaded safely while there is a context. */
void alone_close(void)
{
    if (cupti.flush) {
        cupti.disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
        cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
        cupti.flush = NULL;
    }
}

#else

bool alone_open(char why[256])
{
    snprintf(why, 256, "this program was built without CUPTI's header, which comes with the CUDA Toolkit");
    return false;
}

bool alone_take(double *us, size_t count)
{
    (void)us;
    (void)count;
    return false;
}

void alone_close(void)
{
}

#endif
