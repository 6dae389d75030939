/*
 * check.h - a package held against the rules of the format 2025-09, by check.c; its programs run by check_run.c.
 */
#ifndef KATTIS_CHECK_H
#define KATTIS_CHECK_H

#include "kit.h"
#include "verify/base/settings.h"

/* A package while it is checked. The process is in its folder, and paths are below that. */
struct check {
    struct kit *kit;
    struct tree tree;         /* the package's files */
    struct settings problem;  /* problem.yaml; empty where it has wrong keys */
    struct lines types;       /* of the problem, those that there are */
    bool no_validator;        /* the package has an output validator that could not be built here */
    bool stopped;             /* a program of the package was ended by its time limit: no other is run */
    size_t failures;          /* lines FAILED that were printed */
};

/* Prints a line FAILED. */
void check_failed(struct check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same where a condition does not hold. */
#define CHECK(check, holds, ...) ((holds) ? (void)0 : check_failed(check, __VA_ARGS__))

/* check ZIP|FOLDER [--submissions]: the exit code, 0 or 1. */
int check_main(struct kit *kit, int argc, char **argv);

/* The validators build, take every case and refuse every invalid one. */
void check_validators(struct check *check);
/* Each submission in C, C++ and Python gets on all cases what its folder promises. After check_validators(). */
void check_submissions(struct check *check);

#endif
