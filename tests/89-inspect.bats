#!/usr/bin/env bats
# Submissions' files are read by a program of their own, which a hostile file may hold, break or steer.

setup() {
    load helpers/common
    cd "$root"
}

@test "inspect: the host has no reader of such files" {
    run -1 bash -c "nm -D '$host' | grep -E 'U g?elf_'"
    run -1 bash -c "nm '$host' | grep -E ' (elfinfo_read|rules_check|imports_check|startup_check)$'"
    nm "$build/inspect" | grep -q ' T rules_check$'
}

@test "inspect: whatever the reader answers, or a file holds, the file is at fault and words are words" {
    run -0 timeout 300 "$build/tests/test_inspection" "$build" "$build/empty.so" "$BATS_TEST_TMPDIR"
    assert_output --regexp '^[0-9]{3} checks, 0 failed$'
}

@test "inspect: a reader that a file steers has nothing but its memory and the answer" {
    requires x86-64
    gcc -O1 -fPIC -shared -o "$BATS_TEST_TMPDIR/steered.so" tests/fixtures/steered_reader.c
    run -0 --separate-stderr env LD_PRELOAD="$BATS_TEST_TMPDIR/steered.so" \
        bash -c "exec timeout 60 '$build/inspect' 0 names box < '$build/empty.so'"
    assert_equal "$output|$stderr" '+ nothing else|'
}

@test "inspect: a file that cannot be read is the caller's mistake, or a compile error of a submission that was built" {
    local result=$BATS_TEST_TMPDIR/result.json
    head -c 3000 "$build/empty.so" > "$BATS_TEST_TMPDIR/short.so"
    mkfifo "$BATS_TEST_TMPDIR/fifo"
    : > "$BATS_TEST_TMPDIR/nothing"
    for file in short.so fifo nothing .; do
        run -2 timeout 20 "$host" editdistance --submission "$BATS_TEST_TMPDIR/$file" --case sample/1-small
        assert_output --regexp "^main_host: '$BATS_TEST_TMPDIR/$file' (is not a shared object|does not export)"
        run -1 timeout 20 "$host" editdistance --submission "$BATS_TEST_TMPDIR/$file" --case sample/1-small \
            --language C --json "$result"
        assert_equal "$(json .verdict)" CE
    done
}

@test "inspect: where the reader cannot be started or confined, the judge is at fault" {
    local t=$BATS_TEST_TMPDIR/t
    mkdir -p "$t/build"
    ln -s "$root/problems" "$t/problems"
    cp "$host" "$build/empty.so" "$t/build"
    run -3 timeout 20 "$t/build/main_host" editdistance --submission "$build/empty.so" --case sample/1-small
    assert_output --partial "cannot start '$t/build/inspect': No such file or directory; run 'make'"
    # Where memory is short before it begins.
    cp "$build/inspect" "$t/build"
    truncate -s 1T "$t/huge.so"
    run -3 bash -c "ulimit -v 10000000; timeout 20 '$t/build/main_host' editdistance --submission '$t/huge.so'"
    assert_line 'inspect: cannot map the file: Cannot allocate memory'
    assert_line "main_host: '$t/build/inspect' does not begin to read the submission"
}
