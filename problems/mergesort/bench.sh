#!/bin/bash
# bench.sh: the baselines side by side, and sorts that do better, on the CPU and on the device;
# then the device alone on more keys.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
cd "$root"
bench=tests/bench/bench_submissions.sh
$bench mergesort "${REPEATS:-5}" baseline.c mergesort_threads.c qsort.c baseline.cu opencl merge_path.cu radix.cu \
    gpu:cub.cu -- 'random 1024' 'random 16384' 'random 131072' 'gpu:random 1048576' 'gpu:random 16777216'
[ ! -e /dev/nvidiactl ] ||
    $bench mergesort "${REPEATS:-5}" baseline.cu opencl merge_path.cu radix.cu cub.cu expert expert_open -- \
        'random 67108864' \
        'random 268435456' 'sorted 16777216' 'reversed 16777216' 'interleaved 16777216' 'few 16777216 distinct=16' \
        'random 16777216 payload=1'
