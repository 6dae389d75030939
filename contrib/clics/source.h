/*
 * source.h - the files of a submission, as the grader keeps them, for who may have them.
 *
 * Called by main_clics.c, and by the server for its pages and its Contest API.
 */
#ifndef CLICS_SOURCE_H
#define CLICS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verify/base/error.h"

/*
 * Calls `file` for each file of submission `id` with its path and its name within the submission, in order of names,
 * until one fails.
 */
typedef bool source_file(void *context, const char *path, const char *name, struct error *error);
bool source_walk(const char *folder, int64_t id, source_file *file, void *context, struct error *error);

/* What was handed in as submission `id`, as a zip archive in malloc()ed memory. */
bool source_zip(const char *folder, int64_t id, char **data, size_t *size, struct error *error);

#endif
