#!/bin/bash
# Measures how long small programs take on two builds of the simulator: bench_start.sh OLD [RUNS]
#
# OLD is a folder with another libcudart.so.13. The programs are some of tests/cudasim. Each runs in turn on both, in
# groups of 10. A row has the processor time of one run: the mean of the fastest group.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
programs=(no_kernels vector_add transpose scan fft templates_lambdas cooperative_groups curand_pi cub_scan)
group=10
old=$(realpath -e -- "${1:-}" 2> /dev/null) && [ -e "$old/libcudart.so.13" ] && [[ ${2:-100} =~ ^[1-9][0-9]{0,4}$ ]] ||
    refuse "usage: bench_start.sh FOLDER [RUNS]: the folder has another libcudart.so.13"
runs=${2:-100} new=$build/cudasim
toolkit_make cudasim-library "${programs[@]/#/$build/cudasim-tests/}" >&2 || fail "a program does not build: see above"
export LC_ALL=C TIMEFORMAT='%U %S'

# group_on FOLDER PROGRAM: prints the milliseconds of a run.
group_on() {
    local n
    { time for ((n = 0; n < group; n++)); do
        LD_LIBRARY_PATH=$1 "$build/cudasim-tests/$2" > /dev/null 2> /dev/null < /dev/null
    done; } 2>&1 | awk -v n="$group" '{ print ($1 + $2) * 1000 / n }'
}

echo "# bench_start.sh: processor time of a run, ms: old, new; of $runs runs the fastest $group; program"
for name in "${programs[@]}"; do
    for ((run = 0; run < runs; run += group)); do echo "$(group_on "$old" "$name") $(group_on "$new" "$name")"; done |
        awk -v name="$name" 'NR == 1 || $1 < old { old = $1 } NR == 1 || $2 < new { new = $2 }
            END { printf "%8.2f %8.2f  %s\n", old, new, name }'
done | awk '{ print; sum += log($2 / $1) } END { printf "# geometric mean of new / old: %.3f\n", exp(sum / NR) }'
