/*
 * rules.h - looks in a built submission for what a league or every league (imports.h, startup.h) forbids. It reads the
 * file and never loads or runs it.
 */
#ifndef VERIFY_RULES_H
#define VERIFY_RULES_H

#include <libelf.h>
#include <stdbool.h>

#include "findings.h"

/*
 * Whether the shared object keeps the rules (bits 1 << enum rule) and those for every submission: fills in `broken` and
 * `half`. With `any_imports` names are not looked at.
 */
void rules_check(Elf *elf, unsigned rules, bool any_imports, struct findings *findings);

#endif
