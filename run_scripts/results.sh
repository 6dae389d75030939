#!/bin/bash
# Prints the results of a contest's grading: results.sh CONTEST [TABLE] [--csv|--json] [filter]
#
# TABLE is one of: standings (--public: as before the freeze), submissions, judgements, runs, samples, steps, machines,
# rejudgings, balloons. Filters: --team T --problem P --verdict V --machine NAME --submission N --since TIME
# --until TIME. Or use --sql SELECT. The tables hide the inputs and answers of secret cases; --show-secret shows them,
# for the organiser.
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
usage_line='results.sh CONTEST [TABLE] [--csv|--json] [filter], see docs/CONTEST.md'
[ $# -ge 1 ] && [ -n "$1" ] || usage "$usage_line"
[ -d "$1" ] || refuse "there is no folder '$1'"
toolkit_make grade-programs >&2 || fail "the grader does not build: see above"
contest=$1
shift
exec "$build/grader" results "$contest" "$@"
