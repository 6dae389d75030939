#!/usr/bin/env bats
# The problem diffevo: the same bits on every device, and both leagues.

setup() {
    load helpers/common
    cd "$root"
    make -s PROBLEM=diffevo all
    folder=problems/diffevo
}

# judged OPTION...: runs the host on a problem of diffevo, its result to $BATS_TEST_TMPDIR/result.json
judged() { timeout 100 "$host" diffevo --json "$BATS_TEST_TMPDIR/result.json" "$@"; }

@test "diffevo: the elementary functions are near the C library's, choices are even and allowed" {
    run -0 timeout 60 "$build/tests/test_diffevo_arithmetic"
    assert_output --regexp '[0-9]{4,} checks, 0 failed'
}

@test "diffevo: every version of the reference gives the plain one's bytes over a thousand random problems" {
    run -0 timeout 60 "$build/tests/test_diffevo_evolve"
    assert_output --regexp '[0-9]{4,} checks, 0 failed'
}

@test "diffevo: the arithmetic's bits depend on no compiler and no flag; those of plain expressions do" {
    cat > "$BATS_TEST_TMPDIR/hash.c" << 'END'
#include <stdio.h>
#include "diffevo.h"
/* A hash of the values of all functions over 2000 vectors; PLAIN: of the sphere in a plain expression. */
int main(void)
{
    uint64_t hash = 0;
    for (uint32_t k = 0; k < 2000; k++)
        for (int function = 0; function < DIFFEVO_FUNCTIONS; function++) {
            struct de_sum sum = de_sum_start();
            for (uint32_t j = 0; j < 30; j++) {
                struct de_words w = de_philox(k, 3, j, 0, 0, 0);
                float x1 = de_initial(w.w[0], -90, 90), x2 = de_initial(w.w[1], -90, 90);
                float x = de_mutant(x1, x2, de_initial(w.w[2], -90, 90), 0.7f, -100, 100);
                float z = de_rotate(de_sub(x, 1.5f), 0.3f, x);
#ifdef PLAIN
                sum.a = sum.a + z * z;
#else
                sum = de_sum_add(function, sum, j, z, de_griewank_factor(j));
#endif
            }
            hash += de_checksum(k, (uint32_t)function, 6, de_sum_end(function, sum, 30));
        }
    printf("%016llx\n", (unsigned long long)hash);
}
END
    hash_of() { # COMPILER FLAG...
        "$@" -I"$folder/include" -o "$BATS_TEST_TMPDIR/hash" "$BATS_TEST_TMPDIR/hash.c" -lm && "$BATS_TEST_TMPDIR/hash"
    }
    first=$(hash_of gcc -std=c11 -O0)
    [[ $first =~ ^[0-9a-f]{16}$ ]]
    assert_equal "$(hash_of gcc -std=c11 -O2)" "$first"
    assert_equal "$(hash_of gcc -std=gnu11 -O3 -march=native)" "$first"
    assert_equal "$(hash_of gcc -std=gnu11 -O3 -march=native -ffp-contract=fast -funroll-loops)" "$first"
    if command -v clang > /dev/null; then
        assert_equal "$(hash_of clang -std=c11 -O0)" "$first"
        assert_equal "$(hash_of clang -std=gnu11 -O3 -march=native -ffp-contract=fast)" "$first"
    fi
    # Control: this test can detect the difference. Tuned for some processors, GCC makes no chains of fma.
    if grep -qw fma /proc/cpuinfo; then
        [ "$(hash_of gcc -std=c11 -O2 -DPLAIN)" != \
            "$(hash_of gcc -std=gnu11 -O3 -march=native -mtune=haswell -DPLAIN)" ]
    fi
}

