#!/usr/bin/env bats
# What comes to the contest's server from outside, damaged, with sanitizers: `make fuzz` for a long time, here for a
# short one.
# bats file_tags=serve

setup_file() {
    load helpers/common
    "$BATS_TEST_DIRNAME/../run_scripts/lib/packages.sh" build grade serve clics >&2
    make -s -C "$root" serve-replayers >&2
}

setup() {
    load helpers/common
    cd "$BATS_TEST_TMPDIR"
    corpus=$root/tests/fuzz/corpus
}

# nothing_found TARGET COUNT: the corpus, and COUNT damaged versions of each of its files.
nothing_found() {
    run -0 --separate-stderr timeout 120 "$build/fuzz/$1_replay" "$2" "$corpus/$1"
    assert_output --regexp '^[0-9]{4,} inputs$'
}

# stays PATTERN: whether a folder is left. Another test file may have such a folder for a while.
stays() {
    local i
    for ((i = 0; i < 900; i++)); do
        compgen -G "$1" > /dev/null || return 1
        sleep 0.1
    done
}

@test "fuzz: JSON, forms, cookies, tokens and paths, damaged 100 times a file, get an answer" {
    nothing_found serve 100
    refute stays '/dev/shm/fuzz-serve-*'
}

@test "fuzz: archives, damaged 500 times a file, unpack to plain files within the limits, or are refused" {
    nothing_found unpack 500
    refute stays '/dev/shm/fuzz-unpack-*'
}
