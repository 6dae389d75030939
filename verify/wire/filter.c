/*
 * filter.c - the list of allowed system calls, by libseccomp. Linked into runner and host, which needs the names only.
 *
 * What is in no list here fails with ENOSYS, as on a kernel that does not have it: libraries can deal with that, and a
 * call that only newer kernels have is not allowed unseen. A call is allowed only where what it makes in the kernel has
 * a limit; docs/SECURITY.md has the table of these objects. Two lists say more than that: calls that no library makes
 * in passing end the process (SIGSYS, verdict SV), so that an attempt is seen; those that an honest program may try
 * fail with EPERM, which says that they are forbidden.
 *
 * The driver's list is wide, since what a GPU's driver calls is not documented, differs between versions, and is asked
 * for in the middle of a contest.
 */
#include "filter.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char *const names[FILTER_LEVELS] = {
    [FILTER_NONE] = "none", [FILTER_PLAIN] = "plain", [FILTER_DRIVER] = "driver", [FILTER_POCL] = "pocl"
};

/* What the C and C++ libraries, OpenMP's and the simulator need. The runner needs recvmsg() and sendto(). */
static const char *const plain[] = {
    /* memory */
    "brk", "mmap", "munmap", "mremap", "mprotect", "madvise", "msync",
    /* threads and waiting */
    "set_robust_list", "get_robust_list", "set_tid_address", "rseq", "membarrier", "futex", "futex_waitv",
    "sched_yield", "sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_getattr",
    "sched_get_priority_min", "sched_get_priority_max", "sched_rr_get_interval", "getpriority", "getcpu", "nanosleep",
    "clock_nanosleep", "pause", "poll", "ppoll", "select", "pselect6", "wait4", "waitid", "restart_syscall", "exit",
    "exit_group", "arch_prctl",
    /* time */
    "clock_gettime", "clock_getres", "gettimeofday", "time", "times", "alarm", "getitimer", "setitimer",
    /* signals */
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigsuspend", "rt_sigtimedwait",
    "sigaltstack",
    /* files that are there, and what is open */
    "close", "close_range", "read", "readv", "pread64", "preadv", "write", "writev", "pwrite64", "pwritev", "lseek",
    "dup", "dup2", "dup3", "stat", "lstat", "fstat", "newfstatat", "statx", "access", "faccessat", "faccessat2",
    "readlink", "readlinkat", "getcwd", "chdir", "fchdir", "getdents", "getdents64", "statfs", "fstatfs", "umask",
    /* the channel */
    "recvmsg", "recvfrom", "sendto",
    /* who and where one is */
    "getpid", "getppid", "gettid", "getpgrp", "getpgid", "getsid", "getuid", "geteuid", "getgid", "getegid",
    "getresuid", "getresgid", "getgroups", "capget", "uname", "sysinfo", "getrusage", "getrlimit", "setrlimit",
    "getrandom",
};

/* Of these only some arguments. */
static const int plain_fcntl[] = { F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL };
static const int plain_prctl[] = { PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_CAPBSET_READ };
static const int plain_prlimit[] = { 0 }; /* of the own process: another's limits can end it */
static const int plain_ioctl[] = { TCGETS, TIOCGWINSZ };
static const int plain_flags[] = { 0 }; /* of preadv2() and pwritev2(): RWF_NOWAIT tells what the page cache holds */

/*
 * The page cache is the machine's: a submission could leave in it what a later one finds, and slow down others. Neither
 * fadvise64(), readahead() nor mincore() is allowed, and madvise() does not send pages away.
 */
static const int pages_away[] = { MADV_COLD, MADV_PAGEOUT };

/*
 * And the driver of a GPU, once it is initialised: NVIDIA's 580 makes ioctl() and eventfd2() alone, in CUDA and OpenCL
 * (docs/SECURITY.md). The others are what a driver may do beside that, and what they make is limited by the number of
 * open files. Its sockets it has by then.
 */
