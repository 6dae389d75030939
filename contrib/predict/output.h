/* output.h - files of results in a folder. It reports failures. */
#ifndef PREDICT_OUTPUT_H
#define PREDICT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "verify/base/error.h"

/* Opens FOLDER/NAME for writing. NULL and an error (EXIT_USAGE) where that cannot be. */
FILE *output_open(const char *folder, const char *name, struct error *error);

/* Closes it. False and an error where not all was written; `name` is for the message. */
bool output_close(FILE *file, const char *name, struct error *error);

#endif
