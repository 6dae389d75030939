/*
 * site.h - a folder that is there as a whole or not at all.
 *
 * Files are written into a new folder beside the one that is wanted; site_publish() puts it in that place at once.
 * It knows nothing of HTML.
 */
#ifndef SCOREBOARD_SITE_H
#define SCOREBOARD_SITE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"

struct site {
    char path[PATH_MAX / 2];  /* the folder that is wanted */
    char fresh[PATH_MAX / 2]; /* the new one beside it: PATH.new-XXXXXX; "" once it is published */
    int folder;               /* the new one, open and locked: whoever finds it unlocked may remove it */
};

/*
 * Begins. `path` may be missing, empty, or a folder that this program wrote, which is known by its file `marker`;
 * anything else is refused. New folders that were left behind are removed.
 */
bool site_begin(struct site *site, const char *path, const char *marker, struct error *error);

/* Makes a folder below the new one; writes a file. Names are the program's own. */
bool site_folder(struct site *site, const char *name, struct error *error);
bool site_file(struct site *site, const char *name, const void *data, size_t size, struct error *error);

/* The new folder takes the place of the old one, which is removed. */
bool site_publish(struct site *site, struct error *error);

/* Removes what was not published. */
void site_end(struct site *site);

#endif
