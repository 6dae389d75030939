/*
 * device_user.h - what a participant writes for the problem skeleton.
 */
#ifndef DEVICE_USER_H
#define DEVICE_USER_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The largest of values[0..count), count from 1 to 2^24, in CPU memory. Called on the CPU, one call at a time; may be
 * called again with other values. To give up, end the process: that is a run-time error.
 */
int device_user(const int *values, int count);

#ifdef __cplusplus
}
#endif

#endif
