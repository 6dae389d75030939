/*
 * race.c - races in shared memory, and reads of shared memory that nothing was written to.
 *
 * Vector clocks, a component a warp, as in DJIT+ and FastTrack (Flanagan and Freund, PLDI 2009), with lanes of one warp
 * taken as one thread. A barrier joins the clocks of those who meet; fences, and atomics that order, join and publish
 * through the block's `atomic_clock`, which can only hide races, never invent them.
 *
 * Called by access.c, by the bodies of memory instructions and by those of fences.
 */
#include "race.h"

#include "fault.h"

const char *access_verb(enum access access)
{
    return access == ACCESS_READ ? "read" : access == ACCESS_WRITE ? "write" : "atomic operation";
}

void access_fence(struct warp *w)
{
    struct block *b = w->block;

    for (int n = 0; n < WARPS_PER_BLOCK; n++) {
        if (b->atomic_clock[n] > w->clock[n])
            w->clock[n] = b->atomic_clock[n];
        else
            b->atomic_clock[n] = w->clock[n];
    }
    w->clock[w->index]++;
}

enum shared_how { ATOMIC_WRITE = 1, ATOMIC_READ = 2, NARROW_WRITE = 4, NARROW_READ = 8 };

/*
 * The warp whose unordered access to word `n` the access of `w` collides with, plus 1; 0: none. Two accesses narrower
 * than a word may be to different bytes of it, and are not held against each other.
 */
static unsigned collision(const struct warp *w, uint32_t n, enum access access, bool atomic, bool narrow,
                          bool *was_write)
{
    const struct block *b = w->block;
    const struct shared_word *x = &b->words[n];
    const uint32_t *readers = b->readers + (size_t)n * b->warp_count;
    unsigned me = w->index;

    *was_write = true;
    if (x->write_warp && x->write_warp - 1u != me && x->write_clock > w->clock[x->write_warp - 1] &&
        !(atomic && x->how & ATOMIC_WRITE) && !(narrow && x->how & NARROW_WRITE))
        return x->write_warp;
    *was_write = false;
    if (access == ACCESS_READ || (atomic && x->how & ATOMIC_READ) || (narrow && x->how & NARROW_READ))
        return 0;
    for (unsigned k = 0; k < b->warp_count; k++)
        if (readers[k] > w->clock[k] && k != me)
            return k + 1;
    return 0;
}

static void report_race(struct warp *w, const struct ins *ins, uint32_t lane, uint32_t offset, enum access access,
                        unsigned other, bool was_write, unsigned writer_lane)
{
    unsigned thread = (other - 1) * LANES + (was_write ? writer_lane : 0), nx = w->block->launch->ntid[0],
             ny = w->block->launch->ntid[1];

    w->worker->faulted_at = ins;
    if (was_write)
        fault_warn(w, ins, lane, FAULT_SHARED_RACE, offset,
                   "%s of shared memory at offset %u, which thread (%u,%u,%u) wrote with no barrier in between",
                   access_verb(access), offset, thread % nx, thread / nx % ny, thread / nx / ny);
    else
        fault_warn(w, ins, lane, FAULT_SHARED_RACE, offset,
                   "%s of shared memory at offset %u, which a thread of warp %u read with no barrier in between",
                   access_verb(access), offset, other - 1);
}

static void set_how(struct shared_word *x, unsigned set, unsigned clear)
{
    x->how = (uint8_t)((x->how & ~clear) | set);
}

uint8_t bytes_of_word(uint32_t n, uint32_t offset, unsigned bytes)
{
    uint32_t from = n == offset >> 2 ? offset & 3 : 0, last = offset + bytes - 1,
             end = n == last >> 2 ? (last & 3) + 1 : 4;

    return (uint8_t)(((1u << end) - 1) & ~((1u << from) - 1));
}

static inline void note_reader(struct shared_word *x, uint32_t epoch, uint32_t me)
{
    uint32_t now = epoch << 8;

    x->read = now | (x->read >> 8 == now >> 8 && (x->read & 0xFF) != me ? 0xFF : me);
}

