/*
 * files.h - how many files, folders and links may be made in a folder in memory of a box.
 *
 * bubblewrap limits only the bytes of such a folder. An empty file takes kernel memory too, and the kernel needs longer
 * to remove millions of them than the host waits. The host sets this second limit from outside, in the box's
 * namespaces, which it owns.
 */
#ifndef VERIFY_FILES_H
#define VERIFY_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Limits the folder in memory that is `folder` for a process in a box: `bytes` and `count` files, folders and links.
 * False with errno. To be called before user code runs there: it is refused where there is more already.
 */
bool files_limit(pid_t process, const char *folder, size_t bytes, size_t count);

#endif
