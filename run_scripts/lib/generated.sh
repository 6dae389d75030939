#!/bin/bash
# Runs a problem's submission on generated inputs of several sizes: generated.sh PROBLEM LINE...
# [-- options for main_host]
#
# A LINE is a line of a case file. A LINE that begins with "gpu:" is too large for the CPU and runs only on a GPU.
# SUBMISSION=PATH replaces the problem's baseline.
. "$(dirname "$0")/lib.sh"
[ $# -ge 2 ] || usage 'generated.sh PROBLEM LINE... [-- options for main_host]'
problem=$1 lines=()
shift
problem_exists "$problem"
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    lines+=("$1")
    shift
done
[ $# -eq 0 ] || shift
submission_is_named
export PROBLEM=$problem
build_toolkit
[ "${1:-}" != --help ] || exec "$build/main_host" --help
build_simulator "${SUBMISSION:-}"
toolkit_make submission
so=$root/$(toolkit_make print-submission)
failures=0
for line in "${lines[@]}"; do
    if [[ $line == gpu:* ]] && [ ! -e /dev/nvidiactl ]; then
        echo "== ${line#gpu:}: skipped, it needs a GPU"
        continue
    fi
    echo "== ${line#gpu:}"
    "$build/main_host" "$problem" --submission "$so" --generate "${line#gpu:}" "$@" || failures=$?
    [ $failures -ne 2 ] || exit 2 # the options are wrong for all of them
done
exit $failures
