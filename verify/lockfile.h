/*
 * lockfile.h - files in /tmp that stand for a processor or a GPU: who has one holds its lock (flock).
 */
#ifndef VERIFY_LOCKFILE_H
#define VERIFY_LOCKFILE_H

/*
 * A descriptor of the file, which is made, for everybody to open, where it is missing; -1 with errno set. Another
 * user's is opened as it is: in /tmp Linux refuses to open such a file where it might be made (fs.protected_regular).
 */
int lockfile_open(const char *path);

#endif
