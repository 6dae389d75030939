/*
 * test_grade_progress.c - the words for the time that is left.
 */
#include "contrib/grade/progress.h"

#include <string.h>

#include "unit.h"

/* `done` of `all`, ten of them before this grader started at second 1000; it is second 1000 + `spent`. */
static void check(size_t done, size_t all, double spent, const char *wanted)
{
    const struct progress progress = { .started = 1000, .done_before = 10 };
    char text[64];

    progress_left(&progress, done, all, 1000 + spent, text, sizeof text);
    CHECK(strcmp(text, wanted) == 0, "%zu of %zu in %g s: '%s', not '%s'", done, all, spent, text, wanted);
}

int main(void)
{
    check(10, 20, 50, "");                              /* nothing was done yet that would tell */
    check(11, 20, 4, ", about 36 s left");
    check(15, 20, 40, ", about 40 s left");             /* what was done before does not count as quick */
    check(20, 20, 40, ", about 0 s left");
    check(20, 110, 60, ", about 9 min left");
    check(11, 12, 3599, ", about 60 min left");
    check(11, 12, 3600, ", about 1 h 00 min left");
    check(11, 12, 7140, ", about 1 h 59 min left");
    check(20, 40, 45000, ", about 25 h 00 min left");
    check(30, 20, 60, "");                              /* fewer than before: a rejudging was cancelled */
    return unit_end();
}