@test "diffevo: both CUDA baselines agree with the CPU bit for bit over thousands of random problems" {
    requires nvcc
    for name in baseline naive; do
        so=$(submission "$folder/submissions/accepted/$name.cu" diffevo)
        run -0 judged --submission "$so" --case secret/prescribed/07-smallest
        run -0 judged --submission "$so" --generate 'mixed 1000 d=16 g=8 rotated=1' --seed 160
        assert_line 'problems = 1000'
        assert_equal "${lines[-1]}" SUCCESSFUL.
        refute_output --partial '| cudasim: '
        assert_equal "$(json '.cases[0].answer')" "$(json '.cases[0].output')"
    done
    so=$(submission "$folder/submissions/accepted/baseline.cu" diffevo)
    run -0 judged --submission "$so" --generate 'mixed 1000 d=16 g=8 rotated=1' --seed 161 --repeat 2
    run -0 judged --submission "$so" --generate 'sphere 3 d=30 np=300 g=12 seed=3'
    run -0 judged --submission "$so" --generate 'griewank 1 d=128 np=640 g=2 rotated=1'
    run -0 judged --submission "$so" --generate 'rastrigin 20 d=4 np=40 g=300 target=5' --seed 2
    assert_equal "${lines[-1]}" SUCCESSFUL.
}

# bats test_tags=long
@test "diffevo: every shape of the expert agrees with the CPU bit for bit on the simulator, without a report" {
    requires nvcc
    so=$(submission "$folder/submissions/accepted/expert" diffevo)
    # One warp; the same with a target that ends it early; a block alone; a team; many blocks.
    for line in "ackley 2 d=3 np=24 g=40 rotated=1" "schwefel 2 d=2 np=13 g=37" "sphere 3 d=4 np=20 g=300 target=5" \
        "rosenbrock 2 d=6 np=32 g=20" "griewank 2 d=7 np=60 g=12 rotated=1" "schwefel 1 d=40 np=200 g=3" \
        "mixed 1200 d=5 g=3"; do
        run -0 judged --submission "$so" --generate "$line" --seed 7
        assert_equal "${lines[-1]}" SUCCESSFUL.
        refute_output --partial "| cudasim: "
        assert_equal "$(json ".cases[0].answer")" "$(json ".cases[0].output")"
    done
}

# bats test_tags=long
@test "diffevo: no order of threads changes a bit on the simulator" {
    requires nvcc
    [ ! -e /dev/nvidiactl ] || skip 'the device is a GPU'
    so=$(submission "$folder/submissions/accepted/baseline.cu" diffevo)
    answers=()
    for order in 1 2 3 4; do
        run -0 judged --submission "$so" --generate 'mixed 200 d=12 g=8 rotated=1' --seed 5 --sim-seed $order
        refute_output --partial '| cudasim: '
        answers+=("$(json '.cases[0].output')")
    done
    assert_equal "$(printf '%s\n' "${answers[@]}" | sort -u | wc -l)" 1
    run -0 judged --submission "$so" --generate 'mixed 12 d=8 g=60 rotated=1 mode=open' --seed 5 --sim-seed 3
    assert_equal "$(json '.cases[0].output')" 12/12
}

@test "diffevo: contracted sums differ from the prescribed ones in their last bits" {
    requires nvcc
    so=$(submission "$folder/submissions/wrong_answer/contracted.cu" diffevo)
    # With two dimensions and one pair, only the order of two products differs; with none of the spheres it is right.
    run -0 judged --submission "$so" --generate 'rosenbrock 5 d=5 np=30 g=10'
    run -1 judged --submission "$so" --generate 'sphere 5 d=5 np=30 g=10'
    assert_output --regexp 'FAILED\. WA .*problem [0-9] \(sphere, D = 5, NP = 30\)'
}

