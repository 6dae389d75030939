#!/usr/bin/env bats
# Every way a submission can end gets its verdict and one line that says why; the host survives all of them.

setup() {
    load helpers/common
    cd "$root"
}

# judged FIXTURE EXIT VERDICT WORDS [options]: the fixture, on the first sample, in the box and without it;
# or in $boxes.
judged() {
    local so box fixture=$1 code=$2 verdict=$3 words=$4
    shift 4
    so=$(submission "tests/fixtures/$fixture.c")
    for box in ${boxes:-auto none}; do
        run "-$code" --separate-stderr timeout 60 "$host" editdistance --submission "$so" --case sample/1-small \
            --any-imports --box "$box" --json "$BATS_TEST_TMPDIR/result.json" "$@"
        assert_equal "$(json .verdict)" "$verdict"
        assert_equal "$(json '.cases[0].verdict')" "$verdict"
        [[ $(json .message) =~ $words ]] || fail "box $box: '$(json .message)' has no '$words'"
        if [ "$verdict" != AC ]; then
            [[ ${lines[-1]} == "FAILED. $verdict "*"$(json .message)" ]] || fail "${lines[-1]}"
            [[ ${lines[-1]} == *' in case sample/1-small' ]] || fail "${lines[-1]}"
        fi
        # Others may run beside this one: only fixtures that start processes check it, and their tests run alone.
        [[ $fixture != bad_survivors && $fixture != bad_orphan_exit ]] || ! pgrep -f toolkit-survivor ||
            fail "a process of the submission lives on"
    done
}

@test "verdict: SIGSEGV is RTE, with the time and the case" {
    judged bad_segv 1 RTE 'device_user\(\) received SIGSEGV after [0-9.]+ s in case sample/1-small'
}

@test "verdict: abort is RTE" { judged bad_abort 1 RTE 'received SIGABRT'; }
@test "verdict: an exit code is RTE" { judged bad_exit_code 1 RTE 'exited with code 77'; }
@test "verdict: killing itself is RTE" { judged bad_kill 1 RTE 'received SIGKILL'; }
@test "verdict: a full stack is RTE" { judged bad_stack 1 RTE 'received SIGSEGV'; }
@test "verdict: memory beyond the limit is MLE, with limit and value" {
    judged bad_memory 1 MLE \
        'received SIGSEGV after [0-9.]+ s; an allocation of 1024 MiB was refused: the memory limit is 8192 MiB'
}
@test "verdict: leaving before the first call is RTE" {
    judged bad_constructor 1 RTE 'before the first call, exited with code 0'
}
# bats test_tags=alone
@test "verdict: starting a process is SV in the box; without a box the child is ended" {
    boxes=auto judged bad_orphan_exit 1 SV 'device_user\(\) made a system call that the box forbids'
    boxes=auto judged bad_survivors 1 SV 'it may not start or trace processes'
    boxes=none judged bad_orphan_exit 1 RTE 'exited with code 5'
}
@test "verdict: closing the channel is RTE" { judged bad_close 1 RTE 'closed the channel' --time-limit 5; }
@test "verdict: closing the channel and returning is RTE" { judged bad_close_return 1 RTE 'closed the channel'; }
@test "verdict: junk on the channel is SV" { judged bad_forge 1 SV 'wrote to the channel' --time-limit 5; }
@test "verdict: a runner's message before its time is SV" {
    judged bad_constructor_ready 1 SV 'wrote to the channel' --time-limit 5
}
@test "verdict: a forged report of a CUDA failure in mid-call is SV, and controls no terminal" {
    judged bad_forge_failure 1 SV 'wrote to the channel' --time-limit 5
    refute_output --partial $'\033'
    assert_equal "$(grep -c '^SUCCESSFUL' <<< "$output")" 0
}
@test "verdict: a forged report of a failed load is RTE, and controls no terminal" {
    judged bad_constructor_failure 1 RTE 'cannot be loaded' --time-limit 5
    refute_output --partial $'\033'
    assert_equal "$(grep -c '^SUCCESSFUL' <<< "$output")" 0
}
@test "verdict: impossible time stamps change nothing" {
    judged bad_stamps 1 WA 'left its output unwritten' --time-limit 5
}
@test "verdict: a submission that answers ahead without reading the channel ends, and is never accepted" {
    run_scripts/lib/files.sh
    so=$(submission tests/fixtures/bad_ahead.c)
    for box in auto none; do
        run -1 timeout 60 "$host" editdistance --submission "$so" --any-imports --box "$box" --repeat 1000 \
            --time-limit 2 --json "$BATS_TEST_TMPDIR/result.json" "$practice/file1" "$practice/file2"
        assert_equal "$(json .verdict)" SV
    done
}
@test "verdict: closing the channel shortly before the limit does not outlast it" {
    # It closes the channel after 0.4 s. A host that waited for its end would wait 2 s more.
    judged bad_close_late 1 RTE 'closed the channel' --time-limit 2
    assert_equal "$(json '.message | capture("after (?<s>[0-9.]+) s").s | tonumber < 2.4')" true
}
@test "verdict: a forged DONE is SV" {
    judged bad_early_done 1 SV 'wrote to the channel' --time-limit 5
}
@test "verdict: printing without end is OLE" {
    judged bad_flood 1 OLE 'printed more than its limit of 8388608 bytes \(8[4-9][0-9]{5} when it was stopped\)'
}
@test "verdict: hanging is TLE" { judged bad_hang 1 TLE 'exceeded the limit of 0\.5 s' --time-limit 0.5; }
@test "verdict: stopping itself is TLE" { judged bad_stopped 1 TLE 'exceeded the limit' --time-limit 0.5; }
# bats test_tags=alone
@test "verdict: processes that left their group are gone at the limit" {
    boxes=none judged bad_survivors 1 TLE 'exceeded the limit' --time-limit 0.5
}

