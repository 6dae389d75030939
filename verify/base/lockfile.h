/*
 * lockfile.h - files in /tmp that represent a processor, a GPU or an event: the owner holds its lock (flock).
 */
#ifndef VERIFY_LOCKFILE_H
#define VERIFY_LOCKFILE_H

/*
 * A descriptor of the file, which is made, for everybody to open, where it is missing; -1 with errno set. Another
 * user's is opened as it is: in /tmp Linux refuses to open such a file where it might be made (fs.protected_regular).
 */
int lockfile_open(const char *path);

/*
 * The file whose lock keeps first contexts and watches apart: while somebody makes the only context on a GPU, all GPUs
 * of the machine stand still for a moment (warden.h).
 */
#define LOCKFILE_CONTEXTS "/tmp/gpu-contest-toolkit-contexts-lock"

enum { LOCKFILE_GPU_PATH = 160 };

/*
 * The path of the file of that kind, such as "lock", for the GPU of that UUID, which has letters, digits and hyphens
 * only.
 */
void lockfile_gpu(const char *uuid, const char *kind, char path[LOCKFILE_GPU_PATH]);

#endif
