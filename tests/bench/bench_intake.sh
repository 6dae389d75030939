#!/bin/bash
# Measures the cost of a scan of folders full of odd names for the grader: bench_intake.sh [REPEATS]
#
# A contest has one team per 1,000 names (the most that the grader reads in a folder) and no submission. Each name is
# that of a file that is not a source. It prints one line per number of names: processor seconds of a whole run of the
# grader with all its processes, the least and the median of REPEATS (9) runs. The line with 0 names is the base cost.
# If intake is linear, twice the names cost twice as much above the base cost.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
repeats=${1:-9}
[ $# -le 1 ] && [[ $repeats =~ ^[1-9][0-9]{0,2}$ ]] || usage 'bench_intake.sh [REPEATS], 1 to 999'
"$root/run_scripts/lib/packages.sh" build grade
toolkit_make grade-programs >&2 || fail "the grader does not build: see above"
build_toolkit
work=$build/bench-intake
TIMEFORMAT='%U %S'

# seconds CONTEST: processor seconds of one run over it.
seconds() {
    local spent
    spent=$({ time "$build/grader" run "$1" --builds 1 > "$work/log" 2>&1 < /dev/null; } 2>&1) ||
        { cat "$work/log" >&2; fail 'the grader failed'; }
    awk '{ printf "%.3f\n", $1 + $2 }' <<< "$spent"
}

rm -rf "$work"
printf '%10s  %9s  %9s\n' names 'least, s' 'median, s'
for names in 0 10000 20000 40000; do
    contest=$work/$names
    mkdir -p "$contest/submissions"
    printf '%s\n' 'name: Intake' 'require_box: namespaces' 'problems:' '  - id: A' '    problem: editdistance' \
        '    secret: sample' > "$contest/contest.yaml"
    for ((team = 0; team < names / 1000; team++)); do
        mkdir -p "$contest/submissions/t$team/A"
        (cd "$contest/submissions/t$team/A" && seq -f '%g.odd' 1000 | xargs touch)
    done
    for ((i = 0; i < repeats; i++)); do
        rm -rf "$contest/grading"
        seconds "$contest"
    done | sort -n | awk -v names="$names" '{ all[NR] = $1 }
        END { printf "%10d  %9.3f  %9.3f\n", names, all[1], all[int((NR + 1) / 2)] }'
done
rm -rf "$work"