@test "verdict: printed output changes no verdict" {
    judged noisy 0 AC ''
    # The host's own lines are on standard output alone; printed text has a mark before it, and is made harmless.
    assert_equal "$(grep -c '^SUCCESSFUL\.$' <<< "$output")" 1
    [[ $stderr == *'  | SUCCESSFUL.'* && $stderr == *'  | <U+001B>[2J[GPU] : 1'* ]] || fail "$stderr"
    [[ $stderr == *'  | C1 <U+009B>2J<U+009D>0;title<U+009C> <x9B>2J<x9D>0;title<x9C>'* &&
        $stderr == *'  | Gödel 日本'* ]] || fail "$stderr"
    ! LC_ALL=C grep -qP '\xc2[\x80-\x9f]|\x1b|\x9b2J' <<< "$output$stderr" ||
        fail "what was printed steers the terminal"
    assert_equal "$(json '.cases[0].printed_bytes')" 101
}

@test "verdict: closed standard streams and an overwritten input are AC" { judged silent 0 AC ''; }

# bats test_tags=alone
@test "verdict: at the limit all processes are gone, and the host waits for none" {
    for fixture in bad_hang bad_survivors; do
        so=$(submission "tests/fixtures/$fixture.c")
        for box in auto none; do
            run -1 "$host" editdistance --submission "$so" --case sample/1-small --any-imports --time-limit 0.5 \
                --box "$box" --json "$BATS_TEST_TMPDIR/result.json"
            # The host gives up after 2 s; how long it takes: tests/bench/bench_gpu.sh.
            assert_equal "$(json '.cases[0].end_seconds < 2')" true
            ! pgrep -f toolkit-survivor || fail "a process of the submission lives on"
        done
    done
}

@test "verdict: if the host is killed its runner ends" {
    requires box
    # A unique name, which is in the command lines of the host and of bubblewrap.
    cp "$(submission tests/fixtures/bad_hang.c)" "$BATS_TEST_TMPDIR/hangs.so"
    "$host" editdistance --submission "$BATS_TEST_TMPDIR/hangs.so" --case sample/1-small --time-limit 600 \
        > /dev/null 2>&1 &
    pid=$!
    runner=
    seen() {
        local parent
        for parent in $(pgrep -f "$BATS_TEST_TMPDIR/hangs.so"); do
            runner=$(pgrep -x -P "$parent" runner) && return
        done
        return 1
    }
    gone() { ! pgrep -f "$BATS_TEST_TMPDIR/hangs.so" > /dev/null; }
    wait_for seen
    kill -9 $pid
    wait_for gone
    run -1 pgrep -f "$BATS_TEST_TMPDIR/hangs.so"
    [ ! -e "/proc/$runner" ] || run -0 grep -q '^State:.*Z' "/proc/$runner/status"
}

