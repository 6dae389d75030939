#!/bin/bash
# Runs the COIN thesis's instances and parameters: run_cointsp.sh [options for main_host]
#
# The instances are gr24 to kroA100, with P = 500 and 1000 and 200 generations. TSPLIB=FOLDER is the folder of the
# instances (default: ../shared/tsplib); problems/cointsp/get_tsplib.sh fetches them. Without a GPU only gr24 and gr48
# run.
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
library=${TSPLIB:-$root/../shared/tsplib}
names=(gr24 gr48 pr76 kroA100)
[ -e /dev/nvidiactl ] || names=(gr24 gr48)
for name in "${names[@]}"; do
    [ -f "$library/$name.tsp" ] ||
        refuse "'$library/$name.tsp' is missing: set TSPLIB, or fetch it with problems/cointsp/get_tsplib.sh"
done
submission_is_named
export PROBLEM=cointsp
build_toolkit
build_simulator "${SUBMISSION:-}"
toolkit_make submission
so=$root/$(toolkit_make print-submission)
failures=0
for name in "${names[@]}"; do
    for population in 500 1000; do
        echo "== $name, P = $population"
        "$build/main_host" cointsp --submission "$so" "$@" "$library/$name.tsp" $population 200 || failures=$?
    done
done
exit $failures
