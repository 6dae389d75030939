/*
 * about.c - help and version.
 */
#include "about.h"

#include <stdio.h>
#include <string.h>

#include "problem.h"
#include "toolkit.h"
#include "verify/base/digest.h"
#include "verify/base/error.h"
#include "verify/cases/frozen.h"
#include "verify/judge/options.h"

const char *about_alias(const char *program)
{
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;

    for (const struct problem *const *p = problems; *p; p++)
        if ((*p)->alias && strcmp((*p)->alias, name) == 0)
            return (*p)->name;
    return NULL;
}

int about_help(void)
{
    fputs(options_help, stdout);
    for (const struct problem *const *p = problems; *p; p++)
        printf("%sINPUT of %s: %s\n", p == problems ? "\n" : "", (*p)->name, (*p)->input_usage);
    return EXIT_ACCEPTED;
}

int about_version(void)
{
    char hex[DIGEST_HEX];

    frozen_digest(NULL, hex);
    printf("%s\nfrozen %s\n", TOOLKIT_VERSION, hex);
    for (const struct problem *const *p = problems; *p; p++) {
        frozen_digest((*p)->name, hex);
        printf("frozen %s %s\n", (*p)->name, hex);
    }
    return fflush(stdout) == 0 ? EXIT_ACCEPTED : EXIT_TOOLKIT;
}
