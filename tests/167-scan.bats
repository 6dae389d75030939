#!/usr/bin/env bats
# The problem scan: package, leagues, generator, checker, files of one's own, submissions.

setup() {
    load helpers/common
    cd "$root"
    folder=problems/scan
}

# judged EXIT SUBMISSION LINE [options]: the jury's submission, built, on a case made from LINE.
judged() {
    local so code=$1 line=$3
    so=$(submission "$folder/submissions/$2" scan)
    shift 3
    run "-$code" timeout 60 "$host" scan --generate "$line" --submission "$so" \
        --json "$BATS_TEST_TMPDIR/result.json" "$@"
}

@test "scan: sums by several threads, honest and careless sums of float32, every kind and all small sizes" {
    run -0 timeout 120 "$build/tests/test_scan_problem"
    assert_output --regexp '^[0-9]{5,} checks, 0 failed$'
}

@test "scan: the statements name the limits, the entry point, the types and every kind of case" {
    for statement in $folder/statement/problem.*.md; do
        for word in 268,435,456 device_user device_stream starts SCAN_UINT32 SCAN_UINT64 SCAN_FLOAT32 plain segmented \
            random positive negative wide cancel sparse step '$2^{-40}$' '$2^{20}$' 1024 65,536; do
            grep -qF "$word" "$statement" || fail "$statement: no '$word'"
        done
    done
    assert_equal "$(echo $folder/statement/*)" "$folder/statement/problem.en.md $folder/statement/problem.ja.md"
    # The bound of the statements is that of precision.h.
    grep -qF '(8 + 2 * sqrt(m < 1024 ? m : 1024) + sqrt(m) / 8) * 0x1p-24' $folder/precision.h
    grep -qF '8 + 2 \sqrt{\min(m, 1024)} + \sqrt{m} / 8\right) 2^{-24} R_m' $folder/statement/problem.en.md
    grep -qF '8 + 2 \sqrt{\min(m, 1024)} + \sqrt{m} / 8\right) 2^{-24} R_m' $folder/statement/problem.ja.md
    # The sample that both show.
    word=$(cat $folder/data/sample/1-ten.ans)
    grep -qF "$word" $folder/statement/problem.en.md
    grep -qF "$word" $folder/statement/problem.ja.md
}

@test "scan: a league has its own samples, secret and ranked cases; all of them have starts or none has" {
    local league other so names
    so=$(submission $folder/submissions/accepted/baseline.c scan)
    for league in plain segmented; do
        other=segmented
        [ $league = plain ] || other=plain
        run -0 timeout 60 "$host" scan --group all --league $league --device cpu --submission "$so" \
            --json "$BATS_TEST_TMPDIR/result.json"
        assert_equal "$(json .verdict)" AC
        assert_equal "$(json '[.cases[] | select(.name | startswith("secret/'$league'/"))] | length')" \
            "$(ls $folder/data/secret/$league/*.in | wc -l)"
        assert_equal "$(json '[.cases[] | select(.name | startswith("secret/'$other'"))] | length')" 0
        names=$(json '[.cases[].name | select(startswith("sample/"))] | join(" ")')
        [ $league = plain ] && assert_equal "$names" 'sample/1-ten sample/2-reals'
        [ $league = segmented ] && assert_equal "$names" 'sample/3-segments sample/4-real-segments'
        # Each league compares times on its own cases, of all types.
        [ "$(sed -n '/^ranked:/,/^[a-q]/p' $folder/gpu.yaml | grep -c "secret/$league")" -eq 4 ]
    done
    run grep -L mean= $folder/data/secret/segmented*/*.in $folder/data/sample/[34]*.in
    assert_output ''
    run -1 grep -l mean= $folder/data/secret/plain*/*.in $folder/data/sample/[12]*.in
    assert_output ''
    # The first league is the default.
    run -1 timeout 60 "$host" scan --group sample --device cpu \
        --submission "$(submission $folder/submissions/run_time_error/null_starts.c scan)"
    assert_output --partial 'in case sample/1-ten'
    run -0 timeout 60 "$host" scan --group sample --league segmented --device cpu \
        --submission "$(submission $folder/submissions/run_time_error/null_starts.c scan)"
    run -2 timeout 60 "$host" scan --league fastest --submission "$so"
    assert_output --partial fastest
}

