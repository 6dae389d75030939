/*
 * test_filter.c - what each level of the filter lets through, on a machine without a GPU or PoCL: every row is one
 * system call of a process that has installed the filter, and how it must end.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"
#include "verify/wire/filter.h"

/* Open in every process: its memory, to be written; a file that has code, by a low and by the loader's number. */
enum { FD_MEMORY = 20, FD_CODE = 21, FD_LOADER = FILTER_EXECUTABLE_FD };

/* How a call ends, unless with an errno, which is its own value. */
enum { ENDS = -1, PASSES = 0 };

enum { PLAIN = 1 << FILTER_PLAIN, DRIVER = 1 << FILTER_DRIVER, POCL = 1 << FILTER_POCL, ALL = PLAIN | DRIVER | POCL };

#define PAGE     (1L << 45) /* its own page: as high as code */
#define HIGH     (1L << 41) /* farther than any file is long */
#define UPPER(x) ((x) | 1L << 32) /* the kernel takes the lower half */

static char byte = 1;
static struct iovec vector = { &byte, 1 };
static struct rlimit limit;

static const struct row {
    int levels; /* those of which it is true */
    int end;    /* ENDS: the process does, by SIGSYS; PASSES: the kernel does what it can; or the filter's errno */
    const char *what;
    long number, arguments[6];
} rows[] = {
    /* Files are opened to be read; only drivers and PoCL write. */
    { ALL, PASSES, "open to read", SYS_open, { (long)"/proc/self/mem", O_RDONLY } },
    { ALL, PASSES, "openat to read", SYS_openat, { AT_FDCWD, (long)"/proc/self/mem", O_RDONLY | O_CLOEXEC } },
    { PLAIN, EROFS, "open to write", SYS_open, { (long)"/proc/self/mem", O_WRONLY } },
    { PLAIN, EROFS, "open for both", SYS_open, { (long)"/proc/self/mem", O_RDWR | O_CLOEXEC } },
    { PLAIN, EROFS, "open for neither", SYS_open, { (long)"/proc/self/mem", O_ACCMODE } },
    { PLAIN, EROFS, "openat to write", SYS_openat, { AT_FDCWD, (long)"/proc/self/mem", O_WRONLY | O_CLOEXEC } },
    { PLAIN, EROFS, "openat for both", SYS_openat, { AT_FDCWD, (long)"/proc/self/mem", O_RDWR } },
    { PLAIN, EROFS, "openat for neither", SYS_openat, { AT_FDCWD, (long)"/proc/self/mem", O_ACCMODE } },
    { PLAIN, EROFS, "openat, with more in the register", SYS_openat, { AT_FDCWD, (long)"/proc", UPPER(O_RDWR) } },
    { DRIVER | POCL, PASSES, "open for both", SYS_open, { (long)"/proc/self/mem", O_RDWR } },
    { DRIVER | POCL, PASSES, "openat for both", SYS_openat, { AT_FDCWD, (long)"/proc/self/mem", O_RDWR } },
    { ALL, ENOSYS, "openat2", SYS_openat2, { AT_FDCWD, (long)"/proc/self/mem" } },
    { PLAIN, ENOSYS, "creat", SYS_creat, { (long)"/tmp/none/none" } },
    { PLAIN | DRIVER, ENOSYS, "mkdir", SYS_mkdir, { (long)"/proc/none", 0700 } },

    /* No allowed write reaches the pages of code. */
    { DRIVER, ENDS, "pwrite64 far", SYS_pwrite64, { FD_MEMORY, (long)&byte, 1, PAGE } },
    { DRIVER, ENDS, "pwritev far", SYS_pwritev, { FD_MEMORY, (long)&vector, 1, PAGE } },
    { DRIVER, ENDS, "pwritev2 far", SYS_pwritev2, { FD_MEMORY, (long)&vector, 1, PAGE } },
    { DRIVER, ENDS, "pwrite64 behind all", SYS_pwrite64, { FD_MEMORY, (long)&byte, 1, -4096 } },
    { DRIVER, PASSES, "pwrite64 near", SYS_pwrite64, { FD_MEMORY, (long)&byte, 1, 4096 } },
    { DRIVER, ENDS, "lseek far", SYS_lseek, { FD_MEMORY, HIGH, SEEK_SET } },
    { DRIVER, ENDS, "lseek far, with more in the register", SYS_lseek, { FD_MEMORY, HIGH, UPPER(SEEK_SET) } },
    { DRIVER, PASSES, "lseek near", SYS_lseek, { FD_MEMORY, 4096, SEEK_SET } },
    { DRIVER, ESPIPE, "a step", SYS_lseek, { FD_MEMORY, HIGH, SEEK_CUR } },
    { DRIVER, ESPIPE, "a small step", SYS_lseek, { FD_MEMORY, 1, SEEK_CUR } },
    { DRIVER, ESPIPE, "a step back", SYS_lseek, { FD_MEMORY, -1, SEEK_CUR } },
    { DRIVER, ESPIPE, "a step, with more in the register", SYS_lseek, { FD_MEMORY, HIGH, UPPER(SEEK_CUR) } },
    { DRIVER, PASSES, "no step", SYS_lseek, { FD_MEMORY, 0, SEEK_CUR } },
    { DRIVER, EINVAL, "from the end", SYS_lseek, { FD_MEMORY, HIGH, SEEK_END } }, /* the kernel's: it has none */
    { DRIVER, ENDS, "mremap to a place", SYS_mremap, { PAGE, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, 1 << 20 } },
    { ALL, PASSES, "mremap", SYS_mremap, { PAGE, 4096, 8192, MREMAP_MAYMOVE } },

    /* What the machine keeps of files can be neither seen nor changed. */
    { ALL, PASSES, "preadv2", SYS_preadv2, { FD_CODE, (long)&vector, 1, 0, 0, 0 } },
    { ALL, ENOSYS, "preadv2 without waiting", SYS_preadv2, { FD_CODE, (long)&vector, 1, 0, 0, RWF_NOWAIT } },
    { ALL, ENOSYS, "pwritev2 in another way", SYS_pwritev2, { FD_MEMORY, (long)&vector, 1, 4096, 0, RWF_DSYNC } },
    { ALL, ENOSYS, "fadvise64", SYS_fadvise64, { FD_CODE, 0, 0, POSIX_FADV_DONTNEED } },
    { ALL, ENOSYS, "readahead", SYS_readahead, { FD_CODE, 0, 4096 } },
    { ALL, ENOSYS, "mincore", SYS_mincore, { PAGE, 4096, (long)&byte } },
    { ALL, EINVAL, "madvise, to send pages away", SYS_madvise, { PAGE, 4096, MADV_PAGEOUT } },
    { ALL, EINVAL, "madvise, with more in the register", SYS_madvise, { PAGE, 4096, UPPER(MADV_COLD) } },
    { ALL, PASSES, "madvise", SYS_madvise, { PAGE, 4096, MADV_DONTNEED } },

    /* Only a file can be executable, mapped privately, by the loader's descriptors. */
    { ALL, ENDS, "mprotect", SYS_mprotect, { PAGE, 4096, PROT_READ | PROT_EXEC } },
    { ALL, ENDS, "pkey_mprotect", SYS_pkey_mprotect, { PAGE, 4096, PROT_EXEC, -1 } },
    { ALL, PASSES, "mprotect to read", SYS_mprotect, { PAGE, 4096, PROT_READ } },
    { ALL, ENDS, "memory to write and execute", SYS_mmap,
      { 0, 4096, PROT_WRITE | PROT_EXEC, MAP_PRIVATE, FD_LOADER, 0 } },
    { ALL, ENDS, "memory to execute", SYS_mmap,
      { 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, FD_LOADER, 0 } },
    { ALL, ENDS, "a shared file to execute", SYS_mmap, { 0, 4096, PROT_EXEC, MAP_SHARED, FD_LOADER, 0 } },
    { ALL, ENDS, "a file to execute", SYS_mmap, { 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, FD_CODE, 0 } },
    { ALL, ENDS, "a file to execute, with more in the register", SYS_mmap,
      { 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, UPPER(FD_CODE), 0 } },
    { ALL, PASSES, "the loader's file", SYS_mmap, { 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, FD_LOADER, 0 } },
    { ALL, PASSES, "a file to read", SYS_mmap, { 0, 4096, PROT_READ, MAP_PRIVATE, FD_CODE, 0 } },
    /* Of no size, for which the kernel itself has another word. */
    { ALL, ENOMEM, "huge pages", SYS_mmap, { 0, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0 } },

    /* Limits of the own process alone, by either call. */
    { ALL, PASSES, "its own limit", SYS_prlimit64, { 0, RLIMIT_CPU, 0, (long)&limit } },
    { ALL, ENOSYS, "another's limit", SYS_prlimit64, { 1, RLIMIT_CPU, 0, (long)&limit } },
    { ALL, ENOSYS, "another's limit, with more in the register", SYS_prlimit64,
      { UPPER(1), RLIMIT_CPU, 0, (long)&limit } },
    { ALL, PASSES, "getrlimit", SYS_getrlimit, { RLIMIT_CPU, (long)&limit } },

    /* Processes. */
    { PLAIN | DRIVER, ENDS, "fork", SYS_fork, { 0 } },
    { PLAIN | DRIVER, ENDS, "vfork", SYS_vfork, { 0 } },
    { PLAIN | DRIVER, ENDS, "a process by clone", SYS_clone, { SIGCHLD } },
    { PLAIN | DRIVER, ENDS, "execve", SYS_execve, { (long)"/none" } },
    { PLAIN | DRIVER, ENDS, "execveat", SYS_execveat, { AT_FDCWD, (long)"/none" } },
    { POCL, EFAULT, "execve", SYS_execve, { 0 } }, /* the kernel's: it may */
    { POCL, ENOSYS, "a namespace by clone", SYS_clone, { CLONE_NEWUSER | SIGCHLD } },
    { ALL, ENOSYS, "clone3", SYS_clone3, { 0 } },
    { ALL, ENDS, "unshare", SYS_unshare, { CLONE_NEWUSER } },
    { ALL, ENDS, "ptrace", SYS_ptrace, { 0 } },
    { ALL, ENDS, "another's memory", SYS_process_vm_writev, { 1, 0, 0, 0, 0, 0 } },
    { PLAIN | DRIVER, ENOSYS, "a signal to another", SYS_kill, { 1, 0 } },
    { PLAIN | DRIVER, ENOSYS, "a signal to another, with more in the register", SYS_kill, { UPPER(1), 0 } },
    { PLAIN | DRIVER, ENOSYS, "a signal to all", SYS_kill, { -1, 0 } },
    { PLAIN | DRIVER, ENOSYS, "a signal to another's thread", SYS_tgkill, { 1, 1, 0 } },
    { PLAIN | DRIVER, ENOSYS, "a signal to a thread of anybody", SYS_tkill, { 1, 0 } },
    { POCL, PASSES, "a signal to a compiler", SYS_kill, { 0, 0 } },
    { ALL, EPERM, "pidfd_open", SYS_pidfd_open, { 1 } },
    { PLAIN | DRIVER, EPERM, "another processor", SYS_sched_setaffinity, { 0 } },

    /* What lives in the kernel, what goes outside, and the filter itself. */
    { ALL, EPERM, "socket", SYS_socket, { AF_INET, SOCK_STREAM } },
    { ALL, EPERM, "socketpair", SYS_socketpair, { AF_UNIX, SOCK_STREAM } },
    { ALL, EPERM, "memfd_create", SYS_memfd_create, { (long)"none" } },
    { ALL, EPERM, "shmget", SYS_shmget, { 0, 4096, 0600 } },
    { ALL, EPERM, "timer_create", SYS_timer_create, { 0 } },
    { ALL, ENOSYS, "fcntl(F_SETSIG)", SYS_fcntl, { FD_CODE, F_SETSIG, SIGCONT } },
    { ALL, ENOSYS, "fcntl(F_SETLK)", SYS_fcntl, { FD_CODE, F_SETLK, 0 } },
    { ALL, PASSES, "fcntl(F_GETFD)", SYS_fcntl, { FD_CODE, F_GETFD } },
    { PLAIN, ENOSYS, "ioctl(TIOCSTI)", SYS_ioctl, { FD_CODE, TIOCSTI, (long)&byte } },
    { PLAIN, ENOSYS, "eventfd2", SYS_eventfd2, { 0, 0 } },
    { DRIVER | POCL, PASSES, "eventfd2", SYS_eventfd2, { 0, 0 } },
    { PLAIN, ENOSYS, "pipe2", SYS_pipe2, { 0, 0 } },
    { ALL, ENDS, "io_uring_setup", SYS_io_uring_setup, { 1, 0 } },
    { ALL, ENDS, "bpf", SYS_bpf, { 0 } },
    { ALL, ENDS, "mount", SYS_mount, { 0 } },
    { ALL, ENDS, "seccomp", SYS_seccomp, { 0 } },
    { ALL, ENDS, "prctl(PR_SET_SECCOMP)", SYS_prctl, { PR_SET_SECCOMP } },
    { ALL, ENOSYS, "prctl(PR_SET_DUMPABLE)", SYS_prctl, { PR_SET_DUMPABLE, 0 } },
    { ALL, ENDS, "a call of the x32 ABI", 0x40000000 | SYS_getpid, { 0 } },
    { ALL, PASSES, "getpid", SYS_getpid, { 0 } },
};

