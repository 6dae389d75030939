/*
 * container.c - runs a command as a usual container would: container [--no-landlock] COMMAND...
 *
 * Not a test: the tests of boxes start programs by it. Root keeps the capabilities that Docker and Podman give, and the
 * system calls fail that their filter refuses without more: those that make namespaces and mounts. --no-landlock stands
 * for an older kernel.
 */
#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const int kept[] = {
    CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FSETID, CAP_FOWNER, CAP_MKNOD, CAP_NET_RAW, CAP_SETGID, CAP_SETUID, CAP_SETFCAP,
    CAP_SETPCAP, CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT, CAP_KILL, CAP_AUDIT_WRITE,
};

static bool keep_capabilities(void)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct set[2] = { { 0 } };
    uint64_t bits = 0;

    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        bits |= UINT64_C(1) << kept[i];
    for (int capability = 0; capability < 64; capability++)
        if (!(bits >> capability & 1))
            prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    for (int i = 0; i < 2; i++)
        set[i].effective = set[i].permitted = (uint32_t)(bits >> (32 * i));
    return geteuid() != 0 || syscall(SYS_capset, &header, set) == 0;
}

static bool refuse_calls(bool landlock)
{
    static const char *const refused[] = { "mount", "umount2", "unshare", "setns", "pivot_root", "ptrace" };
    const uint64_t spaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
    scmp_filter_ctx context = seccomp_init(SCMP_ACT_ALLOW);
    bool ok = context != NULL;

    for (size_t i = 0; ok && i < sizeof refused / sizeof refused[0]; i++)
        ok = seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), seccomp_syscall_resolve_name(refused[i]), 0) == 0;
    for (uint64_t bit = 1; ok && bit <= spaces; bit <<= 1)
        if (spaces & bit)
            ok = seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                  SCMP_A0(SCMP_CMP_MASKED_EQ, bit, bit)) == 0;
    ok = ok && seccomp_rule_add(context, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0 &&
         (landlock || seccomp_rule_add(context, SCMP_ACT_ERRNO(ENOSYS), 444, 0) == 0) && seccomp_load(context) == 0;
    seccomp_release(context);
    return ok;
}

int main(int argc, char **argv)
{
    const bool landlock = argc < 2 || strcmp(argv[1], "--no-landlock") != 0;

    argv += landlock ? 1 : 2;
    if (argc < (landlock ? 2 : 3)) {
        fputs("usage: container [--no-landlock] COMMAND...\n", stderr);
        return 2;
    }
    if (!refuse_calls(landlock) || !keep_capabilities()) {
        perror("container");
        return 3;
    }
    execvp(argv[0], argv);
    perror(argv[0]);
    return 3;
}
