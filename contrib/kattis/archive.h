/*
 * archive.h - packages as zips: those of others, unpacked with care, and our own.
 */
#ifndef KATTIS_ARCHIVE_H
#define KATTIS_ARCHIVE_H

#include "kit.h"

/* A package that was unpacked. */
struct unpacked {
    struct tree tree;     /* of what the format allows */
    struct lines ignored; /* names that it does not allow, which judges ignore */
    char *time_limit;     /* what a file .timelimit says, or "" */
};

/*
 * Unpacks a zip or the copy of a folder in a box into kit->work. It refuses links, other kinds of entries, names that
 * lead out, duplicate names, more than KIT_ENTRIES of them, and more bytes than UNPACK_BYTES in all (512 MiB) and
 * UNPACK_FILE_BYTES a file (128 MiB), whatever the zip says of its sizes.
 */
struct unpacked archive_unpack(struct kit *kit, const char *from);

/* The program in that box: unpack FROM FOLDER BYTES FILE-BYTES. The exit code: 0, 2 refused, 3 the machine failed. */
int archive_main(int argc, char **argv);

/* Writes the folder NAME of a tree as a zip: the same bytes for the same files. */
void archive_write(struct kit *kit, const struct tree *tree, const char *zip);

#endif
