/*
 * root.c - looks upwards from the running program.
 */
#include "root.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool root_find(char *build, char *root, size_t size, struct error *error)
{
    ssize_t length = readlink("/proc/self/exe", build, size - 1);
    char marker[PATH_MAX + 32], *slash;

    if (length < 0)
        return error_system(error, "cannot read /proc/self/exe");
    build[length] = '\0';
    *strrchr(build, '/') = '\0';
    snprintf(root, size, "%s", build);
    for (;;) {
        snprintf(marker, sizeof marker, "%s/problems/problem.h", root);
        if (access(marker, F_OK) == 0)
            return true;
        slash = strrchr(root, '/');
        if (!slash)
            return error_toolkit(error, "cannot find the toolkit's folder above '%s'", build);
        *slash = '\0';
    }
}