@test "verdict: the guard ends all it started if its host is killed, even fled processes; it exits as its command" {
    local guard=("$build/runners/editdistance" guard) pid
    run -7 timeout 10 "${guard[@]}" /bin/sh -c 'exit 7' 3< /dev/zero
    run -139 timeout 10 "${guard[@]}" /bin/sh -c 'kill -SEGV $$' 3< /dev/zero
    # The host is gone already: nothing is run.
    run -120 timeout 10 "${guard[@]}" /usr/bin/touch "$BATS_TEST_TMPDIR/run" 3< <(:)
    [ ! -e "$BATS_TEST_TMPDIR/run" ] || fail 'it was run'
    # The parent of the guard, killed; its command has a child in another session, which asked for no signal.
    bash -c '"$@" 3< /dev/zero & wait' - "${guard[@]}" /bin/sh -c 'setsid sleep 397.5 & sleep 397.5' 3>&- &
    pid=$!
    for _ in $(seq 50); do
        [ "$(pgrep -cfx 'sleep 397.5')" -lt 2 ] || break
        sleep 0.1
    done
    assert_equal "$(pgrep -cfx 'sleep 397.5')" 2
    kill -9 $pid
    for _ in $(seq 20); do
        pgrep -fx 'sleep 397.5' > /dev/null || break
        sleep 0.05
    done
    run -1 pgrep -fx 'sleep 397.5'
}

@test "verdict: a runner or a box that does not start is the toolkit's failure, not the submission's" {
    mkdir -p "$BATS_TEST_TMPDIR/t/build/runners"
    ln -s "$root/problems" "$BATS_TEST_TMPDIR/t/problems"
    cp "$build/main_host" "$build/inspect" "$BATS_TEST_TMPDIR/t/build"
    so=$(submission problems/editdistance/submissions/accepted/bitparallel.c)
    echo garbage > "$BATS_TEST_TMPDIR/t/build/runners/editdistance"
    chmod +x "$BATS_TEST_TMPDIR/t/build/runners/editdistance"
    for box in auto none; do
        run -3 "$BATS_TEST_TMPDIR/t/build/main_host" editdistance --submission "$so" --case sample/1-small \
            --any-imports --box "$box" --json "$BATS_TEST_TMPDIR/result.json"
        assert_equal "$(json .verdict)" JE
        assert_output --partial 'the runner failed: it did not start'
    done
    rm "$BATS_TEST_TMPDIR/t/build/runners/editdistance"
    run -3 "$BATS_TEST_TMPDIR/t/build/main_host" editdistance --submission "$so"
    assert_output --partial "runners/editdistance': No such file or directory; run 'make'"
}

