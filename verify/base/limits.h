/*
 * limits.h - the limits of every submission, for all problems. A problem's own limits (time, memory, output) are in its
 * problem.yaml; struct session_config has the limits of one session.
 */
#ifndef VERIFY_LIMITS_H
#define VERIFY_LIMITS_H

#include <stddef.h>

/* Until the runner is ready, seconds: creating a CUDA context takes 0.2 to 0.4 s. */
static const double limit_start = 30.0;

/* Seconds until all killed processes have ended, and seconds that the host then waits for the rest. */
static const double limit_end = 10.0, limit_patience = 60.0;

/*
 * Until the submission's file is read, seconds. The reader has a limit of processor time (verify/inspect/findings.h);
 * this one ends the wait for a reader that gets no processor.
 */
static const double limit_inspection = 120.0;

/* Bytes of one file, and open files; files in memory are among them. */
static const size_t limit_file = (size_t)64 << 20, limit_files = 128;

/* Files, folders and links that a submission may make, if it can make files. */
static const size_t limit_names = 8192;

/* Bytes that may be locked in memory by mlock(); what CUDA page-locks does not count. */
static const size_t limit_locked = (size_t)64 << 10;

/* Waiting signals with their data: each takes kernel memory. */
static const size_t limit_signals = 256;

/* Threads and processes, bubblewrap's two and the simulator's 256 at most included. */
static const size_t limit_tasks = 1024;

/*
 * Bytes of memory in use that do not count for the submission: the runner, bubblewrap, the kernel's tables and stacks,
 * and CUDA or OpenCL (175 MB on an H100, most of it files of its libraries).
 */
static const size_t limit_memory_runner = (size_t)64 << 20, limit_memory_driver = (size_t)256 << 20;

/*
 * Bytes of private memory that may be requested beyond the memory limit (RLIMIT_DATA): stacks of threads, and reserves
 * of allocators. A larger request is refused before it uses any.
 */
static const size_t limit_data_slack = (size_t)1 << 30;

/* Address space of a submission in C beyond its memory: libraries, stacks of threads, and one input and output. */
static const size_t limit_address_slack = (size_t)8 << 30;

#endif