@test "scan: the validator and the host refuse the same invalid lines" {
    gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -o "$BATS_TEST_TMPDIR/validator" \
        $folder/input_validators/case_line.c
    [ "$(ls $folder/data/invalid_input/*.in | wc -l)" -ge 8 ]
    so=$(submission $folder/submissions/accepted/baseline.c scan)
    for file in "$folder"/data/invalid_input/*.in; do
        run -43 "$BATS_TEST_TMPDIR/validator" < "$file"
        # The host also takes a number with zeros before it, and a line without its end.
        case $file in *leading-zero* | *no-newline*) continue ;; esac
        run -2 timeout 60 "$host" scan --generate "$(cat "$file")" --submission "$so"
    done
    run -2 timeout 60 "$host" scan --generate 'ones uint32 10' --submission "$so"
    assert_output --partial "unknown kind of case 'ones'"
    run -2 timeout 60 "$host" scan --generate 'random int8 10' --submission "$so"
    assert_output --partial "unknown type 'int8': use uint32, uint64 or float32"
    run -2 timeout 60 "$host" scan --generate 'random uint32 268435457' --submission "$so"
    assert_output --partial 268435456
}

@test "scan: files of numbers and starts are added up, and bad ones are refused by name" {
    so=$(submission $folder/submissions/accepted/baseline.c scan)
    numbers=$BATS_TEST_TMPDIR/numbers starts=$BATS_TEST_TMPDIR/starts
    printf '\3\0\0\0\1\0\0\0\4\0\0\0\377\377\377\377' > "$numbers"
    run -0 timeout 60 "$host" scan uint32 "$numbers" --submission "$so"
    assert_line --partial 'n=4,last=7,hash='
    assert_line 'count = 4 numbers of uint32'
    printf '\0\1\0\1' > "$starts"
    run -0 timeout 60 "$host" scan uint32 "$numbers" "$starts" --submission "$so"
    assert_line --partial 'n=4,last=4294967295,hash='
    assert_line 'count = 4 numbers of uint32, segmented'
    printf '\0\2\0\1' > "$starts"
    run -2 timeout 60 "$host" scan uint32 "$numbers" "$starts" --submission "$so"
    assert_output --partial "byte 1 of '$starts' is 2: 0 or 1 is needed"
    printf '\0\0\1' > "$starts"
    run -2 timeout 60 "$host" scan uint32 "$numbers" "$starts" --submission "$so"
    assert_output --partial "$starts' has 3 bytes: 4 are needed"
    : > "$starts"
    run -2 timeout 60 "$host" scan uint32 "$numbers" "$starts" --submission "$so"
    assert_output --partial "$starts' has 0 bytes"
    # As two 64-bit numbers; and as float32, including 2^-147.
    run -0 timeout 60 "$host" scan uint64 "$numbers" --submission "$so"
    assert_line --partial 'n=2,last=7,hash='
    run -2 timeout 60 "$host" scan float32 "$numbers" --submission "$so"
    assert_output --partial "number 0 of '$numbers' is 4.2039e-45: 0, or from 2^-40 up to 2^20 is needed"
    printf '\0\0\200\177' > "$numbers"
    run -2 timeout 60 "$host" scan float32 "$numbers" --submission "$so"
    assert_output --partial "is inf: 0, or from 2^-40"
    printf '\0\0\200\77\0\0\200\77\0\0\0\0' > "$numbers"
    run -0 timeout 60 "$host" scan float32 "$numbers" --submission "$so"
    assert_line --partial 'n=3,last=2,largest=2'
    printf x >> "$numbers"
    run -2 timeout 60 "$host" scan float32 "$numbers" --submission "$so"
    assert_output --partial "$numbers' has 13 bytes: a multiple of 4"
    run -2 timeout 60 "$host" scan uint32 --submission "$so"
    assert_output --partial 'TYPE FILE [STARTS] is needed, not 1 arguments'
}

@test "scan: arrays start at multiples of 256, sums hold arbitrary bytes, starts are NULL or bytes" {
    cat > "$BATS_TEST_TMPDIR/look.c" << 'END_OF_FILE'
#include <stdlib.h>
static void need(int condition, int code) { if (!condition) exit(code); }
void device_user(const void *values, const uint8_t *starts, void *sums, size_t n, int type, device_stream stream)
{
    size_t zeros = 0;

    need((uintptr_t)values % 256 == 0 && (uintptr_t)sums % 256 == 0, 11);
    need((n == 5000) == (starts != NULL) && (uintptr_t)starts % 256 == 0, 12);
    need((n == 5000 && type == SCAN_UINT64) || (n == 5001 && type == SCAN_FLOAT32), 13);
    for (size_t i = 0; i < n; i++)
        zeros += ((const uint32_t *)sums)[i] == 0;
    need(zeros < 10 && stream == NULL, 14);
    exit(42);
}
END_OF_FILE
    so=$(submission "$BATS_TEST_TMPDIR/look.c" scan)
    for line in 'random uint64 5000 mean=3' 'random float32 5001'; do
        run -1 timeout 60 "$host" scan --generate "$line" --submission "$so"
        assert_output --partial 'exited with code 42'
    done
}

@test "scan: the messages for wrong submissions name the mistake; careless float32 is right for short segments" {
    judged 1 wrong_answer/exclusive.c 'positive uint32 1000'
    assert_output --regexp 'wrote sums\[0\] = 0 where [0-9]+ is right|wrote sums\[1\] = [0-9]+ where [0-9]+ is right'
    judged 1 wrong_answer/float_sum.c 'step float32 100000'
    assert_output --regexp 'wrote sums\[[0-9]+\] = 52[0-9.]+ where 52[0-9.]+ is right, give or take [0-9.]+'
    judged 0 wrong_answer/float_sum.c 'positive float32 1000'
    judged 0 wrong_answer/float_sum.c 'random uint64 100000'
    judged 1 wrong_answer/narrow_sums.c 'random uint64 2'
    judged 0 wrong_answer/narrow_sums.c 'positive uint64 1000'
    judged 1 wrong_answer/ignores_starts.c 'positive uint32 1000 mean=10'
    judged 0 wrong_answer/ignores_starts.c 'positive uint32 1000'
    judged 1 wrong_answer/subtracts.c 'positive float32 100000 mean=100'
    judged 0 wrong_answer/subtracts.c 'random uint64 100000 mean=100'
    judged 1 wrong_answer/bfloat16_carries.c 'positive float32 5000'
    judged 1 wrong_answer/start_at_border.c 'random uint64 100000 mean=2'
    # Text that is not a number is refused.
    echo 'void device_user(const void *v, const uint8_t *s, void *sums, size_t n, int type, device_stream stream)
{ (void)v; (void)s; (void)type; (void)stream; for (size_t i = 0; i < n; i++) ((float *)sums)[i] = 0.0f / 0.0f; }' \
        > "$BATS_TEST_TMPDIR/nan.c"
    so=$(submission "$BATS_TEST_TMPDIR/nan.c" scan)
    run -1 timeout 60 "$host" scan --generate 'sparse float32 10' --submission "$so"
    assert_output --regexp 'wrote sums\[0\] = -?nan where '
}

@test "scan: the answer of one call is wrong in the next" {
    cat > "$BATS_TEST_TMPDIR/replay.c" << 'END_OF_FILE'
#include <string.h>
static uint32_t saved[100];
void device_user(const void *values, const uint8_t *starts, void *sums, size_t n, int type, device_stream stream)
{
    static int calls;
    (void)starts;
    (void)type;
    (void)stream;
    for (size_t i = 0; i < n && calls == 0; i++)
        saved[i] = ((const uint32_t *)values)[i] + (i > 0 ? saved[i - 1] : 0);
    calls++;
    memcpy(sums, saved, n * 4);
}
END_OF_FILE
    so=$(submission "$BATS_TEST_TMPDIR/replay.c" scan)
    run -0 timeout 60 "$host" scan --generate 'random uint32 100' --submission "$so"
    run -1 timeout 60 "$host" scan --generate 'random uint32 100' --repeat 2 --submission "$so"
    assert_output --partial 'wrote sums[0] = '
}

# bats test_tags=long
@test "scan: the CUDA submissions are right on the simulator, around sizes of warps and tiles, without a report" {
    requires nvcc
    requires x86-64
    local name line
    for name in simple baseline 1_two_passes 2_look_back expert; do
        for line in 'random uint32 1' 'negative uint64 33 mean=3' 'wide float32 1025' 'random uint32 4097 mean=300' \
            'random uint64 3073' 'step float32 9001 mean=4000'; do
            judged 0 accepted/$name.cu "$line"
            assert_equal "${lines[-1]}" 'SUCCESSFUL.'
            refute_output --partial 'cudasim: '
        done
    done
}

# bats test_tags=long
@test "scan: the expert is right on the simulator with tiles of every size, whichever way it looks back" {
    requires nvcc
    requires x86-64
    local line
    # 32 KiB to 5 MiB: one tile for a block, tiles that look at all others, tiles that look back 32 at a time.
    for line in 'random uint32 9001' 'random uint64 20001 mean=700' 'positive float32 70001' 'random uint32 150001' \
        'random uint32 1300003 mean=100000' 'wide float32 1200001'; do
        judged 0 accepted/expert.cu "$line"
        assert_equal "${lines[-1]}" 'SUCCESSFUL.'
        refute_output --partial 'cudasim: '
    done
}

@test "scan: the comparison with CUB refuses a wrong command line before it calls CUDA" {
    run -2 $folder/bench.sh 1 30 3
    assert_output 'usage: bench.sh [SEED [COUNT]]'
    run -2 $folder/bench.sh x 30
    assert_output "bench.sh: SEED: 'x' is not a whole number from 0 to 999999999"
    run -2 $folder/bench.sh 1 0
    assert_output "bench.sh: COUNT: '0' is not a whole number from 1 to 999"
    [ -e /dev/nvidiactl ] || {
        run -0 $folder/bench.sh
        assert_output 'the expert beside CUB: skipped, it needs a GPU'
    }
}
