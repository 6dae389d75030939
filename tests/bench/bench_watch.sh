#!/bin/bash
# Measures what the warden's watch sees of each GPU, alone and while another GPU judges a submission: bench_watch.sh
# [SECONDS]
#
# It prints one line per watch of SECONDS (10). A gap above 100 us would count against a submission: exit code 1 then.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
seconds=${1:-10}
[ $# -le 1 ] && [[ $seconds =~ ^[1-9][0-9]{0,2}$ ]] || usage 'bench_watch.sh [SECONDS], 1 to 999'
PROBLEM=matmul build_toolkit
mapfile -t gpus < <("$build/main_host" --devices 2> /dev/null | awk -F '\t' '$1 == "gpu" { print $3 }')
[ ${#gpus[@]} -gt 0 ] || refuse 'there is no NVIDIA GPU here to watch'
source=problems/matmul/submissions/accepted/1_register_tiles.cu
toolkit_make "${build##*/}/bench_watch" submission PROBLEM=matmul SUBMISSION=$source >&2 || fail 'see above'
so=$root/$(toolkit_make print-submission PROBLEM=matmul SUBMISSION=$source)
status=0
watch() { # GPU WORDS
    printf '%s, %s: ' "$1" "$2"
    "$build/bench_watch" "$build/gpu_warden" "$1" "$seconds" || status=1
}
# Inputs of half a gigabyte, copied again and again, by one host after another, each with its own context.
judge() { # GPU
    while :; do
        "$build/main_host" matmul --submission "$so" --case secret/large/8-8192 --repeat 3 --gpu "$1" \
            > "$build/bench_watch.log" 2>&1 || break
    done
}
for gpu in "${gpus[@]}"; do
    watch "$gpu" alone
    for other in "${gpus[@]}"; do
        [ "$other" != "$gpu" ] || continue
        judge "$other" &
        sleep 5 # until its first input is there
        kill -0 $! 2> /dev/null || fail "nothing can be judged on $other: $(tail -n 1 "$build/bench_watch.log")"
        watch "$gpu" "a submission on $other"
        kill -0 $! 2> /dev/null || fail "the judging on $other broke off: $(tail -n 1 "$build/bench_watch.log")"
        pkill -P $! || true
        kill $! 2> /dev/null || true
        wait $! 2> /dev/null || true
    done
done
exit $status
