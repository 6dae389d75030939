/*
 * opencl_runner.h - OpenCL in the runner: its initialisation off the clock, and the compiler's log of kernels.
 *
 * The runner exports clBuildProgram() and clCompileProgram(), so that a submission's calls come here first: what the
 * compiler says of a kernel that does not build is printed, whether or not the submission asks for it.
 */
#ifndef VERIFY_OPENCL_RUNNER_H
#define VERIFY_OPENCL_RUNNER_H

/* Loads the OpenCL loader and makes a context on its first device. NULL, or why that cannot be done. */
const char *opencl_initialise(const char *library);

#endif
