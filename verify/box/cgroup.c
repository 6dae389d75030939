/*
 * cgroup.c - reads and writes the files of cgroup v2.
 *
 * A cgroup of ours is named for the process that made it, and locked by it (flock on its folder). So one whose lock is
 * free was left by a host that has died, also where process numbers mean something else, as in two containers.
 */
#include "cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "verify/base/clock.h"

static const char prefix[] = "gpu-contest-toolkit-";

/* ------------------------------------------------------------------ files */

/* The text of a small file of the kernel's; "" when it cannot be read. */
static void read_text(int folder, const char *name, char *text, size_t size)
{
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);

    text[length > 0 ? length : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

static bool write_text(int folder, const char *name, const char *text)
{
    int fd = openat(folder, name, O_WRONLY | O_CLOEXEC), reason;
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    reason = errno;
    if (fd >= 0)
        close(fd);
    errno = reason;
    return ok;
}

static bool write_number(int folder, const char *name, size_t number)
{
    char text[24];

    snprintf(text, sizeof text, "%zu", number);
    return write_text(folder, name, text);
}

/* The number behind `key` in a file of lines "key number"; 0 when there is none. */
static size_t read_entry(int folder, const char *name, const char *key)
{
    char text[1024], *rest = text, *line;

    read_text(folder, name, text, sizeof text);
    while ((line = strsep(&rest, "\n")))
        if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ' ')
            return strtoull(line + strlen(key) + 1, NULL, 10);
    return 0;
}

/* Whether `word` stands in a file of words. */
static bool has_word(int folder, const char *name, const char *word)
{
    char text[1024], *rest = text, *next;

    read_text(folder, name, text, sizeof text);
    while ((next = strsep(&rest, " \n")))
        if (strcmp(next, word) == 0)
            return true;
    return false;
}

static bool is_populated(int folder) { return read_entry(folder, "cgroup.events", "populated") != 0; }

/* ------------------------------------------------------------------ one cgroup */

/* Kills what is in it, waits until that is gone, and removes it. */
static bool end_and_remove(int folder, const char *path, double seconds)
{
    const int64_t start = clock_ns();

    write_text(folder, "cgroup.kill", "1"); /* Linux 5.14; before that it is for reap_all() alone */
    for (;;) {
        if (!is_populated(folder) && (rmdir(path) == 0 || errno == ENOENT))
            return true;
        if (clock_seconds(start, clock_ns()) > seconds)
            return false;
        nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
    }
}

/* Makes a folder that nobody else has, locked. */
static bool make(struct cgroup *cgroup, const struct cgroup_place *place)
{
    for (int k = 0; k < 1000; k++) {
        snprintf(cgroup->path, sizeof cgroup->path, "%s/%s%d-%d", place->folder, prefix, (int)getpid(), k);
        if (mkdir(cgroup->path, 0755) != 0) {
            if (errno == EEXIST)
                continue;
            return false;
        }
        cgroup->folder = open(cgroup->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (cgroup->folder >= 0 && flock(cgroup->folder, LOCK_EX | LOCK_NB) == 0)
            cgroup->procs = openat(cgroup->folder, "cgroup.procs", O_WRONLY | O_CLOEXEC);
        if (cgroup->procs >= 0)
            return true;
        /* Another host took it for one that was left behind, in the moment before it was locked. */
        if (cgroup->folder >= 0)
            close(cgroup->folder);
        cgroup->folder = -1;
    }
    return false;
}

bool cgroup_open(struct cgroup *cgroup, const struct cgroup_place *place, size_t memory, size_t tasks)
{
    int reason;

    *cgroup = (struct cgroup){ .folder = -1, .procs = -1 };
    if (!make(cgroup, place))
        return false;
    if (write_number(cgroup->folder, "memory.max", memory) && write_text(cgroup->folder, "memory.oom.group", "1") &&
        write_number(cgroup->folder, "pids.max", tasks) &&
        /* A kernel that does not count swap has no such file. */
        (write_text(cgroup->folder, "memory.swap.max", "0") || errno == ENOENT))
        return true;
    reason = errno;
    cgroup_close(cgroup, 1.0);
    errno = reason;
    return false;
}

pid_t cgroup_fork(const struct cgroup *cgroup, int failed)
{
    struct clone_args arguments = { .flags = CLONE_INTO_CGROUP, /* Linux 5.7; some containers refuse clone3() */
                                    .exit_signal = SIGCHLD,
                                    .cgroup = (uint64_t)cgroup->folder };
    pid_t pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);

    if (pid >= 0)
        return pid;
    pid = fork();
    if (pid == 0 && write(cgroup->procs, "0", 1) != 1)
        _exit(failed);
    return pid;
}

struct cgroup_counts cgroup_look(const struct cgroup *cgroup)
{
    char peak[32];

    read_text(cgroup->folder, "memory.peak", peak, sizeof peak); /* Linux 5.19 */
    return (struct cgroup_counts){ .memory_peak = strtoull(peak, NULL, 10),
                                   .oom_kills = read_entry(cgroup->folder, "memory.events", "oom_kill"),
                                   .tasks_refused = read_entry(cgroup->folder, "pids.events", "max") };
}

void cgroup_kill(const struct cgroup *cgroup) { write_text(cgroup->folder, "cgroup.kill", "1"); }

