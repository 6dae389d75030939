#!/bin/sh
# Runs one optimisation, one per multiprocessor of an H100, and larger ones: run_diffevo.sh [options for main_host]
exec "$(dirname "$0")/lib/generated.sh" diffevo 'sphere 1 d=30 np=150 g=200' 'rastrigin 8 d=10 np=100 g=50' \
    'gpu:sphere 132 d=30 np=150 g=200' 'gpu:sphere 1056 d=30 np=150 g=200' \
    'gpu:ackley 132 d=128 np=640 g=200 rotated=1' -- "$@"
