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

@test "memory: every fixture says what it must get, and gets it" {
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

@test "memory: what is used above the limit is MLE, with limit and peak" {
    for fixture in touch.c shared.c threads.c; do
        judged $fixture MLE \
            '^device_user\(\) needed more than its memory limit of 64 MiB \([0-9]+ MiB at its peak\) and was stopped after [0-9.]+ s in case sample/1-small$'
        # The limit and what is the runner's. How much more was taken until the host looked depends on the machine; a
        # host that does not look until the time limit of 10 s finds far more.
        assert_equal "$(json '.cases[0].memory_peak / 1048576 | . >= 120 and . < 4096')" true
        assert_equal "$(json '.cases[0].memory_limit')" $((64 << 20))
    done
}

@test "memory: what is refused and ends for want of it is MLE, and the request is named" {
    judged huge.c MLE '^device_user\(\) received SIGSEGV after .* having been refused 102400 MiB: its memory limit is 64 MiB'
    judged mmap.c MLE '^device_user\(\) exited with code 3 after .* having been refused 102400 MiB: its memory limit is 64 MiB'
    judged static.c MLE 'cannot be loaded: it takes 102[0-9]{2} MiB, and its memory limit is 64 MiB'
}

# bats test_tags=alone
@test "memory: what is used before the first call is MLE" {
    judged constructor.c MLE '^the submission, before the first call, needed more than its memory limit of 64 MiB \('
}

@test "memory: a refusal that is dealt with, and memory within the limit, change no verdict" {
    # Each of seven allocators gave what it must: refused, or aligned.
    judged refused.c WA 'answered 7000000 where'
    judged within.c WA 'answered 48000000 where'
}

@test "memory: a size that no machine has is a mistake, and a full stack is one: RTE" {
    judged mistake.c RTE '^device_user\(\) received SIGSEGV'
    for box in auto none; do
        run -1 timeout 60 "$host" editdistance --submission "$(submission tests/fixtures/bad_stack.c)" --box $box \
            --case sample/1-small --json "$result"
        assert_equal "$(json .verdict)" RTE
    done
}

@test "memory: a CUDA submission that takes the host's memory: MLE, on a GPU or the simulator" {
    requires nvcc
    judged host.cu MLE 'having been refused 1024 MiB: its memory limit is 8192 MiB'
}

# bats test_tags=alone
@test "memory: threads are limited: by the cgroup, for an ordinary user, or by the host" {
    so=$(submission tests/fixtures/memory/many_threads.c)
    requires box
    run -1 --separate-stderr timeout 60 "$host" editdistance --submission "$so" --case sample/1-small --json "$result"
    if [ "$(json .box)" = cgroup ]; then
        [[ $(json .message) == *', having been refused more than 1024 threads in case'* ]] || fail "$(json .message)"
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

@test "memory: the JSON has the peak of what was used within the limit" {
    judged within.c WA 'answered'
    assert_equal "$(json '.cases[0].memory_peak / 1048576 | . >= 40 and . < 64')" true
}

@test "box: the level is printed and in the JSON, with its layers and what it lacks" {
    so=$(submission problems/editdistance/submissions/accepted/bitparallel.c)
    for box in none namespaces auto; do
        [ $box = none ] || requires box
        run -0 --separate-stderr "$host" editdistance --submission "$so" --case sample/1-small --box $box \
            --json "$result"
        level=$(json .box)
        [ "$box" = auto ] || assert_equal "$level" "$box"
        assert_equal "$(grep -c "^main_host: box: $level" <<< "$stderr")" 1
        case $level in
        none) assert_equal "$(json '.box_layers | join(" ")') $(json .box_lacks)" 'rlimits --box none' ;;
        namespaces)
            assert_equal "$(json '.box_layers | join(" ")')" 'rlimits namespaces seccomp'
            [[ $stderr == "main_host: box: namespaces (no cgroup: $(json .box_lacks))" ]] || fail "$stderr"
            ;;
        cgroup) assert_equal "$(json '.box_layers | join(" ")') $(json .box_lacks)" \
            'rlimits namespaces seccomp cgroup null' ;;
        esac
    done
}

@test "box: --require-box refuses less, in one line and with code 3" {
    so=$(submission problems/editdistance/submissions/accepted/bitparallel.c)
    levels=(none namespaces cgroup)
    for reached in 0 1 2; do
        [ $reached = 0 ] || requires box
        run "$host" editdistance --submission "$so" --case sample/1-small --box ${levels[reached]}
        [ "$status" = 0 ] || { [ $reached = 2 ] && continue; }
        for required in 0 1 2; do
            code=$((required > reached ? 3 : 0))
            run "-$code" --separate-stderr "$host" editdistance --submission "$so" --case sample/1-small \
                --box ${levels[reached]} --require-box ${levels[required]} --json "$result"
            [ $code = 0 ] ||
                [[ $stderr == \
                "main_host: --require-box ${levels[required]}: the box reached here is '${levels[reached]}': "* ]] ||
                fail "$stderr"
            assert_equal "${#stderr_lines[@]}" 1
            [ $code = 0 ] || assert_equal "$(json .verdict)" JE
        done
    done
}

@test "box: a machine without bubblewrap or user namespaces runs nothing, and says how; --box none does" {
    requires box
    so=$(submission problems/editdistance/submissions/accepted/bitparallel.c)
    judge=("$host" editdistance --submission "$so" --case sample/1-small --json "$result")
    without=(bwrap --dev-bind / / --ro-bind /dev/null /usr/bin/bwrap)
    confined=(bwrap --dev-bind / / --unshare-user --disable-userns)
    run -3 --separate-stderr "${without[@]}" "${judge[@]}"
    [[ $stderr == 'main_host: there is no box to run the submission in: bubblewrap is not installed: '*'--box none'* \
        ]] ||
        fail "$stderr"
    run -3 --separate-stderr "${confined[@]}" "${judge[@]}"
    [[ $stderr == *'bubblewrap cannot make user namespaces here: install bubblewrap and allow user namespaces, or '* \
        ]] ||
        fail "$stderr"
    assert_equal "$(json '.verdict, .cases | tojson' | paste -sd ' ')" '"JE" []'
    run -3 "${without[@]}" "${judge[@]}" --box namespaces
    run -0 "${without[@]}" "${judge[@]}" --box none
}

# bats test_tags=alone
@test "box: a cgroup of a session is gone when it has ended, also one that a dead host left" {
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