/* One lane's access, with all that may be wrong with it. True: something was reported. */
static bool check_lane(struct warp *w, const struct ins *ins, uint32_t l, uint32_t offset, unsigned bytes,
                       enum access access, bool atomic, bool quiet)
{
    struct block *b = w->block;
    bool narrow = bytes < 4, empty = true;
    uint32_t last = (offset + bytes - 1) >> 2;

    for (uint32_t n = offset >> 2; n <= last; n++) {
        struct shared_word *x = &b->words[n];
        uint8_t part = bytes_of_word(n, offset, bytes);
        bool was_write;
        unsigned other;

        empty &= !(x->bytes & part);
        if (b->readers && !quiet && (other = collision(w, n, access, atomic, narrow, &was_write))) {
            report_race(w, ins, l, offset, access, other, was_write, x->writer_lane);
            quiet = true;
        }
        if (access != ACCESS_WRITE && b->readers) {
            b->readers[(size_t)n * b->warp_count + w->index] = w->clock[w->index];
            set_how(x, (atomic ? ATOMIC_READ : 0) | (narrow ? NARROW_READ : 0), ATOMIC_READ | NARROW_READ);
            note_reader(x, b->epoch, w->index + 1);
        }
        if (access != ACCESS_READ) {
            x->write_warp = (uint8_t)(w->index + 1);
            x->write_clock = w->clock[w->index];
            x->write_epoch = b->epoch;
            x->writer_lane = (uint8_t)l;
            x->bytes |= part;
            set_how(x, (atomic ? ATOMIC_WRITE : 0) | (narrow ? NARROW_WRITE : 0), ATOMIC_WRITE | NARROW_WRITE);
        }
    }
    if (empty && access != ACCESS_WRITE && w->worker->sim_check_written && !quiet) {
        quiet = true;
        w->worker->faulted_at = ins;
        fault_warn(w, ins, l, FAULT_UNINITIALISED, offset,
                   "read of %u bytes of shared memory at offset %u, where nothing was written", bytes, offset);
    }
    return quiet;
}

/*
 * The usual case in a few instructions: a plain access to one whole word, ordered after all others by a barrier of the
 * whole block, or to one that only this warp touched since. False: check_lane() must look.
 */
static inline bool usual_read(const struct shared_word *x, uint32_t epoch, uint32_t me)
{
    return x->bytes == 0xF && !x->how && (x->write_epoch < epoch || x->write_warp == me);
}

static inline bool usual_write(const struct shared_word *x, uint32_t epoch, uint32_t me)
{
    return !x->how && (x->write_epoch < epoch || x->write_warp == me) &&
           (x->read >> 8 != (epoch & 0xFFFFFF) || (x->read & 0xFF) == me);
}

CLONES void access_shared_check(struct warp *w, const struct ins *ins, const uint32_t *offsets, unsigned bytes,
                                enum access access)
{
    struct block *b = w->block;
    /* Volatile and its like: a flag that threads wait for, in kernels which have the fences that such flags need. */
    bool orders = ins->flags & (INS_SPINS | INS_RELEASE) && b->launch->kernel->fences;
    bool atomic = access == ACCESS_ATOMIC || orders, quiet = w->worker->faulted_at == ins;
    bool plain = !atomic && bytes == 4 && b->readers;
    uint32_t warps = b->warp_count, clock = w->clock[w->index], epoch = b->epoch, me = w->index + 1;

    if (orders && access != ACCESS_ATOMIC)
        access_fence(w);
    EVERY_LANE(l, w->mask)
    {
        uint32_t n = offsets[l] >> 2;
        struct shared_word *x = &b->words[n];

        if (plain && access == ACCESS_READ && usual_read(x, epoch, me)) {
            b->readers[(size_t)n * warps + w->index] = clock;
            note_reader(x, epoch, me);
        } else if (plain && access == ACCESS_WRITE && usual_write(x, epoch, me)) {
            x->write_clock = clock;
            x->write_warp = (uint8_t)me;
            x->writer_lane = (uint8_t)l;
            x->bytes = 0xF;
            x->write_epoch = epoch;
        } else {
            quiet = check_lane(w, ins, l, offsets[l], bytes, access, atomic, quiet);
        }
    }
    if (orders && access == ACCESS_WRITE)
        access_fence(w);
}
