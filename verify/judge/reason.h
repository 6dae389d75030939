/*
 * reason.h - why a verdict is not AC, in two separate parts: a reason from a fixed list, and a detail with values.
 *
 * Of a secret case, only the organiser may see more than the reason. The reason is an enumeration, so that no checker
 * can put a value of an input, an answer or an output into it. The detail holds such values; the report decides who
 * reads it (verify/result/disclosure.h).
 */
#ifndef VERIFY_REASON_H
#define VERIFY_REASON_H

#include <stdarg.h>
#include <stdio.h>

/* Every reason with its words, which "in case NAME" follows. The first are for checkers. */
#define REASONS(X)                                                            \
    X(REASON_NONE, "")                                                        \
    X(REASON_VALUE, "a wrong value")                                          \
    X(REASON_NAN, "NaN or an infinity where a number is right")               \
    X(REASON_ORDER, "elements out of order")                                  \
    X(REASON_ELEMENTS, "elements that are not those of the input")            \
    X(REASON_STABILITY, "equal keys that did not keep their order")           \
    X(REASON_INVALID, "no valid solution")                                    \
    X(REASON_BOUNDS, "a number outside of its bounds")                        \
    X(REASON_TARGET, "a solution that misses its target")                     \
    X(REASON_SPILL, "memory behind the output overwritten")                   \
    X(REASON_UNWRITTEN, "output left unwritten")                              \
    X(REASON_LATE, "output written to after device_user() had returned")      \
    X(REASON_AHEAD, "output of a call written to that was not made")          \
    X(REASON_CHECKER, "the checker failed")                                   \
    X(REASON_MEMORY, "memory limit exceeded")                                 \
    X(REASON_DEVICE_MEMORY, "device memory limit exceeded")                   \
    X(REASON_TIME, "time limit exceeded")                                     \
    X(REASON_DIED, "the process ended before device_user() had returned")     \
    X(REASON_DIED_EARLY, "the process ended before device_user() was called") \
    X(REASON_FORBIDDEN, "a system call that the box forbids")                 \
    X(REASON_CLOSED, "the channel to the judge closed")                       \
    X(REASON_FORGED, "the channel to the judge written to")                   \
    X(REASON_FOREIGN_CODE, "device code that is not in the file")             \
    X(REASON_FLOOD, "output limit exceeded")                                  \
    X(REASON_LEFT_WORK, "work left on the GPU")                               \
    X(REASON_TENSOR, "tensor cores, which this league does not allow")        \
    X(REASON_THREADS, "more threads than are allowed")                        \
    X(REASON_SLOW_END, "processes that do not end when they are killed")      \
    X(REASON_HARMED, "the judge cannot work beside it")                       \
    X(REASON_UNLOADED, "the submission cannot be loaded")                     \
    X(REASON_DEVICE_FAILED, "the device cannot be initialised")               \
    X(REASON_LOST, "the machine or the toolkit failed")                       \
    X(REASON_UNCALLED, "nothing was called")

enum reason {
#define REASON(name, words) name,
    REASONS(REASON)
#undef REASON
    REASON_KINDS
};

/* The words of a reason: a constant. "" for REASON_NONE. */
const char *reason_words(enum reason reason);

/* A checker's judgement of one output. */
enum check_result { CHECK_NONE, CHECK_RIGHT, CHECK_WRONG, CHECK_FAILED, CHECK_RESULTS };

/* What a checker found wrong. Empty before check() is called. */
struct finding {
    enum reason reason; /* what kind of wrong: anybody may see it */
    char detail[256];   /* what device_user() did, with values: "answered 3 where 4 is right" */
};

/* Writes a finding down, for `return found_wrong(finding, REASON_VALUE, "answered %d where %d is right", 3, 4);`. */
__attribute__((format(printf, 3, 4))) static inline enum check_result
found_wrong(struct finding *finding, enum reason reason, const char *format, ...)
{
    va_list values;

    finding->reason = reason;
    va_start(values, format);
    vsnprintf(finding->detail, sizeof finding->detail, format, values);
    va_end(values);
    return CHECK_WRONG;
}

#endif
