#!/bin/bash
# Builds a submission and judges it on all cases: judge.sh SUBMISSION [PROBLEM] [options for main_host]
#
# SUBMISSION is a .cu or .c file or a folder of them. PROBLEM is taken from the path of a jury submission, and is
# editdistance otherwise. A submission that does not compile gets CE, with the compiler's words.
. "$(dirname "$0")/lib.sh"
line='judge.sh SUBMISSION [PROBLEM] [options for main_host]'
[ $# -ge 1 ] && [ -n "$1" ] || usage "$line"
submission=$1
shift
problem=editdistance
[[ $(realpath -m "$submission") == "$root"/problems/*/submissions/* ]] &&
    problem=$(realpath -m "$submission" | sed "s|^$root/problems/||; s|/.*||")
if [ $# -gt 0 ] && [[ $1 != -* ]]; then
    problem=$1
    shift
fi
problem_exists "$problem"

[ -e "$submission" ] || refuse "there is no submission '$submission'"
submission=$(realpath --relative-to="$root" "$submission")
[[ $submission =~ ^[A-Za-z0-9_./+-]+$ ]] ||
    refuse "the path '$submission' has characters that make cannot take: use letters, digits, '_', '.', '+' and '-'"
if [ -d "$root/$submission" ]; then
    sources=$(cd "$root" && find "$submission" -maxdepth 1 -type f \( -name '*.cu' -o -name '*.c' \))
    [ -n "$sources" ] || refuse "the folder '$submission' has no .cu or .c file"
    [[ $sources =~ ^[A-Za-z0-9_./+$'\n'-]+$ ]] ||
        refuse "a file name in '$submission' has characters that make cannot take"
elif [[ $submission == *.cu || $submission == *.c ]]; then
    sources=$submission
else
    refuse "'$submission' is no .cu or .c file, and no folder"
fi
if [[ $sources == *.cu* ]] && ! toolkit_make have-nvcc; then
    fail "'$submission' is CUDA C, and nvcc is not found: install the CUDA Toolkit or set CUDA_HOME"
fi

PROBLEM=$problem build_toolkit
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! toolkit_make submission SUBMISSION="$submission" PROBLEM="$problem" V=1 > /dev/null 2> "$log"; then
    "$build/main_host" "$problem" --compile-error "$log" --source "$submission" "$@" && exit
    exit $?
fi
cat "$log" >&2
so=$(toolkit_make print-submission SUBMISSION="$submission" PROBLEM="$problem")
"$build/main_host" "$problem" --group all --submission "$root/$so" --source "$submission" "$@"
