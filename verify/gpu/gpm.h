/*
 * gpm.h - what a GPU's own counters say of its use: NVML's GPM (GPU performance monitoring), on Hopper and newer.
 *
 * The host reads them, from outside of the submission's process, and any process on the GPU counts: so only while the
 * GPU is the submission's alone. Measured on an H100: 77.7 % tensor for a large bf16 product, 0.00 for an FP32 one,
 * 0.01 for a product of 512³ every 5 ms. Two readings 10 ms apart give 0 whatever ran, so a window is GPM_SECONDS at
 * least.
 */
#ifndef VERIFY_GPM_H
#define VERIFY_GPM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The least length of a window, seconds. */
#define GPM_SECONDS 0.12

/* More than this share of the tensor cores' time, percent, is use of them. One call that does not use them gives 0. */
#define GPM_TENSOR_MOST 0.005

/* Shares of what the GPU could do at most, percent of a window's length. */
enum gpm_share {
    GPM_BUSY,      /* something ran */
    GPM_SM,        /* multiprocessors that had work */
    GPM_OCCUPANCY, /* warps that were there */
    GPM_INTEGER,
    GPM_TENSOR,    /* tensor cores, in whatever format */
    GPM_FP64,      /* these three without tensor cores */
    GPM_FP32,
    GPM_FP16,
    GPM_MEMORY,    /* bytes from and to device memory */
    GPM_SHARES
};

/* "busy", "tensor" and so on: the keys in the result's JSON. */
extern const char *const gpm_names[GPM_SHARES];

/* What was counted over some windows; all zero for none. */
struct gpm_use {
    double seconds;              /* length of all windows */
    double calls;                /* and of the calls of device_user() in them, seconds */
    double percent[GPM_SHARES];  /* over all windows; negative where the GPU does not tell */
    double tensor_most;          /* GPM_TENSOR of the window that had most of it */
};

/* One GPU's counters. */
struct gpm {
    void *device;           /* NVML's handle; NULL where there are no counters */
    void *samples[2];       /* NVML's buffers: the start and the end of a window */
    int64_t start;          /* of the window that is open, clock_ns(); 0 for none */
    double calls;           /* seconds of calls in it */
    bool failed;            /* a reading failed: what was counted is not the whole */
    int (*sample)(void *device, void *sample);
    int (*metrics)(void *request);
    int (*release)(void *sample);
};

/*
 * The counters of `device`, a handle of the NVML that `library` is (dlopen). False, with *why in words, where NVML or
 * the GPU has none.
 */
bool gpm_open(struct gpm *gpm, void *library, void *device, const char **why);

/*
 * Windows follow each other without a gap, as NVML brings its counters up to date some tenths of a second late: from
 * gpm_begin(), before the first call of a case, to gpm_end(). These do nothing without counters.
 */
void gpm_begin(struct gpm *gpm);

/* Before and after each call: ends the window and begins the next, if it is long enough. */
void gpm_cut(struct gpm *gpm, struct gpm_use *use);

/* Adds a call of that many seconds to the window. */
void gpm_add_call(struct gpm *gpm, double seconds);

/*
 * After the last call, which ended at `last` (clock_ns()): ends the last window. False while that is too early: more
 * calls should be made, or time should pass.
 */
bool gpm_end(struct gpm *gpm, int64_t last, struct gpm_use *use);

/* Whether the tensor cores were used, by what was counted. */
bool gpm_used_tensor(const struct gpm_use *use);

/* Releases NVML's buffers. */
void gpm_close(struct gpm *gpm);

#endif
