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

#endif
