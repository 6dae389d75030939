/*
 * main_test_groups.c - a package's test groups, checked: test_groups DATA
 *
 * DATA is a package's folder data/. Prints `NAME<TAB>AGGREGATION<TAB>MAX_SCORE<TAB>CASES` for secret and each of its
 * groups, or, for a problem without scores, nothing. Exit codes: 0, 2 a rule of the format 2025-09 is broken, or no
 * such folder.
 */
#include <math.h>
#include <stdio.h>

#include "contrib/grade/groups.h"

static void print(const struct test_group *group)
{
    printf("%s\t%s\t", group->name, aggregation_names[group->aggregation]);
    if (isinf(group->max_score))
        printf("unbounded");
    else
        printf("%.0f", group->max_score);
    printf("\t%zu\n", group->cases);
}

int main(int argc, char **argv)
{
    struct test_groups groups;
    struct error error = { 0 };

    if (argc != 2) {
        fputs("usage: test_groups DATA\n", stderr);
        return EXIT_USAGE;
    }
    if (!test_groups_read(&groups, argv[1], &error)) {
        fprintf(stderr, "%s\n", error.text);
        return (int)error.code;
    }
    if (groups.scoring) {
        print(&groups.secret);
        for (size_t i = 0; i < groups.count; i++)
            print(&groups.groups[i]);
    }
    test_groups_release(&groups);
    return 0;
}
