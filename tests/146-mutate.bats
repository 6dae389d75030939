#!/usr/bin/env bats
# Mutants: build/mutants finds and draws them, run_scripts/mutate.sh builds and judges them.
# `make test-long` does it for every problem in full.

setup() {
    load helpers/common
    cd "$BATS_TEST_TMPDIR"
    [ -e /usr/lib/llvm-14/include/clang-c/Index.h ] || skip 'no libclang-14-dev'
    make -s -C "$root" mutate-program >&2
    mutants=$build/mutants
}

# keys SOURCE [ARGUMENT...]: OPERATOR: BEFORE => AFTER, one per line.
keys() {
    "$mutants" --list "$1" -- "${@:2}" | paste - - - |
        sed -E 's/^[^ ]+ [^ ]+ ([a-z]+(#[0-9]+)?)\t- (.*)\t\+ (.*)$/\1: \3 => \4/'
}

# planted: a folder of one submission of matmul, in whose function pad() nothing has a meaning.
planted() {
    mkdir -p planted
    cat > planted/plain.c << 'END'
#include "device_user.h"

static volatile int unused;

static void pad(void) { unused = 3; }

void device_user(const float *a, const float *b, float *c, int m, int n, int k)
{
    pad();
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;

            for (int t = 0; t < k; t++)
                sum += (double)a[(size_t)i * k + t] * b[(size_t)t * n + j];
            c[(size_t)i * n + j] = (float)sum;
        }
}
END
}

@test "mutants: a wrong option is named once" {
    run -2 "$mutants" --frob
    assert_output "mutants: unknown option '--frob'; see build/mutants --help"
    run -2 "$mutants" --out
    assert_output "mutants: option '--out' needs a value; see build/mutants --help"
}

@test "mutants: every operator, by the syntax tree" {
    cat > small.c << 'END'
#include <stdint.h>
#define SIDE 64
extern void wait_for(int, int, const char *);
static void fence(void);
int64_t small(int n, const int *a, double limit)
{
    int64_t sum = 0;
    for (int i = 0; i < n; i++)
        if (a[i] > limit && sum != SIDE)
            sum += (int64_t)a[i] * 2;
    wait_for(n, 7, "a < b"); /* a + b */
    fence();
    return !n ? -sum : sum;
}
END
    keys small.c > keys
    cat keys
    for line in 'constant: SIDE 64 => SIDE (64 + 1)' 'constant: SIDE 64 => SIDE (64 - 1)' 'compare: i < n => i <= n' \
        'compare: i < n => i > n' 'bound: i < n => i < (n) + 1' 'bound: i < n => i < (n) - 1' \
        'arithmetic: i++ => i--' 'logical: a[i] > limit && sum != SIDE => a[i] > limit || sum != SIDE' \
        'logical: a[i] > limit && sum != SIDE => !(a[i] > limit && sum != SIDE)' \
        'narrow: int64_t sum = 0 => int32_t sum = 0' 'narrow: double limit => float limit' 'narrow: int n => short n' \
        'narrow: sum += (int64_t)a[i] * 2 => sum += (int32_t)a[i] * 2' \
        'narrow: sum += (int64_t)a[i] * 2 => sum += a[i] * 2' \
        'narrow: int64_t small(int n, const int *a, double limit) => int32_t small(int n, const int *a, double limit)' \
        'arithmetic: sum += (int64_t)a[i] * 2 => sum -= (int64_t)a[i] * 2' \
        'constant: sum += (int64_t)a[i] * 2 => sum += (int64_t)a[i] * (2 - 1)' \
        'remove: sum += (int64_t)a[i] * 2 => ((void)0)' 'barrier: fence() => ((void)0)' \
        'swap: wait_for(n, 7, "a < b") => wait_for(7, n, "a < b")' \
        'logical: return !n ? -sum : sum => return n ? -sum : sum' \
        'arithmetic: return !n ? -sum : sum => return !n ? sum : sum'; do
        grep -qxF -e "$line" keys || fail "missing: $line"
    done
    # No mutants in strings, comments, headers and prototypes.
    run ! grep -E '"a (<=|>|==)|a - b|extern' keys
}

