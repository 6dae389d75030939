/*
 * litter.c - the names of it.
 */
#include "litter.h"

#include <string.h>
#include <strings.h>

bool is_litter(const char *path)
{
    static const char *const names[] = { "__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini" };

    for (const char *part = path; *part; part += strcspn(part, "/"), part += *part == '/') {
        size_t length = strcspn(part, "/");

        if (strncmp(part, "._", 2) == 0)
            return true;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            if (length == strlen(names[i]) && strncasecmp(part, names[i], length) == 0)
                return true;
    }
    return false;
}
