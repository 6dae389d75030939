#!/usr/bin/env bats
# The problem mergesort: package, generator, checker, files of one's own, submissions.

setup() {
    load helpers/common
    cd "$root"
    folder=problems/mergesort
}

# judged EXIT SUBMISSION LINE [options]: the jury's submission, built, on a case made from LINE.
judged() {
    local so code=$1 line=$3
    so=$(submission "$folder/submissions/$2" mergesort)
    shift 3
    run "-$code" timeout 60 "$host" mergesort --generate "$line" --submission "$so" \
        --json "$BATS_TEST_TMPDIR/result.json" "$@"
}

@test "mergesort: payloads, kinds of cases, fingerprints and the checker on inputs of all small sizes" {
    run -0 timeout 60 "$build/tests/test_mergesort_problem"
    assert_output --regexp '^[0-9]{6,} checks, 0 failed$'
}

@test "mergesort: the statements name the limits, the entry point and every kind of case" {
    for statement in $folder/statement/problem.*.md; do
        for word in 268,435,456 4096 device_user sorted_payloads INT32_MIN merge open random sorted reversed equal few \
            sawtooth nearly extremes organpipe interleaved; do
            grep -qF "$word" "$statement" || fail "$statement: no '$word'"
        done
    done
    assert_equal "$(echo $folder/statement/*)" "$folder/statement/problem.en.md $folder/statement/problem.ja.md"
}

@test "mergesort: both leagues judge keys and pairs, and large cases wait for a GPU" {
    so=$(submission $folder/submissions/accepted/baseline.c mergesort)
    for league in merge open; do
        run -0 timeout 60 "$host" mergesort --group all --league $league --device cpu --submission "$so" \
            --json "$BATS_TEST_TMPDIR/result.json"
        assert_equal "$(json .verdict)" AC
        assert_equal "$(json '[.cases[] | select(.name | startswith("secret/keys/"))] | length')" \
            "$(ls $folder/data/secret/keys/*.in | wc -l)"
        assert_equal "$(json '[.cases[] | select(.name | startswith("secret/pairs/"))] | length')" \
            "$(ls $folder/data/secret/pairs/*.in | wc -l)"
        assert_equal "$(json '[.cases[] | select(.name | startswith("secret/large/"))] | length')" 0
    done
    run -2 timeout 60 "$host" mergesort --league fastest --submission "$so"
    assert_output --partial fastest
}

@test "mergesort: the answer shown does not depend on the secret, the input depends on seed and repetition" {
    so=$(submission $folder/submissions/accepted/qsort.c mergesort)
    for secret in 1 2; do
        run -0 timeout 60 "$host" mergesort --generate 'extremes 5000 payload=1' --check-seed $secret --submission "$so"
        grep '^answer = ' <<< "$output" > "$BATS_TEST_TMPDIR/answer$secret"
        [ -s "$BATS_TEST_TMPDIR/answer$secret" ]
    done
    cmp "$BATS_TEST_TMPDIR/answer1" "$BATS_TEST_TMPDIR/answer2"
    run -0 timeout 60 "$host" mergesort --generate 'extremes 5000 payload=1' --seed 1 --submission "$so"
    refute_line "$(cat "$BATS_TEST_TMPDIR/answer1")"
    judged 0 accepted/qsort.c 'few 3000 payload=1 seed=3' --repeat 5
    assert_equal "$(json '.cases[0].calls')" 5
    # A replay of the previous call's answer is wrong.
    cat > "$BATS_TEST_TMPDIR/replay.c" << 'END'
#include <stdlib.h>
#include <string.h>
static int32_t saved[100];
static int ascending(const void *a, const void *b)
{
    return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}
void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n)
{
    static int calls;
    (void)payloads;
    (void)sorted_payloads;
    if (calls++ == 0) {
        memcpy(saved, keys, n * 4);
        qsort(saved, n, 4, ascending);
    }
    memcpy(sorted_keys, saved, n * 4);
}
END
    so=$(submission "$BATS_TEST_TMPDIR/replay.c" mergesort)
    run -0 timeout 60 "$host" mergesort --generate 'random 100' --submission "$so"
    run -1 timeout 60 "$host" mergesort --generate 'random 100' --repeat 2 --submission "$so"
    assert_output --partial 'wrote keys in ascending order that are not those of the input'
}

