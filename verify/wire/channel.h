/*
 * channel.h - the messages between host and runner over one SOCK_SEQPACKET socket pair.
 *
 *   runner → host   LOADING                   CUDA is initialised, and the filter is in place
 *                   FAILED_DEVICE               or it could not be; `text` says why
 *   host → runner   LOAD                      the box is complete, and the host looks at the memory: load it
 *   runner → host   READY                     loaded, waiting
 *                   FAILED_LOAD               or it could not be; `text` says why. Also in the place of PLACED
 *   runner → host   REFUSED                   at any time after LOADING, once: `size` bytes of memory were refused
 *   runner → host   FOREIGN_CODE              at any time after LOADING, and the last: the submission has registered
 *                                             device code that is not in its file
 *   host → runner   SETUP + output memfd      map this; `size` bytes
 *   runner → host   MAPPED
 *   host → runner   PLACE + input memfd       map this for the inputs to come, page-lock it; `mapped` bytes
 *   runner → host   PLACED
 *   host → runner   SLOTS + device memory     map this for the data of resident problems (resident.h): `mapped`
 *                                             bytes, the output from `size` on; the answer is PLACED
 *   host → runner   WAKE                      an input comes at once, of `mapped` bytes of new memory or in its place
 *                                             (0): finish what is on the GPU, and keep your processor awake;
 *                                             `size` 1: the GPU was used by another process
 *                                             (in slots: each input of a series has `mapped` bytes)
 *   runner → host   AWAKE
 *   host → runner   RUN [+ input memfd]       call device_user() once, on this or on what is in its place; `size` bytes
 *   runner → host   DONE                      it returned; `stamps` say when, as advice
 *   host → runner   QUIT                      end; `size` 1: by exit(), so that exit handlers run, else at once
 *
 * A small input travels as the descriptor of separate memory, which only the host has until RUN is sent. So no thread
 * and no kernel still in flight can read it sooner. The host writes a large input to its place while the process is
 * stopped and its GPU is idle. The host trusts only the kind and order of the messages, and that a reply which repeats
 * a message's nonce was made after that message.
 */
#ifndef VERIFY_CHANNEL_H
#define VERIFY_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The runner's end; and where the simulator writes its reports, one descriptor each, if they are wanted. */
enum { CHANNEL_FD = 3, CHANNEL_REPORT_TEXT_FD, CHANNEL_REPORT_JSON_FD };

/*
 * Exit codes of the runner's own, which differ from a submission's by earlier messages on the channel.
 * RUNNER_WORK_FAILED blames the submission: what its device_user() had started on the GPU failed after it had returned.
 * A submission that exits with this code gets the same verdict, in the same words.
 */
enum { RUNNER_FAILED = 120, RUNNER_LOST_CHANNEL = 121, RUNNER_WORK_FAILED = 122 };

enum channel_kind {
    CHANNEL_LOADING = 1,
    CHANNEL_FAILED_DEVICE,
    CHANNEL_READY,
    CHANNEL_FAILED_LOAD,
    CHANNEL_REFUSED,
    CHANNEL_SETUP,
    CHANNEL_MAPPED,
    CHANNEL_PLACE,
    CHANNEL_PLACED,
    CHANNEL_WAKE,
    CHANNEL_AWAKE,
    CHANNEL_RUN,
    CHANNEL_DONE,
    CHANNEL_QUIT,
    CHANNEL_LOAD,
    CHANNEL_FOREIGN_CODE,
    CHANNEL_SLOTS,
};

/* Stamps of DONE, nanoseconds of clock_ns(). */
enum { STAMP_RECEIVED, STAMP_MAPPED, STAMP_RETURNED, STAMPS };

enum { CHANNEL_MAGIC = 0x47505543 };

struct channel_message {
    uint32_t magic;         /* CHANNEL_MAGIC */
    uint32_t kind;          /* enum channel_kind */
    uint64_t size;          /* bytes of the input or output; or of the memory refused */
    uint64_t mapped;        /* bytes of the memory that comes along, at least size */
    uint64_t resident;      /* with SETUP: enum resident_mode; what comes along is the page then, with slots */
    uint64_t nonce;         /* random with WAKE and RUN; the reply must repeat it */
    int64_t stamps[STAMPS]; /* with DONE */
    char text[240];         /* with FAILED_*: why, terminated */
};

/*
 * Sends one message, with a descriptor unless fd is -1. Never waits: false with EAGAIN if the other end does not read
 * its messages, with another errno if it is gone.
 */
bool channel_send(int channel, const struct channel_message *message, int fd);

/*
 * Sleeping until a message comes costs tens of microseconds on a virtual machine whose idle processors are taken away.
 * So both sides poll for a while without sleeping if an answer is due soon.
 */
enum { CHANNEL_SPIN_NS = 1000000 };

/* Whether channel_receive() would return at once, found without sleeping; looks for at most `nanoseconds`. */
bool channel_spin(int channel, int64_t nanoseconds);

enum channel_got {
    CHANNEL_END,     /* the other end is closed */
    CHANNEL_MESSAGE, /* one that is well formed */
    CHANNEL_JUNK,    /* what channel_send() would not have sent */
};

/*
 * Receives one message and, where fd is not NULL, the descriptor that came along (else *fd = -1); with a NULL
 * fd no descriptor is taken in.
 */
enum channel_got channel_receive(int channel, struct channel_message *message, int *fd);

/*
 * The same for the first message of a process, whose number goes to *sender as the kernel tells it. The receiving end
 * must have been given to channel_ask_sender() before the process started; messages after the first carry no sender.
 */
enum channel_got channel_receive_first(int channel, struct channel_message *message, pid_t *sender);
void channel_ask_sender(int channel);

#endif
