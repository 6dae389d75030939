/*
 * keys.h - the keys that problem.yaml and gpu.yaml may have, for every program that reads one of them.
 */
#ifndef VERIFY_KEYS_H
#define VERIFY_KEYS_H

/* For settings_load(), each list ended by NULL: those of the Kattis Problem Package Format 2025-09, and our own. */
extern const char *const problem_yaml_keys[], *const gpu_yaml_keys[];

#endif
