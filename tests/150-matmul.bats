#!/usr/bin/env bats
# The problem matmul: its precision rule, its checks, its inputs from files, what its submissions do.

setup() {
    load helpers/common
    cd "$root"
}

@test "matmul: float32 in any order obeys the precision rule with a margin of 2, also for equal products; TF32 and bfloat16 break it" {
    run -0 timeout 120 "$build/tests/test_matmul_precision"
    assert_output --regexp '[0-9]{4,} checks, 0 failed'
}

@test "matmul: products agree bit for bit; checks accept all right outputs and no spoiled one, large ones too" {
    run -0 timeout 120 "$build/tests/test_matmul_check"
    assert_output --regexp '[0-9]{5,} checks, 0 failed'
}

@test "matmul: the validator and the host agree on which lines are cases" {
    gcc -std=c11 -D_GNU_SOURCE -o "$BATS_TEST_TMPDIR/validator" problems/matmul/input_validators/case_line.c
    so=$(submission problems/matmul/submissions/accepted/baseline.c matmul)
    for line in 'uniform 1 1 1' 'special 3 2 1 seed=4294967295' 'tiny 5 7 9' 'permutation 9 2 1'; do
        run -42 "$BATS_TEST_TMPDIR/validator" <<< "$line"
        run -0 timeout 20 "$host" matmul --generate "$line" --submission "$so"
        assert_line SUCCESSFUL.
    done
    for file in problems/matmul/data/invalid_input/*.in; do
        run -43 "$BATS_TEST_TMPDIR/validator" < "$file"
        # Empty lines and several lines are refused where the file is read.
        [ "$(wc -l < "$file")" = 1 ] && [ -s "$file" ] && [ "$(wc -c < "$file")" -gt 1 ] || continue
        run -2 timeout 20 "$host" matmul --generate "$(cat "$file")" --submission "$so"
        assert_output --regexp '^main_host: .+'
    done
}

@test "matmul: matrices from files; wrong sizes and values are refused by name" {
    so=$(submission problems/matmul/submissions/accepted/baseline.c matmul)
    cd "$BATS_TEST_TMPDIR"
    # The statement's example: 1 2 3 4 5 6 times 1 0 0 1 1 1, whose sum is 30.
    printf '\0\0\200\77\0\0\0\100\0\0\100\100\0\0\200\100\0\0\240\100\0\0\300\100' > a.bin
    printf '\0\0\200\77\0\0\0\0\0\0\0\0\0\0\200\77\0\0\200\77\0\0\200\77' > b.bin
    cd "$root"
    a=$BATS_TEST_TMPDIR/a.bin b=$BATS_TEST_TMPDIR/b.bin
    run -0 timeout 20 "$host" matmul "$a" 2 3 "$b" 2 --submission "$so"
    assert_line --regexp '^answer = 30#[0-9a-f]{16}$'
    assert_line 'A: 2 x 3, B: 3 x 2, C: 2 x 2'
    assert_line '[GPU] : 30'
    assert_line SUCCESSFUL.
    run -2 timeout 20 "$host" matmul "$a" 2 2 "$b" 3 --submission "$so"
    assert_output --partial "file '$a' has 24 bytes: 2 x 2 numbers of float32 are 16"
    run -2 timeout 20 "$host" matmul "$a" 2 3 "$b" 3 --submission "$so"
    assert_output --partial "file '$b' has 24 bytes: 3 x 3 numbers of float32 are 36"
    run -2 timeout 20 "$host" matmul "$a" 2 3 "$b" 0 --submission "$so"
    assert_output --partial "N"
    run -2 timeout 20 "$host" matmul "$a" 16385 3 "$b" 2 --submission "$so"
    assert_output --partial "M"
    run -2 timeout 20 "$host" matmul "$a" 16384 16384 "$b" 16384 --submission "$so"
    assert_output --partial '805306368 elements together: at most 402653184'
    run -2 timeout 20 "$host" matmul "$a" 2 3 "$BATS_TEST_TMPDIR/none" 2 --submission "$so"
    assert_output --partial "cannot open '$BATS_TEST_TMPDIR/none'"
    run -2 timeout 20 "$host" matmul "$a" 2 3 --submission "$so"
    assert_output --partial 'A.bin M K B.bin N is needed'
    # 2^127 as an element of A.
    printf '\0\0\0\177' | dd of="$a" conv=notrunc status=none
    run -2 timeout 20 "$host" matmul "$a" 2 3 "$b" 2 --submission "$so"
    assert_output --partial 'K times the largest of each is not below 2^127'
    # An infinity is an ordinary element.
    printf '\0\0\200\177' | dd of="$a" conv=notrunc status=none
    run -0 timeout 20 "$host" matmul "$a" 2 3 "$b" 2 --submission "$so"
    assert_line --regexp '^answer = inf#'
}

@test "matmul: a large case is judged by samples and combinations; submissions cannot see which" {
    right=$(submission problems/matmul/submissions/accepted/baseline.c matmul)
    cat > "$BATS_TEST_TMPDIR/one_off.c" << 'END'
/* The product, but for one inner element, which is off by 1000: half a million tolerances, missed once in 10^8. */
#include "device_user.h"
#define device_user product
#include "BASELINE"
#undef device_user
void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    product(A, B, C, M, N, K);
    C[(size_t)(M / 3) * N + N / 3] += 1000;
}
END
    sed -i "s|BASELINE|$root/problems/matmul/submissions/accepted/baseline.c|" "$BATS_TEST_TMPDIR/one_off.c"
    wrong=$(submission "$BATS_TEST_TMPDIR/one_off.c" matmul)
    line='uniform 1100 1050 1000 seed=9'
    run -0 timeout 60 "$host" matmul --generate "$line" --submission "$right"
    assert_line --regexp '^tolerance = .*, by random samples and combinations$'
    answer=$(grep '^answer = ' <<< "$output")
    run -0 timeout 60 "$host" matmul --generate "$line" --submission "$right"
    assert_line "$answer"
    run -1 timeout 60 "$host" matmul --generate "$line" --submission "$wrong"
    assert_line --regexp '^FAILED\. WA \(wrong answer\): device_user\(\) wrote C\[366\]\[350\] = '
}

