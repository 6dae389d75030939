#!/bin/bash
# How long a prediction of each shipped CUDA submission takes on this machine: bench_predict.sh [PROBLEM...]
#
# One line per submission, the slowest first: seconds by the clock of run_scripts/predict.sh on the problem's first
# sample, problem, submission. Exit codes: 0 done, 1 a prediction failed or took longer than the goal of 20 s, 2 usage.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
problems=("$@")
if [ $# -eq 0 ]; then
    mapfile -t problems < <(find "$root/problems" -mindepth 1 -maxdepth 1 -type d -printf "%f\n" | LC_ALL=C sort)
fi
failed=0 rows=''
for problem in "${problems[@]}"; do
    problem_exists "$problem"
    for source in "$root/problems/$problem"/submissions/accepted/*; do
        [[ $source == *.cu ]] || compgen -G "$source/*.cu" > /dev/null || continue
        toolkit_make submission PROBLEM="$problem" SUBMISSION="${source#"$root"/}" >&2 ||
            fail "$source does not build"
        started=$EPOCHREALTIME
        timeout 100 make -s -C "$root" predict SUBMISSION="${source#"$root"/}" PROBLEM="$problem" > /dev/null ||
            failed=1
        rows+=$(awk -v a="$started" -v b="$EPOCHREALTIME" -v name="$problem ${source##*/}" \
            'BEGIN { printf "%6.1f  %s", b - a, name }')$'\n'
    done
done
LC_ALL=C sort -rn <<< "${rows%$'\n'}"
! awk '$1 > 20 { late = 1 } END { exit !late }' <<< "$rows" || failed=1
exit $failed
