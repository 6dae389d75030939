/*
 * blob.c - owned memory and whole files.
 */
#include "blob.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared_map.h"

void blob_release(struct blob *blob)
{
    if (blob->mapped > 0)
        munmap(blob->data, blob->mapped);
    else
        free(blob->data);
    *blob = (struct blob){ 0 };
}

/*
 * Zero bytes in huge pages where the kernel gives them: the gigabytes of large cases come and go all the time, and
 * small pages are made one by one.
 */
static bool map_zeros(struct blob *blob, size_t size)
{
    size_t mapped = map_size(size);
    void *place = map_reserve(mapped);

    if (!place)
        return false;
    if (mmap(place, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
        munmap(place, mapped);
        return false;
    }
    madvise(place, mapped, MADV_HUGEPAGE);
    *blob = (struct blob){ .data = place, .size = size, .mapped = mapped };
    return true;
}

bool blob_alloc(struct blob *blob, size_t size, struct error *error)
{
    size_t rounded;

    blob_release(blob);
    if (size == 0)
        return true;
    if (__builtin_add_overflow(size, (size_t)2 * HUGE_PAGE, &rounded))
        return error_toolkit(error, "out of memory for %zu bytes", size);
    rounded = (size + BLOB_ALIGNMENT - 1) / BLOB_ALIGNMENT * BLOB_ALIGNMENT;
    if (size >= HUGE_PAGE)
        return map_zeros(blob, size) || error_toolkit(error, "out of memory for %zu bytes", size);
    blob->data = aligned_alloc(BLOB_ALIGNMENT, rounded);
    if (!blob->data)
        return error_toolkit(error, "out of memory for %zu bytes", size);
    memset(blob->data, 0, rounded);
    blob->size = size;
    return true;
}

bool blob_read_file(struct blob *blob, const char *path, size_t limit, struct error *error)
{
    struct stat status;
    size_t done = 0;
    bool ok = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* not blocking: a FIFO must not hang the host */

    if (fd < 0)
        return error_usage(error, "cannot open '%s': %s", path, strerror(errno));
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        error_usage(error, "'%s' is not a regular file", path);
        goto out;
    }
    if ((uintmax_t)status.st_size > limit) {
        error_usage(error, "'%s' has %jd bytes: at most %zu are allowed", path, (intmax_t)status.st_size, limit);
        goto out;
    }
    if (!blob_alloc(blob, (size_t)status.st_size, error))
        goto out;
    while (done < blob->size) {
        ssize_t got = read(fd, blob->data + done, blob->size - done);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            error_usage(error, "cannot read '%s': %s", path, got < 0 ? strerror(errno) : "it became shorter");
            goto out;
        }
        done += (size_t)got;
    }
    ok = true;
out:
    if (!ok)
        blob_release(blob);
    close(fd);
    return ok;
}
