#!/bin/bash
# Judges a submission in continuous integration: judge_ci.sh SUBMISSION PROBLEM FOLDER [options for main_host]
#
# It writes FOLDER/junit.xml, results.tap, summary.md and classroom.json. On GitHub it also appends summary.md to the
# step summary, and sets the step's output `result` to classroom.json in base64, for Classroom's reporter. It prints one
# line. It hides the host's output, which names cases and answers. Exit codes: those of judge.sh.
. "$(dirname "$0")/../../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -ge 3 ] || { echo 'usage: judge_ci.sh SUBMISSION PROBLEM FOLDER [options for main_host]' >&2; exit 2; }
submission=$1 problem=$2 folder=$3
shift 3
scripts=$root/run_scripts
mkdir -p "$folder"
rm -f "$folder"/{junit.xml,results.tap,summary.md,classroom.json}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$scripts/lib/packages.sh" build formats
status=0
"$scripts/judge.sh" "$submission" "$problem" --keep-going --json "$work/result.json" "$@" > "$work/words" 2>&1 ||
    status=$?
if [ ! -f "$work/result.json" ]; then
    # Nothing was run, so nothing of a case is in these words.
    grep -aE '^(judge\.sh|main_host): ' "$work/words" | tail -n 3 | shown >&2 || true
    [ $status -ne 0 ] || status=3
    echo "judge_ci.sh: there is no result (exit code $status)" >&2
    exit $status
fi
"$scripts/convert.sh" junit --out "$folder/junit.xml" "$work/result.json"
"$scripts/convert.sh" tap --out "$folder/results.tap" "$work/result.json"
"$scripts/convert.sh" summary --out "$folder/summary.md" "$work/result.json"
"$scripts/convert.sh" classroom --out "$folder/classroom.json" --points "${POINTS:-100}" "$work/result.json"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$folder/summary.md" >> "$GITHUB_STEP_SUMMARY"
[ -z "${GITHUB_OUTPUT:-}" ] || echo "result=$(base64 -w 0 "$folder/classroom.json")" >> "$GITHUB_OUTPUT"
echo "$(sed -n '1s/^## //p' "$folder/summary.md"); $(sed -n 's/^\(Cases: .* accepted\).*/\1/p' "$folder/summary.md")"
exit $status
