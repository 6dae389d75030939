#!/bin/bash
# Grades a contest's folder: grade.sh CONTEST [--watch] [--builds N] [--gpu UUID]...
#
# Goes on where it was stopped, however that was. docs/CONTEST.md describes the folder and the other commands.
. "$(dirname "$0")/lib.sh"
usage_line='grade.sh CONTEST [run|check|rejudge|commit|cancel|review] [options], see docs/CONTEST.md'
[ $# -ge 1 ] && [ -n "$1" ] || usage "$usage_line"
[ -d "$1" ] || refuse "there is no folder '$1'"
contest=$1
shift
command=run
if [ $# -gt 0 ] && [[ $1 != -* ]]; then
    command=$1
    shift
fi
"$root/run_scripts/packages.sh" build grade
toolkit_make grade-programs >&2 || fail "the grader does not build: see above"
gpus=()
[[ $command != run && $command != check ]] || build_toolkit
if [ "$command" = run ]; then
    # Without a box every submission would fail, and none is to blame.
    mkdir -p "$build/grading"
    (cd "$root" && run_scripts/compile_box.sh "$build/grading" -- /bin/true) ||
        fail 'submissions cannot be built here: install bubblewrap and allow user namespaces'
    if [[ " $* " != *' --gpu'* ]]; then
        while IFS=$'\t' read -r kind _ uuid _; do
            [ "$kind" != gpu ] || gpus+=(--gpu "$uuid")
        done < <("$build/main_host" --devices 2> /dev/null)
    fi
fi
exec "$build/grader" "$command" "$contest" "${gpus[@]}" "$@"
