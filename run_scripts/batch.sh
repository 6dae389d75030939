#!/bin/bash
# Sends many sources to a contest's server to be judged: batch.sh PROBLEM FILE... [--times] [--explain] [--out FILE]
#     [--help]
#
# It is for programs, such as a loop that rewards fast kernels. The server judges each FILE (.cu, .c or .cc) alone,
# after all submissions of the contest. The results enter no standings. `grade.sh CONTEST token --program NAME` makes
# the token. The script prints one line of JSON per file when its result arrives (fields: docs/formats/batches.md). It
# prints the batch's number first; --resume NUMBER continues an interrupted batch. All options and the exit codes:
# --help.
. "$(dirname "$0")/lib/lib.sh"
"$root/run_scripts/lib/packages.sh" build batch >&2
toolkit_make batch-program >&2 || fail 'the client does not build: see above'
exec "$build/batch" "$@"
