#!/bin/bash
# For action.yml: runs $SIM_COMMAND on the simulator, and annotates the lines of the project that it reports.
#
# SIM_CHECKS, SIM_GPU and SIM_SEED are options of sim.sh, or empty. The exit code is the command's; where that is 0, it
# is 1 if $SIM_FAIL_ON (error, warning or none) was reported.
. "$(dirname "$0")/../../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -eq 0 ] || usage run.sh
[ -n "${SIM_COMMAND:-}" ] || refuse "the input 'command' is empty"
[[ ${SIM_FAIL_ON:-error} =~ ^(error|warning|none)$ ]] ||
    refuse "the input 'fail-on' must be one of: error, warning, none"
options=()
[ -z "${SIM_CHECKS:-}" ] || options+=(--checks "$SIM_CHECKS")
[ -z "${SIM_GPU:-}" ] || options+=(--gpu "$SIM_GPU")
[ -z "${SIM_SEED:-}" ] || options+=(--seed "$SIM_SEED")

log=$(mktemp)
trap 'rm -f "$log" "$log.said"' EXIT
# A test's standard error may be shown to nobody: the simulator writes to a file as well.
code=0
CUDASIM_LOG=$log "$root/run_scripts/sim.sh" "${options[@]}" -- bash -eo pipefail -c "$SIM_COMMAND" || code=$?

"$(dirname "$0")/annotate.sh" "${GITHUB_WORKSPACE:-$PWD}" < "$log" | tee "$log.said"
errors=$(grep -c '^::error' "$log.said" || true) warnings=$(grep -c '^::warning' "$log.said" || true)
[ -z "${GITHUB_OUTPUT:-}" ] || printf '%s\n' "errors=$errors" "warnings=$warnings" >> "$GITHUB_OUTPUT"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] ||
    printf '%s\n' '### CUDA tests on the simulator' '' "$errors errors, $warnings warnings, exit code $code" \
        >> "$GITHUB_STEP_SUMMARY"
[ $code = 0 ] || exit $code
case ${SIM_FAIL_ON:-error} in
error) [ "$errors" = 0 ] ;;
warning) [ $((errors + warnings)) = 0 ] ;;
esac
