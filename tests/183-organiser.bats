#!/usr/bin/env bats
# Accidents around a contest: empty and unreadable folders, bad baselines, rejudgings that
# are cancelled while they run or that the machine fails.
# bats file_tags=grade

load helpers/contest

setup_file() {
    make -s -C "$root" DEV=1 grade-programs >&2
    mkdir -p "$build/grading"
}

setup() {
    load helpers/common
    contest_places
    cd "$BATS_TEST_TMPDIR"
}

message() { # TEAM
    query "SELECT verdict || ' ' || message FROM judgements j JOIN submissions s ON s.id = j.submission
        WHERE team = '$1' AND j.valid ORDER BY s.id"
}
state_is() { [ "$(query "SELECT state FROM judgements WHERE id = $1" 2> /dev/null)" = "$2" ]; }

@test "intake: an empty folder is no submission and blocks no other; once filled it is one" {
    requires box
    contest
    submit bob 1.c "$sort/wrong_answer/unsigned_keys.c"
    mkdir -p "$contest/submissions/ada/A/new/deep"
    run -0 grade
    assert_line 'grader: submissions/ada/A/new: left out for now: the folder has no files'
    assert_line --regexp '^#1 bob A 1\.c: WA'
    assert_equal "$(query 'SELECT count(*) FROM submissions')" 1
    # The same while it watches.
    "$build/grader" run "$contest" --watch > watched 2>&1 3>&- < /dev/null &
    until_true 20 grep -q 'has no files' watched
    mkdir -p "$contest/submissions/ada/A/new/__MACOSX"
    touch "$contest/submissions/ada/A/new/.DS_Store" "$contest/submissions/ada/A/new/__MACOSX/._a name"
    sleep 2
    refute grep -q "^#2" watched
    cp "$sort/run_time_error/null_payloads.c" "$contest/submissions/ada/A/new/main.c"
    until_true 30 grep -q '^#2 ada A new: RTE' watched
    kill $!
    wait
}

@test "intake: an unreadable file is reported, counts against no team, and is taken once readable; a link keeps its time" {
    requires box
    contest 'start: 2020-01-01T00:00:00Z' 'end: 2020-01-02T00:00:00Z'
    ln -s /etc/passwd "$contest/submissions/ada/A/link.c"
    run -0 grade
    assert_line --regexp "^#1 ada A link\.c: CE \(after the end\) 'link\.c' is a symbolic link"
    [ "$(query 'SELECT submitted > 1e9 FROM submissions')" = 1 ]
    # No source of it was kept, so it cannot be judged again.
    run -0 "$build/grader" rejudge "$contest" --verdict CE
    assert_line '0 would be judged again'
    submit bob 1.c "$sort/wrong_answer/unsigned_keys.c"
    submit cyd 1.c "$sort/wrong_answer/unsigned_keys.c"
    chmod a-r "$contest/submissions/bob/A/1.c" "$contest/submissions/cyd/A"
    # Root reads everything, unless it drops that right and another user owns the files.
    without=()
    if [ "$(id -u)" -eq 0 ]; then
        without=(setpriv --bounding-set=-dac_override,-dac_read_search)
        chown nobody "$contest/submissions/bob/A/1.c" "$contest/submissions/cyd/A"
    fi
    run -0 "${without[@]}" "$build/grader" run "$contest"
    assert_line "grader: submissions/bob/A/1.c: left out for now: '1.c' cannot be read: Permission denied"
    assert_line 'grader: submissions/cyd/A: left out for now: the folder cannot be listed: Permission denied'
    assert_equal "$(query 'SELECT count(*) FROM submissions')" 1
    chmod a+r "$contest/submissions/bob/A/1.c" "$contest/submissions/cyd/A"
    run -0 grade
    assert_equal "$(query "SELECT count(*) FROM judgements WHERE verdict = 'WA'")" 2
}

@test "intake: a missing folder of submissions is an error; a link to one is read" {
    contest
    mv "$contest/submissions" elsewhere
    for command in run check; do
        run -2 "$build/grader" "$command" "$contest"
        assert_output --partial "grader: cannot list '$contest/submissions': No such file or directory: that folder is"
    done
    ln -s "$PWD/elsewhere" "$contest/submissions"
    echo '#error x' > elsewhere/ada/A/1.c
    mkdir teams
    echo 'name: Bob' > teams/bob.yaml
    ln -s "$PWD/teams" "$contest/teams"
    run -0 grade
    assert_output --partial 'submissions/ada: left out: there is no such team in teams/'
    echo 'name: Ada' > teams/ada.yaml
    run -0 grade
    assert_output --partial '#1 ada A 1.c: CE'
    echo 'name: Cyd' > teams/cyd.yml
    run -2 "$build/grader" check "$contest"
    assert_output "grader: $contest/teams/cyd.yml: a team's file ends in '.yaml': rename it, or the team is not listed"
    rm teams/cyd.yml
    echo 'name: ""' > teams/ada.yaml
    run -2 "$build/grader" check "$contest"
    assert_output "grader: $contest/teams/ada.yaml:1: 'name' is empty"
    run -2 "$build/grader" run "$contest" --watch again
    assert_output "grader: run takes one folder: remove 'again'"
}

