/*
 * selection.h - selects the cases of a package to judge.
 */
#ifndef VERIFY_SELECTION_H
#define VERIFY_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "league.h"
#include "package.h"

struct selection {
    const struct package *package;
    const struct league *league;
    const char *test_case; /* the name of the one that was asked for, or NULL for those of the group */
    const char *group;     /* as package_case_in_group() has it */
    bool on_gpu;           /* the device is a GPU: else cases for a GPU only are left out unless named */
    size_t wanted;         /* cases that are to run */
    size_t left_out;       /* cases that only a GPU can do, and the device is none */
};

/*
 * Counts both. If the group "ranked", whose times are compared, has no case of the league that this device can run, the
 * group becomes "secret".
 */
void selection_count(struct selection *selection);

/* Whether a case is to run. */
bool selection_has(const struct selection *selection, const struct package_case *test_case);

#endif
