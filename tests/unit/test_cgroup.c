/*
 * test_cgroup.c - cgroups as the kernel has them here: limits that hold, counts, an end of everything, and nothing left
 * behind. On a machine that cannot make any it says why, and tests this message.
 */
#include "verify/box/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#define MIB ((size_t)1 << 20)

/* A child in the cgroup, or anywhere for NULL, that does this and then exits with what it returns. */
static pid_t start(const struct cgroup *cgroup, int (*work)(void))
{
    pid_t child = cgroup ? cgroup_fork(cgroup, 99) : fork();

    if (child == 0)
        _exit(work());
    return child;
}

static int status_of(pid_t child)
{
    int status = -1;

    waitpid(child, &status, 0);
    return status;
}

static int use(size_t size, int flags)
{
    volatile char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

    for (size_t i = 0; memory != MAP_FAILED && i < size; i += 4096)
        memory[i] = 1;
    return 7;
}

static int use_little(void) { return use(16 * MIB, MAP_PRIVATE); }
static int use_much(void) { return use(256 * MIB, MAP_PRIVATE); }
static int use_much_shared(void) { return use(256 * MIB, MAP_SHARED); }

static int use_much_in_file(void)
{
    static char block[1 << 20];
    int fd = memfd_create("file", 0);

    for (int i = 0; i < 256; i++)
        if (write(fd, block, sizeof block) < 0)
            return 8;
    return 7;
}

static int sleep_long(void)
{
    sleep(60);
    return 7;
}

/* The first of a line of processes that each start the next: the number that could be started. */
static int start_many(void)
{
    int count = 0;

    while (count < 100 && fork() > 0)
        count++;
    return count;
}

static void test_limits(const struct cgroup_place *place)
{
    static const struct {
        const char *name;
        int (*work)(void);
        bool killed;
    } rows[] = {
        { "16 of 64 MiB", use_little, false },
        { "256 of 64 MiB", use_much, true },
        { "256 of 64 MiB, shared", use_much_shared, true },
        { "256 of 64 MiB in a file in memory", use_much_in_file, true },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cgroup cgroup;
        struct cgroup_counts counts;
        int status;
        bool opened = cgroup_open(&cgroup, place, 64 * MIB, 16);

        CHECK(opened, "%s: %s", rows[i].name, strerror(errno));
        if (!opened)
            return;
        pid_t other = start(&cgroup, sleep_long);
        status = status_of(start(&cgroup, rows[i].work));
        counts = cgroup_look(&cgroup);
        printf("%s: peak %zu KiB, %zu ended by the kernel\n", rows[i].name, counts.memory_peak >> 10, counts.oom_kills);
        CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) == rows[i].killed, "%s: status %x", rows[i].name,
              (unsigned int)status);
        CHECK((counts.oom_kills > 0) == rows[i].killed, "%s: %zu", rows[i].name, counts.oom_kills);
        CHECK(counts.memory_peak >= 16 * MIB && counts.memory_peak <= 64 * MIB, "%s: %zu", rows[i].name,
              counts.memory_peak);
        /* All of a cgroup ends together: the host ends what the kernel did not end. */
        CHECK(waitpid(other, &status, WNOHANG) == 0 || rows[i].killed, "%s", rows[i].name);
        if (!rows[i].killed) {
            cgroup_kill(&cgroup);
            status = status_of(other);
            CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "cgroup.kill: %x", (unsigned int)status);
        } else {
            waitpid(other, &status, 0);
            CHECK(WIFSIGNALED(status), "%s: the other process: %x", rows[i].name, (unsigned int)status);
        }
        CHECK(cgroup_close(&cgroup, 5.0), "%s: %s is left", rows[i].name, cgroup.path);
        CHECK(access(cgroup.path, F_OK) != 0, "%s is left", cgroup.path);
    }
}

static void test_tasks(const struct cgroup_place *place)
{
    struct cgroup cgroup;
    struct cgroup_counts counts;
    bool opened = cgroup_open(&cgroup, place, 64 * MIB, 16);
    int status;

    CHECK(opened, "%s", strerror(errno));
    if (!opened)
        return;
    status = status_of(start(&cgroup, start_many));
    counts = cgroup_look(&cgroup);
    /* A child of the first may start more of them while it does. */
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) >= 1 && WEXITSTATUS(status) <= 15, "%x", (unsigned int)status);
    CHECK(counts.tasks_refused > 0, "%zu", counts.tasks_refused);
    printf("16 processes at most: one started %d, %zu were refused\n", WEXITSTATUS(status), counts.tasks_refused);
    CHECK(cgroup_close(&cgroup, 5.0), "%s is left", cgroup.path);
}