@test "diffevo: the open league's target is reached on many fresh inputs, within its bounds" {
    for name in baseline restarts; do
        so=$(submission "$folder/submissions/accepted/$name.c" diffevo)
        run -0 judged --league open --group secret/open --repeat 12 --seed 160 --submission "$so"
        assert_equal "$(json '[.cases[].calls] | add')" 60
    done
    run -0 judged --league open --case sample/open/2-mixed --submission "$so"
    assert_equal "$(json '.cases[0].output')" 4/4
    # The shifts are not answers: their values are far above the targets.
    cat > "$BATS_TEST_TMPDIR/shift.c" << 'END'
#include <string.h>
void device_user(int mode, const struct diffevo_problem *problems, int count, const float *data,
                 struct diffevo_result *results, float *best_x)
{
    (void)mode;
    (void)results;
    for (int k = 0; k < count; k++)
        for (unsigned j = 0; j < problems[k].dimension; j++) {
            float x = data[problems[k].shift + j];
            x = x < problems[k].low ? problems[k].low : x;
            best_x[problems[k].x + j] = x > problems[k].high ? problems[k].high : x;
        }
}
END
    so=$(submission "$BATS_TEST_TMPDIR/shift.c" diffevo)
    run -1 judged --league open --group secret/open --keep-going --submission "$so"
    assert_equal "$(json '[.cases[].verdict] | unique[]')" WA
    assert_output --partial 'above its target'
    so=$(submission "$folder/submissions/wrong_answer/out_of_bounds.c" diffevo)
    run -1 judged --league open --case sample/open/2-mixed --submission "$so"
    assert_output --partial 'which is not from'
}

