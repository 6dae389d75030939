/*
 * box.c - composes bubblewrap's command line.
 */
#include "box.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verify/wire/guard.h"

static const char bubblewrap[] = "/usr/bin/bwrap";

/* Where the two files are inside the box, and a library that comes alone. */
static const char inside_runner[] = "/toolkit/runner", inside_submission[] = "/toolkit/device_user.so";
static const char inside_libraries[] = "/toolkit/lib";
/* Where every OpenCL loader looks for drivers. */
static const char inside_opencl[] = "/etc/OpenCL/vendors";

const char *box_level_name(enum box_level level)
{
    static const char *const names[BOX_LEVELS] = { "none", "namespaces", "cgroup" };

    return names[level];
}

const char *const *box_layers(enum box_level level)
{
    static const char *const layers[BOX_LEVELS][5] = {
        [BOX_NONE] = { "rlimits" },
        [BOX_NAMESPACES] = { "rlimits", "namespaces", "seccomp" },
        [BOX_CGROUP] = { "rlimits", "namespaces", "seccomp", "cgroup" },
    };

    return layers[level];
}

enum box_level box_probe(const char **why)
{
    int status;
    pid_t child;

    *why = "bubblewrap is not installed";
    if (access(bubblewrap, X_OK) != 0)
        return BOX_NONE;
    *why = "bubblewrap cannot make user namespaces here";
    child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);

        dup2(null, 0);
        dup2(null, 1);
        dup2(null, 2);
        execl(bubblewrap, bubblewrap, "--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534",
              "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "/bin/true", (char *)NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return BOX_NONE;
    *why = NULL;
    return BOX_NAMESPACES;
}

static void add(struct box_command *command, const char *argument)
{
    if (command->arguments + 1 >= BOX_MAX_ARGUMENTS)
        abort(); /* a constant is too small: the toolkit's own fault */
    command->argv[command->arguments++] = (char *)argument;
    command->argv[command->arguments] = NULL;
}

static const char *compose(struct box_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static const char *compose(struct box_command *command, const char *format, ...)
{
    char *place = command->text + command->used;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(place, BOX_TEXT - command->used, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= BOX_TEXT - command->used)
        abort();
    command->used += (size_t)length + 1;
    return place;
}

static void add_variable(struct box_command *command, const char *variable)
{
    if (command->variables + 1 >= BOX_MAX_VARIABLES)
        abort();
    command->envp[command->variables++] = (char *)variable;
    command->envp[command->variables] = NULL;
}

static void set_variable(struct box_command *command, const char *name, const char *value)
{
    add_variable(command, compose(command, "%s=%s", name, value));
}

/* /lib and its like are links into /usr on merged systems, folders on others. */
static void add_root_folders(struct box_command *command)
{
    static const char *const folders[] = { "/bin", "/lib", "/lib64", "/lib32", "/sbin" };
    char target[256];

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        ssize_t length = readlink(folders[i], target, sizeof target - 1);

        if (length > 0) {
            target[length] = '\0';
            add(command, "--symlink");
            add(command, compose(command, "%s", target));
            add(command, folders[i]);
        } else if (access(folders[i], F_OK) == 0) {
            add(command, "--ro-bind");
            add(command, folders[i]);
            add(command, folders[i]);
        }
    }
}

static void bind_device(struct box_command *command, const char *node)
{
    add(command, "--dev-bind");
    add(command, node);
    add(command, node);
}

