/*
 * imports.h - what no submission may use, in whatever league: functions and libraries that its file names. The file is
 * read by rules.c, never loaded, never run.
 */
#ifndef VERIFY_IMPORTS_H
#define VERIFY_IMPORTS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Whether a shared object names nothing that is forbidden. If it does, broken[size] gets one line that says what, and
 * which rule it breaks. This tells participants early and in plain words. It is no barrier: code that makes a system
 * call itself names nothing, and is stopped by the box and its filter.
 */
bool imports_check(Elf *elf, char *broken, size_t size);

#endif
