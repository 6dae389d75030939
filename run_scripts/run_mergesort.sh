#!/bin/sh
# Sorts rising numbers of random keys: run_mergesort.sh [options for main_host]. SUBMISSION=PATH replaces the baseline
exec "$(dirname "$0")/lib/generated.sh" mergesort 'random 1024' 'random 16384' 'random 131072' 'gpu:random 1048576' \
    'gpu:random 16777216' 'gpu:random 268435456' -- "$@"
