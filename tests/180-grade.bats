#!/usr/bin/env bats
# Contests: from files to verdicts in the database, through interruptions; scores, rejudgings, exports.
# bats file_tags=grade

load helpers/contest

setup_file() {
    make -s -C "$root" DEV=1 grade-programs "${BUILD:-build}"/tests/test_grade_{score,queue,intake} >&2
}

setup() {
    load helpers/common
    contest_places
}

# contest [EXTRA LINE...]: a contest of one quick problem, and one team.
contest() {
    mkdir -p "$contest/submissions/ada/A"
    {
        printf '%s\n' 'name: Test' "$@" 'require_box: namespaces' 'problems:' '  - id: A' \
            '    problem: mergesort' '    samples: sample' '    secret: sample' \
            '    ranked_case: sample/2-pairs' '    repeat: 7'
    } > "$contest/contest.yaml"
}

# message PATH: the verdict and the words of a submission.
message() {
    query "SELECT verdict || ' ' || message FROM judgements j JOIN submissions s ON s.id = j.submission
        WHERE path = '$1'"
}
grade() { timeout 120 "$root/run_scripts/grade.sh" "$contest" "$@" < /dev/null; }
@test "scores: pass-fail with penalty, ties of overlapping intervals, speed against the baseline, test groups" {
    run -0 timeout 60 "$build/tests/test_grade_score"
    assert_output '46 checks, 0 failed'
}

@test "queue: the team with the fewest recent judgings is next; floods, chance, rejudgings, hand-outs" {
    run -0 timeout 100 "$build/tests/test_grade_queue"
    assert_output --regexp '^[0-9]{5,} checks, 0 failed$'
}

@test "queue: 60 looping submissions of one team make no other team wait" {
    local team
    contest
    rm -r "$contest/submissions/ada"
    # Looping ones would need a box and a minute each. Only the order counts here, so these do not compile.
    mkdir -p "$contest"/submissions/{aaa,bob,cyd,zoe}/A
    for i in {10..69}; do echo "#error $i" > "$contest/submissions/aaa/A/$i.c"; done
    for team in bob cyd zoe; do echo "#error $team" > "$contest/submissions/$team/A/1.c"; done
    echo '#error second' > "$contest/submissions/zoe/A/2.c"
    run -0 --separate-stderr grade --builds 1
    assert_equal "${#lines[@]}" 64
    assert_equal "$(printf '%s\n' "${lines[@]:0:6}" | cut -d ' ' -f 2,4)" \
        $'aaa 10.c:\nbob 1.c:\ncyd 1.c:\nzoe 1.c:\naaa 11.c:\nzoe 2.c:'
}

@test "intake: each note is reported once; the work grows with the names, not with their square" {
    run -0 timeout 60 "$build/tests/test_grade_intake"
    assert_output --regexp '^[0-9]+ checks, 0 failed$'
}

