/*
 * filter.c - the deny list, by libseccomp. Linked into runner and host; the host needs the names only.
 *
 * A list of what is denied and not of what is allowed: what the CUDA driver calls is not documented, differs between
 * versions, and is asked for in the middle of a contest. That CUDA does without what is denied here was
 * seen on an H100 with driver 580: make test-gpu, and check-problem of diffevo and cointsp.
 *
 * Calls that no library makes in passing end the process (SIGSYS, verdict SV), so that an attempt is seen. Those that
 * libraries try and do without give EPERM.
 */
#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const char *const names[] = {
    [FILTER_NONE] = "none", [FILTER_PROCESSES] = "processes", [FILTER_STRICT] = "strict"
};

/* The process ends. */
static const char *const fatal[] = {
    /* other processes, and their memory */
    "ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd",
    /* the box itself */
    "mount", "umount2", "pivot_root", "chroot", "setns", "unshare", "open_tree", "move_mount", "fsopen", "fsconfig",
    "fsmount", "fspick", "mount_setattr", "open_by_handle_at", "name_to_handle_at",
    /* large parts of the kernel that a submission has no use for */
    "bpf", "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "keyctl", "add_key", "request_key",
    /* the machine */
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff",
    "acct", "quotactl", "syslog", "settimeofday", "clock_settime", "adjtimex", "clock_adjtime", "sethostname",
    "setdomainname", "iopl", "ioperm", "nfsservctl", "vhangup",
};

/* Starting a process; threads are started by clone() with CLONE_THREAD. */
static const char *const fatal_processes[] = { "fork", "vfork", "execve", "execveat" };

/* They fail with EPERM. */
static const char *const denied[] = {
    "connect", "perf_event_open", "personality", "mknod", "mknodat", "fanotify_init", "inotify_init", "inotify_init1",
    "lookup_dcookie", "move_pages", "migrate_pages", "mbind", "set_mempolicy",
    /* A timer may send SIGCONT: the process would run on while the host has stopped it. So may fcntl(F_SETSIG). */
    "timer_create",
};

/* And these where the process is pinned to one processor. */
static const char *const denied_strict[] = {
    "sched_setaffinity", "sched_setscheduler", "sched_setattr", "setpriority",
};

const char *filter_name(enum filter_level level) { return names[level]; }

bool filter_find(const char *name, enum filter_level *level)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0) {
            *level = (enum filter_level)i;
            return true;
        }
    return false;
}

/* A rule for each name that this kernel's headers know. */
static bool add_all(scmp_filter_ctx context, uint32_t action, const char *const *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int call = seccomp_syscall_resolve_name(calls[i]);

        if (call != __NR_SCMP_ERROR && seccomp_rule_add(context, action, call, 0) != 0)
            return false;
    }
    return true;
}

#define ADD(action, list) add_all(context, action, list, sizeof list / sizeof list[0])

const char *filter_install(enum filter_level level)
{
    scmp_filter_ctx context;
    bool ok;

    if (level == FILTER_NONE)
        return NULL;
    context = seccomp_init(SCMP_ACT_ALLOW);
    if (!context)
        return "out of memory";
    /* Threads that CUDA has started are filtered as well. Calls of other ABIs end the process. */
    ok = seccomp_attr_set(context, SCMP_FLTATR_CTL_TSYNC, 1) == 0 &&
         seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0 &&
         ADD(SCMP_ACT_KILL_PROCESS, fatal) && ADD(SCMP_ACT_ERRNO(EPERM), denied) &&
         seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(fcntl), 1,
                          SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, F_SETSIG)) == 0;
    if (ok && level == FILTER_STRICT)
        ok = ADD(SCMP_ACT_KILL_PROCESS, fatal_processes) && ADD(SCMP_ACT_ERRNO(EPERM), denied_strict) &&
             seccomp_rule_add(context, SCMP_ACT_KILL_PROCESS, SCMP_SYS(clone), 1,
                              SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)) == 0 &&
             /* Its flags are in memory, where no filter looks: the C library takes clone() instead. */
             seccomp_rule_add(context, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
    ok = ok && seccomp_load(context) == 0;
    seccomp_release(context);
    return ok ? NULL : "seccomp refuses the filter";
}