# bats test_tags=long
@test "matmul: CUDA submissions run on the simulator without a report, in both leagues" {
    requires nvcc
    for name in simple baseline; do
        so=$(submission "problems/matmul/submissions/accepted/$name.cu" matmul)
        for line in 'uniform 33 65 17 seed=1' 'special 40 20 35 seed=2' 'tiny 17 18 19' 'wide 1 100 1'; do
            run -0 timeout 60 "$host" matmul --generate "$line" --submission "$so"
            assert_line SUCCESSFUL.
            refute_output --partial 'cudasim: '
        done
    done
    so=$(submission problems/matmul/submissions/accepted/split_bf16.cu matmul)
    for line in 'uniform 33 65 17 seed=1' 'special 40 20 35 seed=2' 'tiny 33 34 35' 'wide 20 33 100' \
        'cancel 16 16 200' 'positive 16 20 1000' 'permutation 20 20 30'; do
        run -0 timeout 60 "$host" matmul --generate "$line" --league accurate --submission "$so"
        assert_line SUCCESSFUL.
        refute_output --partial 'cudasim: '
    done
    run -1 timeout 60 "$host" matmul --generate 'uniform 33 65 17' --submission "$so"
    assert_output --partial 'FAILED. SV'
}

# bats test_tags=long
@test "matmul: the experts and the steps to them run on the simulator without a report" {
    requires nvcc
    for name in 1_register_tiles.cu 2_asynchronous_copies.cu expert; do
        so=$(submission "problems/matmul/submissions/accepted/$name" matmul)
        # The last two have whole tiles enough for the expert's main kernel, with ragged edges.
        for line in 'uniform 33 65 17 seed=1' 'special 40 20 35 seed=2' 'tiny 17 18 19' 'wide 1 100 1' \
            'positive 1 1 3000' 'special 390 1034 35 seed=3' 'uniform 385 1027 33 seed=4'; do
            run -0 timeout 60 "$host" matmul --generate "$line" --submission "$so"
            assert_line SUCCESSFUL.
            refute_output --partial 'cudasim: '
        done
    done
    so=$(submission problems/matmul/submissions/accepted/expert_accurate matmul)
    for line in 'uniform 33 65 17 seed=1' 'special 40 20 35 seed=2' 'uniform 130 131 300 seed=3' 'special 140 50 257' \
        'tiny 33 34 300' 'wide 70 133 260' 'cancel 16 16 400' 'positive 16 20 3000' 'permutation 20 20 300'; do
        run -0 timeout 60 "$host" matmul --generate "$line" --league accurate --submission "$so"
        assert_line SUCCESSFUL.
        refute_output --partial 'cudasim: '
    done
}