static const char *const driver[] = {
    "ioctl", "eventfd", "eventfd2", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "pipe",
    "pipe2", "mlock", "mlock2", "munlock", "mlockall", "munlockall", "get_mempolicy",
};

/* And PoCL, the linker, and what is beside the linker: compilers' drivers are found by their file's name. */
static const char *const pocl[] = {
    "fork", "vfork", "execve", "creat", "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat",
    "renameat2", "chmod", "fchmod", "fchmodat", "ftruncate", "truncate", "fallocate", "utimensat", "sendfile",
    "copy_file_range", "fsync", "fdatasync", "setpgid", "sched_setaffinity",
};

/* The process ends. */
static const char *const fatal[] = {
    /* other processes, and their memory */
    "ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd",
    /* the box itself */
    "mount", "umount2", "pivot_root", "chroot", "setns", "unshare", "open_tree", "move_mount", "fsopen", "fsconfig",
    "fsmount", "fspick", "mount_setattr", "open_by_handle_at", "name_to_handle_at",
    /* large parts of the kernel that a submission has no use for */
    "seccomp", "bpf", "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "keyctl", "add_key",
    "request_key",
    /* the machine */
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff",
    "acct", "quotactl", "syslog", "settimeofday", "clock_settime", "adjtimex", "clock_adjtime", "sethostname",
    "setdomainname", "iopl", "ioperm", "nfsservctl", "vhangup",
};

/* Starting a process; threads are started by clone() with CLONE_THREAD. */
static const char *const fatal_processes[] = { "fork", "vfork", "execve", "execveat" };

/* They fail with EPERM. */
static const char *const denied[] = {
    "socket", "socketpair", "connect", "perf_event_open", "personality", "lookup_dcookie", "move_pages",
    "migrate_pages", "mbind", "set_mempolicy",
    /* A timer may send SIGCONT: the process would run on while the host has stopped it. So may fcntl(F_SETSIG). */
    "timer_create", "timerfd_create", "signalfd", "signalfd4",
    /* What lives in the kernel's memory, and is counted by nobody. */
    "shmget", "shmat", "msgget", "semget", "mq_open", "memfd_create", "memfd_secret", "inotify_init", "inotify_init1",
    "fanotify_init", "flock", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "mknod", "mknodat", "link", "linkat", "symlink",
    "symlinkat", "setxattr", "lsetxattr", "fsetxattr", "pidfd_open",
};

/* And these where the process is pinned to one processor. */
static const char *const denied_pinned[] = {
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

/* The call is allowed where its argument is one of `values`; the upper half of a register is not looked at. */
static bool add_values(scmp_filter_ctx context, int call, unsigned argument, const int *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (seccomp_rule_add(context, SCMP_ACT_ALLOW, call, 1,
                             SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, UINT32_MAX, (uint32_t)values[i])) != 0)
            return false;
    return true;
}

#define ADD(action, list) add_all(context, action, list, sizeof list / sizeof list[0])
#define ALLOW_VALUES(call, argument, list)                                                                             \
    add_values(context, SCMP_SYS(call), argument, list, sizeof list / sizeof list[0])

/*
 * Threads for everybody; processes for PoCL, but never in a namespace of their own. The flags of clone3() are in
 * memory, where no filter looks: it is in no list, and the C library takes clone() instead.
 */
static bool add_clone(scmp_filter_ctx context, enum filter_level level)
{
    const uint64_t spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                            CLONE_NEWPID | CLONE_NEWNET;

    if (level == FILTER_POCL)
        return seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                                SCMP_A0(SCMP_CMP_MASKED_EQ, spaces, 0)) == 0;
    return ADD(SCMP_ACT_KILL_PROCESS, fatal_processes) && ADD(SCMP_ACT_ERRNO(EPERM), denied_pinned) &&
           seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                            SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)) == 0 &&
           seccomp_rule_add(context, SCMP_ACT_KILL_PROCESS, SCMP_SYS(clone), 1,
                            SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)) == 0;
}

/*
 * Signals to itself alone: not every box hides other processes. PoCL's compilers are processes too, and it runs in
 * boxes that do hide others.
 */