@test "intake: a file's name forges no line of the grader's, and hides no verdict" {
    local long
    long=$(printf ':%.0s' {1..200})
    contest
    rm -r "$contest"/submissions/*
    mkdir -p "$contest/submissions/ada/A"
    echo '#error 1' > "$contest/submissions/ada/A/x.c: AC 0.000100 s.c"
    echo '#error 2' > "$contest/submissions/ada/A/$long.c"
    run -0 --separate-stderr grade
    assert_line --partial 'ada A x.c<U+003A> AC 0.000100 s.c: CE '
    assert_line --regexp '^#[12] ada A (<U\+003A>)+\.\.\.: CE '
}

@test "intake: 30,000 odd names give a few lines; the grader looks at limits.entries entries of a team's folder" {
    contest 'limits: { entries: 50 }'
    mkdir "$contest/submissions/ada/B" "$contest/submissions/bob" "$contest/submissions/bob/A"
    (cd "$contest/submissions/ada/A" && seq -f '%g.odd' 30000 | xargs touch)
    (cd "$contest/submissions/bob" && seq -f 'x%g' 10 | xargs mkdir)
    echo '#error bob' > "$contest/submissions/bob/A/1.c"
    run -0 --separate-stderr grade
    assert_line --regexp '^#1 bob A 1\.c: CE '
    [ "${#stderr_lines[@]}" -le 40 ] || fail "${#stderr_lines[@]} lines"
    [[ $stderr == *'submissions/ada/A: it has more than 50 entries: the others are left out (limits.entries); remove some'* &&
        $stderr == *'submissions/ada/A: more lines like these are not listed'* &&
        $stderr == *'submissions/bob/x7: left out: it is not a folder of one of the contest'* ]] || fail "$stderr"
}

@test "limits: some submissions of a team wait, some are refused, and none is lost" {
    local i
    contest 'limits: { queued: 3, total: 6 }'
    rm -r "$contest/submissions/ada"
    mkdir -p "$contest"/submissions/{ada,bob}/A
    # The oldest come first, whatever their names.
    for i in {1..9}; do
        echo "#error $i" > "$contest/submissions/ada/A/$((10 - i)).c"
        touch -d "2026-01-01 10:0$i:00Z" "$contest/submissions/ada/A/$((10 - i)).c"
    done
    echo '#error bob' > "$contest/submissions/bob/A/1.c"
    run -0 --separate-stderr grade --builds 1
    assert_equal "${#lines[@]}" 10
    [[ $stderr == *'submissions/ada: submissions wait where they are: the team has 3 in the queue (limits.queued)'* ]]
    assert_equal "$(query "SELECT group_concat(path, ' ') FROM (SELECT path FROM submissions WHERE team = 'ada' AND
        over_limit IS NULL ORDER BY id)")" '9.c 8.c 7.c 6.c 5.c 4.c'
    assert_equal "$(query "SELECT group_concat(path, ' ') FROM (SELECT path FROM submissions WHERE over_limit = 'total'
        ORDER BY id)")" '3.c 2.c 1.c'
    assert_equal "$(message 1.c | head -n 1)" \
        'CE not judged: the team has made 6 submissions, the maximum (limits.total)'
    assert_equal "$(query 'SELECT count(*) FROM waiting')" 0
    # Another scan, or a touched file that was judged, changes nothing; a higher limit and a touch do.
    touch "$contest/submissions/ada/A/9.c"
    run -0 --separate-stderr grade
    assert_output ''
    sed -i 's/total: 6/total: 7/' "$contest/contest.yaml"
    touch "$contest/submissions/ada/A/3.c"
    run -0 --separate-stderr grade
    assert_output --regexp '^#[0-9]+ ada A 3\.c: CE device_user\.c:1:2: error: #error 7$'
    # A refused submission costs nothing, and is visible.
    assert_equal "$("$build/grader" results "$contest" submissions --team ada --json |
        jq '[.[] | select(.message | contains("not judged"))] | length')" 3
    assert_equal "$("$build/grader" results "$contest" standings --json |
        jq -c '.teams[] | select(.team == "ada") | .problems[0].tries')" 0
}

@test "limits: submissions per hour count by file times in the first batch, then by when the grader looked" {
    local i
    contest 'limits: { per_hour: 2 }'
    for i in {1..5}; do
        echo "#error $i" > "$contest/submissions/ada/A/$i.c"
        touch -d "2026-01-01 10:$((i * 10)):00Z" "$contest/submissions/ada/A/$i.c"
    done
    echo '#error 6' > "$contest/submissions/ada/A/6.c"
    touch -d '2026-01-01 11:10:30Z' "$contest/submissions/ada/A/6.c"
    run -0 --separate-stderr grade
    assert_equal "$(query "SELECT group_concat(path, ' ') FROM (SELECT path FROM submissions WHERE over_limit IS NULL
        ORDER BY id)")" '1.c 2.c 6.c'
    assert_equal "$(message 3.c)" "CE not judged: the team has made 2 submissions within an hour, $(
        )the maximum (limits.per_hour): submit it again after 11:11 UTC"
    # A time set back past the last look does not help: all three are of now.
    for i in 7 8 9; do
        echo "#error $i" > "$contest/submissions/ada/A/$i.c"
        touch -d "2026-02-0$i 10:00:00Z" "$contest/submissions/ada/A/$i.c"
    done
    run -0 --separate-stderr grade
    assert_equal "$(query "SELECT group_concat(path, ' ') FROM (SELECT path FROM submissions WHERE over_limit IS NULL
        ORDER BY id)")" '1.c 2.c 6.c 7.c 8.c'
}

@test "store: an empty, lost, older or foreign store beside sources is refused, and no source is touched" {
    local how words before
    contest
    echo '#error 1' > "$contest/submissions/ada/A/1.c"
    run -0 grade
    echo '#error 2' > "$contest/submissions/ada/A/2.c"
    cp -r "$contest/grading" "$BATS_TEST_TMPDIR/one"
    run -0 grade
    echo '#error 3' > "$contest/submissions/ada/A/3.c"
    run -0 grade
    cp -r "$contest/grading" "$BATS_TEST_TMPDIR/whole"
    refused() { # WORDS
        before=$(cd "$contest/grading/sources" && find . -type f -exec sha256sum {} + | sort)
        run -2 grade
        assert_output --partial "$1"
        assert_output --partial 'put back a copy of results.db, or move the folder grading/ away to start again'
        assert_equal "$(printf '%s\n' "$output" | grep -c '^grader: ')" 1
        assert_equal "$(cd "$contest/grading/sources" && find . -type f -exec sha256sum {} + | sort)" "$before"
        rm -r "$contest/grading"
        cp -r "$BATS_TEST_TMPDIR/whole" "$contest/grading"
    }
    rm -f "$contest"/grading/results.db*
    : > "$contest/grading/results.db"
    refused "results.db' is empty, and grading/sources has 3 submissions"
    rm -f "$contest"/grading/results.db*
    refused "results.db' is missing, and grading/sources has 3 submissions"
    rm -f "$contest"/grading/results.db*
    sqlite3 "$contest/grading/results.db" 'CREATE TABLE other (x)'
    refused "results.db' contains no contest, and grading/sources has 3 submissions"
    sqlite3 "$db" 'DELETE FROM judgements; DELETE FROM submissions; DELETE FROM contest; DELETE FROM sqlite_sequence'
    refused "results.db' contains no contest"
    rm -f "$contest"/grading/results.db*
    cp "$BATS_TEST_TMPDIR/one/results.db" "$contest/grading/"
    refused "results.db' does not know grading/sources/3: it is an older copy, or of another contest"
    sqlite3 "$db" "UPDATE contest SET token = 'other'"
    refused "results.db' is of another contest than grading/sources (grading/token differs)"
    # A database cut within its pages is damaged; a source that is still needed must exist.
    truncate -s 12288 "$db"
    run -3 grade
    assert_output --partial 'keep the file, and put a backup of the folder in its place'
    rm -r "$contest/grading"
    cp -r "$BATS_TEST_TMPDIR/whole" "$contest/grading"
    sqlite3 "$db" "UPDATE judgements SET state = 'new', verdict = NULL WHERE id = 2"
    rm -r "$contest/grading/sources/2"
    run -2 grade
    assert_output --partial "grading/sources/2' is missing, and its submission is not judged yet"
    # The submission that was being stored at the power failure is set aside.
    rm -r "$contest/grading"
    cp -r "$BATS_TEST_TMPDIR/whole" "$contest/grading"
    mkdir "$contest/grading/sources/4" && echo lost > "$contest/grading/sources/4/device_user.c"
    echo '#error 4' > "$contest/submissions/ada/A/4.c"
    run -0 grade
    assert_equal "$(cat "$contest"/grading/sources/4.lost-*/device_user.c)" lost
    assert_equal "$(cat "$contest/grading/sources/4/device_user.c")" '#error 4'
}

