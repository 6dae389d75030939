/*
 * symbol.h - finds the function of a program or library that holds an address.
 */
#ifndef CUDASIM_SYMBOL_H
#define CUDASIM_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Puts the mangled name of the function at `address` into `name` [size]: of the ELF file `path`, which is loaded at
 * `base`. *place is what tools for the file call the address. False: the file has no such symbol, or cannot be read.
 */
bool symbol_at(const char *path, uint64_t base, uint64_t address, char *name, size_t size, uint64_t *place);

/* " at file.cu:12" for the same address, or "" if the file has no lines. */
void symbol_line(const char *path, uint64_t base, uint64_t address, char *text, size_t size);

/* The same for the line that calls the code at the address, if that was inlined from another file; or "". */
void symbol_call_line(const char *path, uint64_t base, uint64_t address, char *text, size_t size);

#endif
