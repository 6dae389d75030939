#!/bin/bash
# Judges the jury's accepted submissions on cases that are drawn from all that the statement allows, small ones.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"

help() {
    cat << 'END'
usage: drawn.sh [--count N] [--seed S] [--only REGEX] [PROBLEM...]
Runs each accepted submission of the problems (default: all) on N drawn cases (default: 40), in the box and with the
judge's check. Prints a row each: right answers of all, complaints of the simulator, league, submission. Without a GPU,
CUDA submissions run on the simulator. Another seed (default: 1) draws other cases.

  --only REGEX   only submissions whose problem/name matches
  --folder NAME  those of another folder than accepted, such as wrong_answer
  --help

exit code: 0 if all answers are right and there is no complaint, 1 if not, 2 usage
END
}

count=40 seed=1 only=. folder=accepted problems=()
while [ $# -gt 0 ]; do
    case $1 in
    --help) help && exit 0 ;;
    --count | --seed | --only | --folder)
        [ $# -gt 1 ] || refuse "option '$1' needs a value; see --help"
        case $1 in --count) count=$2 ;; --seed) seed=$2 ;; --only) only=$2 ;; --folder) folder=$2 ;; esac
        shift ;;
    -*) refuse "unknown option '$1'; see --help" ;;
    *) problem_exists "$1" && problems+=("$1") ;;
    esac
    shift
done
[[ $count =~ ^[1-9][0-9]{0,5}$ && $seed =~ ^[0-9]{1,9}$ ]] || refuse 'count and seed must be numbers; see --help'
if [ ${#problems[@]} -eq 0 ]; then
    mapfile -t problems < <(cd "$root/problems" && grep -ls 'any_line = any_line' ./*/outputs.c | cut -d/ -f2)
fi
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
bad=0

# judge_drawn PROBLEM SUBMISSION LEAGUE: a row. $by_league: some lines say that they are for the open league.
judge_drawn() {
    local line of_line so right=0 of=0 complaints=0 options=() name=${2#"$root"/problems/}
    [ -z "$3" ] || options=(--league "$3")
    export PROBLEM=$1 SUBMISSION=$2
    build_simulator "$2" > "$temporary/build" 2>&1
    toolkit_make submission >> "$temporary/build" 2>&1 || { cat "$temporary/build" >&2; return 1; }
    so=$root/$(toolkit_make print-submission)
    while read -r line; do
        if [ -n "$by_league" ]; then
            of_line=$([[ "$line " == open\ * || "$line " == *\ mode=open\ * ]] && echo open || true)
            [ "$of_line" = "$([ "$3" != open ] || echo open)" ] || continue
        fi
        of=$((of + 1))
        "$build/main_host" "$1" --submission "$so" --generate "$line" --time-limit 60 "${options[@]}" \
            --json "$temporary/result" > "$temporary/words" 2>&1 < /dev/null || true
        if grep -q '"verdict": "AC"' "$temporary/result"; then
            right=$((right + 1))
        else
            printf '# %s %s: %s\n' "$name" "$line" "$(grep -m 1 '"message"' "$temporary/result")"
        fi
        if grep -q '^ *| cudasim: ' "$temporary/words"; then
            complaints=$((complaints + 1))
            printf '# %s %s: %s\n' "$name" "$line" "$(grep -m 1 '^ *| cudasim: ' "$temporary/words")"
        fi
        rm -f "$temporary/result"
    done < "$temporary/lines"
    [ $right -eq $of ] && [ $complaints -eq 0 ] || bad=1
    printf '%4d of %4d  %4d  %-11s %s\n' $right $of $complaints "${3:--}" "$name"
}

printf '# drawn.sh: seed %s, %s cases a problem\n# right       complaints, league, submission\n' "$seed" "$count"
for problem in "${problems[@]}"; do
    PROBLEM=$problem build_toolkit > "$temporary/build" 2>&1 || { cat "$temporary/build" >&2; exit 3; }
    (cd "$root" && "$build/check_problem" --lines="$count,$seed" "$problem") > "$temporary/lines"
    by_league=$(grep -Em 1 '^open | mode=open ' "$temporary/lines" || true)
    for submission in "$root/problems/$problem/submissions/$folder"/*; do
        [ -e "$submission" ] || continue
        [[ $problem/$(basename "$submission") =~ $only ]] || continue
        [ -z "$(find "$submission" -name '*.cl' -print -quit)" ] || continue # judged on PoCL by check_problem.sh
        judge_drawn "$problem" "$submission" "$(league_of "$submission")"
    done
done
exit $bad
