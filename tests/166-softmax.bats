#!/usr/bin/env bats
# Softmax: the precision rule, rows of any length and start on the simulator, minus infinity, files of one's own.

setup() {
    load helpers/common
    cd "$root"
    jury=problems/softmax/submissions
}

# judged SUBMISSION ARGUMENT...: runs it, with the result in result.json.
judged() {
    local so
    so=$(submission "$jury/$1" softmax) || return
    timeout 120 "$host" softmax --submission "$so" --json "$BATS_TEST_TMPDIR/result.json" "${@:2}"
}

@test "softmax: float32 in any usual order keeps the precision rule, and bfloat16 inside does not" {
    run -0 timeout 200 "$build/tests/test_softmax_precision"
    assert_line --regexp '^largest ratio within \(1\): 0\.[0-9]+; where \(1\) is broken, of \(2\): 0\.[0-9]+$'
    assert_line --regexp '^[0-9]{6} checks, 0 failed$'
}

@test "softmax: the checker accepts right outputs by other methods, and sees spoiled ones" {
    run -0 timeout 120 build/check_problem --honest=2000 softmax
    assert_output --partial '2000 right outputs by other methods judged'
    run -0 timeout 120 build/check_problem --checker softmax
}

@test "softmax: the expert takes every path on the simulator" {
    requires nvcc
    # Lanes of a warp, a block, clusters of blocks; rows that start at any element; few and many chunks a thread.
    for line in 'mixed 70 16 float32' 'mixed 37 19 bfloat16' 'masked 5000 133 float32' 'mixed 2 701 bfloat16' \
        'mixed 300 4097 float32' 'masked 3 8191 bfloat16' 'wide 2 20001 float32' 'masked 1 70001 float32' \
        'mixed 9000 257 bfloat16' 'uniform 7 33333 bfloat16' 'shifted 19 129186 float32' 'mixed 300 40001 bfloat16'; do
        echo "# $line"
        run judged accepted/expert.cu --generate "$line" --seed 166
        [ "$status" = 0 ] || fail "$output"
        assert_equal "${lines[-1]}" SUCCESSFUL.
    done
}

@test "softmax: an input depends on seed and repetition, and the answer on the input alone" {
    run -0 judged accepted/simple.c --case sample/3-mixed --repeat 3 --seed 5
    first=$(json '.cases[0].answer')
    run -0 judged accepted/baseline.c --case sample/3-mixed --repeat 3 --seed 5
    assert_equal "$(json '.cases[0].answer')" "$first"
    run -0 judged accepted/baseline.c --case sample/3-mixed --repeat 3 --seed 6
    refute [ "$(json '.cases[0].answer')" = "$first" ]
}

@test "softmax: a mistake is reported with its place" {
    run -1 judged wrong_answer/zeros_for_nan.c --case sample/2-odd
    assert_output --regexp 'WA .*wrote output\[[0-9]+\]\[0\] = 0 in a row of minus infinity alone, where NaN is right'
    run -1 judged wrong_answer/no_maximum.c --generate 'shifted 9 16 float32'
    assert_output --regexp 'WA .*wrote output\[[0-9]+\]\[[0-9]+\] = NaN where [0-9.e-]+ is right'
    run -1 judged wrong_answer/truncates.c --generate 'normal 9 16 bfloat16'
    assert_output --regexp 'WA .*= [0-9.e-]+ where [0-9.e-]+ is right, more than the rounding of float32 and bfloat16'
}

@test "softmax: the host refuses every line that the validator refuses, in one line" {
    so=$(submission $jury/accepted/baseline.c softmax)
    for file in problems/softmax/data/invalid_input/*.in; do
        [ "$(wc -l < "$file")" = 1 ] || continue
        run -2 --separate-stderr timeout 20 "$host" softmax --submission "$so" --generate "$(cat "$file")"
        assert_equal "${#stderr_lines[@]}" 1
        [[ ${stderr_lines[0]} == 'main_host: '?* ]] || fail "${stderr_lines[0]}"
    done
}

@test "softmax: files hold the matrix; a wrong size or element is refused" {
    local file=$BATS_TEST_TMPDIR/x.bin
    # 2 rows of 16: float32 1.0, and minus infinity at the end of the second.
    { for _ in {1..31}; do printf '\0\0\x80\x3f'; done; printf '\0\0\x80\xff'; } > "$file"
    run -0 judged accepted/baseline.c "$file" 2 16 float32
    assert_output --partial '2 of 2 rows'
    run -0 judged accepted/baseline.c "$file" 2 32 bfloat16
    run -2 judged accepted/baseline.c "$file" 3 16 float32
    assert_output --partial "x.bin' has 128 bytes: 3 x 16 elements of float32 are 192"
    run -2 judged accepted/baseline.c "$file" 2 16 half
    assert_output --partial "unknown type 'half': use float32 or bfloat16"
    run -2 judged accepted/baseline.c "$file" 2 16
    assert_output --partial 'FILE ROWS COLUMNS TYPE is needed, not 3 arguments'
    for bits in '\0\0\x80\x7f' '\0\0\xc0\x7f' '\x01\x40\x1c\x46'; do # infinity, a NaN, a little above 10000
        { head -c 124 "$file"; printf '%b' "$bits"; } > "$BATS_TEST_TMPDIR/bad.bin"
        run -2 judged accepted/baseline.c "$BATS_TEST_TMPDIR/bad.bin" 2 16 float32
        assert_output --partial "bad.bin': element 31 is neither within -10000 to 10000 nor minus infinity"
    done
}
