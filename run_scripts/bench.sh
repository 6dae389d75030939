#!/bin/bash
# Measures a problem on this machine: bench.sh PROBLEM [cpu|gpu|all] [SIZE...]
#
# It runs three measurements:
#
#   1. the bench of the reference (build/benches/PROBLEM)
#   2. bench_ladder.sh: submissions over a ladder of sizes, and on a GPU the kernels beside other libraries. It writes a
#      table and JSON
#   3. the overhead of the host for an empty device_user()
#
# TABLES=1 adds the tables of the document that the problem comes from (problems/PROBLEM/bench.sh). With SIZEs, only
# these sizes of the ladder are measured, and nothing else.
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
[ $# -ge 1 ] || usage 'bench.sh PROBLEM [cpu|gpu|all] [SIZE...]'
problem_exists "$1"
device=${2:-all} status=0
export CALLED_AS=bench.sh
# bench_ladder.sh refuses wrong arguments. It runs first here, so that the error comes before a minute of figures.
[[ $device =~ ^(cpu|gpu|all)$ ]] || exec "$root/tests/bench/bench_ladder.sh" "$@"
if [ $# -le 2 ] && [ "$device" != gpu ] && [ -e "$root/problems/$1/main_bench.c" ]; then
    PROBLEM=$1 toolkit_make "${BUILD:-build}/benches/$1" >&2
    "$build/benches/$1"
    echo
fi
"$root/tests/bench/bench_ladder.sh" "$1" "$device" "${@:3}" || status=$?
[ $# -le 2 ] && [ $status -ne 2 ] || exit $status
[ -z "${TABLES:-}" ] || [ ! -x "$root/problems/$1/bench.sh" ] || "$root/problems/$1/bench.sh"
echo
toolkit_make "${BUILD:-build}/bench_overhead" >&2
toolkit_make submission PROBLEM=editdistance SUBMISSION=tests/fixtures/empty.c
so=$(toolkit_make print-submission PROBLEM=editdistance SUBMISSION=tests/fixtures/empty.c)
"$build/bench_overhead" "$build/runners/editdistance" "$root/$so"
exit $status