# bats test_tags=long
@test "matmul: the expert is right where it divides K, has few rows, columns or products, or rows that begin anywhere" {
    requires nvcc
    so=$(submission problems/matmul/submissions/accepted/expert matmul)
    for line in 'special 6 300 700 seed=5' 'special 300 7 701 seed=6' 'wide 70 90 2001' 'special 200 151 1000 seed=7' \
        'uniform 2 9 16000' 'special 600 500 3 seed=8' 'special 90 137 75 seed=9' 'special 130 99 70 seed=10' \
        'special 75 70 1300 seed=11' 'uniform 300 33 400 seed=12' 'special 100 13 11 seed=13' \
        'special 70 3 49 seed=14' 'special 70 8 64 seed=15' 'special 33 16 66 seed=16' 'special 100 31 256 seed=17' \
        'special 65 20 137 seed=18' 'special 1 1 200 seed=19' 'special 1500 51 36 seed=20' \
        'special 1500 59 43 seed=21' 'special 72 8735 24 seed=22' 'special 4100 100 40 seed=23' \
        'special 1 25 9066 seed=24'; do
        run -0 timeout 60 "$host" matmul --generate "$line" --submission "$so"
        assert_line SUCCESSFUL.
        refute_output --partial 'cudasim: '
    done
}

# bats test_tags=long
@test "matmul: the experts cut page-locked matrices into panels, and get the same product" {
    requires nvcc
    for name in expert expert_accurate; do
        for size in '1300 1030 270' '1100 64 40'; do
            # shellcheck disable=SC2086
            run -0 timeout 120 run_scripts/sim.sh --nvcc "-Iproblems/matmul/include \
                '-DSUBMISSION=\"../../problems/matmul/submissions/accepted/$name/device_user.cu\"'" \
                tests/fixtures/matmul_panels.cu $size
            assert_output '0 wrong'
        done
    done
}

@test "matmul: the accurate expert is judged in a box, with the other expert's kernels" {
    requires nvcc
    requires box
    run -0 timeout 300 run_scripts/judge.sh problems/matmul/submissions/accepted/expert_accurate matmul \
        --league accurate --generate 'uniform 33 65 17'
    assert_line SUCCESSFUL.
}

# bats test_tags=long
@test "matmul: the accurate expert's tensor cores obey the rule for every range of exponents, infinities and NaN" {
    requires nvcc
    run -0 timeout 120 run_scripts/sim.sh -o "$BATS_TEST_TMPDIR/halves" -I . --nvcc "-gencode \
        arch=compute_90a,code=compute_90a -Iproblems/matmul/include -include problems/matmul/include/device_user.h" \
        tests/fixtures/matmul_halves.cu
    for line in '130 140 300 1 uniform' '70 200 600 3 wide' '130 131 520 2 distant' '66 140 700 1 steps' \
        '64 64 300 1 sparse' '70 70 300 1 special'; do
        # shellcheck disable=SC2086
        run -0 timeout 100 run_scripts/sim.sh "$BATS_TEST_TMPDIR/halves" -- $line
        assert_output 'tensor cores: 0 wrong'
    done
}

