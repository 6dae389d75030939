/*
 * imports.h - functions and libraries that no submission may use, in any league. rules.c reads the file and never loads
 * or runs it.
 */
#ifndef VERIFY_IMPORTS_H
#define VERIFY_IMPORTS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * True if a shared object names nothing that is forbidden. Otherwise broken[size] gets one line with the name and the
 * broken rule. This helps participants early and in plain words. It is not a barrier: code that makes a system call
 * itself names nothing; the box and its filter stop it.
 */
bool imports_check(Elf *elf, char *broken, size_t size);

#endif
