#!/bin/sh
# Runs short rows, odd lengths and long rows: run_softmax.sh [options for main_host]. SUBMISSION=PATH replaces the
# baseline
exec "$(dirname "$0")/lib/generated.sh" softmax 'normal 128 1024 float32' 'mixed 1000 257 bfloat16' \
    'masked 16 50257 bfloat16' 'gpu:mixed 65536 1024 float32' 'gpu:mixed 8192 8193 bfloat16' \
    'gpu:mixed 1024 131072 bfloat16' -- "$@"
