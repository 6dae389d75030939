#!/bin/bash
# Runs the tests: test.sh [--gpu] [FILE...]; ends with "N passed, N failed, N skipped"
#
# Without --gpu: every test but those tagged gpu, which are not there rather than skipped. With it: those only.
. "$(dirname "$0")/lib.sh"
export BATS_LIB_PATH=${BATS_LIB_PATH:-/usr/lib/bats}
only=(--filter-tags '!gpu')
if [ "${1:-}" = --gpu ]; then
    only=(--filter-tags gpu)
    shift
fi
files=("$@")
[ ${#files[@]} -gt 0 ] || files=("$root/tests")
tap=$(mktemp)
trap 'rm -f "$tap"' EXIT
status=0
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS bats --timing --formatter tap "${only[@]}" "${files[@]}" | tee "$tap" || status=$?
skipped=$(grep -cE '^ok .* # skip' "$tap" || true)
passed=$(($(grep -cE '^ok ' "$tap" || true) - skipped))
failed=$(grep -cE '^not ok ' "$tap" || true)
# A suite that broke off has fewer results than its plan says.
planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$tap")
[ $((passed + skipped + failed)) -eq "${planned:-0}" ] || failed=$((failed + 1))
[ "$status" -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
[ $((passed + failed)) -gt 0 ] || failed=1
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
