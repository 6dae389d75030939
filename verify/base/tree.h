/*
 * tree.h - folders with all that is below them.
 */
#ifndef VERIFY_TREE_H
#define VERIFY_TREE_H

/*
 * Removes a file, or a folder and all below it. It follows no link. It leaves a file that it cannot remove, and removes
 * the rest: a caller that must know looks at the path afterwards.
 */
void tree_remove(const char *path);

/*
 * Opens `path` below a folder for reading, as untrusted programs left it there. -1 if a part of the path is a link, or
 * if it is no regular file. It does not wait, as for a FIFO. The folder itself is the caller's, and may be a link.
 */
int tree_open(const char *folder, const char *path);

#endif
