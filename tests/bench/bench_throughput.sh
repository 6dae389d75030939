#!/bin/bash
# Measures how many submissions a grader judges in an hour, and whether their times equal those of one judged alone:
#
#   bench_throughput.sh [--count N] [--seconds S] [--alone N] [--gpus N] [--secret GROUP] PROBLEM[=SUBMISSION]...
#
# For each problem it grades N (20) right submissions (the expert), which differ only in a comment, in one run. Each is
# judged on the samples, on the secret cases (those of GROUP), and on the ranked cases. After S seconds (600) of a
# problem it stops the grader, and counts the submissions that have their verdict. It prints:
#   done         submissions that have their verdict
#   wall         seconds from the first step to the last verdict, without what was compiled before the first
#   ranked/h     judgements in an hour at that rate
#   unranked/h   the same of the samples and the secret cases alone
#   calls        seconds of device_user() per submission, over all timed calls
#   samples, secret, ranked   seconds of these steps per submission; the rest of the wall time is the grader's
#   alone        --alone N: the median over the submissions of their times, over that of N which are graded one by one,
#                with nothing beside them; and their quartiles
# Compare the first row of several GPUs with that of one: --gpus 1. The databases stay in build/bench-throughput.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
words='bench_throughput.sh [--count N] [--seconds S] [--alone N] [--gpus N] [--secret GROUP] PROBLEM[=SUBMISSION]...'
count=20 seconds=600 alone=0 secret=secret gpus=64
while [[ ${1:-} == --* ]]; do
    case $1 in
    --count) count=${2:-} ;;
    --seconds) seconds=${2:-} ;;
    --alone) alone=${2:-} ;;
    --gpus) gpus=${2:-} ;;
    --secret) secret=${2:-} ;;
    *) usage "$words" ;;
    esac
    shift 2 || usage "$words"
done
[[ $# -ge 1 && $count =~ ^[1-9][0-9]{0,3}$ && $gpus =~ ^[1-9][0-9]?$ && $seconds =~ ^[1-9][0-9]{0,4}$ &&
    $alone =~ ^[0-9]{1,2}$ ]] || usage "$words"
# source_of PROBLEM[=SOURCE]: a file or a folder; the expert where none is named.
source_of() {
    local expert=$root/problems/${1%%=*}/submissions/accepted/expert
    [ -e "$expert" ] || expert+=.cu
    [[ $1 != *=* ]] && echo "$expert" || echo "${1#*=}"
}

for each in "$@"; do
    problem_exists "${each%%=*}"
    [ -e "$(source_of "$each")" ] || refuse "there is no file '$(source_of "$each")'"
