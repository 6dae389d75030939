/*
 * line_table.h - finds the line of a program's source for an address of its machine code.
 */
#ifndef CUDASIM_LINE_TABLE_H
#define CUDASIM_LINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_image;

/*
 * Puts the name of the source file of `place` into `file` [size], without its folders, and the line into *line. `place`
 * is an address as the file has it. False: the file has no lines (it was built without -g), or none for the place.
 */
bool line_at(const struct elf_image *image, uint64_t place, char *file, size_t size, unsigned *line);

#endif