bool cgroup_close(struct cgroup *cgroup, double seconds)
{
    bool ok;

    if (cgroup->folder < 0)
        return true;
    ok = end_and_remove(cgroup->folder, cgroup->path, seconds);
    if (cgroup->procs >= 0)
        close(cgroup->procs);
    close(cgroup->folder);
    cgroup->folder = cgroup->procs = -1;
    return ok;
}

/* ------------------------------------------------------------------ the place */

/* The mount point of cgroup v2 and the part of the hierarchy that is mounted there. */
static bool find_mount(char point[PATH_MAX], char root[PATH_MAX])
{
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    char line[3 * PATH_MAX];
    bool found = false;

    while (mounts && !found && fgets(line, sizeof line, mounts))
        found = strstr(line, " - cgroup2 ") && sscanf(line, "%*d %*d %*s %4095s %4095s", root, point) == 2;
    if (mounts)
        fclose(mounts);
    return found;
}

/* The folder of this process's own cgroup. */
static bool find_own(char folder[PATH_MAX], size_t *mount_length, const char **why)
{
    char point[PATH_MAX], root[PATH_MAX], line[PATH_MAX], *path = NULL;
    FILE *file;

    *why = "cgroup v2 is not mounted";
    if (!find_mount(point, root))
        return false;
    *why = "this process's cgroup is not found";
    file = fopen("/proc/self/cgroup", "re");
    while (file && !path && fgets(line, sizeof line, file))
        if (strncmp(line, "0::", 3) == 0) {
            line[strcspn(line, "\n")] = '\0';
            path = line + 3;
        }
    if (file)
        fclose(file);
    if (!path)
        return false;
    if (strcmp(root, "/") != 0 && strncmp(path, root, strlen(root)) == 0)
        path += strlen(root);
    if (strstr(path, "/..") || strcmp(path, "/") == 0) /* above what is mounted, or just that */
        path = "";
    *mount_length = strlen(point);
    return snprintf(folder, PATH_MAX, "%s%s", point, path) < PATH_MAX;
}

/* The number in a file of a folder, or SIZE_MAX for "max" and where there is none. */
static size_t number_in(const char *folder, const char *name)
{
    char path[PATH_MAX + 64];
    uintmax_t number = SIZE_MAX;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "re");
    if (file && fscanf(file, "%ju", &number) != 1)
        number = SIZE_MAX;
    if (file)
        fclose(file);
    return (size_t)number;
}

size_t cgroup_memory_left_in(char *folder, size_t mount_length)
{
    size_t left = SIZE_MAX;

    for (;;) {
        const size_t most = number_in(folder, "memory.max"), used = number_in(folder, "memory.current");
        const size_t here = most == SIZE_MAX || used == SIZE_MAX ? SIZE_MAX : most > used ? most - used : 0;

        left = here < left ? here : left;
        if (strlen(folder) <= mount_length)
            return left;
        *strrchr(folder, '/') = '\0';
    }
}

size_t cgroup_memory_left(void)
{
    char folder[PATH_MAX];
    size_t mount_length;
    const char *why;

    return find_own(folder, &mount_length, &why) ? cgroup_memory_left_in(folder, mount_length) : SIZE_MAX;
}

/* Removes the cgroups of hosts that have died. */
static void remove_stale(const char *folder)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    char path[PATH_MAX + sizeof entry->d_name];

    while (entries && (entry = readdir(entries))) {
        int stale;

        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        stale = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (stale >= 0 && flock(stale, LOCK_EX | LOCK_NB) == 0)
            end_and_remove(stale, path, 1.0);
        if (stale >= 0)
            close(stale);
    }
    if (entries)
        closedir(entries);
}

/* Whether a child can be put into a cgroup made here. */
static bool try_to_enter(const struct cgroup_place *place)
{
    struct cgroup cgroup;
    int status = -1;
    pid_t child;

    if (!cgroup_open(&cgroup, place, (size_t)1 << 30, 16))
        return false;
    child = cgroup_fork(&cgroup, 1);
    if (child == 0)
        _exit(0);
    if (child > 0)
        waitpid(child, &status, 0);
    return cgroup_close(&cgroup, 1.0) && status == 0;
}

/* Whether cgroups with memory and pids can be made in place->folder. */
static bool try_place(const struct cgroup_place *place, const char **why)
{
    int folder = open(place->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = false;

    if (folder < 0 || !has_word(folder, "cgroup.controllers", "memory") ||
        !has_word(folder, "cgroup.controllers", "pids"))
        goto out;
    *why = "no cgroup above this process's may be written";
    if ((!has_word(folder, "cgroup.subtree_control", "memory") ||
         !has_word(folder, "cgroup.subtree_control", "pids")) &&
        !write_text(folder, "cgroup.subtree_control", "+memory +pids"))
        goto out;
    ok = try_to_enter(place);
out:
    if (folder >= 0)
        close(folder);
    return ok;
}

bool cgroup_find(struct cgroup_place *place, const char **why)
{
    size_t mount_length;

    if (!find_own(place->folder, &mount_length, why))
        return false;
    *why = "cgroup v2 has no memory and pids controllers here";
    for (;;) {
        if (try_place(place, why)) {
            remove_stale(place->folder);
            *why = NULL;
            return true;
        }
        if (strlen(place->folder) <= mount_length)
            return false;
        *strrchr(place->folder, '/') = '\0';
    }
}