done
"$root/run_scripts/lib/packages.sh" build grade report
toolkit_make grade-programs >&2 || fail "the grader does not build: see above"
build_toolkit
uuids=()
while IFS=$'\t' read -r kind _ uuid _; do
    [ "$kind" != gpu ] || [ ${#uuids[@]} -ge $((2 * gpus)) ] || uuids+=(--gpu "$uuid")
done < <("$build/main_host" --devices 2> /dev/null)
[ ${#uuids[@]} -gt 0 ] || refuse "this machine has no GPU: there is nothing to measure"
work=$build/bench-throughput
mkdir -p "$build/grading"

# contest FOLDER PROBLEM: an empty contest of that problem.
contest() {
    rm -rf "$1"
    mkdir -p "$1/submissions/team/A"
    printf '%s\n' 'name: Throughput' 'scoring: { type: fastest }' 'require_box: namespaces' 'practice: yes' \
        'problems:' '  - id: A' "    problem: $2" "    secret: $secret" > "$1/contest.yaml"
}

# add FOLDER SOURCE N: one more submission.
add() {
    local to=$1/submissions/team/A/$3
    [ -d "$2" ] || to+=.${2##*.}
    cp -r "$2" "$to"
    [ ! -d "$to" ] || to+=/device_user.cu
    echo "/* $3 $RANDOM */" >> "$to"
}
# Exit code 1: it was stopped.
grade() {
    timeout "$seconds" "$build/grader" run "$1" "${uuids[@]}" > "$work/log" 2>&1 || [[ $? =~ ^(1|124)$ ]] && return
    tail "$work/log" >&2
    fail "the grader failed"
}
query() { sqlite3 -readonly -separator ' ' "$1/grading/results.db" "$2"; }

# Of the judgements that are done: how many, how many were rejected, and the sums of the rows above.
sums="WITH d AS (SELECT id, verdict FROM judgements WHERE verdict IS NOT NULL),
    s AS (SELECT * FROM steps WHERE step <> 'build' AND judgement IN (SELECT id FROM d))
    SELECT (SELECT count(*) FROM d), (SELECT count(*) FROM d WHERE verdict <> 'AC'),
        coalesce(max(ended) - min(started), 0),
        (SELECT coalesce(sum(seconds), 0) FROM samples JOIN runs ON runs.id = run
            WHERE judgement IN (SELECT id FROM d)),
        coalesce(sum((ended - started) * (step = 'samples')), 0),
        coalesce(sum((ended - started) * (step = 'secret')), 0),
        coalesce(sum((ended - started) * (step = 'ranked')), 0) FROM s"
# The medians of the ranked calls of each submission in FOLDER, over all cases together, one a line.
times="SELECT sum(median) FROM runs JOIN judgements ON judgements.id = judgement WHERE step = 'ranked'
    AND judgements.verdict IS NOT NULL GROUP BY judgement"

# ratio FOLDER PROBLEM SOURCE: of the times there, over those of submissions graded one by one.
ratio() {
    local i
    query "$1" "$times" | sort -g > "$work/times"
    contest "$work/alone-$2" "$2"
    for ((i = 1; i <= alone; i++)); do
        add "$work/alone-$2" "$3" "$i"
        grade "$work/alone-$2"
    done
    query "$work/alone-$2" "$times" | sort -g > "$work/times-alone"
    awk 'FNR == 1 { files++ } { values[files, FNR] = $1; n[files] = FNR }
        function at(file, q) { return values[file, int(q * (n[file] - 1) + 1.5)] }
        END { if (files == 2) printf "%.4f (%.4f to %.4f)", at(1, 0.5) / at(2, 0.5), at(1, 0.25) / at(2, 0.5),
            at(1, 0.75) / at(2, 0.5) }' "$work/times" "$work/times-alone"
}

printf '%-13s %5s %8s %8s %10s %8s %8s %8s %8s  %s\n' problem 'done' 'wall s' 'ranked/h' 'unranked/h' 'calls s' \
    samples secret ranked alone
for each in "$@"; do
    problem=${each%%=*} source=$(source_of "$each") folder=$work/$problem
    mkdir -p "$work"
    contest "$folder" "$problem"
    for ((i = 1; i <= count; i++)); do add "$folder" "$source" "$i"; done
    grade "$folder"
    read -r judged wrong found < <(query "$folder" "$sums")
    [ "$judged" -gt 0 ] || { printf '%-13s %5d\n' "$problem" 0; continue; }
    [ "$wrong" = 0 ] || fail "$problem: $wrong of $judged submissions are not accepted: see $folder"
    beside=''
    [ "$alone" -eq 0 ] || beside=$(ratio "$folder" "$problem" "$source")
    awk -v name="$problem" -v n="$judged" -v lanes="$((${#uuids[@]} / 2))" -v ratio="$beside" '{
        printf "%-13s %5d %8.2f %8.0f %10.0f %8.4f %8.3f %8.3f %8.3f  %s\n", name, n, $1, 3600 * n / $1,
            3600 * n * lanes / ($3 + $4), $2 / n, $3 / n, $4 / n, $5 / n, ratio }' <<< "$found"
done
