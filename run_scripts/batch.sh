#!/bin/bash
# Has many sources judged by a contest's server: batch.sh PROBLEM FILE... [--times] [--explain] [--out FILE] [--help]
#
# For programs, such as a loop that rewards kernels: each FILE, a .c or .cu, is judged by itself, behind all that is the
# contest's, and stands in no standings. The token is of `grade.sh CONTEST token --program NAME`. A line of JSON for
# each file when its result is there: its name, and what docs/formats/batches.md lists. It first prints the
# batch's number: --resume NUMBER resumes the batch. All options and the exit codes: --help.
. "$(dirname "$0")/lib/lib.sh"
"$root/run_scripts/lib/packages.sh" build batch >&2
toolkit_make batch-program >&2 || fail 'the client does not build: see above'
exec "$build/batch" "$@"
