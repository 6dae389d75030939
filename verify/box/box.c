/*
 * box.c - composes the command line of bubblewrap, or of landlock.
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
    static const char *const names[BOX_LEVELS] = { "none", "landlock", "namespaces", "cgroup" };

    return names[level];
}

const char *const *box_layers(enum box_level level, bool other_user)
{
    static const char *const user[] = { "rlimits", "landlock", "user", "seccomp", NULL };
    static const char *const layers[BOX_LEVELS][5] = {
        [BOX_NONE] = { "rlimits" },
        [BOX_LANDLOCK] = { "rlimits", "landlock", "seccomp" },
        [BOX_NAMESPACES] = { "rlimits", "namespaces", "seccomp" },
        [BOX_CGROUP] = { "rlimits", "namespaces", "seccomp", "cgroup" },
    };

    return level == BOX_LANDLOCK && other_user ? user : layers[level];
}

/* Whether a command ends well, whatever it prints. */
static bool works(const char *const *command)
{
    const pid_t child = fork();
    int status;

    if (child == 0) {
        int null = open("/dev/null", O_RDWR);

        dup2(null, 0);
        dup2(null, 1);
        dup2(null, 2);
        execv(command[0], (char *const *)command);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

enum box_level box_probe_landlock(const char *landlock, const char **why)
{
    const char *const command[] = { landlock, "--read", "/usr", "--read", "/lib", "--read", "/lib64", "--read", "/bin",
                                    "--", "/bin/true", NULL };

    *why = "the kernel has no Landlock, or the container forbids it";
    if (!works(command))
        return BOX_NONE;
    *why = NULL;
    return BOX_LANDLOCK;
}

enum box_level box_probe(const char *landlock, bool *no_proc, const char **why)
{
    static const char *const namespaces[] = {
        bubblewrap, "--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--ro-bind", "/", "/",
        "--dev", "/dev", "--", "/bin/true", NULL,
    };
    static const char *const whole[] = {
        bubblewrap, "--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--ro-bind", "/", "/",
        "--dev", "/dev", "--proc", "/proc", "--", "/bin/true", NULL,
    };
    const char *no_landlock;

    *why = NULL;
    *no_proc = false;
    if (works(whole))
        return BOX_NAMESPACES;
    *no_proc = true;
    if (works(namespaces))
        return BOX_NAMESPACES;
    *no_proc = false;
    *why = access(bubblewrap, X_OK) == 0 ? "bubblewrap cannot make user namespaces here"
                                         : "bubblewrap is not installed";
    return box_probe_landlock(landlock, &no_landlock);
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
        "/etc/alternatives", "--dev", "/dev",
    };

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        add(command, options[i]);
    if (!box->no_proc) {
        add(command, "--proc");
        add(command, "/proc");
    }
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
    for (size_t i = 0; box->gpu_minor >= 0 && box->no_proc && i < 2; i++) { /* what a driver asks there */
        static const char *const files[] = { "/proc/driver/nvidia", "/proc/devices" };

        add(command, "--ro-bind-try");
        add(command, files[i]);
        add(command, files[i]);
    }
    add(command, "--ro-bind");
    add(command, box->runner);
    add(command, inside_runner);
    add(command, "--ro-bind");
    add(command, box->submission);
    add(command, inside_submission);
    /* bubblewrap's own process is number 1, without the filter: its memory is out of reach. */
    if (!box->no_proc) {
        add(command, "--tmpfs");
        add(command, "/proc/1");
        add(command, "--remount-ro");
        add(command, "/proc/1");
    }
    /* These are in memory too, and without a limit: nothing is to be written there. */
    add(command, "--remount-ro");
    add(command, "/dev");
    add(command, "--remount-ro");
    add(command, "/");
    add(command, "--chdir");
    add(command, BOX_WRITABLE);
    add(command, "--");
}

static void allow(struct box_command *command, const char *how, const char *path)
{
    add(command, how);
    add(command, path);
}

/*
 * The files of BOX_LANDLOCK: those that bubblewrap's box shows. A GPU's driver asks /proc and /sys about itself; that
 * is the process's own folder of /proc, and what the driver says there. It names its threads by writing to their files,
 * and gives up where it cannot.
 */
static void add_landlock(const struct box *box, struct box_command *command)
{
    static const char *const system[] = {
        "/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/alternatives",
    };
    static const char *const driver[] = {
        "/proc/self", "/proc/driver/nvidia", "/proc/devices", "/sys/devices/system",
        "/sys/module/nvidia_uvm",
    };
    static const char *const nodes[] = { "/dev/null", "/dev/zero", "/dev/urandom" };

    add(command, box->landlock);
    for (size_t i = 0; i < sizeof system / sizeof system[0]; i++)
        allow(command, "--read", system[i]);
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
        allow(command, "--read", nodes[i]);
    if (box->library_path && box->library_alone)
        allow(command, "--read", compose(command, "%s/%s", box->library_path, box->runtime));
    else if (box->library_path)
        allow(command, "--read", box->library_path);
    if (box->opencl)
        allow(command, "--read", box->opencl);
    for (size_t i = 0; box->gpu_minor >= 0 && i < sizeof driver / sizeof driver[0]; i++)
        allow(command, "--read", driver[i]);
    if (box->gpu_minor >= 0) {
        allow(command, "--write", "/proc/self/task");
        allow(command, "--device", "/dev/nvidiactl");
        allow(command, "--device", "/dev/nvidia-uvm");
        allow(command, "--device", compose(command, "/dev/nvidia%d", box->gpu_minor));
    }
    allow(command, "--read", box->runner);
    allow(command, "--read", box->submission);
    if (box->other_user)
        add(command, "--user");
    add(command, "--");
}

void box_compose(const struct box *box, struct box_command *command)
{
    const bool inside = box->level >= BOX_NAMESPACES, filtered = box->level >= BOX_LANDLOCK;

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
    else if (filtered)
        add_landlock(box, command);
    add(command, inside ? inside_runner : box->runner);
    add(command, filter_name(filtered ? box->filter : FILTER_NONE));
    add(command, inside ? inside_submission : box->submission);
    if (box->runtime)
        add(command, box->runtime);
}
