#!/bin/bash
# Kills the grader at random moments and counts verdicts: grade_soak.sh [--kills N] [--seed S]
#
# The script grades a contest of three teams, in C, and kills the grader (SIGKILL) N times (200), at moments drawn from
# S (1): every other time only the grader, else with all its processes. It starts the grader again each time, and adds a
# round of submissions when none are left. After each kill the database must be sound and have all its verdicts. At the
# end it grades the same submissions in a second contest without kills. Each must have exactly one counting verdict in
# both contests, the same one, and a kill must count as no attempt. A team has room for three in the queue, and the last
# round exceeds a team's limit: exactly that round is refused. Exit code 1 if anything is wrong.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
kills=200 seed=1
words='grade_soak.sh [--kills N] [--seed S]'
while [ $# -gt 0 ]; do
    case $1 in
    --kills | --seed)
        [[ ${2:-} =~ ^[0-9]{1,6}$ ]] || usage "$words"
        printf -v "${1#--}" %d "$((10#$2))"
        shift ;;
    *) usage "$words" ;;
    esac
    shift
done
"$root/run_scripts/lib/packages.sh" build grade
toolkit_make grade-programs >&2 || fail "the grader does not build: see above"
build_toolkit
work=$build/grade-soak
rm -rf "$work"
mkdir -p "$work/killed" "$work/plain" "$build/grading"

# Numbers that a seed repeats on every machine: a 31-bit linear congruential generator,
# of which the upper bits are used.
state=$seed
draw() { # N: sets $drawn, 0 to N - 1
    state=$(((state * 1103515245 + 12345) % 2147483648))
    drawn=$(((state >> 8) % $1))
}

wrong=0
report() { echo "wrong: $1"; wrong=$((wrong + 1)); }
query() { sqlite3 -readonly -cmd '.timeout 30000' "$work/$1/grading/results.db" "$2"; }

# One round: every kind of entry, and every verdict that comes soon.
round=0
submit() {
    local jury=$root/problems/mergesort/submissions folder
    round=$((round + 1))
    for folder in killed plain; do
        mkdir -p "$work/$folder/submissions/"{gauss,hopper,turing}/sort
        {
            cat "$jury/accepted/qsort.c"
            echo "/* $round */"
        } > "$work/$folder/submissions/gauss/sort/$round-right.c"
        {
            cat "$jury/wrong_answer/unsigned_keys.c"
            echo "/* $round */"
        } > "$work/$folder/submissions/hopper/sort/$round-wrong.c"
        {
            cat "$jury/run_time_error/null_payloads.c"
            echo "/* $round */"
        } > "$work/$folder/submissions/turing/sort/$round-crash.c"
        echo "#error not so, $round" > "$work/$folder/submissions/turing/sort/$round-broken.c"
        mkdir "$work/entry"
        cp "$work/$folder/submissions/gauss/sort/$round-right.c" "$work/entry/main.c"
        tar -C "$work" -czf "$work/$folder/submissions/hopper/sort/$round-right.tar.gz" entry
        mv "$work/entry" "$work/$folder/submissions/gauss/sort/$round-folder"
    done
}
for folder in killed plain; do
    printf '%s\n' 'name: Kill and resume' 'scoring: { rank_cpu: yes }' 'require_box: namespaces' \
        'limits: { queued: 3 }' 'problems:' '  - id: sort' '    problem: mergesort' '    secret: sample' \
        '    ranked_case: sample/2-pairs' > "$work/$folder/contest.yaml"
done
submit

# Every process that a process has started, and theirs.
below() {
    local child
    for child in $(pgrep -P "$1" || true); do
        echo "$child"
        below "$child"
    done
}

done_now() {
    query killed "SELECT submission, verdict FROM judgements WHERE valid AND state = 'done' ORDER BY submission" |
        LC_ALL=C sort
}

