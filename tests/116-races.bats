#!/usr/bin/env bats
# cudasim: races are found at their lines, and right kernels are not warned of. See tests/races/README.md.

setup_file() {
    load helpers/simulator
    build_suite race-programs
}

setup() {
    load helpers/simulator
    enter_suite race-tests
}

# exact FILE: every race of the file's kernels is found at a marked line, and no other line is reported.
exact() {
    run -0 "$root/tests/races/score.sh" "$programs" "$1"
    assert_output --regexp 'races found ([1-9][0-9]*) of [0-9]+, false alarms 0 of [1-9][0-9]*, lines without a mark 0$'
}

@test "races: shared memory of a block" { exact shared; }
@test "races: lanes of a warp" { exact warp; }
@test "races: global memory" { exact global; }
@test "races: flags, fences, scopes and locks" { exact order; }
@test "races: stores to memory that only the launch or the run tells" { exact origins; }
@test "races: copies under way, barriers in memory, clusters" { exact async; }
@test "races: textures and surfaces" { exact texels; }

@test "races: correct kernels get no warning in any order of their warps" {
    for CUDASIM_SEED in 1 2 3 4 5; do
        export CUDASIM_SEED
        for file in shared warp global origins order async texels; do
            run "$root/tests/races/score.sh" "$programs" "$file"
            refute_line --partial ' right alarm '
        done
    done
}

# There is no GPU here: a program in compute-sanitizer's place reports one marked line of one kernel.
@test "races: score.sh --racecheck counts the lines of compute-sanitizer, and kernels without any" {
    local source=$root/tests/races/warp.cu line kernel
    line=$(grep -n 'RACE' "$source" | tail -n 1 | cut -d : -f 1)
    kernel=$(head -n "$line" "$source" | sed -nE 's/^__global__ void ([a-z_0-9]+)\(.*/\1/p' | tail -n 1)
    printf '%s\n' '#!/bin/bash' "[ \$4 != $kernel ] || echo '=========     and Read access at warp.cu:$line [4 hazards]'" \
        'exit 1' > compute-sanitizer
    chmod +x compute-sanitizer
    PATH=$PWD:$PATH run -1 "$root/tests/races/score.sh" --racecheck "$programs" warp
    assert_line --regexp "^warp $kernel racy found -"
    assert_output --regexp 'races found 1 of 11, false alarms 0 of 9, lines without a mark 0$'
}

@test "races: a report names the variable, and a template's line once for all instances" {
    run -0 --separate-stderr "$programs/shared" 'generic_steps<1>'
    assert_regex "$stderr" "shared-race: generic_steps<.*in 'ring'"
    run -0 --separate-stderr "$programs/shared"
    # One report per line of generic_steps, which is launched with two arguments.
    [ "$(grep -c 'race: generic_steps' <<< "$stderr")" -le 2 ] || fail "$stderr"
}

# A line that was reported is checked by a shorter way. The counts are those of the long way.
@test "races: a line that was reported is counted each time that a warp races there" {
    exact again
    CUDASIM_WORKERS=1 CUDASIM_JSON=counts.json run -0 "$programs/again"
    run -0 jq -r '.faults[] | select(.line > 0) | "\(.kernel) \(.line) \(.count)"' counts.json
    assert_output "\
words_in_place 11 28
doubles_in_place 19 28
scattered_in_place 26 28
one_word_read 36 57
one_word_read 34 106
warps_in_place 56 12
sums_of_a_warp 69 92
sums_of_a_warp 71 96
sums_of_a_warp 74 4
swaps_and_store 91 1
swaps_and_store 93 112
compares_and_store 101 8
compares_and_store 99 120"
}

# The check looks at eight entries at once where the processor has AVX-512 (level 4), and at one after the other else.
# Which of a warp's threads is named may differ.
# bats test_tags=long
@test "races: on random kernels every level of x86-64 reports the same" {
    local seed level levels
    levels=$(make -s -C "$root" print-runnable-levels)
    make -s -C "$root" cudasim-library LEVELS="$levels" >&2
    export CUDASIM_WORKERS=1
    for level in $levels; do
        for ((seed = 1; seed <= 200; seed++)); do
            CUDASIM_LEVEL=$level "$programs/random" "$seed" 2>&1 || fail "level $level, seed $seed"
        done | sed -E 's/, block .*//' > "level-$level"
        diff -u "level-${levels%% *}" "level-$level"
    done
    [ "$(grep -c 'race: ' "level-$level")" -ge 300 ] || fail "few races: $(grep -c 'race: ' "level-$level")"
}

@test "races: with the check off nothing is reported" {
    for CUDASIM_CHECK in none written,leaks; do
        export CUDASIM_CHECK
        run -0 --separate-stderr "$programs/shared"
        refute_regex "$stderr" 'race:'
    done
}

# Straight-line code: without switches at accesses each warp would end before the next one begins.
@test "races: with a seed, results of racing straight-line code differ" {
    for seed in 1 2 3 4 5 6 7 8; do
        CUDASIM_SEED=$seed "$programs/results" 2> seed.err
    done | sort -u > results
    [ "$(wc -l < results)" -gt 1 ] || fail "$(cat results)"
    for _ in 1 2; do CUDASIM_SEED=3 "$programs/results" 2> seed.err; done | sort -u > results
    assert_equal "$(wc -l < results)" 1
}
