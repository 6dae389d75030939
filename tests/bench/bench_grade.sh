#!/bin/bash
# Measures the time to grade a submission, without compiling it and without the timed calls:
#
#   bench_grade.sh [--count N] [SUBMISSION PROBLEM]
#
# It grades a submission (mergesort's accepted/qsort.c) N times (9) alone, each time with another comment: it is found,
# copied, built, run on the samples, on the same cases as secret ones, and on one ranked case. It prints one line per
# step: the least and the median time. Then it grades N more in one run, as in a contest. The compiler's time is that of
# its commands outside any box. The calls' time is measured by the host. The time of a grader with nothing to do is
# subtracted. Load on the machine adds to all times except the processor time.
# On a GPU it prints three more lines: the time of a process there that does nothing. A submission starts one such
# process per case, and the empty submission starts one.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
words='bench_grade.sh [--count N] [SUBMISSION PROBLEM]'
count=9 source=$root/problems/mergesort/submissions/accepted/qsort.c problem=mergesort
if [ "${1:-}" = --count ]; then
    [[ ${2:-} =~ ^[1-9][0-9]{0,3}$ ]] || usage "$words"
    count=$2
    shift 2
fi
case $# in
0) ;;
2) source=$1 problem=$2 ;;
*) usage "$words" ;;
esac
[ -f "$source" ] && [[ $source == *.c || $source == *.cu ]] || refuse "'$source' is not a .c or .cu file"
problem_exists "$problem"
"$root/run_scripts/lib/packages.sh" build grade report
toolkit_make grade-programs >&2 || fail "the grader does not build: see above"
build_toolkit
work=$build/bench-grade contest=$build/bench-grade/contest
rm -rf "$work"
mkdir -p "$contest/submissions/team/A" "$work/out" "$build/grading"
ranked=$(cd "$root/problems/$problem/data/sample" && printf '%s\n' *.in | sed -n '2s/\.in$//p')
printf '%s\n' 'name: Overhead' 'scoring: { rank_cpu: yes }' 'require_box: namespaces' 'problems:' \
    '  - id: A' "    problem: $problem" '    secret: sample' "    ranked_case: sample/$ranked" > "$contest/contest.yaml"
gpus=()
while IFS=$'\t' read -r kind _ uuid _; do
    [ "$kind" != gpu ] || [ ${#gpus[@]} -gt 0 ] || gpus=(--gpu "$uuid")
done < <("$build/main_host" --devices 2> /dev/null)
[ ${#gpus[@]} -eq 0 ] || toolkit_make "${build##*/}/bench_context" >&2 || fail 'see above'

# seconds COMMAND...: its time on the wall, and on processors with all that it has started.
TIMEFORMAT='%R %U %S'
seconds() {
    local spent
    spent=$({ time "$@" > "$work/log" 2>&1 < /dev/null; } 2>&1) || { cat "$work/log" >&2; fail "$1 failed"; }
    awk '{ printf "%.3f %.3f", $1, $2 + $3 }' <<< "$spent"
}
grade() { "$build/grader" run "$contest" --builds 1 "${gpus[@]}"; }
query() { sqlite3 -readonly "$contest/grading/results.db" "$1"; }

# The commands that compile it, as make would run them, in one script.
cd "$root"
toolkit_make -n -f contrib/grade/build.mk submission SUBMISSION="$source" PROBLEM="$problem" OUT="$work/out" \
    BUILD="$work/out" FRESH=1 BOXED= > "$work/compile.sh"
grade > "$work/log" 2>&1 || { cat "$work/log" >&2; fail 'the grader failed'; }
for ((i = 1; i <= count; i++)); do
    compile=$(seconds bash -e "$work/compile.sh")
    idle=$(seconds grade)
    { cat "$source" && echo "/* $i */"; } > "$contest/submissions/team/A/$i.${source##*.}"
    all=$(seconds grade)
    [ "$(query "SELECT verdict FROM judgements WHERE submission = $i")" = AC ] ||
        fail "the submission is not accepted: $(query \
        "SELECT verdict || ' ' || message FROM judgements WHERE submission = $i")"
    steps=$(query "SELECT printf('%.6f %.6f', sum(CASE WHEN step = 'build' THEN ended - started END),
        sum(CASE WHEN step <> 'build' THEN ended - started END)) FROM steps WHERE judgement = $i")
    calls=$(query "SELECT printf('%.6f', sum(seconds)) FROM samples JOIN runs ON runs.id = run WHERE judgement = $i")
    boxes=$(query "SELECT record FROM steps WHERE judgement = $i AND record IS NOT NULL" |
        jq -s '[.[].cases | (map(.start_seconds) | max) + (map(.end_seconds) | add)] | add')
    echo "$all $idle $compile $steps $calls $boxes"
done > "$work/measured"
# As many more, in one run of the grader: what one takes from the beginning of its samples to its verdict.
for ((i = count + 1; i <= 2 * count; i++)); do
    { cat "$source" && echo "/* $i */"; } > "$contest/submissions/team/A/$i.${source##*.}"
done
grade > "$work/log" 2>&1 || { cat "$work/log" >&2; fail 'the grader failed'; }
query "SELECT max(steps.ended) - min(steps.started) - (SELECT sum(seconds) FROM samples JOIN runs r ON r.id = run
        WHERE r.judgement = steps.judgement)
    FROM steps JOIN judgements j ON j.id = steps.judgement WHERE step <> 'build' AND j.verdict = 'AC'
    GROUP BY judgement HAVING judgement > $count" > "$work/together"
[ "$(wc -l < "$work/together")" -eq "$count" ] || fail "not all of $count submissions in one run are accepted"
awk '
function middle(values, n,    i, k, t) {
    for (i = 2; i <= n; i++)
        for (k = i; k > 1 && values[k] < values[k - 1]; k--) { t = values[k]; values[k] = values[k - 1];
            values[k - 1] = t }
    return values[int((n + 1) / 2)]
}
function row(name, values, n,    m) { m = middle(values, n); printf "%-66s %7.3f %7.3f\n", name, values[1], m }
FNR != NR { together[FNR] = $1; next }
{
    lines = NR
    whole[NR] = $1 - $3; compiling[NR] = $5; building[NR] = $7 - $5; calls[NR] = $9; boxes[NR] = $10
    host[NR] = $8 - $9 - $10; grader[NR] = $1 - $3 - $7 - $8; overhead[NR] = $1 - $3 - $5 - $9
    processor[NR] = $2 - $4 - $6 - $9
}
END {
    printf "%-66s %7s %7s\n", "seconds a submission", "least", "median"
    row("all of it", whole, lines)
    row("  compiling and linking", compiling, lines)
    row("  the timed calls", calls, lines)
    row("overhead, the difference", overhead, lines)
    row("  building: copy, box, make", building, lines)
    row("  boxes and runners of the cases, start and end", boxes, lines)
    row("  host: its start, inputs, answers, checks, the empty submission", host, lines)
    row("  grader: finding, copying, database", grader, lines)
    row("processor time of the overhead, on all processors", processor, lines)
    row("overhead of one of many in a run, without its build", together, lines)
}' "$work/measured" "$work/together"
# The floor of the start and end of every case, which the driver takes.
[ ${#gpus[@]} -eq 0 ] || CUDA_VISIBLE_DEVICES=${gpus[1]} "$build/bench_context"
