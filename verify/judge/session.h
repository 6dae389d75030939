/*
 * session.h - one runner process, from its start to the end of everything it started.
 *
 *   session_start()  starts the runner in its box without waiting, so that it is ready sooner
 *   session_open()   makes it load the submission and waits until it is ready: CUDA initialised, output mapped
 *   session_call()   releases one input, stops the clock at "done", copies the output out
 *   session_close()  ends the process and everything it started
 *
 * The last three return facts, from which verdict.c makes a verdict. The calling process must have no children but
 * runners and what it spares, and must have called reap_adopt().
 */
#ifndef VERIFY_SESSION_H
#define VERIFY_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "verify/base/blob.h"
#include "verify/box/box.h"
#include "verify/box/cgroup.h"
#include "verify/wire/channel.h"
#include "verify/wire/resident.h"
#include "verify/gpu/gpu.h"
#include "verify/box/memory.h"
#include "verdict.h"
#include "verify/gpu/warden.h"

/* The settings of a session. */
struct session_config {
    struct box box;      /* the program, its box and its devices */
    double start_limit;  /* seconds until it must be ready */
    double call_limit;   /* seconds a call of device_user() may take */
    double end_limit;    /* seconds that the kernel may take to end what was killed */
    const struct cgroup_place *cgroup; /* where it gets a cgroup of its own, with BOX_CGROUP */
    size_t memory_limit; /* bytes of memory it may use; 0 for no limit */
    size_t memory_beside; /* and what runner and device may use for themselves */
    size_t data_limit;   /* bytes of private memory it may ask for (RLIMIT_DATA); 0 for no limit */
    size_t image;        /* bytes of memory that the submission takes when it is loaded */
    size_t address_limit; /* bytes of address space (RLIMIT_AS); 0 where CUDA reserves what it likes */
    size_t output_limit; /* bytes it may print to standard output and error */
    int processor;       /* the one it runs on, or PROCESSOR_ANY: processors_claim() */
    bool spin;           /* the host has another one, to wait on without sleeping */
    bool exit_handlers;  /* it ends by exit(): its CUDA runtime, the simulator, has last words */
    bool reports;        /* and writes reports to CHANNEL_REPORT_*_FD */
    bool page_lock;      /* it uses CUDA: large inputs have a place that it page-locks */
    bool resident;       /* calls get the GPU's memory */
    bool warm;           /* the GPU's L2 cache is left as the call before left it */
    bool stops;          /* it is one process, which the host may stop */
    const struct gpu *gpu; /* the one in the box; or NULL */
    size_t device_memory_limit; /* bytes that it may use of the GPU's memory; 0 for no limit */
    struct warden *warden; /* who looks after the GPU; NULL where none is used */
};

enum { SESSION_PRINTED_KEPT = 1 << 16, SESSION_REPORT_MOST = 1 << 20 };

/* The text that the simulator, or anything else in its process, wrote when the process ended. */
struct session_report {
    int fd;      /* the host's end of a pipe; -1 for none */
    char *text;  /* [SESSION_REPORT_MOST], the first bytes; the caller's to free after session_close(); or NULL */
    size_t size; /* bytes that came; above SESSION_REPORT_MOST the end is missing */
};

enum { SESSION_REPORT_TEXT, SESSION_REPORT_JSON, SESSION_REPORTS };