static bool add_signals(scmp_filter_ctx context, enum filter_level level)
{
    static const char *const calls[] = { "kill", "tkill", "tgkill" };
    const int self[] = { getpid() };

    if (level == FILTER_POCL)
        return ADD(SCMP_ACT_ALLOW, calls);
    return ALLOW_VALUES(kill, 0, self) && ALLOW_VALUES(tgkill, 0, self);
}

/*
 * Files are opened to be read. Nothing in the box can be written but what is open already, and /proc/self/mem, through
 * which code that is only read could be changed. The drivers of GPUs and PoCL open files to write.
 */
static bool add_open(scmp_filter_ctx context, enum filter_level level)
{
    const int calls[] = { SCMP_SYS(open), SCMP_SYS(openat) };

    for (unsigned i = 0; i < 2; i++) {
        const unsigned flags = i + 1; /* which argument they are */

        if (level != FILTER_PLAIN) {
            if (seccomp_rule_add(context, SCMP_ACT_ALLOW, calls[i], 0) != 0)
                return false;
            continue;
        }
        for (int mode = 0; mode <= O_ACCMODE; mode++)
            if (seccomp_rule_add(context, mode == O_RDONLY ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(EROFS), calls[i], 1,
                                 SCMP_CMP(flags, SCMP_CMP_MASKED_EQ, O_ACCMODE, (uint64_t)mode)) != 0)
                return false;
    }
    return true;
}

static bool add_levels(scmp_filter_ctx context, enum filter_level level)
{
    if (!ADD(SCMP_ACT_ALLOW, plain) || !add_open(context, level) || !ALLOW_VALUES(fcntl, 1, plain_fcntl) ||
        !ALLOW_VALUES(prctl, 0, plain_prctl) || !ALLOW_VALUES(prlimit64, 0, plain_prlimit) ||
        !ALLOW_VALUES(preadv2, 5, plain_flags) || !ALLOW_VALUES(pwritev2, 5, plain_flags) ||
        !add_signals(context, level) ||
        seccomp_rule_add(context, SCMP_ACT_KILL_PROCESS, SCMP_SYS(prctl), 1,
                         SCMP_A0(SCMP_CMP_MASKED_EQ, UINT32_MAX, PR_SET_SECCOMP)) != 0)
        return false;
    if (level == FILTER_PLAIN)
        return ALLOW_VALUES(ioctl, 1, plain_ioctl);
    return ADD(SCMP_ACT_ALLOW, driver) && (level == FILTER_DRIVER || ADD(SCMP_ACT_ALLOW, pocl));
}

static bool kill_mmap(scmp_filter_ctx context, unsigned argument, uint64_t mask, uint64_t value)
{
    return seccomp_rule_add(context, SCMP_ACT_KILL_PROCESS, SCMP_SYS(mmap), 2,
                            SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC),
                            SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, mask, value)) == 0;
}

/*
 * Where files may be opened to be written, code that is only read could be changed through /proc/self/mem, whose
 * offsets are addresses. No other file is as long as the addresses of code are high, so nobody goes there, by one step
 * or by many, nor brings code down to where files end. A step from where one is fails and ends nothing: closing a file
 * that was read in part is one. PoCL's linker takes such steps, and may write code in any case.
 */
