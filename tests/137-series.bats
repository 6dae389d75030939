#!/usr/bin/env bats
# A series of submissions against a sealed contest: one loses on purpose and leaks all it can of its inputs, the
# next one answers from a table of the leak. The grader gives each judging its own inputs, and shows none.
# bats file_tags=grade

setup_file() {
    load helpers/common
    requires box
    make -s -C "$root" grade-programs "${BUILD:-build}"/{scoreboard,clics,seal,verify_record} >&2
    mkdir -p "$build/grading"
    export contest=$BATS_FILE_TMPDIR/contest work=$BATS_FILE_TMPDIR
    export db=$contest/grading/results.db
    mkdir -p "$contest/submissions"/{spy,table,honest}/A
    "$build/seal" make "$contest/seal" --name Series > /dev/null
    "$build/seal" key "$contest/key" > /dev/null
    printf '%s\n' 'name: Series' 'seal: seal/seal-secret.json' 'key: key/key-secret.json' 'require_box: namespaces' \
        'start: 2026-01-01T00:00:00Z' 'end: 2036-01-01T00:00:00Z' \
        'scoring: { type: relative, rank_cpu: yes }' 'problems:' '  - id: A' \
        '    problem: editdistance' '    secret: sample' '    ranked_case: sample/1-small' '    repeat: 5' \
        > "$contest/contest.yaml"
    # Shared code of both: the right distance, and a number for an input.
    cat > "$work/common.c" << 'END'
#include <stdio.h>
#include "device_user.h"
static unsigned int distance(const char *a, int m, const char *b, int n)
{
    static unsigned int row[1 << 20];
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; i <= m; i++) {
        unsigned int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            unsigned int best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            best = best < row[j] + 1 ? best : row[j] + 1;
            row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
        }
    }
    return row[n];
}
static unsigned int mark(const char *a, int m, const char *b, int n)
{
    unsigned int hash = 2166136261u;
    for (int i = 0; i < m; i++)
        hash = (hash ^ (unsigned char)a[i]) * 16777619u;
    for (int i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)b[i]) * 16777619u;
    return hash;
}
END
    # The samples' inputs, which everybody has: the series answers them, to get to the secret ones.
    { cat "$work/common.c"; cat << 'END'
unsigned int device_user(char *a, int la, char *b, int lb)
{
    printf("%u\n", mark(a, la, b, lb));
    fflush(stdout);
    return distance(a, la, b, lb);
}
END
    } > "$work/marks.c"
    marks=$("$build/main_host" editdistance --submission "$(submission "$work/marks.c")" 2>&1 |
        sed -n 's/^  | \([0-9]*\)$/\1u,/p')
    [ "$(wc -l <<< "$marks")" -eq 3 ]
    { cat "$work/common.c"; cat << END
static const unsigned int samples[] = { $marks };
unsigned int device_user(char *a, int la, char *b, int lb)
{
    unsigned int m = mark(a, la, b, lb), d = distance(a, la, b, lb);
    for (unsigned int i = 0; i < sizeof samples / sizeof samples[0]; i++)
        if (samples[i] == m)
            return d;
    printf("told %u %u\n", m, d);
    fflush(stdout);
    return 777000000 + d;
}
END
    } > "$contest/submissions/spy/A/1.c"
    timeout 120 "$build/grader" run "$contest" < /dev/null > "$work/first.out" 2>&1
    # The best possible leak: the data that only the organiser sees.
    told=$("$build/grader" results "$contest" --show-secret --json --sql \
        "SELECT log FROM steps WHERE step = 'secret'" | jq -r '.[].log' |
        sed -n 's/^  | told \([0-9]*\) \([0-9]*\)$/{ \1u, \2u },/p')
    [ -n "$told" ]
    { cat "$work/common.c"; cat << END
static const unsigned int samples[] = { $marks };
static const unsigned int table[][2] = { $told };
unsigned int device_user(char *a, int la, char *b, int lb)
{
    unsigned int m = mark(a, la, b, lb);
    for (unsigned int i = 0; i < sizeof samples / sizeof samples[0]; i++)
        if (samples[i] == m)
            return distance(a, la, b, lb);
    for (unsigned int i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i][0] == m)
            return table[i][1];
    return 0;
}
END
    } > "$contest/submissions/table/A/2.c"
    cp "$root/problems/editdistance/submissions/accepted/bitparallel.c" "$contest/submissions/honest/A/3.c"
    timeout 120 "$build/grader" run "$contest" < /dev/null > "$work/second.out" 2>&1
}

