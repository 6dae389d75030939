/*
 * elfinfo.h - what a built submission is, read from its file: never loaded, never run.
 */
#ifndef VERIFY_ELFINFO_H
#define VERIFY_ELFINFO_H

#include <libelf.h>

#include "findings.h"

/* Fills in what is known of the file, but for its rules. Of what is no shared object, nothing is known. */
void elfinfo_read(Elf *elf, struct findings *findings);

#endif