@test "mutants: CUDA: kernels, launches, barriers and shared memory" {
    requires nvcc
    cat > small.cu << 'END'
template <int N> __global__ void add(float *x, int n)
{
    __shared__ float part[N];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0.f;
    __syncthreads();
    float other = __shfl_down_sync(0xffffffffu, part[threadIdx.x], 1);
    __syncwarp();
    if (i < n)
        atomicAdd(x, other);
}
void launch(float *x, int n) { add<32><<<(n + 31) / 32, 32>>>(x, n); }
END
    parse=$(make -s -C "$root" print-mutate PROBLEM=matmul | sed -n 's/^parse-cu //p')
    cd "$root"
    # shellcheck disable=SC2086
    keys "$BATS_TEST_TMPDIR/small.cu" $parse > "$BATS_TEST_TMPDIR/keys"
    cat "$BATS_TEST_TMPDIR/keys"
    for line in 'barrier: __syncthreads() => ((void)0)' 'barrier: __syncwarp() => ((void)0)' \
        'remove: atomicAdd(x, other) => ((void)0)' 'compare: i < n => i <= n' \
        'constant: add<32><<<(n + 31) / 32, 32>>>(x, n) => add<32><<<(n + (31 - 1)) / 32, 32>>>(x, n)' \
        'arithmetic: int i = blockIdx.x * blockDim.x + threadIdx.x => int i = blockIdx.x * blockDim.x - threadIdx.x'; do
        grep -qxF -e "$line" "$BATS_TEST_TMPDIR/keys" || fail "missing: $line"
    done
}

@test "mutants: code that is not compiled or not run stays unchanged" {
    cat > small.c << 'END'
#if 0
int never(int a) { return a + 17; }
#endif
_Static_assert(1 + 1 == 2, "numbers");
#define TWICE(x) ((x) + (x))
int twice(int a) { return TWICE(a); }
END
    run -0 keys small.c
    refute_output --partial 17
    refute_output --partial '(1'
    refute_output --partial '=> return TWICE(a) '
}

@test "mutants: a key stays when other lines change, and twins are numbered" {
    printf '%s\n' 'int f(int a) { a += 1; a -= 5; a += 1; return a; }' > small.c
    "$mutants" --list small.c -- > before
    sed -i '1i/* another line */\nint g(void) { return 7; }' small.c
    "$mutants" --list small.c -- | paste - - - | grep -v ' g ' | tr '\t' '\n' > after
    cmp before after
    grep -qxF 'small.c f constant#2' before
}

