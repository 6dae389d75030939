/*
 * unit.h - checks for the unit tests: each program runs its checks, names what failed, and exits 1 if any did.
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <stdio.h>

static int unit_checks, unit_failures;

#define CHECK(condition, ...)                                             \
    do {                                                                  \
        unit_checks++;                                                    \
        if (!(condition)) {                                               \
            unit_failures++;                                              \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);        \
            printf(__VA_ARGS__);                                          \
            putchar('\n');                                                \
        }                                                                 \
    } while (0)

/* The end of main(): a program without checks fails too. */
static int unit_end(void)
{
    printf("%d checks, %d failed\n", unit_checks, unit_failures);
    return unit_checks == 0 || unit_failures != 0;
}

#endif