setup() {
    load helpers/common
    cd "$BATS_TEST_TMPDIR"
}

query() { sqlite3 -readonly "$db" "$1"; }

@test "series: what one judging revealed does not help in the next; an honest submission is ranked" {
    assert_equal "$(query "SELECT team || ' ' || verdict FROM judgements j JOIN submissions s ON s.id = j.submission
        ORDER BY team")" $'honest AC\nspy WA\ntable WA'
    # All three reached the secret step, because they answered the samples.
    assert_equal "$(query "SELECT count(*) FROM steps WHERE step = 'secret'")" 3
    # The table fits the judgement it was made from: with the same inputs it would win.
    local so
    so=$(submission "$contest/submissions/table/A/2.c")
    run -0 "$build/main_host" editdistance --submission "$so" --case sample/1-small \
        --seal "$contest/seal/seal-secret.json" --judgement 1
    run -1 "$build/main_host" editdistance --submission "$so" --case sample/1-small \
        --seal "$contest/seal/seal-secret.json" --judgement 2
    # No input occurred twice, and each record has the number of its judgement.
    assert_equal "$(query "SELECT group_concat(json_extract(record, '$.seal.judgement') = judgement) FROM steps WHERE
        step IN ('secret', 'ranked')")" 1,1,1,1
    query "SELECT j.value FROM steps, json_each(record, '$.cases') c, json_each(c.value, '$.inputs') j
        WHERE step = 'secret'" > marks
    [ "$(wc -l < marks)" -ge 5 ]
    assert_equal "$(sort marks | uniq -d)" ''
}

@test "series: a baseline is timed on the inputs of its submission" {
    assert_equal "$(query "SELECT count(*) FROM steps WHERE step IN ('ranked', 'baseline')")" 2
    assert_equal "$(query "SELECT count(DISTINCT json_extract(record, '$.cases[0].answer')) FROM steps
        WHERE step IN ('ranked', 'baseline') AND json_extract(record, '$.cases[0].calls') = 6")" 1
    assert_equal "$(query "SELECT count(DISTINCT json_extract(record, '$.seal.judgement')) FROM steps
        WHERE step IN ('ranked', 'baseline')")" 1
}

@test "series: a rejudging has another number, and other inputs" {
    cp -R "$contest" again
    run -0 "$build/grader" rejudge again --team table --start --reason 'once more'
    run -0 timeout 120 "$build/grader" run again < /dev/null
    db=again/grading/results.db
    assert_equal "$(query "SELECT group_concat(verdict) FROM judgements WHERE submission =
        (SELECT id FROM submissions WHERE team = 'table')")" WA,WA
    assert_equal "$(query "SELECT count(DISTINCT j.value) = count(*) AND count(*) >= 2 FROM steps p,
        json_each(p.record, '$.cases') c, json_each(c.value, '$.inputs') j WHERE p.step = 'secret' AND p.judgement IN
        (SELECT j.id FROM judgements j JOIN submissions s ON s.id = j.submission WHERE team = 'table')")" 1
}

# everything: all files that people other than the organiser can read, in the folder `open`.
everything() {
    local table
    mkdir -p open
    for table in standings submissions judgements runs samples steps; do
        "$build/grader" results "$contest" $table --json > "open/$table.json"
        "$build/grader" results "$contest" $table > "open/$table.txt"
    done
    "$build/grader" results "$contest" --json --sql "SELECT * FROM steps WHERE step <> 'samples'" > open/sql.json
    "$build/grader" results "$contest" --json --sql "SELECT record FROM steps WHERE step IN ('secret', 'ranked')" |
        jq -r '.[].record' > open/records.json
    "$build/scoreboard" "$contest" --out "$PWD/open/pages" > /dev/null
    "$build/clics" "$contest" --out "$PWD/open/api" > /dev/null
    cp "$work"/{first,second}.out open/
}

