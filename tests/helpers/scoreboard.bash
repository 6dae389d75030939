# Contests whose results are made up, for tests of the scoreboard: what a grader would have written, without grading.
# shellcheck shell=bash

load helpers/rows

# board_database FILE: an empty database, made by the grader itself.
board_database() {
    local folder=$BATS_FILE_TMPDIR/empty
    mkdir -p "$folder/submissions" "$build/grading"
    printf '%s\n' 'name: Empty' 'practice: yes' 'require_box: namespaces' 'problems:' '  - id: A' \
        '    problem: mergesort' > "$folder/contest.yaml"
    "$build/grader" run "$folder" > /dev/null < /dev/null
    cp "$folder/grading/results.db" "$1"
}

# board_contest FOLDER [LINE...]: contest.yaml with the lines and two problems.
board_contest() {
    mkdir -p "$1/teams" "$1/grading"
    {
        printf '%s\n' 'name: Winter contest' "${@:2}" 'require_box: namespaces' 'problems:' \
            '  - id: A' '    problem: mergesort' '    ranked_case: secret/1' \
            '  - id: B' '    problem: matmul' '    league: fp32' '    ranked_case: secret/1'
    } > "$1/contest.yaml"
    [ -f "$1/grading/results.db" ] || cp "$BATS_FILE_TMPDIR/empty.db" "$1/grading/results.db"
}

# board_fill FOLDER "VALUES": submissions as (id, team, problem, minute, verdict, median, base, floor, machine, review,
# path, message), and all that belongs to them (tests/fixtures/scoreboard_rows.sql).
board_fill() {
    sqlite3 "$1/grading/results.db" "CREATE TEMP TABLE given (id, team, problem, minute, verdict, median, base, floor,
        machine, review, path, message)" "INSERT INTO given $2" ".read '$root/tests/fixtures/scoreboard_rows.sql'"
}

# The contest that most tests look at: all kinds of verdicts; a freeze at minute 45, the end at minute 60.
board_sample() {
    board_contest "$1" 'start: 2026-01-01T00:00:00Z' 'freeze: 2026-01-01T00:45:00Z' 'end: 2026-01-01T01:00:00Z' \
        'scoring: { type: relative, correct: 40 }'
    printf 'name: Ada & "Co"\n' > "$1/teams/ada.yaml"
    printf 'name: "数学研究会"\n' > "$1/teams/bob.yaml"
    printf 'name: cyd\n' > "$1/teams/cyd.yaml"
    printf 'name: dan\n' > "$1/teams/dan.yaml"
    board_fill "$1" "VALUES
        (1, 'ada', 'A', 10, 'WA', NULL, NULL, NULL, 1, 0, 'first.cu',
            'device_user() answered 3 where 4 is right in case sample/3'),
        (2, 'ada', 'A', 30, 'AC', 2.0, 4.0, 0.25, 1, 0, 'second.cu', NULL),
        (3, 'bob', 'A', 5, 'CE', NULL, NULL, NULL, 1, 0, 'typo.cu', 'a.cu:3: error: no'),
        (4, 'bob', 'A', 40, 'AC', 2.1, 8.4, 0.25, 1, 0, 'fast.cu', NULL),
        (5, 'cyd', 'A', 50, 'AC', 3.0, 3.0, 0.25, 1, 0, 'late.cu', NULL),
        (6, 'dan', 'A', 70, 'AC', 1.0, 9.0, 0.25, 1, 0, 'after.cu', NULL),
        (7, 'ada', 'B', 12, 'AC', 0.5, 1.0, NULL, 2, 0, 'x.c', NULL),
        (8, 'bob', 'B', 20, 'TLE', NULL, NULL, NULL, 1, 0, 'y.cu',
            'device_user() was stopped after 10 s in case secret/2'),
        (9, 'cyd', 'B', 41, 'AC', NULL, NULL, NULL, 3, 0, 'z.cu', NULL),
        (10, 'dan', 'B', 22, NULL, NULL, NULL, NULL, 1, 0, 'w.cu', NULL),
        (11, 'cyd', 'A', 46, 'WA', NULL, NULL, NULL, 1, 0, 'v.cu', 'no'),
        (12, 'dan', 'A', 44, 'AC', 0.1, 4.0, 0.25, 1, 1, 'suspect.cu', NULL)"
}

# board_many FOLDER: 200 teams from 12 affiliations in three countries, who have submitted to two problems; a third of
# the attempts was wrong.
board_many() {
    local i places=(DEU JPN KEN)
    board_contest "$1" 'start: 2026-01-01T00:00:00Z' 'scoring: { type: relative, correct: 40 }'
    cp "$BATS_FILE_TMPDIR/empty.db" "$1/grading/results.db"
    rm -f "$1"/teams/*
    for i in {1..200}; do
        printf 'name: Team %d\naffiliation: University %d\ncountry: %s\n' "$i" $((i % 12)) "${places[i % 3]}" \
            > "$(printf '%s/teams/t%03d.yaml' "$1" "$i")"
    done
    board_fill "$1" "WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < 400)
        SELECT n, printf('t%03d', 1 + n % 200), CASE WHEN n % 2 = n / 200 % 2 THEN 'A' ELSE 'B' END,
            1 + n, CASE n % 3 WHEN 1 THEN 'WA' ELSE 'AC' END,
            CASE WHEN n % 3 <> 1 THEN 1 + n * 0.01 END, CASE WHEN n % 3 <> 1 THEN 4.0 END, 0.1, 1, 0, n || '.cu', 'no'
        FROM up"
}

# board_write FOLDER [OPTION...]: its scoreboard in FOLDER/scoreboard, always of the same moment.
board_write() { SOURCE_DATE_EPOCH=${moment:-1767228900} timeout 60 "$build/scoreboard" "$@"; }
