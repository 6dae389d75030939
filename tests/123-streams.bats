#!/usr/bin/env bats
# cudasim: streams are queues, as on a device. See tests/streams/README.md.

setup_file() {
    load helpers/simulator
    build_suite stream-programs
}

setup() {
    load helpers/simulator
    enter_suite stream-tests
}

# right PROGRAM: every case has its result, and the simulator reports nothing.
right() {
    run -0 --separate-stderr timeout 100 "$programs/$1"
    assert_output PASSED
    assert_equal "$stderr" ''
}

@test "streams: right programs have the results of a device, and get no report" {
    right right
    right per_thread
}

@test "streams: right programs have the same results in any order of work" {
    for CUDASIM_SEED in 1 2 3 4; do
        export CUDASIM_SEED
        right right
        right per_thread
    done
}

# wrong CASE: the simulator reports the fault that the line before the case names.
wrong() {
    local expected
    expected=$(grep -B 1 "^static void $1(void)" "$root/tests/streams/wrong.cu" | sed -n 's|^// expect: ||p')
    [ -n "$expected" ] || fail "$1: nothing is expected"
    run --separate-stderr timeout 100 "$programs/wrong" "$1"
    [ "$status" -eq 0 ] || fail "$1: exit $status"$'\n'"$stderr"
    [[ $expected == error:* ]] || expected="warning: $expected"
    grep -qE "^cudasim: $expected" <<< "$stderr" || fail "$1: wanted: $expected"$'\n'"found: $stderr"
    refute_output --partial 'not seen on a device'
}

@test "streams: the faults of wrong programs are reported" {
    for case in $("$programs/wrong" --list); do wrong "$case"; done
}

@test "streams: with the check off nothing is reported" {
    for CUDASIM_CHECK in none written,races,leaks; do
        export CUDASIM_CHECK
        run -0 --separate-stderr "$programs/wrong"
        refute_regex "$stderr" '(stream|host)-race'
    done
}

# bats test_tags=long
@test "streams: wrong programs are reported with every seed" {
    for CUDASIM_SEED in 1 2 3; do
        export CUDASIM_SEED
        run -0 --separate-stderr "$programs/wrong" kernels_without_event
        assert_regex "$stderr" 'stream-race: (fill|add_to), .*(fill|add_to) in stream'
        wrong managed_read_too_early
    done
}

@test "streams: every case is in the list" {
    for program in right per_thread wrong; do
        sed -n 's/^static void \([a-z_0-9]*\)(void)$/\1/p' "$root/tests/streams/$program.cu" | sort > defined
        "$programs/$program" --list | sort > listed
        diff -u defined listed
    done
}
