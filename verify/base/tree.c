/*
 * tree.c - a walk from the leaves up, and one from the root down.
 */
#include "tree.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_OPEN = 16 }; /* folders that the walk holds open at a time */

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    remove(path);
    return 0;
}

void tree_remove(const char *path) { nftw(path, remove_entry, MOST_OPEN, FTW_DEPTH | FTW_PHYS); }

int tree_open(const char *folder, const char *path)
{
    int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat status;
    char name[256];

    while (at >= 0) {
        const size_t length = strcspn(path, "/");
        const bool last = path[length] == '\0';
        const int above = at;

        snprintf(name, sizeof name, "%.*s", (int)length, path);
        at = length < sizeof name && strcmp(name, "..") != 0
                 ? openat(above, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (last ? 0 : O_DIRECTORY))
                 : -1;
        close(above);
        if (last)
            break;
        path += length + 1;
    }
    if (at < 0 || (fstat(at, &status) == 0 && S_ISREG(status.st_mode)))
        return at;
    close(at);
    return -1;
}
