/*
 * moves.h - where the pages of managed memory are, as far as the host moves them: for the features of launches.
 */
#ifndef CUDASIM_MOVES_H
#define CUDASIM_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct runtime;

/* Where launches are described and the host is not checked. Without memory or a handler nothing is noted. */
void moves_create(struct runtime *runtime);
void moves_free(struct runtime *runtime);

/* The program goes on, beside `running` tasks: closes the pages of the GPU. */
void moves_close(struct runtime *runtime, unsigned running);
/* Opens them. Needed before work runs. */
void moves_open(struct runtime *runtime);

/* As the program's own access to all of the memory would. */
void moves_touch(const void *memory, size_t bytes);

/* Managed memory is allocated, and freed: the host has it, or an allocation that shares its page. */
void moves_place(struct runtime *runtime, uint64_t address, uint64_t bytes);
void moves_clear(struct runtime *runtime, uint64_t address);

/* A call of the runtime moves managed memory. */
void moves_note(struct runtime *runtime, uint64_t address, uint64_t bytes, bool to_device);

#endif
