/*
 * tree.c - a walk from the leaves up.
 */
#include "tree.h"

#include <ftw.h>
#include <stdio.h>

enum { MOST_OPEN = 16 }; /* folders that the walk holds open at a time */

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    remove(path);
    return 0;
}

void tree_remove(const char *path) { nftw(path, remove_entry, MOST_OPEN, FTW_DEPTH | FTW_PHYS); }