@test "matmul: TF32 and bfloat16 are wrong on every sample" {
    for name in tf32_rounding bf16; do
        so=$(submission "problems/matmul/submissions/wrong_answer/$name.c" matmul)
        for sample in 1-square 2-ragged 3-report; do
            run -1 timeout 60 "$host" matmul --case "sample/$sample" --submission "$so"
            assert_line --regexp '^FAILED\. WA '
        done
    done
}

@test "matmul: too little precision is wrong for every K; equal terms are right in any order of addition" {
    local line precise
    precise=$(submission problems/matmul/submissions/accepted/baseline.c matmul)
    so=$(submission problems/matmul/submissions/wrong_answer/tf32_rounding.c matmul)
    for line in 'uniform 40 40 16384' 'mixed 80 80 16384' 'wide 20 20 8192' 'uniform 1100 1000 1000'; do
        run -1 timeout 60 "$host" matmul --generate "$line" --submission "$so"
        assert_line --regexp '^FAILED\. WA '
        run -0 timeout 60 "$host" matmul --generate "$line" --submission "$precise"
    done
    so=$(submission problems/matmul/submissions/wrong_answer/two_bf16.c matmul)
    for line in 'uniform 64 64 128' 'mixed 80 80 16384' 'permutation 64 64 4096' 'wide 64 64 200'; do
        run -1 timeout 60 "$host" matmul --generate "$line" --league accurate --submission "$so"
        assert_line --regexp '^FAILED\. WA '
    done
    # All 0.1 by all 0.3, whose sums err by a third of K u each, and 0.7 by 1/3.
    head -c 64000 /dev/zero | sed 's/\x00\x00\x00\x00/\xcd\xcc\xcc\x3d/g' > "$BATS_TEST_TMPDIR/a.bin"
    head -c 64000 /dev/zero | sed 's/\x00\x00\x00\x00/\x9a\x99\x99\x3e/g' > "$BATS_TEST_TMPDIR/b.bin"
    local files=("$BATS_TEST_TMPDIR/a.bin" 16 1000 "$BATS_TEST_TMPDIR/b.bin" 16)
    for name in simple baseline; do
        so=$(submission "problems/matmul/submissions/accepted/$name.c" matmul)
        run -0 timeout 60 "$host" matmul "${files[@]}" --submission "$so"
        assert_line SUCCESSFUL.
    done
    so=$(submission problems/matmul/submissions/wrong_answer/tf32_rounding.c matmul)
    run -1 timeout 60 "$host" matmul "${files[@]}" --submission "$so"
    assert_line --regexp '^FAILED\. WA '
}

@test "matmul: every submission gets cases with 0 times infinity and NaN, large ones too" {
    precise=$(submission problems/matmul/submissions/accepted/baseline.c matmul)
    for name in skips_zeros nan_to_zero; do
        so=$(submission "problems/matmul/submissions/wrong_answer/$name.c" matmul)
        # The last is large: lines with an infinity or NaN are judged whole.
        for line in 'special 20 30 40' 'mixed 200 200 20' 'mixed 1300 1200 700'; do
            run -1 timeout 60 "$host" matmul --generate "$line" --submission "$so"
            assert_line --regexp '^FAILED\. WA .* where NaN is right'
            run -0 timeout 60 "$host" matmul --generate "$line" --submission "$precise"
        done
        for case in 11-special 20-report-700; do
            run -1 timeout 60 "$host" matmul --case "secret/$case" --submission "$so"
        done
    done
}

# The jury's submission is WA in the league accurate, which its comment names: `make check-problem PROBLEM=matmul`.
@test "matmul: a product on tensor cores is refused in the league fp32, before it runs" {
    requires nvcc
    make -s simulator-if-used SUBMISSION=problems/matmul/submissions/wrong_answer/tf32_wmma.cu
    so=$(submission problems/matmul/submissions/wrong_answer/tf32_wmma.cu matmul)
    run -1 timeout 60 "$host" matmul --submission "$so" --case sample/1-square --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json .verdict)" SV
    assert_equal "$(json '.cases | length')" 0
    assert_output --partial 'tensor cores'
}
