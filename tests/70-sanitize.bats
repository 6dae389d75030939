#!/usr/bin/env bats
# The host and the library with address and undefined-behaviour sanitizers, over good and hostile submissions.
# bats file_tags=long

setup_file() {
    load helpers/common
    cd "$root"
    export sanitized=$build/sanitized
    folder=${BUILD:-build}/sanitized
    # Only what these tests run: with sanitizers everything takes several times as long to compile.
    make -s -j "$(nproc)" BUILD="$folder" SANITIZE=address,undefined CFLAGS='-O1 -g' \
        "$folder"/{main_host,inspect,check_problem,runners/editdistance} \
        "$folder"/tests/test_{random,library,verdict,stats,work,levenshtein} \
        "$folder"/tests/test_cudasim_{memory,fatbin,explain,builtin,half} >&2
}

setup() {
    load helpers/common
    cd "$root"
}

# clean COMMAND...: its exit code is one of the toolkit's own, and no sanitizer speaks.
clean() {
    run timeout 120 "$@"
    [[ $status -le 2 ]] || fail "exit $status: $output"
    refute_output --partial Sanitizer
    refute_output --partial 'runtime error'
}

@test "sanitizers: the host has them, and they find planted faults" {
    run -0 bash -c "nm '$sanitized/main_host' | grep -c __asan_report_load"
    cat > "$BATS_TEST_TMPDIR/t.c" << 'END'
#include <stdlib.h>
int main(int argc, char **argv) { char *p = malloc(4); (void)argv; return p[4 + argc]; }
END
    gcc -fsanitize=address,undefined -o "$BATS_TEST_TMPDIR/t" "$BATS_TEST_TMPDIR/t.c"
    run ! "$BATS_TEST_TMPDIR/t"
    assert_output --partial AddressSanitizer
}

@test "sanitizers: unit tests" {
    for test in random library verdict stats work cudasim_{memory,fatbin,explain,builtin,half}; do
        clean "$sanitized/tests/test_$test"
        assert_equal "$status" 0
    done
    clean "$sanitized/tests/test_levenshtein" 40
    assert_equal "$status" 0
}

@test "sanitizers: samples, files, repetitions, JSON" {
    so=$(submission problems/editdistance/submissions/accepted/bitparallel.c)
    run_scripts/lib/files.sh
    clean "$sanitized/main_host" editdistance --submission "$so" --repeat 3 --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$status $(json .verdict)" '0 AC'
    clean "$sanitized/main_host" editdistance --submission "$so" "$practice/file3" "$practice/file4"
    assert_equal "$status" 0
    clean "$sanitized/main_host" editdistance --submission "$so" "$practice/file3" "$practice/file4" 7
    assert_equal "$status" 1
    clean "$sanitized/main_host" editdistance --submission "$so" "$practice/file3" /dev/null
    assert_equal "$status" 2
    (cd "$root" && clean "$sanitized/check_problem" editdistance)
}

@test "sanitizers: every hostile fixture, in the box and without it" {
    for fixture in tests/fixtures/bad_*.c tests/fixtures/noisy.c tests/fixtures/silent.c; do
        case $fixture in *_syntax.c | *_undefined.c | *_name.c | *_message.c) continue ;; esac
        so=$(submission "$fixture")
        for box in auto none; do
            clean "$sanitized/main_host" editdistance --submission "$so" --case sample/1-small --repeat 2 \
                --time-limit 0.3 --box "$box" --json "$BATS_TEST_TMPDIR/result.json"
        done
    done
}

@test "sanitizers: reports of the simulator, good and broken" {
    requires nvcc
    requires x86-64
    make -s -j "$(nproc)" cudasim-library >&2
    # The host takes the simulator from beside it; that one is to be without sanitizers, as the runner is.
    mkdir -p "$BATS_TEST_TMPDIR/t/build/cudasim"
    ln -s "$root/problems" "$BATS_TEST_TMPDIR/t/problems"
    cp -r "$sanitized/main_host" "$sanitized/inspect" "$sanitized/runners" "$BATS_TEST_TMPDIR/t/build"
    cp "$build/cudasim/libcudart.so.13" "$BATS_TEST_TMPDIR/t/build/cudasim"
    for source in device_user.cu tests/fixtures/sim/*.cu; do
        so=$(submission "$source")
        for case in sample/1-small sample/2-similar; do
            clean "$BATS_TEST_TMPDIR/t/build/main_host" editdistance --submission "$so" --device sim --case $case \
                --explain --time-limit 1 --json "$BATS_TEST_TMPDIR/result.json"
        done
    done
}

@test "sanitizers: broken files" {
    so=$(submission problems/editdistance/submissions/accepted/bitparallel.c)
    for cut in 4 20 64 100 300 1000 4000 8000; do
        head -c $cut "$so" > "$BATS_TEST_TMPDIR/cut.so"
        clean "$sanitized/main_host" editdistance --submission "$BATS_TEST_TMPDIR/cut.so" --case sample/1-small
    done
    clean "$build/tests/test_inspection" "$sanitized" "$so" "$BATS_TEST_TMPDIR"
    assert_output --regexp '^[0-9]{3} checks, 0 failed$'
    for word in 'error: x' '' "$(head -c 5000 /dev/zero | tr '\0' x)"; do
        echo "$word" > "$BATS_TEST_TMPDIR/log"
        clean "$sanitized/main_host" editdistance --compile-error "$BATS_TEST_TMPDIR/log"
        assert_equal "$status" 1
    done
}