@test "mutants: the seed chooses one mutant of each part, and each mutant has one change" {
    for i in {1..40}; do echo "int f$i(int a) { return a + $i; }"; done > small.c
    n=0
    for seed in 1 1 2; do
        n=$((n + 1))
        rm -rf out && mkdir out
        "$mutants" --out out --seed $seed --count 40 small.c -- > /dev/null
        cat out/*/key > drawn$n
    done
    cmp drawn1 drawn2
    run -1 cmp drawn1 drawn3
    # 40 functions, all with as many mutants: each block is one of them, or two halves.
    assert [ "$(sed -n 's/^small.c \(f[0-9]*\) .*/\1/p' drawn1 | sort -u | wc -l)" -ge 25 ]
    for folder in out/*/; do
        [ "$(diff small.c "$folder/small.c" | grep -c '^>')" -eq 1 ]
        gcc -w -c -o /dev/null "$folder/small.c"
    done
    run -2 "$mutants" --out out --count 0 small.c --
    assert_output --partial 'mutants: --count: not a number from 1 to 100000: 0'
    run -2 "$mutants" --out out nothing.c --
    assert_output --partial "mutants: cannot read 'nothing.c'"
}

# bats test_tags=long
@test "mutate: a planted survivor is found and listed with its reason; a listed one that is gone is reported" {
    requires box
    planted
    : > list
    # The small cases are enough.
    mutate() {
        CASE_SECONDS=0.001 timeout 180 "$root/run_scripts/mutate.sh" matmul --sources planted --list list --cuda 0 "$@"
    }
    run -1 mutate --count 30
    assert_output --regexp 'matmul: [0-9]+ made, [0-9]+ compiled, [1-9][0-9]+ killed \(WA [1-9]'
    assert_line 'these survive: add a case that fails them, or a list entry with the reason why no case can:'
    assert_line 'plain.c pad constant'
    assert_line '- unused = 3'
    # Which ones: those of pad(), its call, and others that the cases of matmul may or may not catch.
    jq -r '.mutants[] | select(.result == "SURVIVED") | .key | join("\n")' "$build/mutate/matmul/results.json" > list
    assert [ "$(grep -c '^plain.c pad ' list)" -ge 1 ]
    printf '%s\n' '= planted' >> list
    run -0 mutate --count 30
    assert_output --regexp ', [1-9][0-9]* listed as equivalent, 0 survive$'
    # One entry for all with the same beginning, in any function; the others survive again.
    cp list all
    printf '%s\n' 'plain.c * constant' '- unused = ...' '+ unused = (3...' '= planted' > list
    run -1 mutate --phase report
    refute_line --partial 'unused = ('
    run -0 awk '$2 == "EQUIVALENT"' "$build/mutate/matmul/results.tsv"
    assert_line --partial 'unused = ('
    cp all list
    # The file has changed: two entries name mutants that no longer exist.
    sed -i 's/unused = 3/unused = 4/' planted/plain.c
    run -1 mutate --count 5
    assert_line "$PWD/list has entries that match no mutant; remove them:"
    assert_line '- unused = 3'
}

# bats test_tags=long
@test "mutate: an entry for a mutant that is killed is refused; a run that kills nothing fails" {
    requires box
    planted
    printf '%s\n' 'plain.c device_user remove' '- c[(size_t)i * n + j] = (float)sum' '+ ((void)0)' '= wrong' > list
    CASE_SECONDS=0.001 run -1 timeout 180 "$root/run_scripts/mutate.sh" matmul --sources planted --list list \
        --count 1000 --cuda 0
    assert_line --partial 'calls these equivalent, but they are not accepted'
    assert_line '- c[(size_t)i * n + j] = (float)sum'
    # Nothing is judged: no mutant is killed.
    printf '%s\n' '#include "device_user.h"' 'static volatile int unused;' 'static void pad(void) { unused = 3; }' \
        'void device_user(const float *a, const float *b, float *c, int m, int n, int k) { pad(); __builtin_trap(); }' \
        > planted/plain.c
    run -3 timeout 180 "$root/run_scripts/mutate.sh" matmul --sources planted --list list --count 5 --cuda 0
    assert_line --partial 'an original is not accepted'
}

@test "mutate: wrong arguments" {
    for wrong in 'nothing' 'matmul --count x' 'matmul --count 0 --cuda 0' 'matmul --list nothing' 'matmul --what 1' \
        'matmul --calls 0' 'matmul --source nothing.c' 'matmul --id 77777'; do
        # shellcheck disable=SC2086
        run -2 "$root/run_scripts/mutate.sh" $wrong
    done
    assert_output --partial 'there is no mutant 77777'
}

# bats test_tags=long
@test "mutate: a source for both leagues is judged in each, and any other in its own" {
    requires box
    leagues() { cut -f 3 "$build/mutate/scan/original/plain.c/cases" | sort -u | paste -sd ' '; }
    mkdir planted
    : > list
    cp "$root/problems/scan/submissions/accepted/baseline.c" planted/plain.c
    grep -q 'Both leagues' planted/plain.c
    for expected in 'plain segmented' segmented; do
        CASE_SECONDS=0.0005 run timeout 180 "$root/run_scripts/mutate.sh" scan --sources planted --list list \
            --count 6 --cuda 0
        assert_output --regexp 'scan: 6 made, [0-9]+ compiled, [1-9][0-9]* killed'
        assert_equal "$(leagues)" "$expected"
        sed -i 's/Both leagues/league: segmented/' planted/plain.c
    done
}

# bats test_tags=long
@test "mutate: with --calls 3 a source that is right only twice is not mutated" {
    requires box
    planted
    : > list
    # From the third call on the last row is left out. With --calls 1 each case has a second call too.
    sed -i 's/^    pad();/    static int calls;\n\n    pad();\n    m -= calls++ > 1;/' planted/plain.c
    for calls in 1 3; do
        CASE_SECONDS=0.001 run timeout 180 "$root/run_scripts/mutate.sh" matmul --sources planted --list list \
            --count 3 --cuda 0 --calls $calls
        [ $calls -eq 1 ] || assert_line --partial 'an original is not accepted'
        [ $calls -eq 3 ] || assert_output --regexp 'matmul: 3 made'
    done
}

# bats test_tags=long
@test "mutate: ten mutants of the jury submissions of each of two problems" {
    requires box
    for problem in mergesort matmul; do
        run -0 timeout 180 "$root/run_scripts/mutate.sh" $problem --count 10 --cuda 0
        assert_output --regexp "$problem: 10 made, [0-9]+ compiled, [1-9][0-9]* killed"
    done
}

# bats test_tags=long
@test "mutate: more than 200 mutants of every problem: all survivors are listed" {
    requires box
    requires nvcc
    # The C sources of scan have only 96 mutants.
    for row in editdistance mergesort matmul cointsp diffevo 'softmax --calls 2' 'attention --calls 2' \
        'scan --calls 2 --cuda 144'; do
        # shellcheck disable=SC2086
        run -0 timeout 3600 "$root/run_scripts/mutate.sh" $row --least 200
        grep -E ' made, ' <<< "$output" >&3
    done
}
