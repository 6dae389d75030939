/*
 * main_landlock.c - runs a command behind Landlock, where bubblewrap makes no box: landlock OPTION... -- COMMAND...
 *
 * Started by the runner's guard as it starts bubblewrap, with the runner as COMMAND (box.c), and by compile_box.sh with
 * a compiler. The command keeps environment, limits and descriptors. It has the paths that are named and nothing else,
 * no capability, and no way to signal, trace or read other processes: by Landlock, and for a compiler by a filter of
 * system calls of its own, as the runner installs one for user code itself (verify/wire/filter.h).
 *
 * Exit codes: the command's; 125 where it was not run, with a line that says why.
 */
#include <errno.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "landlock.h"

enum { NOT_RUN = 125 };

static const char help[] =
    "usage: landlock OPTION... -- COMMAND...\n"
    "  --read PATH     a file or folder that may be read; skipped if it does not exist\n"
    "  --write FOLDER  one that may be written too\n"
    "  --device PATH   a device node\n"
    "  --user          become the user nobody (65534) first; for root\n"
    "  --compiler      no sockets, no signals to others, no tracing\n";

static int fail(const char *what, const char *name)
{
    fprintf(stderr, "landlock: %s%s: %s\n", what, name, strerror(errno));
    return NOT_RUN;
}

/* What a compiler has no use for. It fails, so that a crash of the compiler's own still ends in its own words. */
static bool filter_compiler(void)
{
    static const char *const denied[] = {
        "socket", "socketpair", "connect", "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
        "pidfd_open", "pidfd_send_signal", "pidfd_getfd", "ptrace", "process_vm_readv", "process_vm_writev", "kcmp",
        "mount", "unshare", "setns", "open_by_handle_at", "bpf", "keyctl", "add_key", "request_key", "io_uring_setup",
        "userfaultfd", "perf_event_open", "shmget", "msgget", "semget", "mq_open", "setpriority", "ioprio_set",
        "sched_setscheduler", "sched_setattr", "truncate", "chmod", "fchmod", "fchmodat", "chown", "fchown",
        "fchownat", "lchown", "setxattr", "lsetxattr", "fsetxattr",
    };
    scmp_filter_ctx context = seccomp_init(SCMP_ACT_ALLOW);
    bool ok = context != NULL && seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0;

    for (size_t i = 0; ok && i < sizeof denied / sizeof denied[0]; i++) {
        const int call = seccomp_syscall_resolve_name(denied[i]);

        ok = call == __NR_SCMP_ERROR || seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), call, 0) == 0;
    }
    /* Its own limits alone: cc1 asks for a larger stack. */
    ok = ok && seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prlimit64), 1, SCMP_A0(SCMP_CMP_NE, 0)) == 0;
    ok = ok && seccomp_load(context) == 0;
    seccomp_release(context);
    return ok;
}

/* What the options ask for, one after the other. True at the command, whose place is *at. */
static bool take_options(char **argv, int rules, bool *user, bool *compiler, int *at)
{
    for (; argv[*at] && strcmp(argv[*at], "--") != 0; ++*at) {
        const char *option = argv[*at];
        enum landlock_use use;

        if (strcmp(option, "--user") == 0 || strcmp(option, "--compiler") == 0) {
            *(option[2] == 'u' ? user : compiler) = true;
            continue;
        }
        use = strcmp(option, "--write") == 0 ? LANDLOCK_WRITE : strcmp(option, "--device") == 0 ? LANDLOCK_DEVICE
                                                                                                 : LANDLOCK_READ;
        if (!argv[*at + 1] || (use == LANDLOCK_READ && strcmp(option, "--read") != 0)) {
            fputs(help, stderr);
            return false;
        }
        if (!landlock_allow(rules, argv[++*at], use) && (use == LANDLOCK_WRITE || errno != ENOENT)) {
            fail("cannot allow ", argv[*at]);
            return false;
        }
    }
    if (argv[*at] && argv[++*at])
        return true;
    fputs(help, stderr);
    return false;
}

int main(int argc, char **argv)
{
    const int rules = landlock_rules();
    bool user = false, compiler = false;
    int at = argc > 1 ? 1 : 0;

    if (rules < 0)
        return fail("the kernel has no Landlock, or the container forbids it", "");
    if (!take_options(argv, rules, &user, &compiler, &at))
        return NOT_RUN;
    if (user && !landlock_become_user())
        return fail("cannot become another user", "");
    if (!landlock_restrict(rules))
        return fail("cannot give up the other files", "");
    close(rules);
    if (compiler && !filter_compiler())
        return fail("cannot install the filter of system calls", "");
    execvp(argv[at], argv + at);
    return fail("cannot run ", argv[at]);
}
