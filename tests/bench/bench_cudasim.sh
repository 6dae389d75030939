#!/bin/bash
# Measures the simulator on this machine's CPU: bench_cudasim.sh [REPEATS]
#
# It measures million warp instructions per second for kernels of one kind each (tests/bench/main_cudasim.cu), the
# median of REPEATS runs (default 5): on one worker and on all, with and without the checks of unwritten memory and
# races, and with the counts of the report. Then it runs the baseline's edit distance of two strings of 20480 letters.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -le 1 ] && [[ "${1:-5}" =~ ^[1-9][0-9]?$ ]] || usage 'bench_cudasim.sh [REPEATS]'
repeats=${1:-5}
toolkit_make cudasim "${build#"$root/"}/cudasim_speed" all
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# measure NAME VARIABLE=VALUE…: the medians in $work/NAME, a line 'kernel speed'
measure() {
    local name=$1 n
    shift
    for ((n = 0; n < repeats; n++)); do
        env "$@" CUDASIM_SPEED=1 LD_LIBRARY_PATH="$build/cudasim" "$build/cudasim_speed" 2>> "$work/$name.all" ||
            fail "cudasim_speed failed: $(tail -n 1 "$work/$name.all")"
    done
    sort -k1,1 -k5,5n "$work/$name.all" | awk -v repeats="$repeats" '
        $1 ~ /^(integer|floating|shared|global|divergent)$/ { if (++n[$1] == int((repeats + 1) / 2)) print $1, $5 }
    ' | sort > "$work/$name"
}

workers=$(nproc)
measure plain CUDASIM_WORKERS=1 CUDASIM_CHECK=none
measure counted CUDASIM_WORKERS=1 CUDASIM_CHECK=none CUDASIM_EXPLAIN=1 CUDASIM_EXPLAIN_FILE=/dev/null
measure checked CUDASIM_WORKERS=1 CUDASIM_CHECK=all
measure all CUDASIM_WORKERS="$workers" CUDASIM_CHECK=none

grep -m 1 'model name' /proc/cpuinfo | sed 's/.*: //'
echo "M warp instructions/s, medians of $repeats runs; no checks, one worker, where nothing else is said"
printf '%-12s %10s %12s %12s %14s\n' kernel plain 'with report' 'with checks' "$workers workers"
join "$work/plain" "$work/counted" | join - "$work/checked" | join - "$work/all" |
    awk '{ printf "%-12s %10.1f %12.1f %12.1f %14.1f\n", $1, $2, $3, $4, $5 }'
echo "peak memory, 8.4 MB of it the program's own allocations: $(grep -h 'peak memory' "$work"/*.all | sort -k6n |
    tail -n 1 | sed 's/.*: //')"
echo
for checks in none all; do
    echo "edit distance of 20480 x 20480, the baseline, $workers workers, checks: $checks"
    run_scripts/run3.sh --device sim --checks "$checks" 2>&1 | grep -E "eclock|SUCCESSFUL" || fail "the baseline failed"
done