@test "messages: a missing device_user() and the linker's words are reported, without the toolkit's own paths" {
    requires box
    contest
    : > empty.c
    submit ada 1.c empty.c
    mkdir two && cp "$sort/accepted/qsort.c" two/one.c && cp "$sort/accepted/qsort.c" two/two.c
    submit bob two two
    mkdir words && echo 'no source' > words/readme.txt
    submit cyd words words
    run -0 grade
    assert_equal "$(message ada)" "CE error: there is no function device_user(): the submission defines no function"
    [[ $(message bob) == "CE two.c:"*"multiple definition of"*"device_user"* ]]
    [[ $(message bob) != *"$root"* && $(message bob) != *grading* ]]
    assert_equal "$(message cyd)" "CE the folder '.' has no .cu, .c or .cc file"
    # Compile errors name a machine too: they may be its fault.
    run -0 "$build/grader" rejudge "$contest" --machine "$(hostname)"
    assert_line '3 would be judged again; add --start --reason TEXT to do it'
}

@test "baseline: if a baseline is not accepted the grader ends, and no submission is blamed" {
    requires box
    contest 'scoring: { type: relative, rank_cpu: yes }'
    echo "    baseline: problems/mergesort/submissions/wrong_answer/unsigned_keys.c" >> "$contest/contest.yaml"
    submit ada 1.c "$sort/accepted/qsort.c"
    run -2 grade
    assert_line --regexp '^grader: the baseline of problem A is not accepted: WA .*: choose another .baseline. in '
    assert_equal "$(query 'SELECT state, attempts FROM judgements')" 'ranked|0'
    sed -i '/baseline:/d' "$contest/contest.yaml"
    run -0 grade
    assert_equal "$(message ada)" 'AC '
}

@test "scoring: the grader warns if times make the score and none will be measured" {
    contest 'scoring: { type: fastest }'
    run -0 grade
    assert_output 'grader: scoring is fastest, there is no GPU to use, and scoring.rank_cpu is no: nothing gets a time'
    contest 'scoring: { type: fastest, rank_cpu: yes }'
    run -0 grade
    assert_output ''
}

@test "rejudge: cancelled in the middle of any step, the grader goes on and the verdict stays as it was" {
    requires box
    local step n=1
    contest 'scoring: { rank_cpu: yes }'
    echo '    repeat: 301' >> "$contest/contest.yaml"
    # It is slow in the compiler and in every call.
    { cat "$sort/accepted/qsort.c"; echo '#include <time.h>'
      echo '__attribute__((constructor)) static void slow(void) { nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, 0); }'
      for ((i = 0; i < 300; i++)); do
          echo "__attribute__((used)) static int f$i(int x) { for (int i = 0; i < x; i++) x ^= x * $i + i; return x; }"
      done
    } > slow.c
    submit ada 1.c slow.c
    run -0 grade
    "$build/grader" run "$contest" --watch > watched 2>&1 3>&- < /dev/null &
    for step in building samples secret ranked; do
        rm -rf "$build/grading/cache" # or the build would be over before anybody looks
        run -0 "$build/grader" rejudge "$contest" --submission 1 --start --reason "$step"
        n=$((n + 1))
        until_true 30 state_is "$n" "$step"
        run -0 "$build/grader" cancel "$contest" $((n - 1))
        assert_equal "$(query "SELECT state, verdict, message, valid FROM judgements WHERE id = $n")" \
            'done|NO|cancelled|0'
    done
    # A later submission is graded: the grader lives.
    submit bob 1.c "$sort/wrong_answer/unsigned_keys.c"
    until_true 30 grep -q '^#2 bob A 1.c: WA' watched
    kill $!
    wait
    assert_equal "$(query "SELECT group_concat(verdict || valid, ' ') FROM judgements WHERE submission = 1")" \
        'AC1 NO0 NO0 NO0 NO0'
    assert_equal "$(query "SELECT count(*) FROM rejudgings WHERE state = 'cancelled'")" 4
    refute grep -E 'constraint|failed' watched
}