@test "diffevo: host and input validator refuse the same lines" {
    gcc -std=c11 -D_GNU_SOURCE -o "$BATS_TEST_TMPDIR/validator" "$folder/input_validators/case_line.c"
    for file in "$folder"/data/invalid_input/*.in; do
        run -43 "$BATS_TEST_TMPDIR/validator" < "$file"
        [ "$(wc -l < "$file")" = 1 ] || continue
        case $(< "$file") in 'sphere 1 g=5 d=10') continue ;; esac # the validator alone wants the options in order
        run -2 timeout 20 "$host" diffevo --submission "$folder/call.c" --generate "$(< "$file")"
        assert_output --regexp '^main_host: .+'
        refute_output --partial 'cannot'
    done
}

@test "diffevo: a file of lines is one call; a mistake in it is reported with its line" {
    so=$(submission "$folder/submissions/accepted/baseline.c" diffevo)
    printf 'sphere 2 d=5 g=10 seed=1\nmixed 3 d=4 g=5 rotated=1 seed=2\n' > "$BATS_TEST_TMPDIR/lines"
    run -0 judged --submission "$so" "$BATS_TEST_TMPDIR/lines"
    assert_line 'problems = 5'
    echo 'sphere 1 d=200' >> "$BATS_TEST_TMPDIR/lines"
    run -2 judged --submission "$so" "$BATS_TEST_TMPDIR/lines"
    assert_output --partial "line 3: "
    printf 'sphere 1 d=5\nsphere 1 d=5 mode=open\n' > "$BATS_TEST_TMPDIR/lines"
    run -2 judged --submission "$so" "$BATS_TEST_TMPDIR/lines"
    assert_output --partial 'line 2: all problems must have the same mode'
    : > "$BATS_TEST_TMPDIR/lines"
    run -2 judged --submission "$so" "$BATS_TEST_TMPDIR/lines"
}

@test "diffevo: both statements have every constant of the arithmetic" {
    constants=$(grep -oE '[0-9]+\.[0-9]{4,}(e-[0-9]+)?f?|0x[0-9a-f]{9,}' "$folder/include/diffevo.h" |
        sed 's/f$//; /^0x/!b; s/ull$//' | grep -v '^5\.9604644775390625e-8$' | sort -u)
    [ "$(wc -l <<< "$constants")" -ge 20 ]
    for statement in "$folder"/statement/problem.*.md; do
        while read -r constant; do
            grep -qF "$constant" "$statement" || fail "$statement: no $constant"
        done <<< "$constants"
    done
}

# bats test_tags=long
@test "diffevo: the bench compares both baselines, and says where it is simulated" {
    requires nvcc
    [ ! -e /dev/nvidiactl ] || skip 'measured by make bench'
    run -0 timeout 100 "$folder/bench.sh" "$BATS_TEST_TMPDIR/bench"
    assert_line --index 0 --partial SIMULATED
    assert_equal "$(grep -cE '^(sphere|rastrigin) .* [0-9]+\.[0-9]+e[+][0-9]+$' <<< "$output")" 5
    assert_equal "$(grep -E '^sphere .* [0-9.]+$' <<< "$output" | awk 'NF == 9 { print $6 }' | xargs)" \
        '32 64 128 256 512 1024'
    assert_equal "$(json .device.kind "$BATS_TEST_TMPDIR/bench/0-naive.json")" sim
}

@test "diffevo: a generation is counted beyond 16 bits" {
    mkdir "$BATS_TEST_TMPDIR/short"
    sed 's/uint32_t i, uint32_t generation, float \*trial/uint32_t i, uint16_t generation, float *trial/' \
        problems/diffevo/submissions/accepted/baseline.c > "$BATS_TEST_TMPDIR/short/device_user.c"
    run -1 cmp "$BATS_TEST_TMPDIR/short/device_user.c" problems/diffevo/submissions/accepted/baseline.c
    so=$(submission "$BATS_TEST_TMPDIR/short" diffevo)
    run -1 judged --case secret/prescribed/17-many-generations --submission "$so"
    assert_output --partial 'FAILED. WA'
    run -0 judged --case secret/prescribed/16-plateaus --submission "$so"
}

@test "diffevo: ranked cases have equal values and reached targets; the middle of the shifts wins no open case" {
    local case
    for case in 14-mixed 15-longer 16-plateaus; do
        so=$(submission problems/diffevo/submissions/wrong_answer/strict.c diffevo)
        run -1 judged --case "secret/prescribed/$case" --submission "$so"
        assert_output --partial 'FAILED. WA'
    done
    grep -q '^  - secret/prescribed/15-longer$' problems/diffevo/gpu.yaml
    so=$(submission problems/diffevo/submissions/wrong_answer/midpoint.c diffevo)
    for case in 02-rosenbrock 03-rastrigin 04-schwefel 05-mixed; do
        run -1 judged --league open --case "secret/open/$case" --submission "$so"
        assert_output --partial 'FAILED. WA'
    done
    # Fresh ones too: of six functions two have a formula, and mixed has neither.
    for seed in 1 2 3; do
        run -1 judged --submission "$so" --generate 'mixed 6 d=8 g=60 mode=open' --seed "$seed"
        assert_output --partial 'FAILED. WA'
    done
}

@test "diffevo: ranked cases take similar time with every seed" {
    local seed given least=0 most=0
    so=$(submission problems/diffevo/submissions/accepted/baseline.c diffevo)
    for seed in 0 1 2 3 4 5 6 7; do
        run -0 judged --case secret/prescribed/15-longer --submission "$so" --seed "$seed"
        given=$(sed -n 's/^evaluations = //p' <<< "$output")
        [ "$given" -gt 100000 ]
        [ $least -ne 0 ] && [ "$given" -ge $least ] || least=$given
        [ "$given" -le $most ] || most=$given
    done
    # Newly drawn shapes gave three times as much.
    [ $((100 * most)) -le $((120 * least)) ]
}

@test "diffevo: the naive submission gives the same bits with any block and with the CPU's random numbers" {
    local threads draws so
    make -s have-nvcc || skip 'needs nvcc'
    for threads in 1 96 1024; do
        for draws in 0 1; do
            printf '#define NAIVE_THREADS %d\n#define NAIVE_CPU_RANDOM %d\n' $threads $draws |
                cat - $folder/submissions/accepted/naive.cu > "$BATS_TEST_TMPDIR/naive.cu"
            so=$(submission "$BATS_TEST_TMPDIR/naive.cu" diffevo)
            run -0 judged --submission "$so" --generate 'mixed 20 d=12 g=6 rotated=1' --seed $threads
            run -0 judged --submission "$so" --generate 'schwefel 3 d=4 np=20 g=9 f=2 cr=0.5'
        done
    done
    run -0 judged --submission "$so" --generate 'rastrigin 2 d=30 g=20 mode=open' --league open
    # F is from 0 to 2, as Farkov and Legalov have it.
    for f in -0.1 2.1; do
        run -2 judged --submission "$so" --generate "sphere 1 d=4 f=$f"
        assert_output --partial 'from 0 to 2 is needed'
    done
}
