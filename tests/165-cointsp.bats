#!/usr/bin/env bats
# COIN on the travelling salesman problem: one right result on CPU and simulator, TSPLIB's files, the open league.

setup() {
    load helpers/common
    cd "$root"
    jury=problems/cointsp/submissions
    library=${TSPLIB:-$BATS_TEST_DIRNAME/../../shared/tsplib}
}

# has_library: skips a test that needs TSPLIB's own files, which are not part of the toolkit.
has_library() { [ -d "$library" ] || skip "no TSPLIB files beside the toolkit"; }

# judged SUBMISSION ARGUMENT...: runs it, with the result in result.json.
judged() {
    local so
    so=$(submission "$jury/$1" cointsp) || return
    timeout 120 "$host" cointsp --submission "$so" --json "$BATS_TEST_TMPDIR/result.json" "${@:2}"
}

@test "cointsp: the references agree, on thousands of instances; random numbers and parameters are as prescribed" {
    run -0 timeout 60 "$build/tests/test_cointsp_coin"
    assert_output --regexp '[0-9]{4,} checks, 0 failed'
}

@test "cointsp: TSPLIB: distances, all matrix formats, broken and damaged files" {
    run -0 timeout 60 "$build/tests/test_cointsp_tsplib"
    assert_output --regexp '[0-9]{5,} checks, 0 failed'
}

@test "cointsp: TSPLIB: the lengths of the library's shortest tours are the known optima" {
    has_library
    without=$("$build/tests/test_cointsp_tsplib" | sed 's/ checks.*//')
    run -0 timeout 60 "$build/tests/test_cointsp_tsplib" "$library"
    assert_output "$((without + 8 * 4)) checks, 0 failed"
}

@test "cointsp: CPU and simulator agree to the bit on a thousand random instances" {
    requires nvcc
    run -0 judged accepted/baseline.cu --generate 'batch 1000 seed=7' --seed 165
    assert_line 'instances = 1000'
    refute_output --partial 'cudasim: '
    assert_equal "$(json '.cases[0].answer')" "$(json '.cases[0].output')"
    baseline=$(json '.cases[0].output')
    run -0 judged accepted/baseline.c --generate 'batch 1000 seed=7' --seed 165
    assert_equal "$(json '.cases[0].output')" "$baseline"
    run -0 judged accepted/warp.cu --generate 'batch 300 seed=8' --seed 165
    refute_output --partial 'cudasim: '
}

@test "cointsp: one warp per tour works, whether the generator fits into shared memory or not" {
    requires nvcc
    for line in 'prescribed uniform 33 40 6 k=700 cap=1000' 'prescribed weights 64 33 4 c=50' \
        'prescribed clustered 300 9 2'; do
        run -0 judged accepted/warp.cu --generate "$line"
        assert_line 'SUCCESSFUL.'
        refute_output --partial 'cudasim: '
    done
}

@test "cointsp: an input depends on seed and repetition, and the answer on the input alone" {
    run -0 judged accepted/baseline.c --case sample/prescribed/1-small --repeat 3 --seed 5
    first=$(json '.cases[0].answer')
    run -0 judged accepted/baseline.c --case sample/prescribed/1-small --repeat 3 --seed 5
    assert_equal "$(json '.cases[0].answer')" "$first"
    run -0 judged accepted/baseline.c --case sample/prescribed/1-small --repeat 3 --seed 6
    refute [ "$(json '.cases[0].answer')" = "$first" ]
}

@test "cointsp: a mistake is reported with its generation" {
    run -1 judged wrong_answer/float_generator.c
    assert_output --regexp 'WA .*has another generator H after generation [0-9]+ of 6; its best tour is right'
    run -1 judged wrong_answer/open_path.c
    assert_output --regexp 'WA .*answered [0-9]+ for the best length after generation 1 of 6, where [0-9]+ is right'
    run -1 judged wrong_answer/no_selection_ties.c
    assert_output --regexp 'WA .*, in instance [0-9]+ of 12'
}

