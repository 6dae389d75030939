#!/usr/bin/env bats
# The readers of PTX and fatbins on broken input, with sanitizers: `make fuzz` for a long time, here for a short one.

setup_file() {
    load helpers/common
    make -s -C "$root" replayers >&2
}

setup() {
    load helpers/common
    cd "$BATS_TEST_TMPDIR"
    corpus=$root/tests/fuzz/corpus
}

# nothing_found TARGET COUNT: the corpus, and COUNT damaged versions of each of its files.
nothing_found() {
    run -0 timeout 120 "$build/fuzz/$1_replay" "$2" "$corpus/$1"
    assert_output --regexp '^[0-9]{4,} inputs$'
}

@test "fuzz: PTX, damaged 300 times a file, is read or refused" { nothing_found ptx 300; }

# bats test_tags=long
@test "fuzz: PTX, damaged 2000 times a file, is read or refused" { nothing_found ptx 2000; }

@test "fuzz: fatbins and cubins, damaged 2000 times a file, are read or refused" { nothing_found fatbin 2000; }

@test "fuzz: a finding ends the replay, and its input is kept" {
    cat > target.c << 'TARGET'
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return size > 9 && data[3] == 0xFF ? data[size] : 0; }
TARGET
    gcc -D_GNU_SOURCE -fsanitize=address,undefined -o replay target.c "$root/tests/fuzz/main_replay.c"
    seq 100 > input
    run -0 ./replay 0 input
    run ! ./replay 10000 input
    assert_output --partial heap-buffer-overflow
    assert_output --partial "the input is in 'replay-crash'"
    run ! ./replay 0 replay-crash
}

# bats test_tags=long
@test "fuzz: libFuzzer for 5 s each finds nothing" {
    requires clang
    run -0 timeout 300 make -s -C "$root" fuzz FUZZ_SECONDS=5
    assert_equal "$(grep -c '^Done [0-9]* runs' <<< "$output")" 4
}
