/*
 * shared_map.h - mapping memory so that huge pages can be used: what host and runner share, and large blobs.
 *
 * Included by session.c and blob.c in the host and by runner.c.
 */
#ifndef VERIFY_SHARED_MAP_H
#define VERIFY_SHARED_MAP_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 }; /* bytes, on x86-64 */

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1; glibc 2.36 does not name it yet */
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; glibc 2.35 */
#endif

/*
 * In bytes. From this size on, inputs and outputs are page-locked for a submission in CUDA, and outputs are copied off
 * the clock. This costs about 200 µs on the clock: the GPU's switch from the warden, and stopping the process. It saves
 * mapping and copying, which take longer from this size on.
 */
enum { PAGE_LOCK_FROM = 1 << 20 };

/* What is mapped for `size` bytes: whole huge pages from an eighth of one on, to waste little on small inputs. */
static inline size_t map_size(size_t size)
{
    return size < HUGE_PAGE / 8 ? size : (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

/* Address space for map_at(), on a huge page's boundary where `size` is of whole ones; NULL with errno. */
static inline void *map_reserve(size_t size)
{
    size_t slack = size % HUGE_PAGE == 0 ? HUGE_PAGE : 0;
    char *reserved = mmap(NULL, size + slack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), *place;

    if (reserved == MAP_FAILED)
        return NULL;
    if (slack == 0)
        return reserved;
    place = (char *)(((uintptr_t)reserved + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    if (place > reserved)
        munmap(reserved, (size_t)(place - reserved));
    munmap(place + size, (size_t)(reserved + slack - place));
    return place;
}

/* Maps all of fd for reading and writing over address space of map_reserve(). False with errno. */
static inline bool map_at(void *place, int fd, size_t size)
{
    return mmap(place, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, 0) != MAP_FAILED;
}

/* Both in one; NULL with errno. */
static inline void *map_shared(int fd, size_t size)
{
    void *place = map_reserve(size);

    if (place && !map_at(place, fd, size)) {
        munmap(place, size);
        return NULL;
    }
    return place;
}

#endif