static void add_namespaces(const struct box *box, struct box_command *command)
{
    static const char *const options[] = {
        bubblewrap, "--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--hostname", "box",
        "--cap-drop", "ALL", "--die-with-parent", "--new-session", "--ro-bind", "/usr", "/usr",
        "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--ro-bind-try", "/etc/alternatives",
        "/etc/alternatives", "--proc", "/proc", "--dev", "/dev",
    };

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        add(command, options[i]);
    /* Files may be made by PoCL alone: the box of everybody else has no folder that can be written. */
    if (box->filter == FILTER_POCL) {
        add(command, "--size");
        add(command, "67108864");
    }
    add(command, box->filter == FILTER_POCL ? "--tmpfs" : "--dir");
    add(command, BOX_WRITABLE);
    add_root_folders(command);
    if (box->library_path && box->library_alone) {
        add(command, "--ro-bind");
        add(command, compose(command, "%s/%s", box->library_path, box->runtime));
        add(command, compose(command, "%s/%s", inside_libraries, box->runtime));
    } else if (box->library_path && strncmp(box->library_path, "/usr/", 5) != 0) {
        add(command, "--ro-bind");
        add(command, box->library_path);
        add(command, box->library_path);
    }
    if (box->opencl) {
        add(command, "--ro-bind");
        add(command, box->opencl);
        add(command, inside_opencl);
    }
    if (box->opencl && box->gpu_minor < 0) { /* PoCL counts processors and memory there */
        add(command, "--ro-bind");
        add(command, "/sys/devices/system");
        add(command, "/sys/devices/system");
    }
    if (box->gpu_minor >= 0) {
        bind_device(command, "/dev/nvidiactl");
        bind_device(command, "/dev/nvidia-uvm");
        bind_device(command, compose(command, "/dev/nvidia%d", box->gpu_minor));
    }
    add(command, "--ro-bind");
    add(command, box->runner);
    add(command, inside_runner);
    add(command, "--ro-bind");
    add(command, box->submission);
    add(command, inside_submission);
    /* bubblewrap's own process is number 1, without the filter: its memory is not to be had. */
    add(command, "--tmpfs");
    add(command, "/proc/1");
    add(command, "--remount-ro");
    add(command, "/proc/1");
    /* These are in memory too, and without a limit: nothing is to be written there. */
    add(command, "--remount-ro");
    add(command, "/dev");
    add(command, "--remount-ro");
    add(command, "/");
    add(command, "--chdir");
    add(command, BOX_WRITABLE);
    add(command, "--");
}

void box_compose(const struct box *box, struct box_command *command)
{
    bool inside = box->level >= BOX_NAMESPACES;

    memset(command, 0, sizeof *command);
    set_variable(command, "PATH", "/usr/bin:/bin");
    set_variable(command, "HOME", "/tmp");
    set_variable(command, "LC_ALL", "C");
    if (box->library_path)
        set_variable(command, "LD_LIBRARY_PATH",
                     inside && box->library_alone ? inside_libraries : box->library_path);
    for (const char *const *variable = box->variables; variable && *variable; variable++)
        add_variable(command, *variable);
    if (box->opencl) {
        if (!inside) { /* loaders know one or the other */
            set_variable(command, "OCL_ICD_VENDORS", box->opencl);
            set_variable(command, "OCL_ICD_FILENAMES", box->opencl_driver);
        }
        set_variable(command, "POCL_CACHE_DIR", "/tmp/pocl"); /* the box has a /tmp of its own */
    }
    if (box->runtime && box->gpu_minor >= 0) {
        set_variable(command, "CUDA_MODULE_LOADING", "EAGER"); /* modules load before the clock */
        set_variable(command, "CUDA_CACHE_DISABLE", "1");
        if (box->one_queue) /* a context with eight, as usual, takes twice as long to make */
            set_variable(command, "CUDA_DEVICE_MAX_CONNECTIONS", "1");
        set_variable(command, "CUDA_VISIBLE_DEVICES", box->gpu_uuid ? box->gpu_uuid : "");
    }
    add(command, box->runner);
    add(command, GUARD_ARGUMENT);
    if (inside)
        add_namespaces(box, command);
    add(command, inside ? inside_runner : box->runner);
    add(command, filter_name(inside ? box->filter : FILTER_NONE));
    add(command, inside ? inside_submission : box->submission);
    if (box->runtime)
        add(command, box->runtime);
}
