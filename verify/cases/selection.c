/*
 * selection.c - by name or group, league and device.
 */
#include "selection.h"

#include <string.h>

static bool is_asked_for(const struct selection *selection, const struct package_case *test_case)
{
    if (selection->test_case)
        return strcmp(selection->test_case, test_case->name) == 0;
    return package_case_in_group(test_case, selection->group) && league_has_case(selection->league, test_case);
}

/* Whether a case is too large for the device, and was not asked for by its own name or its group's. */
static bool is_left_out(const struct selection *selection, const struct package_case *test_case)
{
    return test_case->gpu_only && !selection->on_gpu && !selection->test_case && !strchr(selection->group, '/');
}

bool selection_has(const struct selection *selection, const struct package_case *test_case)
{
    return is_asked_for(selection, test_case) && !is_left_out(selection, test_case);
}

static void count(struct selection *selection)
{
    selection->wanted = selection->left_out = 0;
    for (size_t i = 0; i < selection->package->case_count; i++) {
        const struct package_case *test_case = &selection->package->cases[i];

        selection->wanted += selection_has(selection, test_case);
        selection->left_out += is_asked_for(selection, test_case) && is_left_out(selection, test_case);
    }
}

void selection_count(struct selection *selection)
{
    count(selection);
    if (selection->wanted == 0 && !selection->test_case && strcmp(selection->group, "ranked") == 0) {
        selection->group = "secret";
        count(selection);
    }
}
