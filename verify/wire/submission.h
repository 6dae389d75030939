/*
 * submission.h - what every submission may define besides device_user(), whatever the problem. The build includes it,
 * and the problem's device_user.h, before each source file.
 *
 * For a submission in CUDA an input or an output of 1 MiB or more is in page-locked memory, so that a plain cudaMemcpy
 * runs at the speed of the link; a cudaHostRegister() of it returns cudaErrorHostMemoryAlreadyRegistered. When
 * device_user() returns, all its work on the device must have ended, copies too. An output that changes afterwards is
 * wrong, and a kernel that still runs is a violation.
 */
#ifndef VERIFY_SUBMISSION_H
#define VERIFY_SUBMISSION_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Optional. It is called once, before the first call of device_user() and before any clock starts, after CUDA or OpenCL
 * is initialised. Build OpenCL kernels or allocate buffers here. No input is known yet. It must return within 30
 * seconds.
 */
void device_user_setup(void);

#ifdef __cplusplus
}
#endif

#endif
