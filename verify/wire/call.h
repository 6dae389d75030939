/*
 * call.h - the one function that a problem gives to the runner, in its call.c.
 */
#ifndef VERIFY_CALL_H
#define VERIFY_CALL_H

#include <stddef.h>

/*
 * Unpacks input[input_size], which the problem's own generate() or load() made, calls the submission's
 * device_user() at `function` once, and packs what it returns into output[output_size]. Runs in the
 * untrusted process: it may be wrong about everything, and nothing it says is believed.
 */
void call_device_user(void (*function)(void), void *input, size_t input_size, void *output, size_t output_size);

#endif