# bats test_tags=alone
@test "verdict: two judgings at once run on two processors" {
    [ "$(nproc)" -ge 2 ] || skip "one processor"
    requires box
    so=$(submission tests/fixtures/bad_hang.c)
    for _ in 1 2; do
        "$host" editdistance --submission "$so" --case sample/1-small --time-limit 600 > /dev/null 2>&1 3>&- &
    done
    wait_for runners 2
    processors=$(for pid in "${runners[@]}"; do sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$pid/status"; done | sort)
    kill %1 %2
    wait
    assert_equal "$(uniq <<< "$processors" | wc -l)" 2
}

@test "verdict: a library without device_user is refused by name" {
    gcc -shared -fPIC -o "$BATS_TEST_TMPDIR/name.so" tests/fixtures/bad_name.c
    run -2 "$host" editdistance --submission "$BATS_TEST_TMPDIR/name.so"
    assert_output --partial "name.so' does not export device_user"
}

@test "verdict: a broken ELF file is refused, never loaded" {
    so=$(submission problems/editdistance/submissions/accepted/bitparallel.c)
    size=$(stat -c %s "$so")
    for cut in 10 64 200 1000 $((size / 2)) $((size - 10)); do
        head -c "$cut" "$so" > "$BATS_TEST_TMPDIR/cut.so"
        run "$host" editdistance --submission "$BATS_TEST_TMPDIR/cut.so" --case sample/1-small
        [[ $status -eq 2 || ($status -eq 1 && $output == *RTE*) ]] || fail "cut at $cut: exit $status: $output"
    done
}

@test "verdict: a submission in the box can see nothing" {
    requires box
    so=$(submission tests/fixtures/peek.c)
    run -1 --separate-stderr env SECRET=seed "$host" editdistance --submission "$so" --any-imports --case sample/1-small
    seen=$(sed -n 's/^  | //p' <<< "$stderr")
    grep -qx 'uid 65534' <<< "$seen"
    ! grep -q SECRET <<< "$seen" || fail "the host's environment is seen: $seen"
    grep -qx '/toolkit: device_user.so runner' \
        <<< "$(sed -E 's/runner device_user.so/device_user.so runner/' <<< "$seen")"
    ! grep -qE '^/:.* (home|root|etc/passwd|work)' <<< "$seen" || fail "$seen"
    ! grep -qE '^/dev:.*(sd|vd|nvidia|kvm|mem )' <<< "$seen" || fail "$seen"
    [ "$(grep -c '^process ' <<< "$seen")" -le 3 ] || fail "other processes are seen: $seen"
    # Standard input, output and error, the channel, and the folder being listed.
    grep -qx '/proc/self/fd: 0 1 2 3 4' <<< "$seen" || fail "$seen"
}

@test "judge: a submission that does not compile is CE, with the compiler's messages" {
    for fixture in bad_syntax:expected bad_undefined:nowhere bad_name:device_user \
        bad_message:'<U+001B>[2J<U+009B>2J'; do
        run -1 --separate-stderr run_scripts/judge.sh "tests/fixtures/${fixture%:*}.c" \
            --json "$BATS_TEST_TMPDIR/result.json"
        assert_equal "$(json .verdict)" CE
        [[ $stderr == *"${fixture#*:}"* ]] || fail "$stderr"
        ! LC_ALL=C grep -qP '\x1b|\xc2[\x80-\x9f]' <<< "$stderr$output$(json .message)" ||
            fail "the compiler's words steer the terminal"
        [[ ${lines[-1]} == 'FAILED. CE (compile error): the submission does not compile'* ]] || fail "$output"
    done
}

@test "judge: a compiler that does not end is CE" {
    COMPILE_SECONDS=2 run -1 timeout 60 run_scripts/judge.sh tests/exploits/compile_memory.c editdistance \
        --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json .verdict)" CE
    assert_output --partial 'the compiler did not end within 2 s'
}

@test "judge: Ctrl-C while a submission compiles ends the judging, and all that it started" {
    local judge status=0
    cat > "$BATS_TEST_TMPDIR/slow.cc" <<'END'
template <int DEPTH, long PLACE> struct tree {
    static constexpr long sum = tree<DEPTH - 1, 2 * PLACE>::sum + tree<DEPTH - 1, 2 * PLACE + 1>::sum;
};
template <long PLACE> struct tree<0, PLACE> { static constexpr long sum = PLACE; };
static_assert(tree<24, 1>::sum != 1, "");
END
    # Background jobs of a script ignore it, and so does a shell that one of them started.
    (exec env --default-signal=INT setsid run_scripts/judge.sh "$BATS_TEST_TMPDIR/slow.cc" \
        --json "$BATS_TEST_TMPDIR/result.json") > "$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
    judge=$!
    timeout 60 bash -c "until pgrep -f 'cc1plu[s] .*$BATS_TEST_TMPDIR/slow.cc' > /dev/null; do sleep 0.1; done"
    kill -INT -- -$judge
    wait $judge || status=$?
    assert_equal "$status" 130
    timeout 20 bash -c "while pgrep -f 'cc1plu[s] .*$BATS_TEST_TMPDIR/slow.cc' > /dev/null; do sleep 0.1; done"
    [ ! -s "$BATS_TEST_TMPDIR/out" ] && [ ! -e "$BATS_TEST_TMPDIR/result.json" ]
}

