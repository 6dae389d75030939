# A contest in $contest, for tests that grade it.
# shellcheck shell=bash

load helpers/rows

# In setup(): where it is, and what is submitted.
contest_places() {
    contest=$BATS_TEST_TMPDIR/contest db=$contest/grading/results.db
    sort=$root/problems/mergesort/submissions
}

# contest [EXTRA LINE...]: a contest of one quick problem, and one team.
contest() {
    mkdir -p "$contest/submissions/ada/A"
    {
        printf '%s\n' 'name: Test' "$@" 'require_box: namespaces' 'problems:' '  - id: A' \
            '    problem: mergesort' '    secret: sample' \
            '    ranked_case: sample/2-pairs'
    } > "$contest/contest.yaml"
}

# submit TEAM NAME SOURCE: NAME may be anything that a file can be called.
submit() {
    mkdir -p "$contest/submissions/$1/A"
    cp -R "$3" "$contest/submissions/$1/A/$2"
}

grade() { timeout 120 "$build/grader" run "$contest" "$@" < /dev/null; }
query() { sqlite3 -readonly "${2:-$db}" "$1"; }

# One verdict that counts for each submission, and a sound database.
sound() {
    assert_equal "$(query 'PRAGMA integrity_check; PRAGMA foreign_key_check')" ok
    assert_equal "$(query \
        "SELECT count(*) FROM submissions s WHERE (SELECT count(*) FROM judgements j WHERE j.submission = s.id AND
        j.valid AND j.state = 'done') <> 1")" 0
}

until_true() { # SECONDS COMMAND...
    local end=$((SECONDS + $1))
    until "${@:2}"; do
        [ $SECONDS -lt $end ] || { echo "not in $1 s: ${*:2}" >&2; return 1; }
        sleep 0.1
    done
}
