#!/bin/bash
# Builds a submission and judges it on all cases: judge.sh SUBMISSION [PROBLEM] [options for main_host]
#
# SUBMISSION is a .cu, .c or .cc file or a folder of them, with .cl files for OpenCL. PROBLEM is taken from the path
# of a jury submission, and is editdistance otherwise. A submission that does not compile, or not within COMPILE_SECONDS
# (120), gets CE, with the compiler's words. It is always built anew, the compilers in a box.
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/build_submission.sh"
help_asked "$@"
if [ $# -eq 0 ] || [ -z "$1" ]; then
    usage 'judge.sh SUBMISSION [PROBLEM] [options for main_host]'
fi
submission_find "$1"
shift
if [ $# -gt 0 ] && [[ $1 != -* ]]; then
    problem=$1
    shift
fi
problem_exists "$problem"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
arguments=(--group all)
[[ " $* " != *' --case'[\ =]* && " $* " != *' --group'[\ =]* && " $* " != *' --generate'[\ =]* ]] || arguments=()
if submission_build "$submission" "$problem" "$log" "$@"; then
    arguments+=(--submission "$root/$so" --language "$language")
else
    arguments=(--compile-error "$log")
fi
status=0
"$build/main_host" "$problem" "${arguments[@]}" --source "$submission" "$@" || status=$?
exit $status
