/*
 * fuzz_unpack.c - submitted archives as build/unpack reads them: whatever an archive has, the output is plain
 * files and folders below its folder, no more and no larger than allowed.
 */
#include <ftw.h>
#include <stdint.h>
#include <sys/mman.h>

/* A time limit of this process is not the limit of one archive. */
#include <sys/resource.h>
#define setrlimit(...) 0
#define main unpack_main
#include "contrib/grade/main_unpack.c"
#undef main

#include "verify/base/tree.h"

enum { FILES_MOST = 20, BYTES_MOST = 1 << 18 };

static uint64_t bytes;
static unsigned files, others;

static int count(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)path, (void)where;
    files += kind == FTW_F;
    bytes += kind == FTW_F ? (uint64_t)status->st_size : 0;
    others += kind != FTW_D && kind != FTW_DP && !(kind == FTW_F && S_ISREG(status->st_mode) && status->st_nlink == 1);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char folder[] = "/dev/shm/fuzz-unpack-XXXXXX", archive[64], number[16], most[16];
    char *arguments[] = { "unpack", archive, folder, number, most, NULL };
    const int fd = memfd_create("archive", 0);

    if (fd < 0 || write(fd, data, size) != (ssize_t)size || !mkdtemp(folder))
        abort();
    snprintf(archive, sizeof archive, "/proc/self/fd/%d", fd);
    snprintf(number, sizeof number, "%d", FILES_MOST);
    snprintf(most, sizeof most, "%g", BYTES_MOST / 1048576.0);
    unpack_main(5, arguments);
    bytes = files = others = 0;
    if (nftw(folder, count, 8, FTW_PHYS) != 0 || others > 0 || files > FILES_MOST || bytes > BYTES_MOST)
        abort();
    tree_remove(folder);
    close(fd);
    return 0;
}