@test "judge: it judges the current files, whatever their times and names are" {
    cd "$BATS_TEST_TMPDIR"
    mkdir fold x
    right=$root/problems/editdistance/submissions/accepted/bitparallel.c
    wrong=$root/problems/editdistance/submissions/wrong_answer/hamming.c
    verdict() {
        "$root/run_scripts/judge.sh" "$1" --group sample --json result.json > /dev/null 2>&1 || true
        json .verdict result.json
    }
    # Two paths that differ in a slash only.
    cp "$right" x/s.c
    cp "$wrong" x-s.c
    assert_equal "$(verdict x/s.c) $(verdict x-s.c)" 'AC WA'
    # A newer submission with an older time, a file that is gone, an old file that is new here.
    cp "$wrong" fold/m.c
    assert_equal "$(verdict fold)" WA
    cp "$right" fold/m.c
    touch -d '2001-01-01' fold/m.c
    assert_equal "$(verdict fold)" AC
    echo 'int other(void) { return 1; }' > fold/b.c
    assert_equal "$(verdict fold)" AC
    echo 'this is no C' > fold/z.c
    touch -d '2001-01-01' fold/z.c
    assert_equal "$(verdict fold)" CE
    rm fold/z.c fold/b.c
    assert_equal "$(verdict fold)" AC
    # The same through make run, which keeps up-to-date builds.
    cd "$root"
    run -0 make run SUBMISSION="$BATS_TEST_TMPDIR/fold"
    cp "$wrong" "$BATS_TEST_TMPDIR/fold/m.c"
    touch -d '2001-01-01' "$BATS_TEST_TMPDIR/fold/m.c"
    run -2 make run SUBMISSION="$BATS_TEST_TMPDIR/fold"
    assert_output --partial 'FAILED. WA'
}

@test "judge: names that a shell or make could run as commands are refused" {
    cd "$BATS_TEST_TMPDIR"
    right=$root/problems/editdistance/submissions/accepted/bitparallel.c
    n=0
    for name in 'p;touch${IFS}PWNED;x=y.h' '$(shell touch PWNED).h' 'a b.h' $'a\nb.h' 'a:b.h' '`id`.c' 'ä.c' -x.h; do
        n=$((n + 1))
        mkdir "folder$n"
        cp "$right" "folder$n/main.c"
        : > "folder$n/$name"
        run -2 "$root/run_scripts/judge.sh" "folder$n"
        assert_output --partial 'is not allowed: use letters, digits and _ . + -'
    done
    mkdir link
    cp "$right" link/main.c
    ln -s /etc/passwd link/secret.h
    run -2 "$root/run_scripts/judge.sh" link
    assert_output --partial 'has a symbolic link or a special file in it'
    mkdir pipe
    cp "$right" pipe/main.c
    mkfifo pipe/never.h pipe.c
    for name in pipe pipe.c; do
        run -2 timeout 20 "$root/run_scripts/judge.sh" $name
        assert_output --regexp 'a symbolic link or a special file in it|is not a regular file'
    done
    [ ! -e PWNED ] && [ ! -e "$root/PWNED" ]
}

@test "judge: make judge writes verdict and source into the JSON" { # of every jury submission: check-problem
    for row in accepted/bitparallel.c:AC wrong_answer/hamming.c:WA run_time_error/null_pointer.c:RTE; do
        source=problems/editdistance/submissions/${row%:*}
        make judge SUBMISSION="$source" JSON="$BATS_TEST_TMPDIR/result.json" ARGS='--group sample' || true
        assert_equal "$(json '[.submission.source, .verdict] | join(" ")')" "$source ${row#*:}"
        rm "$BATS_TEST_TMPDIR/result.json"
    done
}

@test "judge: a path that is no submission is refused by name" {
    run -2 run_scripts/judge.sh
    assert_output --partial 'usage: judge.sh'
    run -2 run_scripts/judge.sh nowhere.cu
    assert_output --partial "there is no submission 'nowhere.cu'"
    run -2 run_scripts/judge.sh README.md
    assert_output --partial 'is not a .cu, .c or .cc file'
    mkdir "$BATS_TEST_TMPDIR/empty"
    run -2 run_scripts/judge.sh "$BATS_TEST_TMPDIR/empty"
    assert_output --partial 'has no .cu, .c or .cc file'
    cp problems/editdistance/submissions/accepted/bitparallel.c "$BATS_TEST_TMPDIR/a b.c"
    run -2 run_scripts/judge.sh "$BATS_TEST_TMPDIR/a b.c"
    assert_output "judge.sh: the path '$BATS_TEST_TMPDIR/a b.c' is not allowed: use letters, digits and _ . + -, not beginning with -; copy the submission to such a path"
    run -2 run_scripts/judge.sh device_user.cu nosuchproblem
    assert_output --partial "there is no problem 'nosuchproblem'"
    mkdir "$BATS_TEST_TMPDIR/many"
    touch "$BATS_TEST_TMPDIR/many/main.c" "$BATS_TEST_TMPDIR"/many/{1..1000}.h
    run -2 timeout 20 run_scripts/judge.sh "$BATS_TEST_TMPDIR/many"
    assert_output --partial 'has more than 1000 files and folders'
    truncate -s 100G "$BATS_TEST_TMPDIR/hole.c"
    run -2 timeout 20 run_scripts/judge.sh "$BATS_TEST_TMPDIR/hole.c"
    assert_output --partial 'has more than 67108864 bytes'
}