@test "mergesort: the validator and the host refuse the same invalid lines" {
    gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -o "$BATS_TEST_TMPDIR/validator" \
        $folder/input_validators/case_line.c
    [ "$(ls $folder/data/invalid_input/*.in | wc -l)" -ge 8 ]
    so=$(submission $folder/submissions/accepted/baseline.c mergesort)
    for file in "$folder"/data/invalid_input/*.in; do
        run -43 "$BATS_TEST_TMPDIR/validator" < "$file"
        # The host also takes a number with zeros before it, and a line without its end.
        case $file in *leading-zero* | *no-newline*) continue ;; esac
        run -2 timeout 60 "$host" mergesort --generate "$(cat "$file")" --submission "$so"
    done
    run -2 timeout 60 "$host" mergesort --generate 'shuffled 10' --submission "$so"
    assert_output --partial "unknown kind of case 'shuffled'"
    run -2 timeout 60 "$host" mergesort --generate 'random 268435457' --submission "$so"
    assert_output --partial 268435456
}

@test "mergesort: a file of keys is sorted, and one of a wrong size is refused by name" {
    so=$(submission $folder/submissions/accepted/baseline.c mergesort)
    cd "$BATS_TEST_TMPDIR"
    # 3, -1, INT32_MIN, INT32_MAX
    printf '\3\0\0\0\377\377\377\377\0\0\0\200\377\377\377\177' > keys
    cd "$root"
    run -0 timeout 60 "$host" mergesort "$BATS_TEST_TMPDIR/keys" --submission "$so"
    assert_line --partial 'n=4,keys=-2147483648..2147483647,hash='
    assert_line 'count = 4 keys'
    printf 'x' >> "$BATS_TEST_TMPDIR/keys"
    run -2 timeout 60 "$host" mergesort "$BATS_TEST_TMPDIR/keys" --submission "$so"
    assert_output --partial "$BATS_TEST_TMPDIR/keys' has 17 bytes: a multiple of 4"
    : > "$BATS_TEST_TMPDIR/empty"
    run -2 timeout 60 "$host" mergesort "$BATS_TEST_TMPDIR/empty" --submission "$so"
    assert_output --partial "empty' has 0 bytes"
    truncate -s $((4 * 268435457)) "$BATS_TEST_TMPDIR/long"
    run -2 timeout 60 "$host" mergesort "$BATS_TEST_TMPDIR/long" --submission "$so"
    assert_output --partial 'at most 1073741824 are allowed'
    run -2 timeout 60 "$host" mergesort "$BATS_TEST_TMPDIR/none" --submission "$so"
    assert_output --partial none
    run -2 timeout 60 "$host" mergesort "$BATS_TEST_TMPDIR/keys" "$BATS_TEST_TMPDIR/keys" --submission "$so"
    assert_output --partial 'FILE is needed, not 2 arguments'
}

@test "mergesort: the messages for wrong submissions name the mistake" {
    judged 1 wrong_answer/unsigned_keys.c 'extremes 1000'
    assert_output --regexp 'wrote sorted_keys\[[0-9]+\] = [0-9]+ above sorted_keys\[[0-9]+\] = -[0-9]+'
    judged 1 wrong_answer/by_key_and_payload.c 'few 1000 payload=1'
    assert_output --regexp 'did not keep the order of equal keys: sorted_payloads\[[0-9]+\] and \[[0-9]+\]'
    # It happens to be right if all keys differ, so a case of distinct keys would not reveal it.
    judged 0 wrong_answer/by_key_and_payload.c 'sorted 1000 payload=1'
    judged 1 wrong_answer/payloads_left.c 'random 1000 payload=1'
    assert_output --partial 'wrote pairs in ascending order that are not those of the input'
    judged 0 wrong_answer/payloads_left.c 'random 1000'
    judged 1 wrong_answer/difference.c 'extremes 1000'
    judged 1 run_time_error/null_payloads.c 'random 1000'
    judged 0 run_time_error/null_payloads.c 'random 1000 payload=1'
    # An empty input is an ordinary case: ending the process there is not a return.
    echo '#include <stdlib.h>
void device_user(const int32_t *k, const uint32_t *p, int32_t *s, uint32_t *t, size_t n)
{ (void)k; (void)p; (void)s; (void)t; if (n == 0) exit(0); }' > "$BATS_TEST_TMPDIR/leave.c"
    so=$(submission "$BATS_TEST_TMPDIR/leave.c" mergesort)
    run -1 timeout 60 "$host" mergesort --generate 'random 0' --submission "$so" --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json .verdict)" RTE
    run -1 timeout 60 "$host" mergesort --generate 'random 3' --submission "$so" --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json .verdict)" WA
}

@test "mergesort: keys and arrays start on pages, outputs hold arbitrary bytes, the header is wiped" {
    cat > "$BATS_TEST_TMPDIR/look.c" << 'END'
#include <stdlib.h>
static void need(int condition, int code) { if (!condition) exit(code); }
void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n)
{
    size_t zeros = 0;

    need((uintptr_t)keys % 4096 == 0 && (uintptr_t)sorted_keys % 4096 == 0, 11);
    need(payloads && (uintptr_t)payloads % 4096 == 0 && (uintptr_t)sorted_payloads % 4096 == 0, 12);
    need(n == 5000, 13);
    for (size_t i = 0; i < n; i++)
        zeros += sorted_keys[i] == 0 || sorted_payloads[i] == 0;
    need(zeros < 10, 14);
    for (int i = 1; i <= 1024; i++)
        need(keys[-i] == 0, 15);
    exit(42);
}
END
    so=$(submission "$BATS_TEST_TMPDIR/look.c" mergesort)
    run -1 timeout 60 "$host" mergesort --generate 'random 5000 payload=1' --submission "$so"
    assert_output --partial 'exited with code 42'
}

@test "mergesort: the sorts in CUDA are right on the simulator, without a report, with uneven runs" {
    requires nvcc
    requires x86-64
    for sort in baseline.cu merge_path.cu radix.cu; do
        for line in 'random 0' 'random 1 payload=1' 'reversed 2' 'few 1023 payload=1 distinct=2' 'organpipe 1025' \
            'interleaved 4097' 'extremes 3333 payload=1' 'equal 2500 payload=1'; do
            judged 0 "accepted/$sort" "$line"
            assert_equal "${lines[-1]}" 'SUCCESSFUL.'
            refute_output --partial 'cudasim: '
        done
    done
}

# bats test_tags=long
@test "mergesort: the experts and the steps to them are right on the simulator around tile sizes, without a report" {
    requires nvcc
    requires x86-64
    for sort in 1_two_way.cu 1_one_sweep.cu expert expert_open; do
        for line in 'random 0' 'random 1 payload=1' 'few 8191 payload=1 distinct=3' 'extremes 8193' \
            'few 12289 payload=1 distinct=3' 'organpipe 40001' 'equal 30000 payload=1'; do
            judged 0 "accepted/$sort" "$line"
            assert_equal "${lines[-1]}" 'SUCCESSFUL.'
            refute_output --partial 'cudasim: '
        done
    done
}

@test "mergesort: the bench's sorts and check are linked and run" {
    make -s PROBLEM=mergesort "${BUILD:-build}/benches/mergesort"
    run -2 "$build/benches/mergesort" 0
    assert_output "bench: REPETITIONS: '0' is not a whole number from 1 to 101"
    run -2 "$build/benches/mergesort" 3x
    assert_output "bench: REPETITIONS: '3x' is not a whole number from 1 to 101"
    run -2 "$build/benches/mergesort" 3 4
    assert_output 'usage: bench [REPETITIONS]'
}