/* Installs the filter, makes the call, and writes the result to `to`: 0 or an errno. */
static _Noreturn void make_call(const struct row *row, enum filter_level level, bool loads_later, int to)
{
    const long *a = row->arguments;
    const int memory = open("/proc/self/mem", O_RDWR), code = open("/proc/self/exe", O_RDONLY);
    int result;

    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });
    if (memory < 0 || code < 0 || dup2(to, 22) != 22 || dup2(memory, FD_MEMORY) < 0 || dup2(code, FD_CODE) < 0 ||
        dup2(code, FD_LOADER) < 0 ||
        mmap((void *)PAGE, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) !=
            (void *)PAGE ||
        filter_install(level, loads_later))
        _exit(1);
    result = syscall(row->number, a[0], a[1], a[2], a[3], a[4], a[5]) < 0 ? errno : 0;
    _exit(write(22, &result, sizeof result) == sizeof result ? 0 : 1);
}

/* How the call of the row ended: ENDS, 0 or an errno; -2 if the test itself failed. */
static int end_of(const struct row *row, enum filter_level level, bool loads_later)
{
    int ends[2], status, result = -2;
    pid_t pid;

    if (pipe(ends) != 0)
        return result;
    pid = fork();
    if (pid == 0)
        make_call(row, level, loads_later, ends[1]);
    close(ends[1]);
    if (read(ends[0], &result, sizeof result) != sizeof result)
        result = -2;
    close(ends[0]);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -2;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
        return ENDS;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? result : -2;
}

/* PASSES says that it was not the filter that spoke: it has these four words alone. */
static bool ends_so(int end, int must)
{
    return must == PASSES ? end >= 0 && end != EPERM && end != ENOSYS && end != EROFS && end != ESPIPE : end == must;
}

int main(void)
{
    const struct row later = { ALL, PASSES, "", SYS_mmap, { 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, FD_CODE, 0 } };

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int level = FILTER_PLAIN; level < FILTER_LEVELS; level++)
            if (rows[r].levels & 1 << level) {
                const int end = end_of(&rows[r], (enum filter_level)level, false);

                CHECK(ends_so(end, rows[r].end), "%s, '%s': %d instead of %d",
                      filter_name((enum filter_level)level), rows[r].what, end, rows[r].end);
            }
    /* Where drivers load their compilers late. */
    CHECK(end_of(&later, FILTER_DRIVER, true) == PASSES, "a file to execute that is loaded later");
    return unit_end();
}