@test "judge: a submission from outside the toolkit, and one that is a folder" {
    mkdir -p "$BATS_TEST_TMPDIR/folder"
    cat > "$BATS_TEST_TMPDIR/folder/main.c" << 'END'
#include "helper.h"
unsigned int device_user(char *a, int m, char *b, int n) { return helper(a, m, b, n); }
END
    echo '#include "device_user.h"' > "$BATS_TEST_TMPDIR/folder/helper.h"
    echo 'unsigned int helper(char *a, int m, char *b, int n);' >> "$BATS_TEST_TMPDIR/folder/helper.h"
    sed 's/^unsigned int device_user/unsigned int helper/' problems/editdistance/submissions/accepted/bitparallel.c \
        > "$BATS_TEST_TMPDIR/folder/helper.c"
    run -0 run_scripts/judge.sh "$BATS_TEST_TMPDIR/folder" --group sample
    assert_equal "${lines[-1]}" 'SUCCESSFUL.'
    so=$(submission "$BATS_TEST_TMPDIR/folder")
    run -0 bash -c "nm -D --defined-only '$so' | grep -c ' T '"
    assert_output 1
}

@test "verdict: a program that is right in its first call only is WA, TLE or RTE in the second one, of secret cases" {
    local so words edit="$BATS_TEST_TMPDIR/kept.c" result=$BATS_TEST_TMPDIR/result.json
    # SECOND: what it does from its second call on.
    cat > "$edit" << 'END'
#include <stdio.h>
#include <stdlib.h>
static unsigned int row[1 << 15], kept;
static int calls;
unsigned int device_user(char *a, int m, char *b, int n)
{
    puts("called");
    if (calls++ > 0)
        SECOND;
    for (int j = 0; j <= n; j++)
        row[j] = (unsigned int)j;
    for (int i = 1; i <= m; i++) {
        unsigned int corner = row[0], above;
        row[0] = (unsigned int)i;
        for (int j = 1; j <= n; j++, corner = above) {
            unsigned int least = corner + (a[i - 1] != b[j - 1]);
            above = row[j];
            least = above + 1 < least ? above + 1 : least;
            row[j] = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
        }
    }
    return kept = row[n];
}
END
    second() { # STATEMENT EXIT CASE [option...]: judges the program whose second call begins with STATEMENT
        sed "s/SECOND/$1/" "$edit" > "$BATS_TEST_TMPDIR/second.c"
        so=$(submission "$BATS_TEST_TMPDIR/second.c")
        run "-$2" --separate-stderr timeout 60 "$host" editdistance --submission "$so" --case "$3" --json "$result" \
            "${@:4}"
    }
    second 'return kept' 1 secret/02-moved
    assert_equal "$(json '[.verdict, .cases[0].calls, (.cases[0].samples | length)] | join(" ")')" 'WA 1 1'
    [[ $(json .message) =~ 'answered '([0-9]+)' where '([0-9]+)' is right in case secret/02-moved, second call' ]] ||
        fail "$(json .message)"
    words="device_user() ${BASH_REMATCH[0]%, second call}"
    assert_equal "$(json '.cases[0].output')" "${BASH_REMATCH[1]}" # of the first call
    # The message says how to make the same call again.
    second 'return kept' 1 secret/02-moved --repeat 2
    assert_equal "$(json .message)" "$words, call 2 of 2"
    second 'for (;;);' 1 secret/02-moved --time-limit 1
    [[ $(json '.verdict + .message') =~ ^TLE.*', second call' ]] || fail "$(json .message)"
    second 'abort()' 1 secret/02-moved
    [[ $(json '.verdict + .message') =~ ^RTE.*', second call' ]] || fail "$(json .message)"
    # Nothing is kept: two calls where the answer is cheap, one where it is dear, and one of a sample.
    second '(void)kept' 0 secret/02-moved
    assert_equal "$(json '.cases[0].printed_bytes')" 14
    second '(void)kept' 0 secret/03-random
    assert_equal "$(json '.cases[0].printed_bytes')" 7
    second 'return kept' 0 sample/1-small
    assert_equal "$(json '.cases[0].printed_bytes')" 7
}