alone=0 together=0 cut=0
: > "$work/before"
started=$SECONDS
while [ $((alone + together)) -lt "$kills" ]; do
    "$build/grader" run "$work/killed" > "$work/out" 2>&1 < /dev/null &
    pid=$!
    draw 900
    sleep "0.$(printf %03d "$drawn")"
    victims=$pid
    [ $(((alone + together) % 2)) -eq 0 ] || victims="$pid $(below "$pid")"
    # shellcheck disable=SC2086
    if kill -0 "$pid" 2> /dev/null && kill -9 $victims 2> /dev/null; then
        [ "$victims" = "$pid" ] && alone=$((alone + 1)) || together=$((together + 1))
    fi
    status=0
    wait "$pid" 2> /dev/null || status=$?
    case $status in
    0) submit ;;         # nothing was left to do
    137) ;;
    *) report "the grader ended with code $status: $(tail -n 1 "$work/out")" ;;
    esac
    [ -e "$work/killed/grading/results.db" ] || continue
    [ "$(query killed 'PRAGMA user_version')" != 0 ] || continue # killed before it made its tables
    [ "$(query killed 'PRAGMA integrity_check')" = ok ] || report 'the database is damaged'
    done_now > "$work/after"
    [ -z "$(LC_ALL=C comm -23 "$work/before" "$work/after")" ] ||
        report "a verdict is gone after kill $((alone + together))"
    cut=$((cut + $(query killed "SELECT count(*) FROM judgements WHERE state NOT IN ('new', 'done')")))
    mv "$work/after" "$work/before"
    [ -t 2 ] && printf '\r%d of %d kills, %d submissions' $((alone + together)) "$kills" $((6 * round)) >&2 || true
done
[ ! -t 2 ] || echo >&2
seconds=$((SECONDS - started))

# A last round is over the limit: each team has had two in every round before, of which the last kill may have left
# some.
for folder in killed plain; do
    "$build/grader" run "$work/$folder" > "$work/out" 2>&1 < /dev/null || report "$folder: $(tail -n 1 "$work/out")"
    sed -i "s/queued: 3/queued: 3, total: $((2 * round))/" "$work/$folder/contest.yaml"
done
submit

for folder in killed plain; do
    "$build/grader" run "$work/$folder" > "$work/out" 2>&1 < /dev/null || report "$folder: $(tail -n 1 "$work/out")"
    [ "$(query $folder 'PRAGMA integrity_check; PRAGMA foreign_key_check')" = ok ] ||
        report "$folder: the database is damaged"
    query $folder "SELECT s.team, s.path, count(*) FROM submissions s
        LEFT JOIN judgements j ON j.submission = s.id AND j.valid AND
        j.state = 'done' GROUP BY s.id HAVING count(j.id) <> 1" > "$work/odd"
    [ ! -s "$work/odd" ] || report "$folder: not one verdict each: $(head -n 3 "$work/odd" | xargs)"
    [ "$(query $folder "SELECT count(*), count(begun), min(verdict || path LIKE 'CE$round-%') FROM submissions s JOIN
        judgements j ON j.submission = s.id WHERE over_limit = 'total'")" = '6|0|1' ] ||
        report "$folder: not the last round alone was refused"
    [ "$(query $folder 'SELECT count(*) FROM waiting')" = 0 ] || report "$folder: something waits still"
    query $folder "SELECT s.team, s.path, j.verdict FROM submissions s
        JOIN judgements j ON j.submission = s.id AND j.valid
        ORDER BY 1, 2" > "$work/$folder.verdicts"
done
[ "$(query killed 'SELECT count(*) FROM judgements')" = $((6 * round)) ] || report 'a submission was judged twice'
[ "$(query killed 'SELECT max(attempts) FROM judgements')" = 0 ] || report 'an attempt was charged for a kill'
[ ! -e "$build/grading/$(query killed 'SELECT token FROM contest')" ] || report 'something of the builds is left'
cmp -s "$work/killed.verdicts" "$work/plain.verdicts" ||
    report "other verdicts than undisturbed: $(diff "$work/killed.verdicts" "$work/plain.verdicts" | head -n 3 | xargs)"
[ "$(wc -l < "$work/plain.verdicts")" -eq $((6 * round)) ] || report 'a submission has no verdict'
echo "$((alone + together)) kills in $seconds s, $alone of the grader alone and $together with all its processes;" \
    "$cut steps were cut off"
echo "$((6 * round)) submissions: $(cut -d '|' -f 3 "$work/killed.verdicts" | sort | uniq -c | awk '{ print $1, $2 }' |
    paste -sd ,)"
[ $wrong -eq 0 ] || { echo "$wrong wrong"; exit 1; }
echo 'each has one final verdict, the same as undisturbed'
