#!/bin/sh
# Runs sizes of common models: run_attention.sh [options for main_host]. SUBMISSION=PATH replaces the baseline
exec "$(dirname "$0")/lib/generated.sh" attention 'normal 4 256 64' 'normal 4 256 128 causal=1' 'mixed 3 333 128' \
    'gpu:normal 32 4096 128' 'gpu:normal 32 4096 128 causal=1' 'gpu:normal 4 16384 64' -- "$@"
