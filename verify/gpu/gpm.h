/*
 * gpm.h - the GPU's own counters of its use: NVML's GPM (GPU performance monitoring), on Hopper and newer.
 *
 * The host reads them, from outside of the submission's process, and any process on the GPU counts: so only while the
 * GPU is the submission's alone. Measured on an H100: 77.7 % tensor for a large bf16 product; NVML brings the counters
 * up to date every 0.1 s, and what ran shows up to 0.2 s later. They showed tensor cores busy for 0.005 of the time of
 * short calls that use them (products of 700²), and for 0.1 of that of long ones; and at times for up to 0.0006 of the
 * time of FP32 kernels that have none of their instructions (docs/results/gpm-h100.txt).
 *
 * Arithmetic of half precision counts as tensor cores' where the machine code has it as HFMA2.MMA, and compilers also
 * set registers by it: an H200 counted 0.002 to 0.023 of the time of FP32 kernels that have some
 * (docs/results/gpm-h200.txt). So where a file has that instruction, it matters whether other pipes did the work.
 */
#ifndef VERIFY_GPM_H
#define VERIFY_GPM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* After the last call of a window, until the counters have it: seconds. */
#define GPM_SETTLE_SECONDS 0.25

/*
 * Calls in a window take this long together, or more calls are made: seconds. The first does not count, as it may set
 * much up, or wait: the others' work would be a small share of it.
 */
#define GPM_CALL_SECONDS 0.1

/*
 * Tensor cores were used where they were busy for longer than each of these: seconds, a share of the calls' time, and a
 * share of the window's. From GPM_TENSOR_DOUBT of the calls' time on they may have been: somebody is to look.
 */
#define GPM_TENSOR_SECONDS 5e-6
#define GPM_TENSOR_OF_CALLS 3e-3
#define GPM_TENSOR_DOUBT 1e-3
#define GPM_TENSOR_OF_WINDOW 1e-5

/*
 * Of the operations that the calls need at least, so many were FP32's or FP64's where tensor cores did none of the
 * work: a method that needs fewer, as Strassen's, comes to 7/8. Below the second share somebody else did them.
 */
#define GPM_OPERATIONS_DONE 0.8
#define GPM_OPERATIONS_MISSING 0.25

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

/* What was counted over a window; all zero for none. */
struct gpm_use {
    double seconds;              /* its length */
    double calls;                /* of device_user() in it without the first one, seconds */
    double percent[GPM_SHARES];  /* negative where the GPU does not tell */
    size_t made;                 /* those calls and the first one */
    double operations;           /* of FP32 and FP64 without tensor cores, at most; negative where it does not tell */
};

/* One GPU's counters. */
struct gpm {
    void *device;           /* NVML's handle; NULL where there are no counters */
    void *samples[2];       /* NVML's buffers: the start and the end of a window */
    int64_t start;          /* of the window that is open, clock_ns(); 0 for none */
    double calls;           /* in it, without the first: seconds */
    size_t made;            /* all calls in it */
    double rate;            /* multiplications with addition of FP32 a second at the highest clock; 0: not known */
    bool failed;            /* there are counters, and they were not read, or not to the end */
    int (*sample)(void *device, void *sample);
    int (*metrics)(void *request);
    int (*release)(void *sample);
};

/*
 * The counters of `device`, a handle of the NVML that `library` is (dlopen). False, with *why in words, where NVML or
 * the GPU has none.
 */
bool gpm_open(struct gpm *gpm, void *library, void *device, const char **why);

/* Opens a window, before the first call of a case. This and what follows do nothing without counters. */
void gpm_begin(struct gpm *gpm);

/* Adds calls, of that many seconds together, to the window. */
void gpm_add_calls(struct gpm *gpm, size_t calls, double seconds);

/* Whether the calls in the window took long enough. */
bool gpm_is_filled(const struct gpm *gpm);

/* After the last call: waits until the counters have it, and ends the window. */
void gpm_end(struct gpm *gpm, struct gpm_use *use);

/* The time that tensor cores were busy, seconds. */
double gpm_tensor_seconds(const struct gpm_use *use);

/* Whether the tensor cores were used, by what was counted; and whether they may have been. */
bool gpm_used_tensor(const struct gpm_use *use);
bool gpm_may_have_used_tensor(const struct gpm_use *use);

/* Releases NVML's buffers. */
void gpm_close(struct gpm *gpm);

#endif
