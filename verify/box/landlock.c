/*
 * landlock.c - Landlock's three system calls, which the C library has no functions for.
 *
 * The constants are the kernel's (include/uapi/linux/landlock.h). They are written here since headers that a machine
 * has may be older than its kernel; a kernel that is older than a constant is not asked for it.
 */
#include "landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 }; /* the same on every processor */
enum { CREATE_VERSION = 1, RULE_PATH_BENEATH = 1 };

/* Bits of what is done with files, and the version that brought the last ones. */
#define EXECUTE    UINT64_C(0x0001)
#define WRITE_FILE UINT64_C(0x0002)
#define READ_FILE  UINT64_C(0x0004)
#define READ_DIR   UINT64_C(0x0008)
#define REMOVE     UINT64_C(0x0030) /* a folder, a file */
#define MAKE       UINT64_C(0x0180) /* a folder, a file; neither devices nor links nor sockets */
#define VERSION_1  UINT64_C(0x1fff)
#define REFER      UINT64_C(0x2000) /* 2 */
#define TRUNCATE   UINT64_C(0x4000) /* 3 */
#define IOCTL_DEV  UINT64_C(0x8000) /* 5 */
#define OF_FILES   (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV)
#define TCP        UINT64_C(0x3)    /* 4: to bind, to connect */
#define SCOPES     UINT64_C(0x3)    /* 6: abstract sockets, signals */

struct ruleset {
    uint64_t files, net, scoped; /* what is given up, unless a rule allows it */
};

struct path_beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

int landlock_version(void)
{
    const long version = syscall(CREATE_RULESET, NULL, 0, CREATE_VERSION);

    return version > 0 ? (int)version : 0;
}

/* What the kernel knows of files. */
static uint64_t known(void)
{
    const int version = landlock_version();

    return VERSION_1 | (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0) | (version >= 5 ? IOCTL_DEV : 0);
}

int landlock_rules(void)
{
    const int version = landlock_version();
    const struct ruleset all = { known(), version >= 4 ? TCP : 0, version >= 6 ? SCOPES : 0 };

    if (version == 0) {
        errno = ENOSYS;
        return -1;
    }
    return (int)syscall(CREATE_RULESET, &all, sizeof all, 0);
}

bool landlock_allow(int rules, const char *path, enum landlock_use use)
{
    static const uint64_t uses[] = {
        [LANDLOCK_READ] = EXECUTE | READ_FILE | READ_DIR,
        [LANDLOCK_WRITE] = EXECUTE | READ_FILE | READ_DIR | WRITE_FILE | REMOVE | MAKE | REFER | TRUNCATE,
        [LANDLOCK_DEVICE] = READ_FILE | WRITE_FILE | IOCTL_DEV,
    };
    struct path_beneath rule = { .allowed = uses[use] & known(), .parent = open(path, O_PATH | O_CLOEXEC) };
    struct stat info;
    bool ok;

    if (rule.parent < 0)
        return false;
    ok = fstat(rule.parent, &info) == 0;
    if (ok && !S_ISDIR(info.st_mode))
        rule.allowed &= OF_FILES;
    ok = ok && syscall(ADD_RULE, rules, RULE_PATH_BENEATH, &rule, 0) == 0;
    close(rule.parent);
    return ok;
}

/* All capabilities, also those that root would get again by executing a file. */
static bool drop_capabilities(void)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct none[2] = { { 0 } };

    for (int capability = 0; prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0;)
        capability++; /* the first that there is not ends it; where the right to drop is missing, so does the first */
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_capset, &header, none) == 0;
}

bool landlock_restrict(int rules)
{
    return drop_capabilities() && syscall(RESTRICT_SELF, rules, 0) == 0;
}

bool landlock_user_reads(const char *const *paths)
{
    bool all = geteuid() == 0;
    int fd;

    if (!all)
        return false;
    /* The call does not say whether it failed, as it does where a container has no such user. */
    setfsgid(LANDLOCK_USER);
    setfsuid(LANDLOCK_USER);
    all = setfsuid((uid_t)-1) == LANDLOCK_USER;
    for (; all && *paths; paths++) {
        fd = open(*paths, O_RDONLY | O_CLOEXEC);
        all = fd >= 0;
        if (all)
            close(fd);
    }
    setfsuid(0);
    setfsgid(getegid());
    return all;
}

bool landlock_become_user(void)
{
    return setgroups(0, NULL) == 0 && setresgid(LANDLOCK_USER, LANDLOCK_USER, LANDLOCK_USER) == 0 &&
           setresuid(LANDLOCK_USER, LANDLOCK_USER, LANDLOCK_USER) == 0;
}
