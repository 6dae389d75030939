/*
 * line_table.h - finds the line of a program's source for an address of its machine code, or all lines.
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

/*
 * The same for the line that calls the code at `place`, which was inlined from a header. Compilers begin the statement
 * of the call before that code, so it is the last one before it in another file. `start`: where the function that
 * holds `place` begins.
 */
bool line_of_call(const struct elf_image *image, uint64_t start, uint64_t place, char *file, size_t size,
                  unsigned *line);

/*
 * Calls row() for each row of the table of a file that was not linked yet: section `section` has the line from
 * `address` on. In a section addresses ascend.
 */
typedef void line_row(size_t section, uint64_t address, unsigned line, void *context);
void line_rows(const struct elf_image *image, line_row *row, void *context);

#endif