# secrets: every number that is of a secret input or answer, or that a submission chose. Those of three digits may
# occur by chance.
secrets() {
    query "SELECT record FROM steps WHERE step IN ('secret', 'ranked', 'baseline')" |
        jq -r '.cases[] | .answer, .output, .floor_seconds, .memory_peak, .printed_bytes, .message,
        (if .verdict == "AC" then empty else .samples[], .start_seconds, .end_seconds end) | select(. != null) |
        tostring' | sed 's/ in case .*//' | grep -oE '[0-9.]{4,}' | sort -u
    query "SELECT log FROM steps WHERE step = 'secret'" | sed -n 's/^  | told //p' | tr ' ' '\n' |
        grep -E '.{4,}'
}

@test "series: only the organiser can read values of inputs and answers" {
    everything
    secrets > secrets
    [ "$(wc -l < secrets)" -ge 6 ]
    # As a separate number: not as part of a digest, a time or a longer number.
    sed 's/[.]/\\./g; s/.*/(^|[^0-9A-Za-z.])&([^0-9A-Za-z.]|$)/' secrets > patterns
    run grep -rEn -f patterns open
    assert_output ''
    # The database's tables are out of reach too.
    for sql in 'SELECT record FROM main.steps' 'SELECT log FROM main.steps' 'SELECT message FROM main.judgements' \
        'SELECT median FROM main.runs' 'SELECT * FROM main.samples' 'SELECT count(record) FROM main.steps' \
        "SELECT 1 FROM main.runs WHERE message LIKE '%7%'" \
        "ATTACH '$db' AS x" "SELECT sql FROM sqlite_master UNION SELECT message FROM main.runs"; do
        run -2 "$build/grader" results "$contest" --sql "$sql"
    done
    # The messages name the kind.
    assert_equal "$(jq -r '.[0].message' open/submissions.json)" 'a wrong value in case sample/1-small'
    run -0 grep -rl 'a wrong value in case sample/1-small' open/pages/submission
    # Control: the search finds the secrets where they are.
    "$build/scoreboard" "$contest" --out "$PWD/secret-pages" --show-secret > /dev/null
    run -0 grep -rEl -f patterns secret-pages
    "$build/grader" results "$contest" submissions --show-secret > told.txt
    run -0 grep -E -f patterns told.txt
    assert_output --partial 'where '
}

@test "series: a published record is signed, and is judged again once the seal is revealed" {
    "$build/grader" results "$contest" --json --sql "SELECT record FROM steps WHERE step = 'secret' AND judgement = 3" |
        jq -r '.[].record' > record.json
    assert_equal "$(json .withheld record.json)" true
    "$build/seal" reveal "$contest/seal" > /dev/null
    run -0 "$root/run_scripts/verify_record.sh" record.json --key "$contest/key/key-public.json" \
        --seal "$contest/seal/seal-revealed.json" --inputs
    assert_line --regexp '^inputs +ok '
}

@test "series: secret cases without a seal are refused, unless the contest says practice: yes" {
    mkdir -p bare/submissions
    contest_yaml() {
        printf '%s\n' 'name: Bare' "$@" 'problems:' '  - id: A' '    problem: editdistance' > bare/contest.yaml
    }
    contest_yaml
    for command in check run; do
        run -2 "$build/grader" $command bare
        assert_output --partial "bare/contest.yaml:3: problem A has secret cases ('secret'), and there is no seal"
    done
    contest_yaml 'practice: yes'
    run -0 "$build/grader" check bare
    contest_yaml 'practice: no'
    run -2 "$build/grader" check bare
    contest_yaml 'practice: perhaps'
    run -2 "$build/grader" check bare
    contest_yaml 'practice: yes' 'seal: seal/seal-secret.json'
    cp -R "$contest/seal" bare/
    run -2 "$build/grader" check bare
    assert_output --partial "bare/contest.yaml:2: 'practice: yes' is for a contest without a seal"
    contest_yaml 'seal: seal/seal-secret.json'
    run -0 "$build/grader" check bare
    # Samples are not secret; a ranked case is.
    contest_yaml
    printf '%s\n' '    secret: sample' '    ranked_case: sample/1-small' >> bare/contest.yaml
    run -0 "$build/grader" check bare
    sed -i 's|sample/1-small|secret/01-tiny|' bare/contest.yaml
    run -2 "$build/grader" check bare
}
