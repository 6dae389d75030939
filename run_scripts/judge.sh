#!/bin/bash
# Builds a submission and judges it on all cases: judge.sh SUBMISSION [PROBLEM] [options for main_host]
#
# SUBMISSION is a .cu, .c or .cc file or a folder of them, with .cl files for OpenCL. The default PROBLEM is the one in
# the path of a jury submission, else editdistance. A submission gets CE, with the compiler's messages, if it does not
# compile within COMPILE_SECONDS (120). The script always builds it again, with the compilers in a box.
. "$(dirname "$0")/lib/lib.sh"
. "$root/run_scripts/lib/build_submission.sh"
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
