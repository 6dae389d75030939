/*
 * warden.h - a trusted process with a context on the GPU, which tells the host what the GPU does.
 *
 * The host has no CUDA context of its own, so it asks a helper (warden_main.cu) that runs no user code. A GPU runs the
 * kernels of one context at a time: a kernel of the warden's that was kept from running shows that another context's
 * was. Measured on an H100, two launches of an empty kernel one after the other take 10 µs each on an idle GPU and a
 * time slice (1.2 to 2.4 ms) on a busy one; a kernel that watches the clock sees gaps of up to 10 µs while it has the
 * GPU to itself, and 290 µs or more for one empty kernel of another context. Copies do not show: they have engines of
 * their own.
 *
 * Measured on two H200: where a process makes a context on a GPU that nobody else has one on, the other GPU stands
 * still for 0.8 ms, which a watch there takes for a kernel; not where somebody has one already, and not when the last
 * one goes (tests/bench/bench_watch.sh). In a judging the warden's is the first, so a warden makes its own under a
 * lock, and a watch that may be held against a submission has the lock as well.
 */
#ifndef VERIFY_WARDEN_H
#define VERIFY_WARDEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "verify/base/error.h"

/* A second empty kernel that took longer, or a longer gap: another context was running. Seconds. */
#define WARDEN_IDLE_SECONDS 100e-6

/* The warden's end of the channel; LOCKFILE_CONTEXTS, if that could be opened; of one that is lent its GPU's lock. */
enum { WARDEN_FD = 3, WARDEN_CONTEXTS_FD, WARDEN_LOCK_FD };

enum warden_operation {
    WARDEN_READY,   /* the warden's first word, unasked */
    WARDEN_IDLE,    /* waits until the GPU is idle, for `seconds` at most; `seconds` of the reply: how long that took */
    WARDEN_FLUSH,   /* empties the L2 cache; `megahertz` of the reply: the SM clock just then */
    WARDEN_CLOCK,   /* the same, and leaves the cache alone */
    WARDEN_WATCH,   /* starts to watch for kernels of other contexts, on a GPU that is idle */
    WARDEN_WATCH_ALONE, /* the same; until it ends no other warden makes its context (see above) */
    WARDEN_UNWATCH, /* and ends it; `seconds` of the reply: the longest gap */
    WARDEN_HEALTH,  /* runs a kernel on all processors whose result is known */
    /* Of problems whose data are resident (verify/wire/resident.h): */
    WARDEN_PAGE,    /* with the page's descriptor: maps it */
    WARDEN_SLOTS,   /* with that of the staging memory (below): makes slots; the reply carries theirs */
    WARDEN_POISON,  /* fills the output slot, by `nonce` (poison.h) */
    WARDEN_DECOY,   /* brings what is staged to the input's slot, as CALL does, and releases nothing */
    WARDEN_CALL,    /* brings the input, releases the call, and looks at the output until the page says "done" */
    WARDEN_TAKE,    /* brings the output to the staging memory, and tells what the looks saw */
    WARDEN_FORGET,  /* lets go of page, slots and staging memory */
    WARDEN_NAME,    /* `text` of the reply: the UUID of its GPU; `process`: its own number */
};

struct warden_message {
    uint32_t operation; /* enum warden_operation; the reply repeats it */
    uint32_t ok;        /* of a reply: 1, or 0 where it is not idle, not healthy, or CUDA failed */
    int32_t process;
    double seconds;
    double megahertz;
    uint64_t nonce;     /* of POISON and CALL */
    uint64_t input_size, output_size; /* of SLOTS, bytes; of CALL and DECOY those of this input */
    int64_t start;      /* clock_ns(): of CALL's reply, the release; of TAKE's, the first look at the whole output */
    uint32_t late;      /* of TAKE's reply: something was written after a look that came after "done" */
    char text[120];     /* of a reply that is not ok: why, terminated */
};

/*
 * The staging memory: what passes between host and warden for resident problems, which nobody else maps. `stop` comes
 * first, the input follows WARDEN_STAGING bytes later, the output as resident_output_offset() says.
 */
enum { WARDEN_STAGING = 4096 };

struct warden_staging {
    volatile uint32_t stop; /* the host's: ends a CALL that waits for "done" */
};

struct warden {
    pid_t pid;          /* 0 for none */
    int channel;        /* -1 for none */
    bool lent;          /* by the caller of the program, who started it */
    int handle;         /* of one that was lent: what signals are sent by, whoever has its number by then */
    bool ready;         /* it has said so */
    char why[160];      /* why the last operation failed */
};

/*
 * Starts `program` on the GPU of that UUID, which the caller has claimed. It is ready some tenths of a second later,
 * which the first operation waits for. False, with an error, when no process could be made.
 */
bool warden_start(struct warden *warden, const char *program, const char *gpu_uuid, struct error *error);

/*
 * Ends one that was started, and lets go of one that was lent, or ends it where an operation of it has failed. Does
 * nothing where there is none.
 */
void warden_stop(struct warden *warden);

/*
 * Starts one to be lent to several hosts, one after the other, which need not make a context each then. The caller must
 * not have claimed the GPU: the warden claims it to make its context, at once where nobody has it, and otherwise waits
 * for the first host that has and asks it something; it claims it again to end. It ends when all copies of the
 * channel's end are closed, or by warden_give_up(), which does not wait for that: it is a child of the caller, and may
 * outlive it.
 */
bool warden_start_lent(struct warden *warden, const char *program, const char *gpu_uuid, struct error *error);
void warden_give_up(struct warden *warden);

/* Whether it is still there to be lent. */
bool warden_lives(const struct warden *warden);

/*
 * The host's side: borrows the warden at the other end of `channel`, on a GPU that it has claimed.
 * False where that does not answer, is not healthy or looks after another GPU: it is ended then, and its owner will
 * start another. In warden->why stands what is wrong with the GPU, or nothing.
 */
bool warden_borrow(struct warden *warden, int channel, const char *gpu_uuid);

/* What the operations above do; false where they say so or the warden does not answer, with warden->why. */
bool warden_wait_ready(struct warden *warden);
bool warden_idle(struct warden *warden, double seconds);
bool warden_flush(struct warden *warden, double *megahertz);
bool warden_clock(struct warden *warden, double *megahertz);
bool warden_watch(struct warden *warden);
bool warden_watch_alone(struct warden *warden);
bool warden_unwatch(struct warden *warden, double *gap);
bool warden_health(struct warden *warden);

/*
 * The operations for resident problems. warden_slots() gives the descriptor of the slots' memory and its size in bytes,
 * which the caller closes. A call is two steps: between them the host waits for the runner; the second one waits until
 * the call is done, or told to stop, and says how long the last look at the output took.
 */
bool warden_page(struct warden *warden, int page);
bool warden_slots(struct warden *warden, int staging, size_t input_size, size_t output_size, int *slots, size_t *size);
bool warden_poison(struct warden *warden, uint64_t key, size_t output_size);
bool warden_decoy(struct warden *warden, size_t input_size);
bool warden_call_begin(struct warden *warden, uint64_t nonce, size_t input_size, size_t output_size, double seconds);
bool warden_call_end(struct warden *warden, double seconds, int64_t *start, double *look);
bool warden_take(struct warden *warden, size_t output_size, int64_t *whole, bool *late);
bool warden_forget(struct warden *warden);

#endif
