/*
 * allowed.h - the names that a submission's file may import from libraries.
 *
 * The principle: a submission may compute and print, but not reach out of the process. A group is a header of C, C++,
 * POSIX, CUDA or OpenCL, or a part of one. Every name outside the groups is refused: files, sockets, processes, the
 * kernel itself, the loader, name services, locales and conversions between character sets, which load libraries.
 */
#ifndef VERIFY_ALLOWED_H
#define VERIFY_ALLOWED_H

#include <stdbool.h>

/* Whether the name is in a group. */
bool allowed_name(const char *name);

/*
 * Whether it is what the code that the CUDA compiler makes calls when the file is loaded, and nobody else may:
 * startup.h.
 */
bool allowed_at_startup(const char *name);

#endif
