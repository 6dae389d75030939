#!/bin/sh
# Runs prefix sums of rising size, plain and segmented: run_scan.sh [options for main_host]. SUBMISSION=PATH replaces
# the baseline
exec "$(dirname "$0")/lib/generated.sh" scan 'random uint32 1024' 'random uint64 4096 mean=50' \
    'positive float32 16384' 'gpu:random uint32 1048576' 'gpu:random uint32 16777216 mean=1000' \
    'gpu:random uint32 268435456' -- "$@"