static bool forbid_writing_code(scmp_filter_ctx context)
{
    const int at_offset[] = { SCMP_SYS(pwrite64), SCMP_SYS(pwritev), SCMP_SYS(pwritev2) };
    const uint64_t longest = UINT64_C(1) << 40; /* bytes of a file; code lies above it */
    bool ok = true;

    for (size_t i = 0; ok && i < sizeof at_offset / sizeof at_offset[0]; i++)
        ok = seccomp_rule_add(context, SCMP_ACT_KILL_PROCESS, at_offset[i], 1, SCMP_A3(SCMP_CMP_GT, longest)) == 0;
    return ok &&
           seccomp_rule_add(context, SCMP_ACT_KILL_PROCESS, SCMP_SYS(lseek), 2, SCMP_A1(SCMP_CMP_GT, longest),
                            SCMP_A2(SCMP_CMP_MASKED_EQ, UINT32_MAX, SEEK_SET)) == 0 &&
           seccomp_rule_add(context, SCMP_ACT_ERRNO(ESPIPE), SCMP_SYS(lseek), 2, SCMP_A1(SCMP_CMP_NE, 0),
                            SCMP_A2(SCMP_CMP_MASKED_EQ, UINT32_MAX, SEEK_CUR)) == 0 &&
           seccomp_rule_add(context, SCMP_ACT_KILL_PROCESS, SCMP_SYS(mremap), 1,
                            SCMP_A3(SCMP_CMP_MASKED_EQ, MREMAP_FIXED, MREMAP_FIXED)) == 0;
}

/*
 * What can be executed was read by the judge, or is a file of the system: it is not made, and not changed. A filter of
 * its own, as this one says what ends the process, and the other what is allowed.
 */
static bool forbid_execution(enum filter_level level, bool loads_later)
{
    scmp_filter_ctx context = seccomp_init(SCMP_ACT_ALLOW);
    bool ok;

    if (!context)
        return false;
    ok = seccomp_attr_set(context, SCMP_FLTATR_CTL_TSYNC, 1) == 0 &&
         seccomp_rule_add(context, SCMP_ACT_KILL_PROCESS, SCMP_SYS(mprotect), 1,
                          SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC)) == 0 &&
         seccomp_rule_add(context, SCMP_ACT_KILL_PROCESS, SCMP_SYS(pkey_mprotect), 1,
                          SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC)) == 0 &&
         seccomp_rule_add(context, SCMP_ACT_KILL_PROCESS, SCMP_SYS(mmap), 1,
                          SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC | PROT_WRITE, PROT_EXEC | PROT_WRITE)) == 0 &&
         /* Pages of the machine's pool of huge ones: nobody counts them. */
         seccomp_rule_add(context, SCMP_ACT_ERRNO(ENOMEM), SCMP_SYS(mmap), 1,
                          SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_HUGETLB, MAP_HUGETLB)) == 0 &&
         kill_mmap(context, 3, MAP_ANONYMOUS, MAP_ANONYMOUS) && kill_mmap(context, 3, MAP_SHARED, MAP_SHARED) &&
         (level != FILTER_DRIVER || forbid_writing_code(context));
    for (size_t i = 0; ok && i < sizeof pages_away / sizeof pages_away[0]; i++)
        ok = seccomp_rule_add(context, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(madvise), 1,
                              SCMP_A2(SCMP_CMP_MASKED_EQ, UINT32_MAX, (uint32_t)pages_away[i])) == 0;
    /* The descriptor, of which the kernel takes the lower half: below FILTER_EXECUTABLE_FD. */
    for (uint64_t bits = 0; ok && !loads_later && bits < FILTER_EXECUTABLE_FD; bits += 32)
        ok = kill_mmap(context, 4, FILTER_EXECUTABLE_FD, bits);
    ok = ok && seccomp_load(context) == 0;
    seccomp_release(context);
    return ok;
}

const char *filter_install(enum filter_level level, bool loads_later)
{
    scmp_filter_ctx context;
    bool ok;

    if (level == FILTER_NONE)
        return NULL;
    if (!forbid_execution(level, loads_later))
        return "seccomp refuses the filter of executable memory";
    context = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    if (!context)
        return "out of memory";
    /* Threads that CUDA has started are filtered as well. Calls of other ABIs end the process. */
    ok = seccomp_attr_set(context, SCMP_FLTATR_CTL_TSYNC, 1) == 0 &&
         seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0 &&
         ADD(SCMP_ACT_KILL_PROCESS, fatal) && ADD(SCMP_ACT_ERRNO(EPERM), denied) && add_levels(context, level) &&
         add_clone(context, level) && seccomp_load(context) == 0;
    seccomp_release(context);
    return ok ? NULL : "seccomp refuses the filter";
}
