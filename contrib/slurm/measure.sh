#!/bin/bash
# Measures how long a submission takes on this machine: measure.sh FOLDER [--problem NAME]... [OPTION of grade.sh...]
#
# The script makes a contest in FOLDER from the jury's submissions, accepted ones and others, in CUDA if there is a GPU,
# else in C. It grades the contest with grade.sh, one submission at a time on each GPU, and prints sizing.sh's table. An
# interrupted run continues. It runs all secret cases and ranked times, as in a contest. Each further league is a
# separate problem, PROBLEM-LEAGUE.
. "$(dirname "${BASH_SOURCE[0]}")/../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -ge 1 ] && [ -n "$1" ] && [[ $1 != -* ]] || usage 'measure.sh FOLDER [--problem NAME]... [OPTION of grade.sh...]'
mkdir -p "$1/submissions/jury"
folder=$(realpath "$1")
shift
problems=()
while [ "${1:-}" = --problem ]; do
    problem_exists "${2:-}"
    problems+=("$2")
    shift 2
done
[ ${#problems[@]} -gt 0 ] || mapfile -t problems < <(cd "$root/problems" && dirname -- */problem.c)
kind=c
[ ! -e /dev/nvidiactl ] || kind=cu
{
    printf '%s\n' 'name: What a submission takes' 'practice: yes' 'scoring: { rank_cpu: yes }' \
        'limits: { megabytes: 64 }' 'require_box: namespaces' problems:
    for problem in "${problems[@]}"; do
        declare -A seen=()
        for group in accepted wrong_answer run_time_error time_limit_exceeded; do
            for source in "$root/problems/$problem/submissions/$group"/*."$kind"; do
                [ -f "$source" ] || continue
                league=$(league_of "$source")
                id=$problem${league:+-$league}
                install -D -m 644 "$source" "$folder/submissions/jury/$id/$group-${source##*/}"
                [ -z "${seen[$id]:-}" ] || continue
                seen[$id]=yes
                printf "  - id: %s\n    problem: %s\n" "$id" "$problem"
                [ -z "$league" ] || printf "    league: %s\n" "$league"
            done
        done
    done
} > "$folder/contest.yaml"
"$root/run_scripts/grade.sh" "$folder" --builds 1 "$@"
"$root/contrib/slurm/sizing.sh" "$folder/grading/results.db"