/* The cgroup of a dead host, with a process in it; and that of a living one. */
static void test_stale(const struct cgroup_place *place)
{
    char path[PATH_MAX + 64];
    struct cgroup_place again;
    struct cgroup cgroup, left;
    const char *why;
    int status, lock;

    CHECK(cgroup_open(&cgroup, place, 64 * MIB, 16), "%s", strerror(errno));
    snprintf(path, sizeof path, "%s/gpu-contest-toolkit-1-dead", place->folder);
    CHECK(mkdir(path, 0755) == 0, "%s", strerror(errno));
    lock = open(path, O_RDONLY | O_DIRECTORY);
    left = (struct cgroup){ .folder = lock, .procs = openat(lock, "cgroup.procs", O_WRONLY) };
    pid_t child = start(&left, sleep_long);
    usleep(100000);
    close(left.procs);
    close(lock);
    CHECK(cgroup_find(&again, &why), "%s", why);
    CHECK(access(path, F_OK) != 0, "%s is left", path);
    CHECK(access(cgroup.path, F_OK) == 0, "%s, which is in use, is gone", cgroup.path);
    status = status_of(child);
    CHECK(WIFSIGNALED(status), "%x", (unsigned int)status);
    CHECK(cgroup_close(&cgroup, 5.0), "%s is left", cgroup.path);
}

static void put(const char *folder, const char *name, const char *text)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "cannot write '%s'", path);
}

/* In plain folders, which no kernel is needed for: the least of what each level allows, that of the mount included. */
static void test_memory_left(void)
{
    char top[] = "/tmp/cgroup.XXXXXX", folder[256], below[256];
    const size_t mount_length = strlen(top);

    CHECK(mkdtemp(top), "no folder");
    snprintf(folder, sizeof folder, "%s/a", top);
    snprintf(below, sizeof below, "%s/a/b", top);
    CHECK(mkdir(folder, 0755) == 0 && mkdir(below, 0755) == 0, "no folders");
    CHECK(cgroup_memory_left_in(below, mount_length) == SIZE_MAX, "no files, and a limit");
    snprintf(below, sizeof below, "%s/a/b", top);
    put(below, "memory.max", "max\n");
    put(below, "memory.current", "100\n");
    put(folder, "memory.max", "1000\n");
    put(folder, "memory.current", "300\n");
    CHECK(cgroup_memory_left_in(below, mount_length) == 700, "the one above has 700 left");
    CHECK(strcmp(below, top) == 0, "it ended at %s", below);
    put(top, "memory.max", "5000\n");
    put(top, "memory.current", "4600\n");
    CHECK(cgroup_memory_left_in(folder, mount_length) == 400, "the mount has 400 left");
    strcpy(folder, top);
    CHECK(cgroup_memory_left_in(folder, mount_length) == 400, "a container's own cgroup is the mount");
    put(top, "memory.current", "5100\n");
    CHECK(cgroup_memory_left_in(folder, mount_length) == 0, "none is left");
    for (int level = 2; level >= 0; level--) {
        char path[300];

        for (int i = 0; i < 2; i++) {
            snprintf(path, sizeof path, "%s%s/memory.%s", top, level == 2 ? "/a/b" : level == 1 ? "/a" : "",
                     i == 0 ? "max" : "current");
            unlink(path);
        }
        *strrchr(path, '/') = '\0';
        CHECK(rmdir(path) == 0, "%s", path);
    }
}

int main(void)
{
    struct cgroup_place place;
    const char *why = NULL;

    test_memory_left();
    if (!cgroup_find(&place, &why)) {
        CHECK(why && *why, "no reason is given");
        printf("no cgroup: %s\n", why);
        return unit_end();
    }
    printf("cgroups are made in %s\n", place.folder);
    CHECK(why == NULL, "%s", why);
    test_limits(&place);
    test_tasks(&place);
    test_stale(&place);
    return unit_end();
}
