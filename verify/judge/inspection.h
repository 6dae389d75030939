/*
 * inspection.h - has a submission's file read, by a process that a hostile file may hold or break.
 */
#ifndef VERIFY_INSPECTION_H
#define VERIFY_INSPECTION_H

#include <stdbool.h>

#include "options.h"
#include "verify/base/error.h"
#include "verify/inspect/findings.h"

/*
 * What the file at `path` is, and whether it keeps the rules (bits 1 << enum rule) and, unless the options say
 * otherwise, those of names. `build` is the folder of the program that reads it. A file that cannot be judged, because
 * it is no shared object or takes too much to read, is refused as the caller's fault.
 */
bool inspection_run(const char *path, const char *build, unsigned rules, const struct options *options,
                    struct findings *findings, struct error *error);

#endif
