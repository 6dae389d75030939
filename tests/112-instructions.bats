#!/usr/bin/env bats
# cudasim: every PTX instruction form on random and special operands, against expectations computed independently and
# against the results of an H100 (tests/instructions/h100.txt). See the head of tests/instructions/forms.txt.

setup_file() {
    load helpers/common
    [ "$(uname -m)" = x86_64 ] || export lacks='no x86-64 processor'
    make -s -C "$root" have-nvcc || export lacks='no nvcc'
    [ -z "${lacks:-}" ] || return 0
    export forms=$build/instructions-ptx
    make -s -j "$(nproc)" -C "$root" cudasim-library >&2 &&
        BUILD=$forms PTX_ONLY=1 PARTS=8 JOBS=$(nproc) NVCC=$(make -s -C "$root" print-nvcc) \
            "$root/tests/instructions/run.sh" build >&2 || {
        echo "# the simulator or the instruction forms do not build: none of these tests can run" >&3
        return 1
    }
}

setup() {
    load helpers/common
    [ -z "${lacks:-}" ] || skip "$lacks"
    export LD_LIBRARY_PATH=$build/cudasim
}

# every_level: builds the simulator for each level of x86-64 that this machine runs.
every_level() { make -s -C "$root" cudasim-library LEVELS="$(make -s -C "$root" print-runnable-levels)" >&2; }

# compare LEVEL FORMS [OPTION...]: with the bodies of that level of x86-64, FORMS forms at least
compare() {
    CUDASIM_LEVEL=$1 run timeout 900 "$forms/forms" "${@:3}"
    [ "$status" -eq 0 ] || fail "$(grep -v '^ok' <<< "$output" | head -40)"
    [[ "${lines[-1]}" =~ ^([0-9]+)\ forms\ run,\ 0\ failed ]] || fail "${lines[-1]}"
    [ "${BASH_REMATCH[1]}" -ge "$2" ] || fail "only ${BASH_REMATCH[1]} forms were run"
    [[ " ${*:3} " != *" -c "* || "${lines[-1]}" == *'; golden: 0 differ, 0 missing, '* ]] || fail "${lines[-1]}"
    [[ " ${*:3} " != *" -e "* || "${lines[-1]}" == *' checked, 0 differ' ]] || fail "${lines[-1]}"
}

# as_the_h100 LEVEL: a test tagged long shows that the bits of an H100 are those that are expected. So only what has a
# bound, and other bits than the expected ones on an H100, is compared with what is expected: computing that takes most
# of the time. Approximate functions keep a bound, and most have an H100's bits.
as_the_h100() {
    compare "$1" 3536 -c "$root/tests/instructions/h100.txt"
    compare "$1" 46 -e -f @bound
}

# tensor_sums LEVEL
tensor_sums() {
    CUDASIM_LEVEL=$1 run -0 timeout 300 "$forms/forms" -f 'mma*@unit' -f 'mma*@special' -o "$BATS_TEST_TMPDIR/got.txt"
    sort "$BATS_TEST_TMPDIR/got.txt" > "$BATS_TEST_TMPDIR/sorted.txt"
    [ "$(wc -l < "$BATS_TEST_TMPDIR/sorted.txt")" -eq 8 ]
    diff -u <(grep -E '^mma[^ ]*@(unit|special) ' "$root/tests/instructions/h100.txt" | sort) \
        "$BATS_TEST_TMPDIR/sorted.txt"
}

@test "every instruction form gives the bits of an H100, or keeps the bound of the manual" {
    as_the_h100 4
}

# bats test_tags=long
@test "... and of the independent expectation" {
    compare 4 3536 -e -c "$root/tests/instructions/h100.txt"
}

# bats test_tags=long
@test "... with the bodies for x86-64-v3" {
    every_level
    as_the_h100 3
    tensor_sums 3
}

# bats test_tags=long
@test "... and for x86-64-v2" {
    every_level
    as_the_h100 2
    tensor_sums 2
}

@test "a wrong digest is found" {
    sed '/^add.u32 /s/ [0-9a-f]*$/ 0123456789abcdef/' "$root/tests/instructions/h100.txt" \
        > "$BATS_TEST_TMPDIR/wrong.txt"
    run timeout 60 "$forms/forms" -f 'add.u32' -c "$BATS_TEST_TMPDIR/wrong.txt"
    [ "$status" -ne 0 ]
    [[ "$output" == *add.u32* ]]
}

@test "sums of tensor cores, inexact and of special values, are those of an H100 to the bit" { tensor_sums 4; }

# bats test_tags=long
@test "instructions: of every family of PTX that ptxas accepts, the simulator refuses only what refused.txt lists" {
    make -s -C "$root" "${BUILD:-build}/ptx_check" >&2
    list=$BATS_TEST_TMPDIR/forms
    BUILD=$build run timeout 600 "$root/tests/instructions/census.sh" -l 12 -s 7 -o "$list"
    [[ "${lines[-1]}" =~ ^([0-9]+)\ of\ ([0-9]+)\ forms\ run ]] || fail "$output"
    [ "${BASH_REMATCH[2]}" -ge 1000 ] || fail "only ${BASH_REMATCH[2]} forms"
    export LC_ALL=C
    run comm -23 <(sed -n 's/^refused\t//p' "$list" | sort) <(sort "$root/tests/instructions/refused.txt")
    assert_output ''
}

# bats test_tags=long
@test "the tables of approximate functions are those that their results give" {
    make -s -C "$root" "${build#"$root/"}/interpolation" >&2
    "$build/interpolation" > "$BATS_TEST_TMPDIR/tables"
    diff "$BATS_TEST_TMPDIR/tables" "$root/contrib/cudasim/table/interpolation.h"
}