@test "rejudge: changes shows the old verdict after a commit too; JE replaces none; a missing problem is named" {
    requires box
    contest
    submit ada 1.c "$sort/wrong_answer/unsigned_keys.c"
    submit bob 1.c "$sort/run_time_error/null_payloads.c"
    run -0 grade
    sqlite3 "$db" "UPDATE judgements SET verdict = 'TLE' WHERE submission = 1"
    run -0 "$build/grader" rejudge "$contest" --start --reason 'as if'
    run -0 "$build/grader" rejudge "$contest"
    assert_line '2 more are in a rejudging that is open: commit or cancel that first'
    run -0 grade
    run -0 "$build/grader" changes "$contest" 1
    before=$output
    assert_line $'1\tada\tA\t1.c\tTLE\tWA\tchanges'
    run -0 "$build/grader" commit "$contest" 1
    assert_output ''
    run -0 "$build/grader" changes "$contest" 1
    assert_output "$before"
    # The machine fails one: its verdict stays, the other's is the new one.
    rm -r "$contest/grading/sources/2"
    sqlite3 "$db" "UPDATE judgements SET verdict = 'TLE' WHERE submission = 1 AND valid"
    run -0 "$build/grader" rejudge "$contest" --start --reason 'a lost disk'
    run -0 grade
    assert_equal "$(query "SELECT verdict FROM judgements WHERE rejudging = 2 AND submission = 2")" JE
    run -0 "$build/grader" commit "$contest" 2
    assert_output '1 keep the verdict that they had: the machine failed to judge them again (JE)'
    assert_equal "$(query 'SELECT submission, verdict FROM judgements WHERE valid ORDER BY 1' | paste -sd ' ')" \
        '1|WA 2|RTE'
    # Only an organiser can go on here.
    run -0 "$build/grader" rejudge "$contest" --submission 1 --start --reason again
    sed -i 's/id: A/id: B/' "$contest/contest.yaml"
    run -2 "$build/grader" commit "$contest" 3
    assert_output "grader: 1 of rejudging 3 are not graded yet: contest.yaml has no problem 'A' any more: put it\
 back or cancel the rejudging"
    run -0 "$build/grader" cancel "$contest" 3
}

@test "results: a filter that matches nothing and a view that hides nothing are refused; a full disk is reported" {
    contest
    echo '#error x' > broken.c
    submit ada 1.c broken.c
    run -0 grade
    while IFS='|' read -r words answer; do
        # shellcheck disable=SC2086
        run -2 "$build/grader" rejudge "$contest" $words
        assert_output "grader: $answer"
    done <<'LINES'
--verdict ce|--verdict: 'ce' must be one of: AC WA TLE RTE MLE OLE CE NO SV JE
--verdict A|--verdict: 'A' must be one of: AC WA TLE RTE MLE OLE CE NO SV JE
--problem Z|--problem: there is no problem 'Z' in the results
--machine foo|--machine: there is no machine 'foo' in the results
--submission 99|--submission: there is no submission 99
--until 1960-01-01T00:00:00Z|--until: '1960-01-01T00:00:00Z' is not a time such as 2026-05-01T09:00:00Z
LINES
    run -2 "$build/grader" results "$contest" submissions --public
    assert_output 'grader: --public is for the standings alone: the other tables hold what came after the freeze, too'
    run -2 "$build/grader" results "$contest" standings --team ada
    assert_output 'grader: standings cannot be filtered'
    run -2 "$build/grader" results "$contest" machines --team ada
    assert_output 'grader: machines cannot be filtered'
    run -2 "$build/grader" results "$contest" --sql ''
    assert_output 'grader: --sql has no statement'
    run -2 "$build/grader" results "$contest" --sql 'SELECT 1; SELECT 2'
    assert_output --partial 'grader: --sql takes one statement'
    run -0 "$build/grader" results "$contest" --sql 'SELECT 1 ;'
    for format in '' --csv --json; do
        for table in standings submissions; do
            # shellcheck disable=SC2086
            run -3 bash -c "'$build/grader' results '$contest' $table $format > /dev/full"
            assert_output 'grader: cannot write: No space left on device'
        done
    done
    # Commands that only read need no right to write.
    chmod -R a-w "$contest/grading"
    run -0 "$build/grader" rejudge "$contest"
    chmod -R u+w "$contest/grading"
    for script in grade results; do
        run -0 "$root/run_scripts/$script.sh" --help
        assert_output --partial "$script.sh CONTEST"
        refute_output --partial '#'
    done
}
