# Contests whose results are made up, for tests of the scoreboard: what a grader would have written, without grading.
# shellcheck shell=bash

# board_database FILE: an empty database, made by the grader itself.
board_database() {
    local folder=$BATS_FILE_TMPDIR/empty
    mkdir -p "$folder/submissions" "$build/grading"
    printf '%s\n' 'name: Empty' 'problems:' '  - id: A' '    problem: mergesort' > "$folder/contest.yaml"
    "$build/grader" run "$folder" > /dev/null < /dev/null
    cp "$folder/grading/results.db" "$1"
}

# board_contest FOLDER [LINE...]: contest.yaml with the lines and two problems.
board_contest() {
    mkdir -p "$1/teams" "$1/grading"
    {
        printf '%s\n' 'name: Winter contest' "${@:2}" 'problems:' '  - id: A' '    problem: mergesort' \
            '    ranked_case: secret/1' '  - id: B' '    problem: matmul' '    league: fp32' '    ranked_case: secret/1'
    } > "$1/contest.yaml"
    [ -f "$1/grading/results.db" ] || cp "$BATS_FILE_TMPDIR/empty.db" "$1/grading/results.db"
}

# What a row of the table `given` comes to in the grader's tables. Milliseconds; moments in minutes from the start.
board_rows="
INSERT INTO machines VALUES (1, 'node', 'gpu', 'NVIDIA H100 80GB HBM3', 'GPU-1', '580.65', 0),
    (2, 'node', 'cpu', 'A processor', '', '', 0), (3, 'node', 'sim', 'cudasim (simulated)', '', '', 0);
INSERT INTO submissions SELECT id, team, problem, path, id, id, 1767225600 + 60 * minute, 0 FROM given;
INSERT INTO judgements (id, submission, state, verdict, message, review, language, machine, created)
    SELECT id, id, CASE WHEN verdict IS NULL THEN 'ranked' ELSE 'done' END, verdict, coalesce(message, ''), review,
        CASE WHEN verdict = 'CE' THEN NULL ELSE 'CUDA' END, CASE WHEN verdict = 'CE' THEN NULL ELSE machine END, 0 FROM given;
INSERT INTO runs SELECT id * 100 + n, id, 'samples', n, 'sample/' || n, CASE WHEN verdict = 'WA' AND n = 3 THEN 'WA' ELSE 'AC' END,
    CASE WHEN verdict = 'WA' AND n = 3 THEN message ELSE '' END, n / 1e4, n / 1e4, n / 1e4
    FROM given, (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3) WHERE verdict IS NULL OR verdict <> 'CE';
INSERT INTO runs SELECT id * 100 + 10 + n, id, 'secret', n, 'secret/' || n, 'AC', '', n / 1e3, n / 1e3, n / 1e3
    FROM given, (WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < 12) SELECT n FROM up)
    WHERE verdict = 'AC' OR verdict IS NULL;
INSERT INTO runs SELECT id * 100 + 50, id, 'ranked', 0, 'secret/1', 'AC', '', median / 1e3, median * 0.97 / 1e3, median * 1.02 / 1e3
    FROM given WHERE median IS NOT NULL;
INSERT INTO runs SELECT id * 100 + 51, id, 'baseline', 0, 'secret/1', 'AC', '', base / 1e3, base * 0.98 / 1e3, base * 1.01 / 1e3
    FROM given WHERE base IS NOT NULL;
INSERT INTO samples SELECT r.id, n, r.median * (1 + CASE WHEN step IN ('ranked', 'baseline') THEN 0.006 * (n - 5) ELSE 0 END)
    FROM runs r, (WITH RECURSIVE up(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM up WHERE n < 10) SELECT n FROM up)
    WHERE n = 0 OR step IN ('ranked', 'baseline');
