/*
 * export.h - a problem as a package for other judges: export.c lays it out, export_cases.c makes its test data.
 */
#ifndef KATTIS_EXPORT_H
#define KATTIS_EXPORT_H

#include "kit.h"
#include "verify/cases/league.h"

struct problem;

/* What is exported, and where to. The process is in the toolkit's folder. */
struct export {
    struct kit *kit;
    const struct problem *problem;
    struct package package;    /* the problem's own folder, as the host reads it */
    struct league league;      /* whose cases and submissions are exported */
    size_t limit;              /* bytes of an input, and of an output */
    const char *folder;        /* the package's */
    struct lines cases;        /* "written NAME LINE" or "left-out NAME LINE", one a case */
    struct lines written;      /* the names of those that are there */
};

/* export PROBLEM [--limit BYTES] [--league NAME]: the exit code. */
int export_main(struct kit *kit, int argc, char **argv);

/*
 * Writes the cases of the league below folder/data:
 *   sample|secret/CASE.in .ans .yaml    the real input, a right output, and the generator's arguments
 *   invalid_output/CASE.in .ans .out    of the first case: outputs that are wrong in every way that the problem knows
 * Cases whose input or output is above the limit, or whose plain reference takes long, are left out.
 */
void export_cases(struct export *export);
/* Whether the generator refuses a line. */
bool export_refuses(const struct export *export, const char *line);

#endif