@test "contest.yaml: a bad line is named with file and line" {
    local line
    contest
    run -0 "$build/grader" check "$contest"
    assert_output $'Test: 1 problem, scoring pass-fail\nbox\tnamespaces\nA\tmergesort\t'
    while IFS='|' read -r line words; do
        contest "$line"
        run -2 "$build/grader" check "$contest"
        assert_output --partial "contest.yaml:$words"
    done <<'LINES'
nmae: x|2: unknown key 'nmae'
start: yesterday|2: 'start: yesterday' is not a time such as 2026-05-01T09:00:00Z
scoring: { type: best }|2: 'scoring.type: best' must be one of: pass-fail fastest relative groups
scoring: { correct: 101 }|2: 'scoring.correct: 101' is not a number from 0 to 100
limits: { files: many }|2: 'limits.files: many' is not a whole number from 1 to 4096
limits: { files: 0x10 }|2: 'limits.files: 0x10' is not a whole number from 1 to 4096
limits: { files: 1.5 }|2: 'limits.files: 1.5' is not a whole number from 1 to 4096
limits: { files: +16 }|2: 'limits.files: +16' is not a whole number from 1 to 4096
limits: { files: 010 }|2: 'limits.files: 010' is not a whole number from 1 to 4096
limits: { megabytes: 0x4 }|2: 'limits.megabytes: 0x4' is not a number from 0.001 to 256
limits: { megabytes: inf }|2: 'limits.megabytes: inf' is not a number from 0.001 to 256
scoring: { rank_cpu: on }|2: 'scoring.rank_cpu: on' must be one of: no yes false true
seal: "seal\0.json"|2: a zero byte (\0) in the text
seal: []|2: 'seal' must have one value
limitz: {}|2: unknown key 'limitz'
key: !!str key.json|2: tags (!) are not supported
key: ../key|2: 'key: ../key' is not a path of letters, digits and _ . - /
start: 2026-02-31T09:00:00Z|2: 'start: 2026-02-31T09:00:00Z' is not a time
start: 26-05-01T09:00:00Z|2: 'start: 26-05-01T09:00:00Z' is not a time
start: 1960-05-01T09:00:00Z|2: 'start: 1960-05-01T09:00:00Z' is not a time
start: 2026-05-01T09:00:60Z|2: 'start: 2026-05-01T09:00:60Z' is not a time
start: 2026-05-01 09:00+ 9:00|2: 'start: 2026-05-01 09:00+ 9:00' is not a time
name2: ""|2: unknown key 'name2'
LINES
    contest
    sed -i 's/^name: .*/name: ""/' "$contest/contest.yaml"
    run -2 "$build/grader" check "$contest"
    assert_output --partial "contest.yaml:1: 'name: ' is empty"
    # The grader prints times in UTC: it converts a time with a zone, and a time without one is UTC.
    contest 'start: 2026-05-01 18:00:00+09:00' 'end: 2026-05-01T14:00'
    run -0 "$build/grader" check "$contest"
    assert_line --index 1 $'start\t2026-05-01 09:00:00 UTC'
    assert_line --index 2 $'end\t2026-05-01 14:00:00 UTC'
    run -2 "$build/grader" check "$contest" more
    assert_output "grader: check takes only the contest's folder"
    run -3 bash -c "'$build/grader' check '$contest' > /dev/full"
    assert_output 'grader: cannot write: No space left on device'
    contest
    echo '    repeat: 8' >> "$contest/contest.yaml"
    run -2 "$build/grader" check "$contest"
    assert_output --partial "contest.yaml:10: key 'problems.0.repeat' is given twice"
    sed -i '$d; s/repeat: 7/repeat: 8/' "$contest/contest.yaml"
    run -2 "$build/grader" check "$contest"
    assert_output --partial "contest.yaml:9: 'problems.0.repeat: 8' is not an odd number"
    printf '  - id: A\n    problem: matmul\n' >> "$contest/contest.yaml"
    sed -i 's/repeat: 8/repeat: 7/' "$contest/contest.yaml"
    run -2 "$build/grader" check "$contest"
    assert_output --partial "contest.yaml:10: 'problems.1.id: A' occurs twice"
    sed -i '10s/id: A/id: a/' "$contest/contest.yaml"
    run -2 "$build/grader" check "$contest"
    assert_output --partial "contest.yaml:10: 'problems.1.id: a' occurs twice (some file systems ignore case)"
    contest
    echo '    ranked: sample' >> "$contest/contest.yaml"
    run -2 "$build/grader" check "$contest"
    assert_output --partial "contest.yaml:10: 'problems.0.ranked: sample' excludes the other one"
    # Groups: within what is run, and no case in two of them.
    while IFS='|' read -r line words; do
        contest 'scoring: { type: groups }'
        echo "    groups: [ $line ]" >> "$contest/contest.yaml"
        run -2 "$build/grader" check "$contest"
        assert_output --partial "$words"
    done <<'LINES'
{ name: secret/keys }|the group 'secret/keys' is not below 'sample', whose cases are run
{ name: sample }, { name: sample }|the groups 'sample' and 'sample' have cases in common
{ name: all }|the group 'all' is not below 'sample'
LINES
    contest 'scoring: { type: groups }'
    sed -i 's/secret: sample/secret: all/' "$contest/contest.yaml"
    run -2 "$build/grader" check "$contest"
    assert_output --partial "problem A: groups are folders below 'secret', and 'secret: all' has none"
    contest 'start: 2026-01-02' 'end: 2026-01-01 00:00'
    run -2 "$build/grader" check "$contest"
    assert_output --partial "contest.yaml:2: 'start: 2026-01-02' is not a time"
    contest 'start: 2026-01-02 00:00' 'end: 2026-01-01 00:00'
    run -2 "$build/grader" check "$contest"
    assert_output --partial 'contest.yaml:3: the contest ends before it starts'
}

