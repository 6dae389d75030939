#!/bin/bash
# bench.sh: the report's comparison. Simple and blocked, on the CPU and on the device, in CUDA and in OpenCL, there
# with work-groups of one work-item as well;
# then the device alone.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
cd "$root"
bench=tests/bench/bench_submissions.sh
$bench matmul "${REPEATS:-5}" simple.c baseline.c simple.cu baseline.cu opencl_simple:TILE=1 opencl_simple \
    opencl_blocked gpu:split_bf16.cu -- 'uniform 256 256 256' 'uniform 512 512 512' 'uniform 256 512 128' \
    'uniform 512 128 256' \
    'gpu:uniform 1024 1024 1024' 'gpu:uniform 1024 2048 512'
[ ! -e /dev/nvidiactl ] ||
    $bench matmul "${REPEATS:-5}" simple.cu baseline.cu opencl_simple opencl_blocked split_bf16.cu -- \
        'uniform 2048 2048 2048' 'uniform 4096 4096 4096' 'uniform 8192 8192 8192'
