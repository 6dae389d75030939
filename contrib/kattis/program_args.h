/*
 * program_args.h - what a package's test_group.yaml files, and a case's own, give to its validators.
 */
#ifndef KATTIS_PROGRAM_ARGS_H
#define KATTIS_PROGRAM_ARGS_H

#include "kit.h"

/*
 * The arguments behind `first` for the case STEM (DATA/secret/group/1): of KEY in the case's .yaml file, or in the
 * test_group.yaml of its folder or the nearest one above, up to DATA. A map has those of each program by its name.
 */
struct lines program_args(struct kit *kit, const char *data, const char *stem, const char *key, const char *program,
                          const char *first);

#endif
