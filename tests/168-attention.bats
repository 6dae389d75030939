#!/usr/bin/env bats
# The problem attention: its precision rule, large cases, odd sizes, own files, and refusals.

setup() {
    load helpers/common
    cd "$root"
    folder=problems/attention
}

# judged SUBMISSION OPTION...: runs the host on a jury submission, its result to $BATS_TEST_TMPDIR/result.json
judged() {
    local so
    so=$(submission "$folder/submissions/$1" attention) || return
    timeout 120 "$host" attention --submission "$so" --json "$BATS_TEST_TMPDIR/result.json" "${@:2}"
}

# numbers COUNT WORD: COUNT bfloat16 numbers of these four hexadecimal digits, low byte first.
numbers() { yes "$2" | head -n "$1" | tr -d '\n' | xxd -r -p; }

@test "attention: versions of the reference agree, honest methods are well within the rule, large outputs are sampled" {
    run -0 timeout 120 "$build/tests/test_attention"
    assert_output --regexp '[0-9]{3,} checks, 0 failed'
}

# bats test_tags=long
@test "attention: any length, both dims, causal or not: every kernel of the ladder on the simulator" {
    requires nvcc
    local length
    for length in 128 129 161 191 193; do
        for name in simple baseline 1_register_tiles 2_tensor_cores expert; do
            run -0 judged "accepted/$name.cu" --league accurate --seed "$length" \
                --generate "mixed 3 $length $((64 << length % 2)) causal=$((length / 2 % 2))"
            assert_equal "${lines[-1]}" SUCCESSFUL.
            refute_output --partial '| cudasim: '
        done
    done
}

@test "attention: sampling finds a row that is not computed from its own query" {
    run -1 judged wrong_answer/every_second_row.c --generate 'normal 20 600 64' --seed 3
    assert_output --regexp 'wrote O\[[0-9]+\]\[[0-9]+\]\[[0-9]+\] = .* is right, within '
    run -0 judged accepted/baseline.c --generate 'normal 20 600 64' --seed 3
    assert_line '8192 of 12000 rows are judged element by element'
}

@test "attention: a NaN anywhere in a large output is found, whether its row is sampled or not" {
    cat > "$BATS_TEST_TMPDIR/nan.c" << 'END'
#define device_user right
#include "baseline.c"
#undef device_user
void device_user(const uint16_t *Q, const uint16_t *K, const uint16_t *V, uint16_t *O, int heads, int length, int dim,
                 int causal, device_stream stream)
{
    right(Q, K, V, O, heads, length, dim, causal, stream);
    O[((size_t)heads / 2 * length + length / 3) * dim + 5] = 0x7fc0;
}
END
    mkdir "$BATS_TEST_TMPDIR/nan"
    { sed '/device_user.h/d; s/^void device_user(/static void right(/' "$folder/submissions/accepted/baseline.c"
      sed '1,3d' "$BATS_TEST_TMPDIR/nan.c"; } > "$BATS_TEST_TMPDIR/nan/device_user.c"
    so=$(submission "$BATS_TEST_TMPDIR/nan" attention)
    run -1 timeout 60 "$host" attention --submission "$so" --generate 'normal 40 400 64 causal=1' --seed 4
    assert_output --partial 'wrote O[20][133][5] = NaN'
}

