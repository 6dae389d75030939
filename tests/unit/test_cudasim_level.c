/*
 * test_cudasim_level.c - which instruction table is used, and the message of a library without one for the processor.
 *
 * Has table.c as in a build with LEVELS='3 4', with its own rows.
 */
#define LEVELS(X) X(3) X(4)
#include "contrib/cudasim/table/table.c"

#include "unit.h"

#define ROWS(name, level) const struct row rows_##name##_v##level[1];
#define LIST(level) EACH_LIST(ROWS, level)
LEVELS(LIST)

int main(void)
{
    char error[256] = "";

    setenv("CUDASIM_LEVEL", "2", 1);
    CHECK(!table_select(error, sizeof error), "a table for a level that was not built");
    CHECK(strstr(error, "built for x86-64-v3 x86-64-v4, and x86-64-v2 is needed") != NULL, "'%s'", error);
    CHECK(strstr(error, "make cudasim LEVELS='2 3 4'") != NULL, "'%s'", error);
    unsetenv("CUDASIM_LEVEL");
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v3")) {
        const struct table *best = table_select(error, sizeof error);

        CHECK(best && best->rows == (__builtin_cpu_supports("x86-64-v4") ? lists_v4 : lists_v3), "another table");
        setenv("CUDASIM_LEVEL", "3", 1);
        best = table_select(error, sizeof error);
        CHECK(best && best->rows == lists_v3, "not the level that was asked for");
    }
    return unit_end();
}