struct session {
    const struct session_config *config; /* the caller's, for the session's life */
    bool started;                        /* its processes are there, or could not be made */
    bool ahead;                          /* before it was needed: its processes run on any of the host's processors */
    struct facts begun;                  /* how its start ended, where `awaited` */
    bool awaited;                        /* the runner has said that it is there, or will not */
    pid_t pid;                           /* the child: bubblewrap or the runner; 0 once waited for */
    pid_t runner;                        /* the runner, as the kernel told it with its first message; 0 before */
    int pidfd;                           /* readable when the child has ended; -1 for none */
    int channel;                         /* the host's end; -1 for none */
    int printed_fd;                      /* what the runner prints; -1 for none */
    int status;                          /* of the child as wait() gives it */
    uint64_t nonce;                      /* of the last message that wants a reply; 0 before the first WAKE */
    bool loaded;                         /* it got the order to load the submission: user code may have run */
    bool idle;                           /* it waits for the next call */
    unsigned char *output;               /* the host's view of the output memory */
    size_t output_size;                  /* bytes */
    uint64_t poison;                     /* key of what the output held before the present call */
    unsigned char *place;                /* the host's view of where large inputs go; NULL for none */
    size_t place_size;                   /* bytes */
    struct {
        struct warden *warden;           /* who owns the slots; NULL where calls have none */
        volatile struct resident_page *page;
        unsigned char *staging;          /* what passes between host and warden; NULL before the first call */
        size_t staging_size;             /* bytes */
        size_t slots_size;               /* bytes of device memory */
        size_t input_size, output_size;  /* bytes that the slots have room for */
        unsigned gaps;                   /* that traps have shown */
    } resident;
    size_t device_memory_before;         /* bytes in use on the GPU before user code was loaded */
    size_t device_memory_peak;           /* and the most since, beyond that, as far as it was seen */
    bool audit;                          /* the caller's, before a call: see whether it uses the GPU; not timed */
    bool used_gpu;                       /* of the last such call */
    size_t printed;                      /* bytes the runner has printed so far */
    char text[SESSION_PRINTED_KEPT];     /* the first of them */
    struct cgroup cgroup;                /* its own, where there is one */
    struct memory_watch memory;          /* else the host looks at the runner's */
    size_t memory_peak;                  /* bytes in use at most, as far as it was seen */
    size_t refused;                      /* bytes that the runner says it was refused, the first time; 0 for none */
    struct session_report reports[SESSION_REPORTS];
    char detail[256];                    /* the words that facts.detail points to */
    int64_t begun_at;                    /* clock_ns(): when its processes were started */
    double there_seconds;                /* from then until the runner was seen to be there */
    double start_seconds;                /* that, and from session_open() until it was ready */
    double end_seconds;                  /* from session_close() until all that it started was gone */
};

/* The input of one call, or those of a series: of calls that are in flight together (verify/wire/resident.h). */
struct session_inputs {
    const unsigned char *data; /* one behind the other, blob_pitch(size) bytes apart */
    size_t size;               /* bytes of each */
    size_t calls;              /* inputs that there are, up to RESIDENT_CALLS; 1: no series */
    size_t made;               /* calls that are made, of the first ones; nobody learns before how many */
};

/* How long each part of a call took, seconds; the inner ones are the runner's own word. */
struct session_times {
    double total;    /* release to the output copied: the result */
    double release;  /* release to the runner's receipt */
    double map;      /* mapping the input */
    double call;     /* device_user() itself */
    double done;     /* its return to the host's receipt, and taking the output */
    double megahertz; /* the SM clock just before the call, as the warden measured it; 0 where there is none */
    uint64_t reasons; /* gpu_state.reasons just after the call, which the caller adds; 0 where there is no GPU */
};

/*
 * Starts a runner that will be needed later, in *session, and returns at once. session_await() waits until it is ready,
 * with its context on the GPU, so that the context is not made while another call is timed. session_open() reports
 * failures.
 */
void session_start(struct session *session, const struct session_config *config);
void session_await(struct session *session);

/*
 * Starts the runner, if *session is all zero or was closed, makes it load the submission, and waits until it is ready.
 * The outcome is OUTCOME_DONE if it is; the session must be closed either way. A session that was started before keeps
 * its old `config`.
 */
struct facts session_open(struct session *session, const struct session_config *config, size_t output_size);

/*
 * Sets traps if the data are resident on the GPU: an input that no call gets, `decoy`, is put into the slot like a real
 * one, and the submission must start nothing for it. Before each call, and again after each trap, a random draw decides
 * whether a trap comes next, so nobody can predict it. OUTCOME_DONE if nothing started; any other outcome ends the
 * session.
 */
bool session_draws_trap(const struct session *session);
struct facts session_trap(struct session *session, const struct session_inputs *decoy);

/*
 * Makes one call on a fresh copy of `input`. On OUTCOME_DONE *output, of the size given to session_open(), is the
 * output at "done". Any other outcome ends the session.
 */
struct facts session_call(struct session *session, const struct blob *input, struct blob *output,
                          struct session_times *times);

/*
 * Makes a series, if there are traps. times->total is the time from the first call's release until all work of the
 * calls has ended. *outputs gets all outputs one after the other, like the inputs. The outputs of calls that are not
 * made must not change (facts.ahead).
 */
struct facts session_series(struct session *session, const struct session_inputs *inputs, struct blob *outputs,
                            struct session_times *times);

/*
 * Ends the runner and everything it started. False if something did not end in time: a probe then finds the fault
 * (probe.h), for which the caller gives up the rest (reap_give_up()).
 */
bool session_close(struct session *session);

#endif
