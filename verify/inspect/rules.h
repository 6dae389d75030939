/*
 * rules.h - looks in a built submission for what a league or every league (imports.h) forbids. It reads the file and
 * never loads or runs it.
 */
#ifndef VERIFY_RULES_H
#define VERIFY_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"

/*
 * RULE_TENSOR_CORES: no instruction for tensor cores, in machine code or PTX, and no way to bring in code that is not
 * in the file: loading modules, and looking up functions by name. An OpenCL submission brings its source; there the
 * names of such instructions are looked for, which does not stop somebody who hides them.
 */
enum rule { RULE_TENSOR_CORES, RULES };

/* The rule of that name in gpu.yaml, or RULES. */
enum rule rule_find(const char *name);

/*
 * Whether the shared object at `path` keeps the rules (bits 1 << enum rule) and those for every submission. If not,
 * broken[size] gets one line that says where and how, else it is empty. False, with an error, if the file cannot be
 * read.
 * With `any_imports` names are not looked at. *half is set where rules are looked for in machine code and it has
 * HFMA2.MMA: arithmetic of half precision, which the tensor cores do on some GPUs. Compilers use it to set registers,
 * too, so it breaks no rule.
 */
bool rules_check(const char *path, unsigned rules, bool any_imports, bool *half, char *broken, size_t size,
                 struct error *error);

#endif
