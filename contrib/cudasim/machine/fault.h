/*
 * fault.h - errors and warnings of kernels, and how the machine records them.
 */
#ifndef CUDASIM_FAULT_H
#define CUDASIM_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ins;
struct sim;
struct warp;

/* Kinds of faults. Errors end the launch; warnings do not. */
enum sim_fault_kind {
    FAULT_NONE,
    FAULT_OUT_OF_BOUNDS,      /* address near, or past, a known allocation */
    FAULT_ILLEGAL_ADDRESS,    /* address that never belonged to the device, null and host pointers among them */
    FAULT_MISALIGNED,
    FAULT_USE_AFTER_FREE,
    FAULT_UNINITIALISED,      /* warning */
    FAULT_UNDEFINED_REGISTER, /* warning: a value that comes from a register that was never set */
    FAULT_SHARED_RACE,        /* warning */
    FAULT_GLOBAL_RACE,        /* warning */
    FAULT_STREAM_RACE,        /* warning: between work of two streams */
    FAULT_HOST_RACE,          /* warning: between work that is pending and the host */
    FAULT_DIVERGENT_BARRIER,  /* warning, or error where threads can never meet */
    FAULT_MISMATCHED_BARRIER, /* likewise */
    FAULT_DEADLOCK,
    FAULT_LEAK,               /* warning, at the end */
    FAULT_STACK_OVERFLOW,
    FAULT_TRAP,
    FAULT_ASSERT,
    FAULT_WRITE_TO_READ_ONLY,
    FAULT_INVALID_CALL,       /* a call through a pointer that is no function */
    FAULT_REFUSED,            /* warning: a call of the host returned an error; many programs ignore it */
    FAULT_MEMBER_MASK,        /* warning: lanes that exited are named, or the lane itself is not */
    FAULT_INACTIVE_LANE,      /* warning: the value of a lane that takes no part is used */
    FAULT_INVALID_FREE,       /* warning: the host frees what it may not */
    FAULT_HOST_ACCESS,        /* error: the host reads or writes memory of the device, and ends as on a GPU */
    FAULT_UNCHECKED,          /* warning, at the end: a call failed and the program ignored its result */
    FAULT_UNUSED              /* warning, at the end: an allocation was never written */
};

/* "out-of-bounds", … as used in reports and tests. */
const char *sim_fault_name(enum sim_fault_kind kind);

struct sim_fault {
    enum sim_fault_kind kind;
    bool error;         /* ended the launch */
    char kernel[256];   /* demangled name, without its parameters */
    char file[256];     /* of the source, "" if the PTX has no .loc */
    unsigned line;      /* of the source file, or of the PTX when file is "" */
    unsigned block[3], thread[3];
    uint64_t address;
    uint64_t count;     /* how often at this place: at most once per turn of a warp */
    char text[640];     /* the sentence, without the place: "write of 4 bytes at 0x…, 4 bytes after …" */
};

/* Warnings and errors so far, at most 1000 places. */
size_t sim_faults(struct sim *sim, const struct sim_fault **faults);
void sim_report_fault(struct sim *sim, const struct sim_fault *fault); /* adds one; prints it on standard error */

/* Reports blocks of malloc() in kernels that were never freed. */
void sim_report_heap(struct sim *sim);

/* ---- for the machine ---- */

/* Records an error of lane `lane` at `ins`, and ends the launch. The body returns its result, NULL. */
const struct ins *fault_at(struct warp *w, const struct ins *ins, unsigned lane, enum sim_fault_kind kind,
                           uint64_t address, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Records a warning; the launch goes on. */
void fault_warn(struct warp *w, const struct ins *ins, unsigned lane, enum sim_fault_kind kind, uint64_t address,
                const char *format, ...) __attribute__((format(printf, 6, 7)));

/* nvcc makes traps of wrong statements, and gives them no line: then the branch that led to it. Else `ins`. */
const struct ins *fault_led_here(const struct warp *w, const struct ins *ins);

/* Counts a warning at that instruction if one was recorded before. False: it is new, and is printed in full. */
bool fault_known(struct warp *w, const struct ins *ins, enum sim_fault_kind kind);

/* A fault of that lane at `ins`, without its text, or at the call in the program's own code that led there. */
void fault_fill(struct sim_fault *f, const struct warp *w, const struct ins *ins, unsigned lane,
                enum sim_fault_kind kind, uint64_t address);

/* Adds a fault, or counts it if it is known; `at` may be NULL. Prints new ones. */
void fault_add(struct sim *sim, const struct sim_fault *fault, const struct ins *at);

/* The readable form of a mangled name, without return type and parameters. To be freed; NULL: no memory. */
char *demangle(const char *name);

#endif
