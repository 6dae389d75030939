#!/bin/bash
# Measures on this machine's CPU: bench.sh PROBLEM
#
# The problem's own bench (build/benches/PROBLEM), then the overhead of the host for an empty device_user().
. "$(dirname "$0")/lib.sh"
[ $# -eq 1 ] || usage 'bench.sh PROBLEM'
problem_exists "$1"
[ ! -x "$build/benches/$1" ] || "$build/benches/$1"
echo
toolkit_make submission PROBLEM=editdistance SUBMISSION=tests/fixtures/empty.c
so=$(toolkit_make print-submission PROBLEM=editdistance SUBMISSION=tests/fixtures/empty.c)
"$build/bench_overhead" "$build/runners/editdistance" "$root/$so"
