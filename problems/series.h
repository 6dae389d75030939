/*
 * series.h - throughput: series of calls that are in flight together, after the calls of a case that are timed alone.
 *
 * main_host.c calls it. Every call of every series has an input that no other call has, and its output is checked as
 * any other's. Before a series, traps come as before a call.
 */
#ifndef PROBLEMS_SERIES_H
#define PROBLEMS_SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "prepare.h"
#include "verify/judge/session.h"
#include "verify/result/report.h"

/* What series are made of. */
struct series_case {
    struct prepare *prepare;
    size_t number;  /* of the case */
    size_t calls;      /* in flight together: series_calls() */
    size_t input_size; /* bytes of every input of the case */
    size_t *decoys; /* so many were made for the case */
};

/* How many calls of that size are in flight together where `wanted` are asked for: fewer of large ones; 0 for none. */
size_t series_calls(size_t wanted, size_t input_size, size_t output_size);

/*
 * Makes the series of a case whose calls were all accepted, in a session with slots: session_series().
 * result->throughput has the times; a call that is wrong gives the case its verdict. *facts are those of the last
 * series. False only for the host's own failure.
 */
bool series_judge(const struct series_case *series, struct session *session, struct case_result *result,
                  struct facts *facts, struct error *error);

#endif
