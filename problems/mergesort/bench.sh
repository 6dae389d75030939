#!/bin/bash
# The baselines side by side, and sorts that do better, on the CPU and on the device.
cd "$(dirname "$0")/../.."
exec run_scripts/bench_submissions.sh mergesort "${REPEATS:-5}" baseline.c mergesort_threads.c qsort.c baseline.cu opencl \
    merge_path.cu radix.cu gpu:cub.cu -- 'random 1024' 'random 16384' 'random 131072' 'gpu:random 1048576' \
    'gpu:random 16777216' 'gpu:random 67108864' 'gpu:random 268435456' 'gpu:reversed 16777216' \
    'gpu:interleaved 16777216' 'gpu:random 16777216 payload=1'
