#!/usr/bin/env bats
# The limits of memory and threads, and the levels of the box. tests/fixtures/memory/ say what they try and must get.

setup() {
    load helpers/common
    cd "$root"
    result=$BATS_TEST_TMPDIR/result.json
}

# judged FILE VERDICT WORDS [options]: the fixture in the most box there is here, in namespaces alone and without a box.
judged() {
    local so box fixture=$1 verdict=$2 words=$3 options
    shift 3
    so=$(submission "tests/fixtures/memory/$fixture")
    options=$(sed -n 's/^ \* Options: //p' "tests/fixtures/memory/$fixture")
    for box in auto namespaces none; do
        [ $box = none ] || requires box
        # shellcheck disable=SC2086
        run -1 --separate-stderr timeout 60 "$host" editdistance --submission "$so" --case sample/1-small --box $box \
            --json "$result" $options "$@"
        assert_equal "$(json .verdict)" "$verdict"
        [[ $(json .message) =~ $words ]] || fail "box $box: '$(json .message)' has no '$words'"
    done
}

@test "memory: every fixture gets the verdict that it names" {
    requires box
    for fixture in tests/fixtures/memory/*; do
        must=$(sed -n 's/^ \* Expect: //p' "$fixture")
        [ -n "$must" ] || fail "$fixture"
        if grep -q 'Needs: gpu' "$fixture" && [ ! -e /dev/nvidiactl ]; then continue; fi
        [[ $fixture != *.cu ]] || make -s have-nvcc || continue
        # shellcheck disable=SC2046
        run timeout 60 "$host" editdistance --submission "$(submission "$fixture")" --case sample/1-small \
            --json "$result" $(sed -n 's/^ \* Options: //p' "$fixture")
        [[ "|$must|" == *"|$(json .verdict)|"* ]] || fail "$fixture: $(json '.verdict + ": " + .message')"
    done
}

@test "memory: use above the limit is MLE, with limit and peak" {
    for fixture in touch.c shared.c threads.c; do
        judged $fixture MLE \
            '^device_user\(\) needed more than its memory limit of 64 MiB \([0-9]+ MiB at its peak\) and was stopped after [0-9.]+ s in case sample/1-small$'
        # The limit and what is the runner's. The excess until the host looked depends on the machine; a
        # host that does not look until the time limit of 10 s finds far more.
        assert_equal "$(json '.cases[0].memory_peak / 1048576 | . >= 120 and . < 4096')" true
        assert_equal "$(json '.cases[0].memory_limit')" $((64 << 20))
    done
}

@test "memory: an end after a refused request is MLE, and the request is named" {
    refused='after .* an allocation of 102400 MiB was refused: the memory limit is 64 MiB'
    judged huge.c MLE "^device_user\(\) received SIGSEGV $refused"
    judged mmap.c MLE "^device_user\(\) exited with code 3 $refused"
    judged static.c MLE 'cannot be loaded: it takes 102[0-9]{2} MiB, and its memory limit is 64 MiB'
}

# bats test_tags=alone
@test "memory: use above the limit before the first call is MLE" {
    judged constructor.c MLE '^the submission, before the first call, needed more than its memory limit of 64 MiB \('
}

@test "memory: a handled refusal and memory within the limit change no verdict" {
    # Each of seven allocators gave what it must: refused, or aligned.
    judged refused.c WA 'answered 7000000 where'
    judged within.c WA 'answered 48000000 where'
}

@test "memory: a request that no machine can meet and a full stack are mistakes: RTE" {
    judged mistake.c RTE '^device_user\(\) received SIGSEGV'
    for box in auto none; do
        run -1 timeout 60 "$host" editdistance --submission "$(submission tests/fixtures/bad_stack.c)" --box $box \
            --case sample/1-small --json "$result"
        assert_equal "$(json .verdict)" RTE
    done
}

@test "memory: a CUDA submission that takes the host's memory: MLE, on a GPU or the simulator" {
    requires nvcc
    judged host.cu MLE 'an allocation of 1024 MiB was refused: the memory limit is 8192 MiB'
}

# bats test_tags=alone
@test "memory: threads are limited: by the cgroup, for an ordinary user, or by the host" {
    so=$(submission tests/fixtures/memory/many_threads.c)
    requires box
    run -1 --separate-stderr timeout 60 "$host" editdistance --submission "$so" --case sample/1-small --json "$result"
    if [ "$(json .box)" = cgroup ]; then
        [[ $(json .message) == *'; it tried to start more than 1024 threads in case'* ]] || fail "$(json .message)"
    elif [ "$(id -u)" = 0 ]; then # whom the kernel exempts, and the host does not
        [[ $(json '.verdict + " " + .message') == \
            'RTE device_user() started more than 1024 threads and was stopped'* ]] ||
            fail "$(json .message)"
        setpriv --reuid nobody --clear-groups true || skip "no other user"
        run -1 --separate-stderr setpriv --reuid nobody --clear-groups timeout 60 "$host" editdistance \
            --submission "$so" --case sample/1-small
    fi
    threads=$(sed -n 's/.*threads: //p' <<< "$stderr")
    [ "$threads" -gt 900 ] && [ "$threads" -lt 1024 ] || fail "$stderr"
}

@test "memory: the JSON has the peak use within the limit" {
    judged within.c WA 'answered'
    assert_equal "$(json '.cases[0].memory_peak / 1048576 | . >= 40 and . < 64')" true
}

@test "box: the level is printed and in the JSON, with its layers and what it lacks" {
    so=$(submission problems/editdistance/submissions/accepted/bitparallel.c)
    for box in none landlock namespaces auto; do
        [[ $box != [na][au]* ]] || requires box
        run -0 --separate-stderr "$host" editdistance --submission "$so" --case sample/1-small --box $box \
            --json "$result"
        level=$(json .box)
        [ "$box" = auto ] || assert_equal "$level" "$box"
        assert_equal "$(grep -c "^main_host: box: $level" <<< "$stderr")" 1
        case $level in
        none) assert_equal "$(json '.box_layers | join(" ")') $(json .box_lacks)" 'rlimits --box none' ;;
        landlock)
            [[ $(json '.box_layers | join(" ")') == \
                'rlimits landlock '?('user ')seccomp ]] || fail "$(json .box_layers)"
            assert_equal "$stderr" 'main_host: box: landlock (no namespaces: --box landlock)'
            ;;
        namespaces)
            assert_equal "$(json '.box_layers | join(" ")')" 'rlimits namespaces seccomp'
            [[ $stderr == "main_host: box: namespaces (no cgroup: $(json .box_lacks))" ]] || fail "$stderr"
            ;;
        cgroup) assert_equal "$(json '.box_layers | join(" ")') $(json .box_lacks)" \
            'rlimits namespaces seccomp cgroup null' ;;
        esac
    done
}

@test "box: behind Landlock a process may name its threads where it may write to their files, as drivers do" {
    [ -n "$("$build/landlock" --read / -- true 2>&1)" ] && skip "the kernel has no Landlock"
    cat > "$BATS_TEST_TMPDIR/names.c" << 'END_OF_SOURCE'
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>
static void *sleeps(void *unused) { return pause(), unused; }
int main(void)
{
    pthread_t thread;

    return pthread_create(&thread, NULL, sleeps, NULL) != 0 || pthread_setname_np(thread, "named") != 0;
}
END_OF_SOURCE
    run -0 gcc -pthread -o "$BATS_TEST_TMPDIR/names" "$BATS_TEST_TMPDIR/names.c"
    behind=("$build/landlock" --read /usr --read /lib --read /lib64 --read /proc/self --read "$BATS_TEST_TMPDIR")
    run -1 "${behind[@]}" -- "$BATS_TEST_TMPDIR/names"
    run -0 "${behind[@]}" --write /proc/self/task -- "$BATS_TEST_TMPDIR/names"
}

@test "box: --require-box refuses a weaker box, in one line and with code 3" {
    so=$(submission problems/editdistance/submissions/accepted/bitparallel.c)
    levels=(none landlock namespaces cgroup)
    for reached in 0 1 2 3; do
        [ $reached -le 1 ] || requires box
        run "$host" editdistance --submission "$so" --case sample/1-small --box ${levels[reached]}
        [ "$status" = 0 ] || { [ $reached = 3 ] && continue; }
        for required in 0 1 2 3; do
            code=$((required > reached ? 3 : 0))
            run "-$code" --separate-stderr "$host" editdistance --submission "$so" --case sample/1-small \
                --box ${levels[reached]} --require-box ${levels[required]} --json "$result"
            [ $code = 0 ] ||
                [[ $stderr == \
                "main_host: --require-box ${levels[required]}: the strongest box here is '${levels[reached]}': "* ]] ||
                fail "$stderr"
            assert_equal "${#stderr_lines[@]}" 1
            [ $code = 0 ] || assert_equal "$(json .verdict)" JE
        done
    done
}

@test "box: without bubblewrap or user namespaces it uses Landlock; without Landlock only --box none runs" {
    requires box
    so=$(submission problems/editdistance/submissions/accepted/bitparallel.c)
    judge=("$host" editdistance --submission "$so" --case sample/1-small --json "$result")
    without=(bwrap --dev-bind / / --ro-bind /dev/null /usr/bin/bwrap)
    confined=(bwrap --dev-bind / / --unshare-user --disable-userns)
    run -0 --separate-stderr "${without[@]}" "${judge[@]}"
    assert_equal "$stderr" 'main_host: box: landlock (no namespaces: bubblewrap is not installed)'
    run -0 --separate-stderr "${confined[@]}" "${judge[@]}"
    assert_equal "$stderr" 'main_host: box: landlock (no namespaces: bubblewrap cannot make user namespaces here)'
    assert_equal "$(json .box)" landlock
    run -3 --separate-stderr "${confined[@]}" "$build/tests/container" --no-landlock "${judge[@]}"
    [[ $stderr == *'bubblewrap cannot make user namespaces here, and the kernel has no Landlock or '*'--box none'* ]] ||
        fail "$stderr"
    assert_equal "$(json '.verdict, .cases | tojson' | paste -sd ' ')" '"JE" []'
    run -3 "${without[@]}" "${judge[@]}" --box namespaces
    run -3 "$build/tests/container" --no-landlock "${judge[@]}" --box landlock
    run -0 "$build/tests/container" --no-landlock "${judge[@]}" --box none
}

# A container as they usually are: /proc has parts that are masked, so no other one can be mounted. With namespaces.
masked=(unshare --user --map-root-user --mount --pid --fork --kill-child bash -c
    'mount -t proc proc /proc && mount --bind /dev/null /proc/timer_list && exec "$@"' bash)

@test "box: if /proc is masked the box has namespaces and no /proc" {
    requires box
    so=$(submission problems/editdistance/submissions/accepted/bitparallel.c)
    run -1 "${masked[@]}" bwrap --unshare-all --ro-bind / / --proc /proc true
    assert_output --partial "Can't mount proc"
    run -0 --separate-stderr "${masked[@]}" "$host" editdistance --submission "$so" --case sample/1-small \
        --json "$result"
    [[ $stderr == 'main_host: box: namespaces '*'/proc is masked here, so the box has no /proc)' ]] ||
        fail "$stderr"
    assert_equal "$(json '.box_layers | join(" ")')" 'rlimits namespaces seccomp'
    # Files about the machine's processes show nothing; and the compiler has a box too.
    for exploit in peek_root peek_other_processes; do
        run -1 "${masked[@]}" run_scripts/judge.sh "tests/exploits/$exploit.c" --case sample/1-small --any-imports \
            --json "$result"
        [ "$(json .verdict)" != AC ]
    done
    run -0 "${masked[@]}" run_scripts/judge.sh problems/editdistance/submissions/accepted/bitparallel.c \
        --case sample/1-small
}

@test "box: compilers get the same box as the submission, and its level is found once" {
    requires box
    run -0 run_scripts/lib/compile_box.sh --which
    assert_output namespaces
    run -0 "${masked[@]}" run_scripts/lib/compile_box.sh --which
    assert_output no-proc
    run -0 "$build/tests/container" run_scripts/lib/compile_box.sh --which
    assert_output landlock
    run -3 "$build/tests/container" --no-landlock run_scripts/lib/compile_box.sh --which
}

@test "box: a compiler and a submission find none of the files that the caller has open" {
    requires box
    local file which within
    echo 'word from a file of the caller' > "$BATS_TEST_TMPDIR/own"
    exec {file}< "$BATS_TEST_TMPDIR/own"
    printf '#include "/proc/self/fd/%d"\nunsigned device_user;\n' $file > "$BATS_TEST_TMPDIR/include.c"
    # Control: the compiler of whoever uses no box reads it.
    run -1 gcc -c -o /dev/null "$BATS_TEST_TMPDIR/include.c"
    assert_output --partial 'word from a file'
    for which in namespaces no-proc landlock; do
        case $which in
        namespaces) within=() ;;
        no-proc) within=("${masked[@]}") ;;
        landlock) within=("$build/tests/container") ;;
        esac
        run -1 "${within[@]}" run_scripts/judge.sh "$BATS_TEST_TMPDIR/include.c" --case sample/1-small
        assert_output --partial "/proc/self/fd/$file"
        refute_output --partial 'word from a file'
    done
    sed 's|FILE|/proc/self/fd/'$file'|' > "$BATS_TEST_TMPDIR/open.c" <<'END'
#include <fcntl.h>
unsigned int device_user(char *a, int m, char *b, int n) { return open("FILE", O_RDONLY) >= 0 ? 127 : 1; }
END
    run -1 run_scripts/judge.sh "$BATS_TEST_TMPDIR/open.c" --any-imports --case sample/1-small
    assert_output --partial 'answered 1 where 127'
    exec {file}<&-
}

@test "box: with Landlock a submission and its compiler can read no toolkit file and signal no process" {
    local container=("$build/tests/container")
    run -0 "${container[@]}" run_scripts/judge.sh problems/editdistance/submissions/accepted/bitparallel.c \
        --case sample/1-small --json "$result"
    assert_equal "$(json .box)" landlock
    # Another user, where that one may read what it is to run: a copy of the toolkit may be in a folder of root's.
    local layers='rlimits landlock seccomp'
    ! setpriv --reuid 65534 --regid 65534 --clear-groups test -r "$build/runners/editdistance" 2> /dev/null ||
        layers='rlimits landlock user seccomp'
    assert_equal "$(json '.box_layers | join(" ")')" "$layers"
    # Control: without a box it can read what it looks for.
    sed "s|FILE|$PWD/problems/editdistance/data/secret/01-tiny.ans|" > "$BATS_TEST_TMPDIR/read.c" <<'END'
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
unsigned int device_user(char *a, int m, char *b, int n)
{
    int file = open("FILE", O_RDONLY), memory = open("/proc/self/mem", O_RDONLY);
    int signal = kill(getppid(), 0);
    return file >= 0 && memory >= 0 && signal == 0 ? 127 : file < 0 && memory < 0 && signal < 0 ? 1 : 2;
}
END
    run -0 run_scripts/judge.sh "$BATS_TEST_TMPDIR/read.c" --any-imports --case sample/1-small --box none
    run -1 "${container[@]}" run_scripts/judge.sh "$BATS_TEST_TMPDIR/read.c" --any-imports --case sample/1-small
    assert_output --partial 'answered 1 where 127'
    echo "#include \"$PWD/problems/editdistance/problem.c\"" > "$BATS_TEST_TMPDIR/include.c"
    run -1 "${container[@]}" run_scripts/judge.sh "$BATS_TEST_TMPDIR/include.c" --case sample/1-small --json "$result"
    assert_equal "$(json .verdict)" CE
    assert_output --partial 'Permission denied'
    # OpenCL needs a place to write.
    command -v clinfo > /dev/null || ls /usr/lib/*/libpocl.so.2 > /dev/null 2>&1 || return 0
    run -3 "${container[@]}" run_scripts/judge.sh problems/editdistance/submissions/accepted/opencl --device cpu \
        --case sample/1-small
    assert_output --partial "it needs the box 'namespaces'"
}

# bats test_tags=alone
@test "box: a session's cgroup is removed when it ends, also one that a dead host left" {
    requires box
    so=$(submission tests/fixtures/bad_hang.c)
    run "$host" editdistance --submission "$so" --case sample/1-small --time-limit 0.2 --box cgroup --json "$result"
    [ "$status" = 1 ] || skip "$(json .message)"
    ours() { find /sys/fs/cgroup -type d -name 'gpu-contest-toolkit-*' 2> /dev/null | wc -l; }
    assert_equal "$(ours)" 0
    "$host" editdistance --submission "$so" --case sample/1-small --time-limit 600 > /dev/null 2>&1 3>&- &
    wait_for runners 1
    assert_equal "$(ours)" 1
    kill -9 $!
    run -1 "$host" editdistance --submission "$so" --case sample/1-small --time-limit 0.2
    assert_equal "$(ours)" 0
}
