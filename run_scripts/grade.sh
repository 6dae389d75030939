#!/bin/bash
# Grades a contest's folder: grade.sh CONTEST [--watch] [--builds N] [--gpu GPU]... [--lanes N]
#
# The grader uses every GPU of the machine, or those that --gpu names by number or UUID. Each GPU runs one submission at
# a time. Without a GPU, --lanes N judges N submissions at a time on the CPU and the simulator. Use lanes for verdicts
# only: the submissions disturb each other's times. docs/CLUSTER.md describes grading on many machines.
#
# An interrupted grading continues where it stopped. docs/CONTEST.md describes the folder.
#
#   grade.sh CONTEST check             prints every fault of contest.yaml and teams/, and a summary
#   grade.sh CONTEST token NAME        makes a token for the server; --jury, --admin, --program NAME; --revoke NAME
#   grade.sh CONTEST rejudge FILTER... lists what would be judged again; --start --reason TEXT starts it
#   grade.sh CONTEST changes N         shows old and new verdicts of rejudging N; then use commit N or cancel N
#   grade.sh CONTEST clear-review N    records that submission N was reviewed: its times rank
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
usage_line='grade.sh CONTEST [run|check|token|rejudge|changes|commit|cancel|clear-review] [options]; see --help'
[ $# -ge 1 ] && [ -n "$1" ] || usage "$usage_line"
[ -d "$1" ] || refuse "there is no folder '$1'"
contest=$1
shift
command=run
if [ $# -gt 0 ] && [[ $1 != -* ]]; then
    command=$1
    shift
fi
"$root/run_scripts/lib/packages.sh" build grade
toolkit_make grade-programs >&2 || fail "the grader does not build: see above"
gpus=()
[[ $command != run && $command != check ]] || build_toolkit
if [ "$command" = run ]; then
    # Without a box every submission would fail, and no submission would be at fault.
    folder_made "$build/grading"
    (cd "$root" && run_scripts/lib/compile_box.sh "$build/grading" -- /bin/true) ||
        fail 'submissions cannot be built here: install bubblewrap and allow user namespaces'
    mapfile -t known < <("$build/main_host" --devices 2> /dev/null | awk -F '\t' '$1 == "gpu" { print $3 }')
    rest=()
    while [ $# -gt 0 ]; do
        case $1 in
        --gpu) [ $# -ge 2 ] || refuse '--gpu needs the number or the UUID of a GPU' ;;
        --gpu=*) set -- --gpu "${1#*=}" "${@:2}" ;;
        *)
            rest+=("$1")
            shift
            continue ;;
        esac
        # A GPU is named by its UUID. With two names it could get two submissions.
        gpu=$2
        [[ ! $gpu =~ ^[0-9]{1,3}$ ]] || gpu=${known[10#$gpu]:-}
        [[ -n $gpu && " ${known[*]} " == *" $gpu "* ]] ||
            refuse "--gpu: there is no GPU '$2' here; there are ${#known[@]}, see build/main_host --devices"
        gpus+=(--gpu "$gpu")
        shift 2
    done
    set -- "${rest[@]}"
    if [ ${#gpus[@]} -eq 0 ]; then
        for gpu in "${known[@]}"; do
            gpus+=(--gpu "$gpu")
        done
    fi
fi
exec "$build/grader" "$command" "$contest" "${gpus[@]}" "$@"
