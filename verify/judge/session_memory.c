/*
 * session_memory.c - memory files, and what an output holds before a call.
 */
#include "session_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "verify/base/parallel.h"
#include "verify/base/shared_map.h"

int session_shared_memory(const char *name, size_t size)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd >= 0 && (ftruncate(fd, (off_t)size) != 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)) {
        int reason = errno;

        close(fd);
        errno = reason;
        return -1;
    }
    return fd;
}

/*
 * The kernel can make a huge page if one byte of it is there. To make all small pages first, and then to collect them
 * into a huge one, takes ten times as long.
 */
void *session_map_new(int fd, size_t size)
{
    char *place = map_reserve(size);

    if (place && mmap(place, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
        munmap(place, size);
        return NULL;
    }
    if (place && size % HUGE_PAGE == 0) {
        for (size_t i = 0; i < size; i += HUGE_PAGE)
            ((volatile char *)place)[i] = 0;
        madvise(place, size, MADV_COLLAPSE); /* a machine that cannot is slower, not wrong */
    }
    if (!place || madvise(place, size, MADV_POPULATE_WRITE) == 0)
        return place;
    if (errno != EINVAL) { /* there is no memory for it */
        const int reason = errno;

        munmap(place, size);
        errno = reason;
        return NULL;
    }
    for (size_t i = 0; i < size; i += 4096) /* they are to count as the host's memory, not as the submission's */
        ((volatile char *)place)[i] = 0;
    return place;
}

int session_input_memory(const struct blob *input, size_t *size)
{
    unsigned char *view;
    int fd;

    *size = map_size(input->size);
    fd = session_shared_memory("input", *size);
    if (fd < 0)
        return -1;
    view = session_map_new(fd, *size);
    if (!view) {
        close(fd);
        return -1;
    }
    parallel_copy(view, input->data, input->size);
    munmap(view, *size);
    return fd;
}

/* An output as whole words; the rest at its end is compared separately. */
struct poisoned {
    uint64_t key;
    uint64_t *words;
    size_t before;     /* words of the output that lie before these */
    atomic_bool other; /* one that is not poison */
};

/* Words that a thread writes or compares at a time, and those that are looked at before others are. */
enum { POISON_PIECE = 1 << 19, POISON_LOOK = 1 << 10 };

static void write_poison(void *context, size_t first, size_t end)
{
    const struct poisoned *poisoned = context;

    for (size_t i = first; i < end; i++)
        poisoned->words[i] = poison_word(poisoned->key, i);
}

static void compare_poison(void *context, size_t first, size_t end)
{
    struct poisoned *poisoned = context;

    for (size_t i = first; i < end; i++)
        if (poisoned->words[i] != poison_word(poisoned->key, poisoned->before + i)) {
            atomic_store(&poisoned->other, true);
            return;
        }
}

bool session_poison(struct session *session)
{
    struct poisoned poisoned = { .words = (uint64_t *)session->output };
    const size_t words = session->output_size / 8, rest = session->output_size % 8;
    uint64_t last;

    if (getrandom(&session->poison, sizeof session->poison, 0) != (ssize_t)sizeof session->poison)
        return false;
    poisoned.key = session->poison;
    parallel_pieces(words, POISON_PIECE, write_poison, &poisoned);
    last = poison_word(session->poison, words);
    memcpy(session->output + words * 8, &last, rest);
    return true;
}

bool session_is_poison(const struct session *session, const struct blob *output, size_t first)
{
    const size_t before = first / 8, words = output->size / 8 - before, rest = output->size % 8;
    struct poisoned poisoned = { .key = session->poison, .words = (uint64_t *)output->data + before, .before = before };
    const uint64_t last = poison_word(session->poison, before + words);

    /* What a submission wrote shows at the start, as a rule. */
    compare_poison(&poisoned, 0, words < POISON_LOOK ? words : POISON_LOOK);
    if (!atomic_load(&poisoned.other))
        parallel_pieces(words, POISON_PIECE, compare_poison, &poisoned);
    return !atomic_load(&poisoned.other) && memcmp(poisoned.words + words, &last, rest) == 0;
}
