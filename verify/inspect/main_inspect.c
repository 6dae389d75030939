/*
 * main_inspect.c - reads a submission's file and says what it is: inspect RULES NAMES BOX < FILE > FINDINGS
 *
 *   RULES   the league's rules, as a number: bits 1 << enum rule (findings.h)
 *   NAMES   "names", or "any" where the names that the file imports are not looked at
 *   BOX     "box", or "none" where the submission is trusted
 *
 * The host starts it (verify/judge/inspection.c) and never reads the file itself, so a file that leads a reader into an
 * endless loop or a fault of the reader's harms this process alone. It has the file's pages and a pipe, and nothing of
 * the host's: no secret, no other descriptor that it could use, no variable. Before it reads, it gives up everything
 * but memory for data and one write. The answer is INSPECT_READY and then one struct findings.
 */
#include <errno.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elfinfo.h"
#include "findings.h"
#include "rules.h"

enum { GAVE_UP = 1, NOT_BEGUN = 125 };

#ifndef __SANITIZE_ADDRESS__ /* which needs more memory and more calls than are left here */
/*
 * A reader for which memory ran out must not go on: it could pass over what it has no room for. These stand before the
 * C library's own, also for libelf.
 */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static void *or_end(void *block, bool wanted)
{
    if (!block && wanted)
        _exit(GAVE_UP);
    return block;
}

void *malloc(size_t size) { return or_end(__libc_malloc(size), true); }
void *calloc(size_t count, size_t size) { return or_end(__libc_calloc(count, size), true); }
void *realloc(void *block, size_t size) { return or_end(__libc_realloc(block, size), size > 0); }

/* `last`: of a limit that sends a signal first. A lower limit of the caller's stays. */
static bool limit(int resource, rlim_t value, rlim_t last)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) != 0)
        return false;
    limit.rlim_cur = limit.rlim_cur < value ? limit.rlim_cur : value;
    limit.rlim_max = limit.rlim_max < last ? limit.rlim_max : last;
    return setrlimit(resource, &limit) == 0;
}

/* What is left: memory that nobody executes, the answer, and the end. Every other call fails. */
static bool filter(void)
{
    static const int calls[] = { SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
                                 SCMP_SYS(exit_group) };
    scmp_filter_ctx context = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    bool ok = context != NULL && seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0;

    for (size_t i = 0; ok && i < sizeof calls / sizeof calls[0]; i++)
        ok = seccomp_rule_add(context, SCMP_ACT_ALLOW, calls[i], 0) == 0;
    ok = ok &&
         seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
                          SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) == 0 &&
         seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(write), 1, SCMP_A0(SCMP_CMP_EQ, STDOUT_FILENO)) == 0 &&
         seccomp_load(context) == 0;
    seccomp_release(context);
    return ok;
}

/* libseccomp sets PR_SET_NO_NEW_PRIVS. */
static bool confine(size_t file, bool box)
{
    return limit(RLIMIT_CORE, 0, 0) && limit(RLIMIT_CPU, INSPECT_SECONDS, INSPECT_SECONDS + 1) &&
           limit(RLIMIT_AS, file + INSPECT_MEMORY, file + INSPECT_MEMORY) && (!box || filter());
}
#else
static bool confine(size_t file, bool box) { return file > 0 || box; }
#endif

static bool answer(const void *bytes, size_t size) { return write(STDOUT_FILENO, bytes, size) == (ssize_t)size; }

static int fail(const char *what)
{
    fprintf(stderr, "inspect: %s: %s\n", what, strerror(errno));
    return NOT_BEGUN;
}

int main(int argc, char **argv)
{
    static struct findings findings;
    struct stat info;
    void *file;
    Elf *elf;

    if (argc != 4) {
        fputs("usage: inspect RULES {names|any} {box|none} < FILE > FINDINGS\n", stderr);
        return NOT_BEGUN;
    }
    /* The host may have ended before this call; then nobody reads the answer, and a limit ends this process. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || fstat(STDIN_FILENO, &info) != 0)
        return fail("cannot begin");
    /* To be written, for a reader that puts numbers in order where they are: it writes to pages of its own. */
    file = mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, STDIN_FILENO, 0);
    if (file == MAP_FAILED)
        return fail("cannot map the file");
    if (!confine((size_t)info.st_size, strcmp(argv[3], "box") == 0))
        return fail("cannot give up what a hostile file could use");
    if (!answer(&(char){ INSPECT_READY }, 1))
        return fail("cannot answer");
    elf_version(EV_CURRENT);
    elf = elf_memory(file, (size_t)info.st_size);
    if (elf)
        elfinfo_read(elf, &findings);
    if (findings.is_shared_object)
        rules_check(elf, (unsigned)strtoul(argv[1], NULL, 10), strcmp(argv[2], "any") == 0, &findings);
    _exit(answer(&findings, sizeof findings) ? 0 : GAVE_UP);
}
