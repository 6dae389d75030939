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
 * Making a page takes the kernel as long as clearing it, and on a virtual machine several times as long: of the large
 * cases' seconds most went there, on one processor. So several make a piece each, of so many pages.
 */
enum { PAGES_OF_PIECE = 8 };

struct fresh {
    char *place;
    size_t size;
    atomic_int reason; /* errno of a piece that could not be made, or 0 */
};

/*
 * A huge page can be made once one byte of it is there; small ones that are all made before, and then collected into a
 * huge one, take ten times as long.
 */
static void make_pages(void *context, size_t first, size_t end)
{
    struct fresh *fresh = context;
    const size_t rest = fresh->size - first * HUGE_PAGE, whole = (end - first) * HUGE_PAGE;
    const size_t size = rest < whole ? rest : whole;
    char *piece = fresh->place + first * HUGE_PAGE;

    if (size == whole) {
        for (size_t i = 0; i < size; i += HUGE_PAGE)
            ((volatile char *)piece)[i] = 0;
        madvise(piece, size, MADV_COLLAPSE); /* a machine that cannot is slower, not wrong */
    }
    if (madvise(piece, size, MADV_POPULATE_WRITE) == 0)
        return;
    if (errno != EINVAL) /* there is no memory for it */
        atomic_store(&fresh->reason, errno);
    else
        for (size_t i = 0; i < size; i += 4096) /* they are to count as the host's memory, not as the submission's */
            ((volatile char *)piece)[i] = 0;
}

void *session_map_new(int fd, size_t size)
{
    struct fresh fresh = { .place = map_reserve(size), .size = size };

    if (fresh.place && mmap(fresh.place, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
        atomic_store(&fresh.reason, errno);
    else if (fresh.place)
        parallel_pieces((size + HUGE_PAGE - 1) / HUGE_PAGE, PAGES_OF_PIECE, make_pages, &fresh);
    if (fresh.place && atomic_load(&fresh.reason) != 0) {
        munmap(fresh.place, size);
        errno = atomic_load(&fresh.reason);
        return NULL;
    }
    return fresh.place;
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