@test "attention: host and input validator refuse the same lines" {
    gcc -std=c11 -D_GNU_SOURCE -o "$BATS_TEST_TMPDIR/validator" "$folder/input_validators/case_line.c"
    so=$(submission "$folder/submissions/accepted/baseline.c" attention)
    for file in "$folder"/data/invalid_input/*.in; do
        run -43 "$BATS_TEST_TMPDIR/validator" < "$file"
        [ "$(wc -l < "$file")" = 1 ] || continue
        [[ $file != *-order.in ]] || continue # a matter of form alone
        run -2 --separate-stderr timeout 20 "$host" attention --submission "$so" --generate "$(cat "$file")"
        assert_equal "${#stderr_lines[@]}" 1
        [[ ${stderr_lines[0]} == 'main_host: '?* ]] || fail "${stderr_lines[0]}"
    done
}

@test "attention: own arrays: equal keys, sizes, infinities and numbers that are too large" {
    cd "$BATS_TEST_TMPDIR"
    numbers 16384 803f > ones # 1.0
    numbers 16384 004b > large # 2^23
    numbers 16384 807f > infinite
    { numbers 8192 803f; numbers 8192 80bf; } > signs
    run -0 judged accepted/baseline.c ones ones signs 2 128 64 0
    assert_line 'answer = 0'
    run -0 judged accepted/baseline.c ones ones ones 1 128 128 1
    assert_line 'answer = 16384'
    run -2 judged accepted/baseline.c ones ones ones 1 128 64 1
    assert_output --partial "file 'ones' has 32768 bytes: 8192 numbers of bfloat16 are 16384"
    run -2 judged accepted/baseline.c ones infinite ones 1 128 128 1
    assert_output --partial "file 'infinite': number 0 is an infinity or NaN"
    run -2 judged accepted/baseline.c large ones ones 1 128 128 1
    assert_output --partial "the numbers in 'large' and 'ones' are too large"
    run -2 judged accepted/baseline.c ones ones ones 1 128 128 2
    assert_output --partial 'CAUSAL'
    run -2 judged accepted/baseline.c ones ones ones 1 128
    assert_output --partial 'Q.bin K.bin V.bin HEADS LENGTH DIM CAUSAL is needed'
}

@test "attention: one league allows tensor cores, in code for sm_90a too; none allows OpenCL" {
    requires nvcc
    for name in 2_tensor_cores expert; do
        run judged "accepted/$name.cu" --case sample/1-small
        assert_equal "$(json .verdict)" SV
        assert_output --partial 'tensor cores'
    done
    strings "$(submission "$folder/submissions/accepted/expert.cu" attention)" | grep -q 'sm_90a' ||
        [ -e /dev/nvidiactl ] || fail 'the expert has no code for sm_90a'
    run judged ../../matmul/submissions/accepted/opencl_simple --case sample/1-small
    [ "$status" -ne 0 ]
}

@test "attention: the expert's tensor maps equal those of the driver" {
    requires gpu
    nvcc -std=c++17 -arch=sm_90a -I. -Iproblems/attention/include -include problems/attention/include/device_user.h \
        -o "$BATS_TEST_TMPDIR/maps" tests/fixtures/attention_maps.cu
    run -0 "$BATS_TEST_TMPDIR/maps"
    assert_output "1000 maps, 0 differ from the driver's"
}

@test "attention: the bench says what it needs" {
    run -2 problems/attention/bench_gpu.sh many
    assert_output --partial 'usage: bench_gpu.sh [SHAPES [SEED [SUBMISSION...]]]'
    [ -e /dev/nvidiactl ] || {
        run -3 problems/attention/bench_gpu.sh 1 1
        assert_output --partial 'there is no GPU'
    }
    python3 - problems/attention/bench_gpu.py <<'END'
import ast, sys
ast.parse(open(sys.argv[1]).read())
END
}

@test "attention: weak methods fail in the cases that are made for them" {
    local row
    for row in bf16_scores:secret/05-peaked no_maximum:secret/05-peaked bf16_sums:secret/10-positive-long \
        causal_off_by_one:secret/02-least-causal last_key:secret/10-positive-long window:secret/13-drift \
        four_bit_weights:secret/18-many-heads rows_first:secret/03-past-a-tile key_of_zeros:secret/21-low \
        maximum_of_masked:secret/22-low-causal; do
        run -1 judged "wrong_answer/${row%%:*}.c" --case "${row#*:}"
        assert_output --partial "FAILED. WA"
    done
}

@test "attention: check_problem finds no fault with the cases, of which one is judged by drawn rows" {
    run -0 timeout 300 build/check_problem attention
    assert_line --partial 'case: secret/23-many-rows'
    refute_output --partial FAILED
}