@test "cointsp: the open league accepts any tour that is short enough, and no other" {
    run -0 judged accepted/open_two_opt.c --league open --group all
    assert_line '10 of 10 cases were run'
    for name in secret/open/1-three sample/open/1-square; do
        length=$(json ".cases[] | select(.name == \"$name\") | .output")
        target=$(json ".cases[] | select(.name == \"$name\") | .answer | ltrimstr(\"at most \")")
        [ "$length" -le "$target" ] || fail "$name: $length is above $target"
    done
    run -1 judged wrong_answer/revisit.c --league open
    assert_output --regexp 'WA .*visits in tour\[[0-9]+\] city [0-9]+ for the second time'
    run -1 judged wrong_answer/too_long.c --league open
    assert_output --regexp 'WA .*found a tour of length [0-9]+, where [0-9]+ is the target'
    # The target is what nearest neighbour, 2-opt and Or-opt reach, and so much more.
    run -0 judged accepted/open_two_opt.c --generate 'open uniform 200 target=0 seed=3'
    low=$(json '.cases[0].answer | ltrimstr("at most ")')
    run -0 judged accepted/open_two_opt.c --generate 'open uniform 200 target=50 seed=3'
    assert_equal "$(json '.cases[0].answer')" "at most $((low * 150 / 100))"
    run -1 judged accepted/baseline.c --league open
    assert_output --partial 'baseline.c: the open league is not for me'
    assert_equal "$(json .verdict)" RTE
}

