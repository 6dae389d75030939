/*
 * refusal.c - the C library's allocators, and one look at what they return.
 */
#include "refusal.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "verify/wire/channel.h"

/* The C library's own, under the names that it has for those who stand before it. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

/* Bytes of a process's address space on every processor that the toolkit runs on. */
static const size_t address_space = (size_t)1 << 47;

/* Whether the next refusal is reported; for the process's life. */
static atomic_bool armed;

void refusal_arm(void) { atomic_store(&armed, true); }

void refusal_tell(size_t size)
{
    struct channel_message message = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_REFUSED, .size = size };
    int reason = errno;

    if (size < address_space && atomic_exchange(&armed, false))
        channel_send(CHANNEL_FD, &message, -1);
    errno = reason;
}

static void *noticed(void *memory, size_t size)
{
    if (!memory && size > 0 && errno == ENOMEM)
        refusal_tell(size);
    return memory;
}

void *malloc(size_t size) { return noticed(__libc_malloc(size), size); }

void *calloc(size_t count, size_t size)
{
    void *memory = __libc_calloc(count, size);

    return memory ? memory : noticed(memory, size && count > SIZE_MAX / size ? SIZE_MAX : count * size);
}

void *realloc(void *memory, size_t size) { return noticed(__libc_realloc(memory, size), size); }

void *memalign(size_t alignment, size_t size) { return noticed(__libc_memalign(alignment, size), size); }

void *aligned_alloc(size_t alignment, size_t size)
{
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
        errno = EINVAL;
        return NULL;
    }
    return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    int reason = errno, result = 0;
    void *found;

    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    found = memalign(alignment, size);
    if (found)
        *memory = found;
    else
        result = ENOMEM;
    errno = reason;
    return result;
}

void *mmap(void *place, size_t size, int protection, int flags, int fd, off_t offset)
{
    void *memory = (void *)syscall(SYS_mmap, place, size, protection, flags, fd, offset);

    if (memory == MAP_FAILED && errno == ENOMEM && (flags & MAP_ANONYMOUS) && (protection & PROT_WRITE))
        refusal_tell(size);
    return memory;
}

void *mmap64(void *place, size_t size, int protection, int flags, int fd, off64_t offset)
    __attribute__((alias("mmap")));
