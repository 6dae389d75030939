#!/bin/bash
# Measures how many submissions a grader judges in an hour, and whether their times equal those of one judged alone:
#
#   bench_throughput.sh [--count N] [--ranked] [--gpus N] [--secret GROUP] PROBLEM[=SUBMISSION]...
#
# For each problem it grades N (20) right submissions (the expert), which differ only in a comment, in one run:
# on the samples and the secret cases (those of GROUP), and with --ranked on the problem's ranked cases. It prints:
#   wall         seconds from the first step to the last verdict, without what was compiled before the first
#   an hour      judgements in an hour at that rate
#   calls        seconds of device_user() per submission, over all timed calls
#   beside them  the rest of the wall time, seconds per submission
#   alone        --ranked: the median over the submissions of their times, over that of three which are graded one by
#                one, with nothing beside them; and their quartiles
# Compare the first row of several GPUs with that of one: --gpus 1.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
words='bench_throughput.sh [--count N] [--ranked] [--gpus N] [--secret GROUP] PROBLEM[=SUBMISSION]...'
count=20 ranked='' scoring=pass-fail secret=secret gpus=64
while [[ ${1:-} == --* ]]; do
    case $1 in
    --count) count=${2:-} && shift ;;
    --gpus) gpus=${2:-} && shift ;;
    --secret) secret=${2:-} && shift ;;
    --ranked) ranked=yes scoring=fastest ;;
    *) usage "$words" ;;
    esac
    shift
done
[[ $# -ge 1 && $count =~ ^[1-9][0-9]{0,3}$ && $gpus =~ ^[1-9][0-9]?$ ]] || usage "$words"
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
    [ "$kind" != gpu ] || [ ${#uuids[@]} -ge "$gpus" ] || uuids+=(--gpu "$uuid")
done < <("$build/main_host" --devices 2> /dev/null)
[ ${#uuids[@]} -gt 0 ] || refuse "this machine has no GPU: there is nothing to measure"
work=$build/bench-throughput
mkdir -p "$build/grading"

# contest FOLDER PROBLEM: an empty contest of that problem.
contest() {
    rm -rf "$1"
    mkdir -p "$1/submissions/team/A"
    printf '%s\n' 'name: Throughput' "scoring: { type: $scoring }" 'require_box: namespaces' 'practice: yes' \
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
grade() {
    "$build/grader" run "$1" "${uuids[@]}" > "$work/log" 2>&1 && return
    tail "$work/log" >&2
    fail "the grader failed"
}
query() { sqlite3 -readonly -separator ' ' "$1/grading/results.db" "$2"; }

# The medians of the ranked calls of each submission in FOLDER, over all cases together, one a line.
times='SELECT sum(median) FROM runs WHERE step = "ranked" GROUP BY judgement'
printf '%-14s %5s %9s %9s %10s %12s  %s\n' problem count 'wall s' 'an hour' 'calls s' 'beside them' "${ranked:+alone}"
for each in "$@"; do
    problem=${each%%=*} source=$(source_of "$each") folder=$work/$problem
    mkdir -p "$work"
    contest "$folder" "$problem"
    for ((i = 1; i <= count; i++)); do add "$folder" "$source" "$i"; done
    grade "$folder"
    read -r right wall calls < <(query "$folder" "SELECT (SELECT count(*) FROM judgements WHERE verdict = 'AC'),
        max(ended) - min(started), (SELECT sum(seconds) FROM samples) FROM steps WHERE step <> 'build'")
    [ "$right" = "$count" ] || fail "$problem: $right of $count submissions are accepted: see $folder"
    ratio=''
    if [ -n "$ranked" ]; then
        query "$folder" "$times" | sort -g > "$work/times"
        contest "$work/alone" "$problem"
        for i in 1 2 3; do add "$work/alone" "$source" "$i" && grade "$work/alone"; done
        query "$work/alone" "$times" | sort -g > "$work/times-alone"
        ratio=$(awk 'FNR == 1 { files++ } { values[files, FNR] = $1; n[files] = FNR }
            function at(file, q) { return values[file, int(q * (n[file] - 1) + 1.5)] }
            END { printf "%.4f (%.4f to %.4f)", at(1, 0.5) / at(2, 0.5),
                at(1, 0.25) / at(2, 0.5), at(1, 0.75) / at(2, 0.5) }' \
            "$work/times" "$work/times-alone")
    fi
    awk -v name="$problem" -v n="$count" -v wall="$wall" -v calls="$calls" -v lanes="$((${#uuids[@]} / 2))" \
        -v ratio="$ratio" 'BEGIN { printf "%-14s %5d %9.2f %9.0f %10.4f %12.3f  %s\n", name, n, wall, 3600 * n / wall,
            calls / n, wall * lanes / n - calls / n, ratio }'
done
