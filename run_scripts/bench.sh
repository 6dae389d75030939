#!/bin/bash
# Measures on this machine's CPU: bench.sh PROBLEM
#
# The problem's own benches (build/benches/PROBLEM and problems/PROBLEM/bench.sh), then the overhead of the host for an
# empty device_user().
. "$(dirname "$0")/lib.sh"
[ $# -eq 1 ] || usage 'bench.sh PROBLEM'
problem_exists "$1"
[ ! -x "$build/benches/$1" ] || "$build/benches/$1"
[ ! -x "$root/problems/$1/bench.sh" ] || "$root/problems/$1/bench.sh"
echo
toolkit_make submission PROBLEM=editdistance SUBMISSION=tests/fixtures/empty.c
so=$(toolkit_make print-submission PROBLEM=editdistance SUBMISSION=tests/fixtures/empty.c)
"$build/bench_overhead" "$build/runners/editdistance" "$root/$so"
