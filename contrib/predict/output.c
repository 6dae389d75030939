/* output.c - see output.h. */
#include "output.h"

#include <limits.h>

FILE *output_open(const char *folder, const char *name, struct error *error)
{
    char path[PATH_MAX];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    if (!file) {
        error_system(error, "cannot write '%s'", path);
        error->code = EXIT_USAGE;
    }
    return file;
}

bool output_close(FILE *file, const char *name, struct error *error)
{
    bool failed = ferror(file);

    return (fclose(file) == 0 && !failed) || error_system(error, "cannot write '%s'", name);
}
