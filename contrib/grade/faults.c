/*
 * faults.c - one line for each fault.
 */
#include "faults.h"

#include <stdio.h>

bool faults_note(struct faults *faults, struct error *error)
{
    if (!faults || error->code != EXIT_USAGE)
        return false;
    fprintf(stderr, "grader: %s\n", error->text);
    faults->count++;
    *error = (struct error){ 0 };
    return true;
}
