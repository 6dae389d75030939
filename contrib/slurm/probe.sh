#!/bin/bash
# Checks that this machine can judge: probe.sh [--gpu GPU]...
#
# It judges the baseline of editdistance on one sample, on each GPU named, or on the CPU if none is named, in the box
# that the contest requires (GRADE_BOX). This uses driver, compiler, sandbox and, through its warden, the GPU. The host
# probes a GPU that is marked as unfit. Exit code 0: the machine is sound; else the last line says what is wrong.
. "$(dirname "${BASH_SOURCE[0]}")/../../run_scripts/lib/lib.sh"
help_asked "$@"
problem=problems/editdistance/submissions/accepted/baseline
judge() { # SUBMISSION [OPTION...]
    local so words
    # Tasks of several machines may share what is built.
    words=$(flock "$build/probe.lock" make -s -C "$root" submission SUBMISSION="$1" PROBLEM=editdistance 2>&1) ||
        fail "the baseline does not build: ${words##*$'\n'}"
    so=$(toolkit_make print-submission SUBMISSION="$1" PROBLEM=editdistance)
    words=$(timeout 120 "$build/main_host" editdistance --submission "$root/$so" --case sample/1-small \
        --require-box "${GRADE_BOX:-none}" "${@:2}" 2>&1) ||
        fail "the baseline is not accepted: ${words##*$'\n'}"
}
[ $# -gt 0 ] || judge $problem.c
while [ $# -ge 2 ] && [ "$1" = --gpu ]; do
    judge $problem.cu --device gpu --gpu "$2"
    shift 2
done
[ $# -eq 0 ] || usage 'probe.sh [--gpu GPU]...'
