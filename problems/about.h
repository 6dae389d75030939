/*
 * about.h - what the host says of itself and its problems.
 */
#ifndef PROBLEMS_ABOUT_H
#define PROBLEMS_ABOUT_H

/* The name of the problem that the program is called after, as ldistance is after editdistance; or NULL. */
const char *about_alias(const char *program);

/* --help, and the inputs of each problem. An exit code. */
int about_help(void);

/* The version, the digest of the host's files, and for each problem that of the host's and its own. An exit code. */
int about_version(void);

#endif
