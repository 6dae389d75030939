#!/bin/bash
# One practice problem of edit distance: practice.sh N [options for main_host], N from 0 to 10
. "$(dirname "$0")/lib.sh"
[[ ${1:-} =~ ^([0-9]|10)$ ]] || usage 'practice.sh N [options for main_host], N from 0 to 10'
export PROBLEM=editdistance
build_toolkit
[ "${2:-}" != --help ] || exec "$build/main_host" --help
build_simulator ''
"$root/run_scripts/lib/files.sh"
exec "$build/main_host" editdistance "${@:2}" "$build/files/file$((2 * $1 + 1))" "$build/files/file$((2 * $1 + 2))"
