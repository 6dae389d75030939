#!/usr/bin/env bats
# Whose fault it is: no submission brings the judge to JE, unless an empty one fails on the same machine, too.
# bats file_tags=alone

setup_file() {
    load helpers/common
    load helpers/copy
    # Submissions that are used, by paths that the copy does not change.
    cp "$(submission "$root/problems/editdistance/submissions/accepted/bitparallel.c")" "$BATS_FILE_TMPDIR/right.so"
    cp "$(submission "$root/tests/fixtures/bad_hang.c")" "$BATS_FILE_TMPDIR/hangs.so"
    cp "$(submission "$root/tests/fixtures/bad_segv.c")" "$BATS_FILE_TMPDIR/dies.so"
    # On request, ending a process exceeds its time, or the host finds no memory beside a submission.
    (
        BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR
        copy_toolkit built
        sed -i 's/\.end_limit = limit_end,/.end_limit = getenv("SLOW_END") ? 0 : limit_end,/' verify/judge/setup.c
        lost='return session_lost(session, facts, "cannot prepare the input");'
        beside='getenv("NO_MEMORY") \&\& !strstr(session->config->box.submission, "empty")'
        sed -i -e 's/#include <stdio.h>/&\n#include <stdlib.h>/' \
            -e 's/    ok = reap_all(.*/&\n    ok = ok \&\& session->config->end_limit > 0;/' \
            -e "s/    if ((!call->placed && (call->fd/    if ($beside)\n        $lost\n&/" verify/judge/session.c
        [ "$(grep -c 'getenv("SLOW_END")\|getenv("NO_MEMORY")\|end_limit > 0' verify/judge/setup.c \
            verify/judge/session.c | tr '\n' ' ')" = 'verify/judge/setup.c:1 verify/judge/session.c:2 ' ]
        make -s build/main_host
    )
}

setup() {
    load helpers/common
    cd "$root"
    requires box
    result=$BATS_TEST_TMPDIR/result.json
    judge=(timeout 60 "$BATS_FILE_TMPDIR/copy/build/main_host" editdistance --case sample/1-small --json "$result")
}

@test "blame: an accepted submission whose processes do not end in time is rejected, and the machine is not" {
    run -0 "${judge[@]}" --submission "$BATS_FILE_TMPDIR/right.so"
    for box in namespaces none; do
        SLOW_END=1 run -1 "${judge[@]}" --submission "$BATS_FILE_TMPDIR/right.so" --box $box
        assert_equal "$(json .verdict)" RTE
        [[ $(json .message) == 'device_user() left processes that did not end within 0 s of being killed in '* ]] ||
            fail "$(json .message)"
    done
}

@test "blame: a submission that was rejected before keeps its verdict" {
    SLOW_END=1 run -1 "${judge[@]}" --submission "$BATS_FILE_TMPDIR/hangs.so" --time-limit 0.5
    assert_equal "$(json .verdict)" TLE
    SLOW_END=1 run -1 "${judge[@]}" --submission "$BATS_FILE_TMPDIR/dies.so"
    assert_equal "$(json .verdict)" RTE
    [[ $(json .message) == *SIGSEGV* ]] || fail "$(json .message)"
}

@test "blame: a host failure beside a submission, but not beside an empty one, is RTE" {
    NO_MEMORY=1 run -1 "${judge[@]}" --submission "$BATS_FILE_TMPDIR/right.so"
    assert_equal "$(json .verdict)" RTE
    [[ $(json .message) == 'device_user() disturbed the judge, which an empty submission does not: '* ]] ||
        fail "$(json .message)"
}

@test "blame: if an empty submission fails too, the machine is unfit: JE" {
    cp "$BATS_FILE_TMPDIR/dies.so" "$BATS_FILE_TMPDIR/copy/build/empty.so"
    SLOW_END=1 run -3 "${judge[@]}" --submission "$BATS_FILE_TMPDIR/right.so"
    assert_equal "$(json .verdict)" JE
    assert_output --partial 'a process of the submission could not be ended, and an empty submission fails too (dev'
    NO_MEMORY=1 run -3 "${judge[@]}" --submission "$BATS_FILE_TMPDIR/right.so"
    assert_output --partial 'the host could not go on, and an empty submission fails too'
}

@test "blame: a build that is no submission is CE, and a file that needs more than its sources is SV" {
    cp tests/exploits/compile_data_symbol.c "$BATS_TEST_TMPDIR/data.c"
    run -1 timeout 60 run_scripts/judge.sh "$BATS_TEST_TMPDIR/data.c" editdistance --case sample/1-small \
        --json "$result"
    assert_equal "$(json .verdict)" CE
    run -2 "$host" editdistance --submission "$(submission "$BATS_TEST_TMPDIR/data.c")"
    so=$(submission problems/editdistance/submissions/accepted/opencl)
    run -1 timeout 60 "$host" editdistance --submission "$so" --language C --case sample/1-small --device cpu \
        --json "$result"
    assert_equal "$(json .verdict)" SV
    assert_equal "$(json .message)" \
        'is built from C but needs the library of OpenCL: use only the library of the sources'"'"' language'
    run -2 "$host" editdistance --submission "$so" --language Rust
}

@test "blame: a compiler that fails silently is the submission's fault, unless it fails on other sources too" {
    local compile='. run_scripts/lib/lib.sh; . run_scripts/lib/build_submission.sh
        submission_compile "$0/log" "$0/out" sh -c "exit 2" && echo built || { echo CE; cat "$0/log"; }'
    mkdir -p "$BATS_TEST_TMPDIR/out"
    echo left > "$BATS_TEST_TMPDIR/out/left"
    run -0 bash -c "$compile" "$BATS_TEST_TMPDIR"
    assert_line --index 0 CE
    assert_line 'error: the compiler failed without a message; it compiles other files'
    [ ! -e "$BATS_TEST_TMPDIR/out/left" ]
    run -3 "$build/tests/container" --no-landlock bash -c "$compile" "$BATS_TEST_TMPDIR"
    assert_output --partial 'the submission could not be built: see above'
}
