#!/bin/bash
# Measures what the judge's clock adds to a call, and the rate of copying inputs and outputs:
# bench_clock.sh [JSON-FOLDER]
#
# It uses cases of mergesort, whose input and output have the same size, from 4 KiB to 1 GiB. It measures the median of
# an empty submission (on a GPU: an empty kernel and the wait for its end), and of a plain cudaMemcpy to the device and
# back.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -le 1 ] || usage 'bench_clock.sh [JSON-FOLDER]'
folder=${1:-$build/bench_clock}
mkdir -p "$folder"
PROBLEM=mergesort build_toolkit
sorter=problems/mergesort/submissions/accepted/baseline.c device=cpu copy=
if "$build/main_host" --devices 2> /dev/null | grep -q '^gpu'; then
    sorter=problems/mergesort/submissions/accepted/cub.cu device=gpu copy=tests/fixtures/clock/copy_input.cu
fi
so() { # SUBMISSION: builds it and prints its shared object
    toolkit_make submission PROBLEM=mergesort SUBMISSION="$1" >&2 || fail "'$1' does not build"
    echo "$root/$(toolkit_make print-submission PROBLEM=mergesort SUBMISSION="$1")"
}
sorter=$(so "$sorter")
[ -z "$copy" ] || copy=$(so "$copy")
printf '%12s %14s %14s %14s %12s %12s\n' bytes 'overhead us' 'min us' 'max us' 'GB/s to' 'GB/s back'
for bytes in 4096 65536 262144 1000000 1048576 4194304 16777216 67108864 268435456 1073741824; do
    [ $device = gpu ] || [ $bytes -le 16777216 ] || break # the CPU takes its time to sort
    line="random $((bytes / 4)) seed=3"
    "$build/main_host" mergesort --league open --submission "$sorter" --generate "$line" --ranked --repeat 3 \
        --device $device --json "$folder/$bytes.json" > "$folder/$bytes.txt" 2>&1 ||
        fail "$(tail -n 1 "$folder/$bytes.txt")"
    rates='- -'
    if [ -n "$copy" ]; then
        "$build/main_host" mergesort --submission "$copy" --generate "$line" > /dev/null 2> "$folder/copy.txt" || true
        rates=$(sed -n 's/.*to the device \([0-9.]*\) GB.*back \([0-9.]*\) GB.*/\1 \2/p' "$folder/copy.txt")
    fi
    jq -r --arg bytes $bytes --arg rates "$rates" '.cases[0].overhead |
        [$bytes, .median * 1e6, .min * 1e6, .max * 1e6, $rates] | map(tostring) | join(" ")' "$folder/$bytes.json" |
        while read -r a b c d e f; do printf '%12d %14.1f %14.1f %14.1f %12s %12s\n' "$a" "$b" "$c" "$d" "$e" "$f"; done
done
"$build/main_host" --devices 2> /dev/null | grep "^$device"
