/*
 * host_io.c - functions of the C library that give the program's memory to the system. While work is pending, watch.c
 * may have closed pages of that memory. An access of the program goes on after its note, but the system fails with
 * EFAULT. So these functions access the pages first. They stand before those of the C library, because programs link
 * that one last.
 */
#include "runtime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#pragma GCC visibility push(default)

/* NAME of the C library, as `next`. */
#define NEXT(name)                                                                                                     \
    static __typeof__(name) *next;                                                                                     \
    if (!next)                                                                                                         \
        *(void **)&next = dlsym(RTLD_NEXT, #name)

ssize_t read(int fd, void *buffer, size_t bytes)
{
    NEXT(read);
    watch_touch(buffer, bytes, true);
    return next(fd, buffer, bytes);
}

ssize_t write(int fd, const void *buffer, size_t bytes)
{
    NEXT(write);
    watch_touch(buffer, bytes, false);
    return next(fd, buffer, bytes);
}

ssize_t pread(int fd, void *buffer, size_t bytes, off_t offset)
{
    NEXT(pread);
    watch_touch(buffer, bytes, true);
    return next(fd, buffer, bytes, offset);
}

ssize_t pwrite(int fd, const void *buffer, size_t bytes, off_t offset)
{
    NEXT(pwrite);
    watch_touch(buffer, bytes, false);
    return next(fd, buffer, bytes, offset);
}

ssize_t pread64(int fd, void *buffer, size_t bytes, off64_t offset)
{
    NEXT(pread64);
    watch_touch(buffer, bytes, true);
    return next(fd, buffer, bytes, offset);
}

ssize_t pwrite64(int fd, const void *buffer, size_t bytes, off64_t offset)
{
    NEXT(pwrite64);
    watch_touch(buffer, bytes, false);
    return next(fd, buffer, bytes, offset);
}

ssize_t readv(int fd, const struct iovec *pieces, int count)
{
    NEXT(readv);
    for (int n = 0; n < count; n++)
        watch_touch(pieces[n].iov_base, pieces[n].iov_len, true);
    return next(fd, pieces, count);
}

ssize_t writev(int fd, const struct iovec *pieces, int count)
{
    NEXT(writev);
    for (int n = 0; n < count; n++)
        watch_touch(pieces[n].iov_base, pieces[n].iov_len, false);
    return next(fd, pieces, count);
}

ssize_t recv(int fd, void *buffer, size_t bytes, int flags)
{
    NEXT(recv);
    watch_touch(buffer, bytes, true);
    return next(fd, buffer, bytes, flags);
}

ssize_t send(int fd, const void *buffer, size_t bytes, int flags)
{
    NEXT(send);
    watch_touch(buffer, bytes, false);
    return next(fd, buffer, bytes, flags);
}

size_t fread(void *buffer, size_t size, size_t count, FILE *file)
{
    NEXT(fread);
    watch_touch(buffer, size * count, true);
    return next(buffer, size, count, file);
}

size_t fwrite(const void *buffer, size_t size, size_t count, FILE *file)
{
    NEXT(fwrite);
    watch_touch(buffer, size * count, false);
    return next(buffer, size, count, file);
}

#pragma GCC visibility pop