@test "cointsp: the host refuses every line that the validator refuses, in one line" {
    so=$(submission $jury/accepted/baseline.c cointsp)
    for file in problems/cointsp/data/invalid_input/*.in; do
        [ "$(wc -l < "$file")" = 1 ] || continue
        [[ $file != *-zeros.in && $file != *-option-order.in ]] || continue # matters of form alone
        run -2 --separate-stderr timeout 20 "$host" cointsp --submission "$so" --generate "$(cat "$file")"
        assert_equal "${#stderr_lines[@]}" 1
        [[ ${stderr_lines[0]} == 'main_host: '?* ]] || fail "${stderr_lines[0]}"
    done
}

@test "cointsp: TSPLIB files are given by their path, with P, G, C, K, SEED and CAP" {
    has_library
    run -0 judged accepted/baseline.c "$library/gr24.tsp" 40 10 20 150 7 900
    assert_line 'cities = 24'
    assert_line 'population = 40'
    assert_line 'generations = 10'
    assert_line 'selected = 8'
    seven=$(json '.cases[0].answer')
    run -0 judged accepted/baseline.c "$library/gr24.tsp" 40 10 20 150 8 900
    refute [ "$(json '.cases[0].answer')" = "$seven" ]
    sed 's/LOWER_DIAG_ROW/LOWER_DIAGONAL/' "$library/gr24.tsp" > "$BATS_TEST_TMPDIR/broken.tsp"
    run -2 judged accepted/baseline.c "$BATS_TEST_TMPDIR/broken.tsp"
    assert_output --regexp "broken\.tsp:6: EDGE_WEIGHT_FORMAT 'LOWER_DIAGONAL' is unknown\$"
    head -c 700 "$library/gr24.tsp" > "$BATS_TEST_TMPDIR/broken.tsp"
    run -2 judged accepted/baseline.c "$BATS_TEST_TMPDIR/broken.tsp"
    assert_output --regexp 'broken\.tsp:[0-9]+: the file ends where a weight is expected$'
    run -2 judged accepted/baseline.c "$library/gr24.tsp" 1
    assert_output --regexp "^main_host: P: '1' is not a whole number from 2 to 8192\$"
    run -2 judged accepted/baseline.c "$library/gr24.tsp" 10 10 10 10 10 43
    assert_output --partial 'below 1 / (n - 1)'
    run -2 judged accepted/baseline.c missing.tsp
    assert_output --partial missing.tsp
}

@test "cointsp: tours are no longer than the COIN thesis's, with its parameters" {
    has_library
    # Best and mean of the COIN thesis's runs with P = 500 and 200 generations.
    for known in 'gr24 1272 1283' 'gr48 5414 5529' 'pr76 137041 143889' 'kroA100 36127 37309'; do
        read -r name their_best their_mean <<< "$known"
        best=999999 sum=0
        for seed in 1 2 3; do
            run -0 judged accepted/baseline.c "$library/$name.tsp" 500 200 "$(default PERCENT)" "$(default K)" $seed
            length=$(json '.cases[0].output | split(" ")[0]')
            sum=$((sum + length))
            [ "$length" -ge "$best" ] || best=$length
        done
        [ "$best" -le "$their_best" ] || fail "$name: best $best, theirs $their_best"
        [ $((sum / 3)) -le "$their_mean" ] || fail "$name: mean $((sum / 3)), theirs $their_mean"
    done
}
default() { sed -n "s/.*COINTSP_$1_DEFAULT = \([0-9]*\).*/\1/p" problems/cointsp/coin.h; }

@test "cointsp: the bench of the stages runs the baseline's own code" {
    requires nvcc
    has_library
    run -0 make -s build/benches/cointsp_stages BUILD=build PROBLEM=cointsp
    export LD_LIBRARY_PATH=$build/cudasim
    run -0 timeout 60 build/benches/cointsp_stages "$library/gr24.tsp" 96 5
    read -r cities population generations length _ <<< "$output"
    assert_equal "$cities $population $generations" '24 96 5'
    unset LD_LIBRARY_PATH
    run -0 judged accepted/baseline.c "$library/gr24.tsp" 96 5
    assert_equal "$(json '.cases[0].answer | split(" ")[0]')" "$length"
    # The same for the baseline in C; and the share of a device that one launch fills.
    run -0 make -s build/benches/cointsp_stages_cpu BUILD=build PROBLEM=cointsp
    run -0 timeout 60 build/benches/cointsp_stages_cpu "$library/gr24.tsp" 96 5
    assert_equal "$(awk '{ print $1, $2, $3, $4 }' <<< "$output")" "24 96 5 $length"
    LD_LIBRARY_PATH=$build/cudasim run -0 build/benches/cointsp_stages --occupancy 500 1000 1500 2000
    assert_equal "$(awk '{ print $1, $2, $3 }' <<< "$output" | xargs)" '500 16 32 1000 32 32 1500 47 32 2000 63 32'
    assert_equal "$(awk '$5 + 0 <= 0 || $5 + 0 > 100 || $6 + 0 > $5 + 0' <<< "$output")" ''
    run -2 build/benches/cointsp_stages "$library/gr24.tsp" 1
    assert_output --partial "bench: P: '1' is not a whole number from 2 to 8192"
}

@test "cointsp: the scripts say what they need" {
    run -0 problems/cointsp/get_tsplib.sh
    assert_output --partial 'http://comopt.ifi.uni-heidelberg.de/software/TSPLIB95/'
    run -2 problems/cointsp/get_tsplib.sh --fetch
    run -2 problems/cointsp/get_tsplib.sh --fetch "$BATS_TEST_TMPDIR" ../gr24
    assert_output --partial "'../gr24' is not an instance's name"
    TSPLIB=$BATS_TEST_TMPDIR run -2 problems/cointsp/bench.sh
    assert_output --partial "gr24.tsp' is missing: set TSPLIB, or see problems/cointsp/get_tsplib.sh"
    run -0 shellcheck -x -P SCRIPTDIR -e SC2015 problems/cointsp/bench.sh problems/cointsp/get_tsplib.sh
}

@test "cointsp: every seed finds overflow, thresholds in float32 and wrong boundaries, in ranked cases too" {
    local row name case seed
    for row in overflow:03-overflow boundary:06-hundred float_threshold:06-hundred; do
        name=${row%%:*} case=${row##*:}
        so=$(submission "problems/cointsp/submissions/wrong_answer/$name.c" cointsp)
        for seed in 0 7 8; do
            run -1 timeout 60 "$host" cointsp --case "secret/prescribed/$case" --seed "$seed" --submission "$so"
            assert_output --partial 'FAILED. WA'
        done
    done
    grep -q '^  - secret/prescribed/06-hundred$' problems/cointsp/gpu.yaml
}
