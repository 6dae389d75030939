#!/bin/bash
# Measures the baseline against the naive submission: problems/diffevo/bench.sh [FOLDER]
#
# It measures medians of 5 calls for several populations, dimensions and numbers of problems. It prints a table and
# writes every result as JSON to FOLDER (default: build/bench_diffevo). Without a GPU both run on the simulator, with
# tiny sizes: this shows that the script works, and nothing about a GPU.
#
# A second table is only for the naive one: blocks of up to 1,024 threads, and random numbers from the GPU or the CPU.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -le 1 ] || usage 'problems/diffevo/bench.sh [FOLDER]'
folder=${1:-$build/bench_diffevo}
mkdir -p "$folder"
submissions=problems/diffevo/submissions/accepted
for name in naive baseline; do
    build_simulator "$submissions/$name.cu"
    toolkit_make submission PROBLEM=diffevo SUBMISSION="$submissions/$name.cu"
done

if "$build/main_host" --devices 2> /dev/null | grep -q '^gpu'; then
    "$build/main_host" --devices | sed -n 's/^gpu\t/GPU: /p'
    lines=(
        'sphere 1 d=30 np=150 g=200' 'sphere 16 d=30 np=150 g=200'
        'sphere 132 d=30 np=150 g=200' 'sphere 528 d=30 np=150 g=200'
        'sphere 132 d=30 np=300 g=200' 'sphere 132 d=64 np=640 g=200' 'sphere 132 d=128 np=1280 g=200'
        'sphere 132 d=4 np=40 g=200' 'sphere 132 d=16 np=80 g=200' 'sphere 132 d=128 np=640 g=200'
        'rosenbrock 132 d=30 np=150 g=200' 'rastrigin 132 d=30 np=150 g=200' 'ackley 132 d=30 np=150 g=200'
        'griewank 132 d=30 np=150 g=200' 'schwefel 132 d=30 np=150 g=200' 'rastrigin 132 d=30 np=150 g=200 rotated=1'
    )
else
    echo 'no GPU: SIMULATED, tiny sizes; these times say nothing about a GPU'
    lines=('sphere 1 d=10 np=50 g=10' 'sphere 8 d=10 np=50 g=10' 'sphere 8 d=10 np=100 g=10' 'sphere 4 d=30 np=150 g=10'
        'rastrigin 4 d=10 np=50 g=10 rotated=1')
fi

# measure NAME LINE FILE: the median of 5 calls, in seconds.
measure() {
    local so
    so=$(toolkit_make print-submission PROBLEM=diffevo SUBMISSION="$submissions/$1.cu")
    "$build/main_host" diffevo --submission "$root/$so" --source "$submissions/$1.cu" --generate "$2" --repeat 5 \
        --time-limit 300 --json "$folder/$3-$1.json" > "$folder/$3-$1.txt" 2>&1 ||
        { cat "$folder/$3-$1.txt" >&2; fail "$1 failed"; }
    jq '.cases[0].seconds.median' "$folder/$3-$1.json"
}

printf '%-46s %12s %12s %12s %8s %14s\n' problems evaluations 'naive ms' 'baseline ms' ratio 'baseline ev/s'
for ((n = 0; n < ${#lines[@]}; n++)); do
    line=${lines[n]}
    read -r _ count _ population generations _ <<< "$line"
    evaluations=$((count * ${population#np=} * (${generations#g=} + 1)))
    naive=$(measure naive "$line" "$n")
    baseline=$(measure baseline "$line" "$n")
    awk -v line="$line" -v n="$evaluations" -v a="$naive" -v b="$baseline" \
        'BEGIN { printf "%-46s %12d %12.3f %12.3f %8.1f %14.4g\n", line, n, a * 1e3, b * 1e3, a / b, n / b }'
done

# variant THREADS 0|1: the naive submission with blocks of that size, random numbers from the CPU if 1; its path.
variant() {
    local name=naive-$1-$2
    printf '#define NAIVE_THREADS %d\n#define NAIVE_CPU_RANDOM %d\n' "$1" "$2" |
        cat - "$root/$submissions/naive.cu" > "$folder/$name.cu"
    toolkit_make submission PROBLEM=diffevo SUBMISSION="$folder/$name.cu" >&2 || fail "$name does not build"
    toolkit_make print-submission PROBLEM=diffevo SUBMISSION="$folder/$name.cu"
}
line=${lines[0]}
printf '\n%-46s %8s %16s %16s %8s\n' 'one after the other' threads 'GPU draws, ms' 'CPU draws, ms' ratio
for threads in 32 64 128 256 512 1024; do
    times=()
    for draws in 0 1; do
        so=$(variant $threads $draws)
        "$build/main_host" diffevo --submission "$root/${so#"$root"/}" --generate "$line" --repeat 5 --time-limit 300 \
            --json "$folder/naive-$threads-$draws.json" > "$folder/naive.txt" 2>&1 ||
            { cat "$folder/naive.txt" >&2; fail "naive with $threads threads failed"; }
        times+=("$(jq '.cases[0].seconds.median' "$folder/naive-$threads-$draws.json")")
    done
    awk -v line="$line" -v t=$threads -v a="${times[0]}" -v b="${times[1]}" \
        'BEGIN { printf "%-46s %8d %16.3f %16.3f %8.2f\n", line, t, a * 1e3, b * 1e3, b / a }'
done
