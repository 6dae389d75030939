#!/bin/sh
# Runs the sizes of the LETI report: run_matmul.sh [options for main_host]. SUBMISSION=PATH replaces the baseline
exec "$(dirname "$0")/lib/generated.sh" matmul 'uniform 256 256 256' 'uniform 512 512 512' 'uniform 256 512 128' \
    'uniform 512 128 256' 'gpu:uniform 1024 1024 1024' 'gpu:uniform 1024 2048 512' -- "$@"
