/*
 * litter.h - what desktops keep beside files, which nobody means to submit.
 */
#ifndef GRADE_LITTER_H
#define GRADE_LITTER_H

#include <stdbool.h>

/* Whether a path is, or is below, one of those that macOS and Windows make. */
bool is_litter(const char *path);

#endif