@test "grade: right, wrong, slow, broken, hostile names, folders and archives get their verdicts; exports are valid" {
    requires box
    local words
    cd "$BATS_TEST_TMPDIR"
    contest 'scoring: { rank_cpu: yes }'
    submit ada right.c "$sort/accepted/qsort.c"
    submit ada wrong.c "$sort/wrong_answer/unsigned_keys.c"
    echo '#error not so' > broken.c
    submit ada broken.c broken.c
    sed 's/^void device_user.*/&/; /^{/a for (volatile int i = 0; i == 0;) ;' "$sort/accepted/qsort.c" > slow.c
    submit ada slow.c slow.c
    # shellcheck disable=SC2016
    submit '$(touch pwned);' '`touch pwned` "a",'\''b.c' "$sort/accepted/qsort.c"
    submit ada $'steer\e[31m.c' "$sort/accepted/qsort.c"
    mkdir folder && cp "$sort/accepted/qsort.c" folder/main.c
    submit ada folder folder
    cp "$root/tests/fixtures/stable_sort.cc" .
    submit ada plus.cc stable_sort.cc
    tar -czf folder.tgz folder
    submit ada folder.tgz folder.tgz
    ln -s /etc/passwd folder/link.c
    submit ada linked folder
    tar -cf linked.tar folder
    submit ada linked.tar linked.tar
    tar -cPf above.tar --transform 's|folder/main.c|../../escaped.c|' folder/main.c
    submit ada above.tar above.tar
    head -c 6000000 /dev/zero > folder/large.h && rm folder/link.c && tar -czf bomb.tar.gz folder
    submit ada bomb.tar.gz bomb.tar.gz
    echo 'no archive' > junk.zip
    submit ada junk.zip junk.zip
    echo 'words' > "$contest/submissions/ada/A/readme.txt"
    mkdir -p "$contest/submissions/ada/Z"
    run -0 --separate-stderr grade --builds 2
    [[ $stderr == *'submissions/ada/A/readme.txt: left out: it is not a .cu, .c or .cc file'* ]]
    [[ $stderr == *'submissions/ada/Z: left out: it is not a folder of one of the contest'* ]]
    [[ $stderr == *'steer<U+001B>[31m.c: left out: its name is not readable text'* ]]
    assert_equal "$(query "SELECT s.path || ' ' || j.verdict FROM submissions s JOIN judgements j ON j.submission = s.id
        WHERE team = 'ada' ORDER BY s.path COLLATE BINARY")" "above.tar CE
bomb.tar.gz CE
broken.c CE
folder AC
folder.tgz AC
junk.zip CE
linked CE
linked.tar CE
plus.cc AC
right.c AC
slow.c TLE
wrong.c WA"
    # shellcheck disable=SC2016
    assert_equal "$(query \
        "SELECT j.verdict, s.path FROM submissions s JOIN judgements j ON j.submission = s.id WHERE team <> 'ada'")" \
        'AC|`touch pwned` "a",'\''b.c'
    assert_equal "$(query \
        "SELECT message FROM judgements j JOIN submissions s ON s.id = j.submission WHERE path = 'broken.c'")" \
        'device_user.c:1:2: error: #error not so'
    for words in "linked.tar:'folder/link.c' is a link" "bomb.tar.gz:unpacks to more bytes" "junk.zip:cannot be read" \
        "above.tar:'../../escaped.c' is not a name" "linked:is a symbolic link"; do
        [[ $(query "SELECT message FROM judgements j JOIN submissions s ON s.id = j.submission
            WHERE path = '${words%%:*}'") == \
            *"${words#*:}"* ]]
    done
    [ -z "$(find "$BATS_TEST_TMPDIR" "$root" -maxdepth 3 \( -name pwned -o -name escaped.c \) -print -quit)" ]
    # All samples of the ranked case, of those accepted alone.
    assert_equal "$(query \
        "SELECT DISTINCT (SELECT count(*) FROM samples WHERE run = r.id) FROM runs r WHERE step = 'ranked'")" 7
    assert_equal "$(query "SELECT count(*) FROM runs WHERE step = 'ranked'")" 5
    sound
    # Graded once more: nothing is left to do, and nothing is done.
    run -0 grade
    refute_output --partial '#'
    # CSV and JSON have the same content, whatever the names are.
    "$root/run_scripts/results.sh" "$contest" submissions --csv > out.csv
    "$root/run_scripts/results.sh" "$contest" submissions --json > out.json
    sqlite3 :memory: '.mode csv' '.import out.csv t' "SELECT team, path, verdict FROM t ORDER BY submission + 0" \
        > from_csv
    jq -r '.[] | [.team, .path, .verdict] | @csv' out.json > from_json
    sqlite3 :memory: '.mode csv' "CREATE TABLE t (a, b, c)" '.import from_json t' 'SELECT * FROM t' > from_json_again
    cmp from_csv from_json_again
    assert_equal "$(jq length out.json)" 13
    assert_equal "$("$root/run_scripts/results.sh" "$contest" submissions --verdict WA --json | jq -r '.[].path')" \
        wrong.c
    run -0 "$root/run_scripts/results.sh" "$contest" standings
    assert_output --partial $'\tada\t'
    run -2 "$root/run_scripts/results.sh" "$contest" nothing
    run -2 "$root/run_scripts/results.sh" "$contest" --sql 'DELETE FROM samples'
}

@test "grade: killed at any moment and started again, it loses nothing and gives one verdict each" {
    requires box
    local pause killed=0
    contest 'scoring: { rank_cpu: yes }'
    submit ada 1.c "$sort/accepted/qsort.c"
    submit ada 2.c "$sort/wrong_answer/unsigned_keys.c"
    submit bob 1.c "$sort/run_time_error/null_payloads.c"
    submit bob 2.c "$sort/accepted/baseline.c"
    mkdir -p "$build/grading"
    for pause in 0.02 0.15 0.3 0.45 0.6 0.3 0.2; do
        "$build/grader" run "$contest" --builds 1 > /dev/null 2>&1 < /dev/null &
        local pid=$!
        sleep "$pause"
        kill -9 $pid && killed=$((killed + 1))
        wait $pid || true
        # A written verdict is never removed.
        query "SELECT submission, verdict FROM judgements WHERE state = 'done' ORDER BY 1" \
            > "$BATS_TEST_TMPDIR/done.$killed" || true
    done
    [ $killed -ge 3 ]
    # Stopped by Ctrl-C: the exit code says so, and its children have ended too.
    "$build/grader" run "$contest" --builds 1 > /dev/null 2>&1 < /dev/null &
    local pid=$! status=0
    sleep 0.5
    kill -INT $pid || true
    wait $pid || status=$?
    [ $status -le 1 ]
    run -0 grade --builds 1
    sound
    assert_equal "$(query \
        "SELECT team, path, verdict FROM submissions s JOIN judgements j ON j.submission = s.id ORDER BY 1, 2")" \
        "ada|1.c|AC
ada|2.c|WA
bob|1.c|RTE
bob|2.c|AC"
    for pause in "$BATS_TEST_TMPDIR"/done.*; do
        [ -z "$(comm -23 "$pause" \
            <(query "SELECT submission, verdict FROM judgements WHERE state = 'done' ORDER BY 1"))" ]
    done
    # A killed attempt does not count, and no partial build is left.
    assert_equal "$(query 'SELECT max(attempts) FROM judgements')" 0
    [ ! -e "$build/grading/$(query 'SELECT token FROM contest')" ]
}

@test "grade: with --watch a file that arrives is graded; another grader of the same contest is refused" {
    requires box
    contest
    submit ada 1.c "$sort/wrong_answer/unsigned_keys.c"
    "$build/grader" run "$contest" --watch > "$BATS_TEST_TMPDIR/out" 2>&1 < /dev/null &
    local pid=$!
    sleep 1
    submit ada 2.c "$sort/run_time_error/null_payloads.c"
    "$build/grader" run "$contest" > "$BATS_TEST_TMPDIR/second" 2>&1 < /dev/null &
    local second=$! refused=0
    for _ in {1..200}; do
        [ "$(query "SELECT count(*) FROM judgements WHERE state = 'done'" 2> /dev/null)" != 2 ] || break
        sleep 0.1
    done
    wait $second || refused=$?
    assert_equal "$refused $(cat "$BATS_TEST_TMPDIR/second")" "2 grader: '$contest' is being graded already"
    kill -TERM $pid
    wait $pid
    run -0 cat "$BATS_TEST_TMPDIR/out"
    assert_line --regexp '^#[12] ada A 1\.c: WA '
    assert_line --regexp '^#[12] ada A 2\.c: RTE '
    sound
}

@test "grade: if the contest names no cases for times, the problem's apply" {
    contest 'practice: yes' 'scoring: { rank_cpu: yes }'
    sed -i '/secret:/d; /ranked_case:/d; s/repeat: 7/repeat: 3/' "$contest/contest.yaml"
    submit ada right.c "$sort/accepted/baseline.c"
    run -0 grade
    assert_output --partial 'ada A right.c: AC'
    assert_equal "$(query "SELECT group_concat(name, ' ') FROM runs WHERE step = 'ranked' ORDER BY number")" \
        'secret/keys/19-million secret/pairs/12-random'
    [ "$(query "SELECT count(*) FROM runs WHERE step = 'secret'")" -gt 20 ]
    # The word is not a group of cases elsewhere.
    sed -i 's/samples: sample/samples: ranked/' "$contest/contest.yaml"
    run -2 "$build/grader" check "$contest"
    assert_output --partial "the problem 'mergesort' has no group of cases 'ranked'"
}

@test "grade: builds do not run on the processors of timed runners" {
    [ "$(nproc)" -gt 1 ] || skip 'there is one processor'
    local tools=$BATS_TEST_TMPDIR/tools seen=$BATS_TEST_TMPDIR/seen top used
    contest
    submit ada right.c "$sort/accepted/baseline.c"
    echo "// no CL/cl.h" >> "$contest/submissions/ada/A/right.c" # so make is asked outside of the box as well
    mkdir "$tools"
    printf '%s\n' '#!/bin/bash' "[[ \$* != *build.mk* ]] || taskset -cp \$\$ >> $seen" \
        "exec $(command -v make) \"\$@\"" > "$tools/make"
    chmod +x "$tools/make"
    PATH=$tools:$PATH run -0 grade
    assert_output --partial 'ada A right.c: AC'
    # The highest processor that this test may use: hosts begin their choice there.
    top=$(taskset -cp $$ | sed 's/.*[^0-9]//')
    used=$(sed -n 's/.*[^0-9]//p' "$seen" | sort -n | tail -n 1)
    [ -n "$used" ] && [ "$used" != "$top" ] || fail "built on $used, runners on $top"
}

@test "rejudge: chosen, previewed, graded beside, compared and committed or cancelled" {
    requires box
    contest
    submit ada 1.c "$sort/wrong_answer/unsigned_keys.c"
    submit bob 1.c "$sort/run_time_error/null_payloads.c"
    # On a terminal a bar, elsewhere plain lines.
    mkdir -p "$build/grading"
    run -0 timeout 60 script -qec "'$build/grader' run '$contest'" /dev/null < /dev/null
    assert_output --regexp '\[[#.]{20}\] [0-9] of 2 done, [0-9] building, [0-9] running'
    assert_output --regexp '1 of 2 done, .*, about [0-9]+ s left'
    run -0 "$build/grader" rejudge "$contest" --verdict WA
    assert_output --partial '1 would be judged again; add --start'
    assert_equal "$(query 'SELECT count(*) FROM judgements')" 2
    run -2 "$build/grader" rejudge "$contest" --team nobody
    assert_output "grader: --team: there is no team 'nobody' in the results"
    run -0 "$build/grader" rejudge "$contest" --machine "$(hostname)" --until 2000-01-01T00:00:00Z
    assert_output --partial '0 would be judged again'
    run -2 "$build/grader" rejudge "$contest" --start
    # As if a machine fault had made the verdict: judged again it differs.
    sqlite3 "$db" "UPDATE judgements SET verdict = 'TLE' WHERE submission = 1"
    run -0 "$build/grader" rejudge "$contest" --problem A --verdict TLE --start --reason 'the fan stood still'
    assert_output --partial 'rejudging 1: 1 are judged again'
    run -2 "$build/grader" commit "$contest" 1
    assert_output --partial '1 of rejudging 1 are not graded yet'
    run -0 grade
    refute_output --partial ' done, '
    assert_equal "$(query 'SELECT verdict FROM judgements WHERE submission = 1 AND valid')" TLE
    run -0 "$build/grader" changes "$contest" 1
    assert_line --index 1 $'1\tada\tA\t1.c\tTLE\tWA\tchanges'
    run -0 "$build/grader" commit "$contest" 1
    assert_equal "$(query 'SELECT verdict FROM judgements WHERE submission = 1 AND valid')" WA
    assert_equal "$(query 'SELECT count(*) FROM judgements WHERE submission = 1')" 2
    run -2 "$build/grader" commit "$contest" 1
    run -0 "$build/grader" rejudge "$contest" --submission 2 --start --reason again
    run -0 "$build/grader" cancel "$contest" 2
    run -0 grade
    sound
    assert_equal "$("$build/grader" results "$contest" rejudgings --json | jq -r '.[].state' |
        xargs)" 'committed cancelled'
}

@test "schema: a database of version 1 is upgraded with all its content; a newer one is refused" {
    contest
    rm -rf "$contest/submissions/ada"
    mkdir -p "$contest/grading"
    sqlite3 "$db" < "$BATS_TEST_DIRNAME/fixtures/grade_schema_1.sql"
    assert_equal "$(query 'PRAGMA user_version')" 1
    run -2 "$build/grader" results "$contest"
    assert_output --partial 'its schema has version 1, older than this program'
    mkdir -p "$build/grading"
    run -0 "$build/grader" run "$contest"
    assert_equal "$(query 'PRAGMA user_version')" 6
    assert_equal "$(query 'PRAGMA journal_mode')" wal
    assert_equal "$("$build/grader" results "$contest" --json | jq -c '.[] | [.team, .verdict, .seconds]')" \
        '["ada","AC",0.25]'
    query .schema > "$BATS_TEST_TMPDIR/migrated"
    rm -rf "$contest/grading"
    run -0 "$build/grader" run "$contest"
    query .schema | diff "$BATS_TEST_TMPDIR/migrated" -
    sqlite3 "$db" 'PRAGMA user_version = 99'
    run -2 "$build/grader" run "$contest"
    assert_output --partial 'its schema has version 99, newer than'
}

@test "standings: penalty and freeze, places with ties, points by speed, test groups, from one database" {
    local times team
    standings() {
        contest "$@"
        "$build/grader" results "$contest" standings --json
    }
    contest
    rm -rf "$contest/submissions/ada"
    mkdir -p "$contest/grading" "$contest/teams" "$build/grading"
    printf 'name: Ada & "Co"\naffiliation: Göttingen, 1\ncountry: DEU\n' > "$contest/teams/ada.yaml"
    for team in bob cyd dan; do
        echo "name: $team" > "$contest/teams/$team.yaml"
    done
    run -0 "$build/grader" run "$contest"
    # Moments in minutes from the start; ada: WA at 10, AC at 30; bob: CE at 5, AC at 40; cyd: AC at 50; dan:
    # after the end.
    sqlite3 "$db" "CREATE TEMP TABLE given (id, team, minute, verdict, median, low, high, baseline);
        INSERT INTO given VALUES (1, 'ada', 10, 'WA', NULL, NULL, NULL, NULL), (2, 'ada', 30, 'AC', 2.0, 1.9, 2.2, 4.0),
            (3, 'bob', 5, 'CE', NULL, NULL, NULL, NULL), (4, 'bob', 40, 'AC', 2.1, 2.1, 2.3, 8.4),
            (5, 'cyd', 50, 'AC', 3, 2.9, 3.1, 3.0),
            (6, 'dan', 120, 'AC', 1, 1, 1, 9.0);
        INSERT INTO submissions $submission_columns SELECT id, team, 'A', id, id, id, 1767225600 + 60 * minute, 0
            FROM given;
        INSERT INTO judgements (id, submission, state, verdict, created) SELECT id, id, 'done', verdict, 0 FROM given;
        INSERT INTO runs $run_columns SELECT id * 10, id, 'ranked', 0, 'x', 'AC', '', median, low, high FROM given
            WHERE verdict = 'AC';
        INSERT INTO runs $run_columns SELECT id * 10 + 1, id, 'baseline', 0, 'x', 'AC', '', baseline, 0, 0 FROM given
            WHERE verdict = 'AC';
        INSERT INTO runs $run_columns SELECT id * 10 + 2, id, 'secret', 0, 'secret/one/1', 'AC', '', 1, 1, 1 FROM given
            WHERE id < 3;
        INSERT INTO runs $run_columns SELECT id * 10 + 3, id, 'secret', 1, 'secret/one/2', 'WA', '', 1, 1, 1 FROM given
            WHERE id < 3;
        INSERT INTO runs $run_columns SELECT id * 10 + 4, id, 'secret', 2, 'secret/two/1',
            CASE id WHEN 1 THEN 'AC' ELSE 'WA' END, '', 1, 1, 1
            FROM given WHERE id < 3; $all_public"
    times=('start: 2026-01-01T00:00:00Z' 'freeze: 2026-01-01T00:45:00Z' 'end: 2026-01-01T01:00:00Z')
    standings "${times[@]}" > "$BATS_TEST_TMPDIR/out"
    run -0 jq -c '.teams[] | [.rank, .team, .solved, .penalty, .problems[0].tries]' "$BATS_TEST_TMPDIR/out"
    # ada and cyd have the same penalty; ada had her answer earlier.
    assert_output '[1,"bob",1,40,1]
[2,"ada",1,50,2]
[3,"cyd",1,50,1]
[4,"dan",0,0,0]'
    assert_equal "$(json '.teams[] | select(.team == "ada").name' "$BATS_TEST_TMPDIR/out")" 'Ada & "Co"'
    run -0 "$build/grader" results "$contest" standings --csv
    assert_line --index 0 'rank,team,name,solved,penalty,score,A,affiliation,country'
    assert_line --index 2 '2,ada,"Ada & ""Co""",1,50,0,2/30,"Göttingen, 1",DEU'
    # For people: one column per problem, no needless digits, and no empty columns.
    run -0 "$build/grader" results "$contest" standings
    assert_line --index 0 $'rank\tteam\tname\tsolved\tpenalty\tA\taffiliation\tcountry'
    assert_line --index 1 $'1\tbob\tbob\t1\t40\t1/40\t-\t-'
    assert_line --index 2 $'2\tada\tAda & "Co"\t1\t50\t2/30\tGöttingen, 1\tDEU'
    assert_line --index 4 $'4\tdan\tdan\t0\t0\t-\t-\t-'
    run -0 "$build/grader" results "$contest" standings --public
    assert_line --index 3 $'3\tcyd\tcyd\t0\t0\t?1\t-\t-'
    assert_equal "$("$build/grader" results "$contest" standings --json |
        jq -c '.teams[:2][] | [.team, .affiliation, .country]' | xargs)" '[bob,null,null] [ada,Göttingen, 1,DEU]'
    "$build/grader" results "$contest" standings --public --json > "$BATS_TEST_TMPDIR/out"
    assert_equal "$(json '.teams[] | select(.team == "cyd") | [.solved, .problems[0].pending] | @csv' \
        "$BATS_TEST_TMPDIR/out")" 0,1
    # bob's interval overlaps ada's, cyd's neither.
    assert_equal "$(standings "${times[@]}" 'scoring: { type: fastest }' | jq -c '.teams[] | [.rank, .team, .score]' |
        xargs)" \
        '[1,ada,1] [1,bob,1] [3,cyd,3] [4,dan,4]'
    run -0 "$build/grader" results "$contest" standings
    assert_line --index 0 $'rank\tteam\tname\tsolved\tscore\tA\taffiliation\tcountry'
    assert_line --index 2 $'1\tbob\tbob\t1\t1\t2.100000 (1)\t-\t-'
    # Speedups 2, 4 and 1: a third of the way from 1 to 4, all of it, none.
    assert_equal "$(standings "${times[@]}" 'scoring: { type: relative, correct: 40 }' |
        jq -c '.teams[] | [.rank, .team, (.score * 1000 | round)]' |
        xargs)" '[1,bob,100000] [2,ada,60000] [3,cyd,40000] [4,dan,0]'
    run -0 "$build/grader" results "$contest" standings
    assert_line --index 2 $'2\tada\tAda & "Co"\t1\t60\t60\tGöttingen, 1\tDEU'
    # A submission under review has no time until the review ends.
    sqlite3 "$db" 'UPDATE judgements SET review = 1 WHERE submission = 4'
    assert_equal "$("$build/grader" results "$contest" standings --json | jq -c '.teams[0].team')" '"ada"'
    run -0 "$build/grader" clear-review "$contest" 4
    assert_equal "$("$build/grader" results "$contest" standings --json | jq -c '.teams[0].team')" '"bob"'
    # Half of `one` by sum, all of `two` by min: ada's best submission is the first.
    contest "${times[@]}" 'scoring: { type: groups }'
    sed -i 's/secret: sample/secret: secret/' "$contest/contest.yaml"
    printf '%s\n' '    groups:' '      - name: secret/one' '        score_aggregation: sum' '        max_score: 60' \
        '      - name: secret/two' '        score_aggregation: min' '        max_score: 40' >> "$contest/contest.yaml"
    assert_equal "$("$build/grader" results "$contest" standings --json | jq -c '.teams[0] | [.team, .score]')" \
        '["ada",70]'
    # Without max_score a group is worth the problem's points, wherever these are set.
    sed -i '/max_score: 60/d' "$contest/contest.yaml"
    echo '    points: 20' >> "$contest/contest.yaml"
    assert_equal "$("$build/grader" results "$contest" standings --json | jq -c '.teams[0] | [.team, .score]')" \
        '["ada",50]'
    # A team that is no longer listed has no place; if no team is listed, every team that submitted has one.
    rm "$contest/teams/bob.yaml"
    assert_equal "$("$build/grader" results "$contest" standings --json | jq -c '[.teams[].team] | sort')" \
        '["ada","cyd","dan"]'
    rm "$contest/teams"/*.yaml
    assert_equal "$("$build/grader" results "$contest" standings --json | jq -c '[.teams[].team] | sort')" \
        '["ada","bob","cyd","dan"]'
}
