/*
 * import.h - a package of another judge as the start of a problem: import.c lays it out, import_yaml.c writes its
 * problem.yaml and testdata.c its test_group.yaml files, each as the format 2025-09 has them.
 */
#ifndef KATTIS_IMPORT_H
#define KATTIS_IMPORT_H

#include <stdio.h>

#include "kit.h"
#include "verify/base/settings.h"

/* A package while it is imported. The process is in the folder that becomes problems/NAME. */
struct import {
    struct kit *kit;
    const char *name;         /* NAME */
    struct tree package;      /* its files, as they came */
    struct settings problem;  /* its problem.yaml; no value steers a terminal */
    bool *taken;              /* [problem.count]: it is in the new one, or says nothing new */
    const char *version;      /* "2025-09", "legacy", "legacy-icpc" */
    struct lines languages;   /* of the statements */
    struct lines types;       /* of the problem */
    const char *time_limit;   /* in seconds */
    bool adapted;             /* it is judged as it is (adapt.h) */
    struct lines by_hand;     /* what a human must look at */
};

/* import ZIP|FOLDER NAME: the exit code. */
int import_main(struct kit *kit, int argc, char **argv);

/* The types in import->types. Types that the format does not have are listed. */
void import_types(struct import *import);
/* Writes problem.yaml, and lists what is left of the package's. */
void import_problem(struct import *import);
/* Prints a text as a YAML string. */
void import_quoted(FILE *file, const char *text);

/*
 * Legacy: imported/data/, each testdata.yaml as test_group.yaml of sample, secret and its groups, annotations of cases
 * as keys. FLAGS are those of the output validator for all groups.
 */
void testdata_convert(struct import *import, const char *flags);

#endif