INSERT INTO steps SELECT j.id, s.step, 0, 0, 0, json_object('format', 1, 'box', 'cgroup', 'device', json_object('kind', m.kind,
    'before', CASE m.kind WHEN 'gpu' THEN json('{\"sm_megahertz\": 1980, \"memory_megahertz\": 2619, \"celsius\": 41, \"slowed_by\": \"\"}') END,
    'after', CASE m.kind WHEN 'gpu' THEN json('{\"sm_megahertz\": 1755, \"memory_megahertz\": 2619, \"celsius\": 63, \"slowed_by\": \"power cap\"}') END),
    'cases', (SELECT json_group_array(json_object('name', name, 'verdict', verdict, 'memory_peak', 3145728, 'steady', json('true'),
        'floor_seconds', CASE s.step WHEN 'ranked' THEN g.floor / 1e3 END, 'parts', (SELECT json_group_array(json_object('total', x.seconds,
        'release', 1.25e-5, 'map', 2.5e-5, 'call', x.seconds, 'done', 1e-5, 'sm_megahertz', CASE m.kind WHEN 'gpu' THEN 1980 - 15 * x.number END,
        'slowed_by', CASE x.number WHEN 10 THEN 'power cap' ELSE '' END)) FROM samples x WHERE x.run = r.id)))
        FROM runs r WHERE r.judgement = j.id AND r.step = s.step)), ''
    FROM judgements j JOIN given g ON g.id = j.id LEFT JOIN machines m ON m.id = j.machine,
        (SELECT 'samples' AS step UNION SELECT 'secret' UNION SELECT 'ranked') s
    WHERE EXISTS (SELECT 1 FROM runs r WHERE r.judgement = j.id AND r.step = s.step);
DROP TABLE given"

# board_fill FOLDER "VALUES": submissions as (id, team, problem, minute, verdict, median, base, floor, machine, review, path,
# message). 'board_query FOLDER SQL' is for what one statement says better.
board_fill() {
    sqlite3 "$1/grading/results.db" "CREATE TEMP TABLE given (id, team, problem, minute, verdict, median, base, floor, machine, review,
        path, message); INSERT INTO given $2; $board_rows"
}

# The contest that most tests look at: all kinds of verdicts; a freeze at minute 45, the end at minute 60.
board_sample() {
    board_contest "$1" 'start: 2026-01-01T00:00:00Z' 'freeze: 2026-01-01T00:45:00Z' 'end: 2026-01-01T01:00:00Z' \
        'scoring: { type: relative, correct: 40 }'
    # shellcheck disable=SC2028
    printf 'name: Ada & "Co"\n' > "$1/teams/ada.yaml"
    printf 'name: "数学研究会"\n' > "$1/teams/bob.yaml"
    board_fill "$1" "VALUES (1, 'ada', 'A', 10, 'WA', NULL, NULL, NULL, 1, 0, 'first.cu', 'device_user() answered 3 where 4 is right in case sample/3'),
        (2, 'ada', 'A', 30, 'AC', 2.0, 4.0, 0.25, 1, 0, 'second.cu', NULL), (3, 'bob', 'A', 5, 'CE', NULL, NULL, NULL, 1, 0, 'typo.cu', 'a.cu:3: error: no'),
        (4, 'bob', 'A', 40, 'AC', 2.1, 8.4, 0.25, 1, 0, 'fast.cu', NULL), (5, 'cyd', 'A', 50, 'AC', 3.0, 3.0, 0.25, 1, 0, 'late.cu', NULL),
        (6, 'dan', 'A', 70, 'AC', 1.0, 9.0, 0.25, 1, 0, 'after.cu', NULL), (7, 'ada', 'B', 12, 'AC', 0.5, 1.0, NULL, 2, 0, 'x.c', NULL),
        (8, 'bob', 'B', 20, 'TLE', NULL, NULL, NULL, 1, 0, 'y.cu', 'device_user() was stopped after 10 s in case secret/2'),
        (9, 'cyd', 'B', 41, 'AC', NULL, NULL, NULL, 3, 0, 'z.cu', NULL), (10, 'dan', 'B', 22, NULL, NULL, NULL, NULL, 1, 0, 'w.cu', NULL),
        (11, 'cyd', 'A', 46, 'WA', NULL, NULL, NULL, 1, 0, 'v.cu', 'no'), (12, 'dan', 'A', 44, 'AC', 0.1, 4.0, 0.25, 1, 1, 'suspect.cu', NULL)"
}

# board_write FOLDER [OPTION...]: its scoreboard in FOLDER/scoreboard, always of the same moment.
board_write() { SOURCE_DATE_EPOCH=${moment:-1767228900} timeout 60 "$build/scoreboard" "$@"; }
