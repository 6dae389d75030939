#!/bin/bash
# Measures the edit-distance baseline on this machine's GPU, and the host's overhead there: bench_gpu.sh [FOLDER]
#
# It runs the practice problems 1 to 9 and the longest pair, 5 calls each. It prints a table with the CPU reference of
# the same machine, and writes every result as JSON to FOLDER (default: build/bench_gpu).
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -le 1 ] || usage 'bench_gpu.sh [FOLDER]'
folder=${1:-$build/bench_gpu}
mkdir -p "$folder"
"$build/main_host" --devices | grep -q '^gpu' || refuse "this machine has no usable NVIDIA GPU"
toolkit_make submission PROBLEM=editdistance SUBMISSION=device_user.cu
so=$root/$(toolkit_make print-submission PROBLEM=editdistance SUBMISSION=device_user.cu)
"$root/run_scripts/lib/files.sh"
"$build/main_host" --devices | sed -n 's/^gpu\t/GPU: /p'
printf '%-8s %9s x %-9s %14s %12s %12s %12s %9s %9s\n' problem length1 length2 cells 'min ms' 'median ms' 'max ms' \
    GCUPS 'init s'
for n in 0 1 2 3 4 5 6 7 8 9 10; do
    a=$build/files/file$((2 * n + 1)) b=$build/files/file$((2 * n + 2))
    name=run$n
    [ $n != 0 ] || name=shortest
    [ $n != 10 ] || name=longest
    "$build/main_host" editdistance --submission "$so" --source device_user.cu --repeat 5 --json "$folder/$name.json" \
        "$a" "$b" > "$folder/$name.txt" 2>&1 || { cat "$folder/$name.txt"; fail "$name failed"; }
    jq -r --arg name "$name" --argjson a "$(stat -c %s "$a")" --argjson b "$(stat -c %s "$b")" '.cases[0] |
        [$name, $a, $b, $a * $b, .seconds.min * 1e3, .seconds.median * 1e3, .seconds.max * 1e3,
         $a * $b / .seconds.median * 1e-9, .start_seconds] | @tsv' "$folder/$name.json" |
        while read -r fields; do
            # shellcheck disable=SC2086
            printf '%-8s %9d x %-9d %14d %12.3f %12.3f %12.3f %9.2f %9.3f\n' $fields
        done
done
jq -s "map(del(.submission.file))" "$folder"/shortest.json \
    "$folder"/run?.json "$folder/longest.json" > "$folder/all.json"

# How long the end of a submission takes, 11 times each: a kernel that never ends, killed at the limit, and a process
# that only waits, asked to quit. Both are the driver's time to take a CUDA context down.
endings() { # NAME SUBMISSION OPTION...
    local name=$1 ending
    ending=$(toolkit_make print-submission PROBLEM=editdistance SUBMISSION="$2")
    toolkit_make submission PROBLEM=editdistance SUBMISSION="$2"
    for _ in 1 2 3 4 5 6 7 8 9 10 11; do
        "$build/main_host" editdistance --submission "$root/$ending" --case sample/1-small "${@:3}" \
            --json "$folder/ending.json" > /dev/null || true
        jq '.cases[0].end_seconds * 1e3' "$folder/ending.json"
    done | sort -n | awk -v name="$name" \
        '{ ms[NR] = $1 } END { printf "%-40s %8.1f %8.1f %8.1f\n", name, ms[1], ms[6], ms[11] }'
}
printf '\n%-40s %8s %8s %8s\n' 'until a submission is gone' 'min ms' median max
endings 'an endless kernel, at its limit' problems/editdistance/submissions/time_limit_exceeded/endless_kernel.cu \
    --time-limit 0.5
endings 'an idle CUDA process' device_user.cu
endings 'the same without CUDA: an endless loop' tests/fixtures/bad_hang.c --time-limit 0.5
