/*
 * probe.h - finds out whether the machine or the submission is at fault.
 *
 * The verdict JE means that the machine is at fault, so no submission may be able to cause it. If the host could not
 * continue, or could not end a killed process, it judges a submission that does nothing in a fresh box on the same
 * machine. Only if that fails too, the machine is unfit.
 *
 * Every way to JE, and whether a submission can take it:
 *
 *   before user code is loaded: no GPU, no box, no cgroup, a library or driver      no: it is not there yet
 *     that fails (OUTCOME_DEVICE_FAILED, "it did not start"), an empty submission
 *     that cannot be timed, files of the problem that are not there or not frozen
 *   a file that is no submission, or needs what its sources do not have             CE and SV, if the judge built it
 *   user code runs, and a system call of the host's own fails (OUTCOME_LOST): no    RTE, if the probe passes
 *     memory, no descriptors, a warden that is gone
 *   what was killed does not end in time                                            RTE, if the probe passes
 *   the GPU fails its probe afterwards                                              no: new processes failed, too
 *   the checker or the reference has no memory                                      no: what it has itself is limited
 *   the result cannot be written: the disk is full                                  no: it writes to no disk
 *   the compiler fails without a word, or its disk is full                          CE, if a file of one line compiles
 *   an archive ends the program that unpacks it                                     CE
 */
#ifndef VERIFY_PROBE_H
#define VERIFY_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "session.h"
#include "verify/base/blob.h"

/*
 * Judges the submission at the path `empty`, which does nothing, with a session's config on one input. True when it was
 * called and ended as it should; else why[size] says what went wrong.
 */
bool probe_passes(const struct session_config *config, const char *empty, const struct blob *input, size_t output_size,
                  char *why, size_t size);

#endif
