#!/usr/bin/env bats
# What all problems have in common: baselines in every language agree, sizes of the sources in run_scripts, benches.

setup() {
    load helpers/common
    cd "$root"
}

@test "problems: each has its statements, baselines, leagues' jury submissions and a script with its sizes" {
    for folder in problems/*/; do
        name=$(basename "$folder")
        for file in problem.yaml gpu.yaml problem.c call.c include/device_user.h statement/problem.en.md \
            statement/problem.ja.md submissions/accepted/baseline.cu submissions/accepted/baseline.c; do
            [ -s "$folder/$file" ] || fail "$name has no $file"
        done
        for kind in wrong_answer time_limit_exceeded run_time_error; do
            [ -n "$(ls "$folder/submissions/$kind")" ] || fail "$name has no submission in $kind"
        done
        [ "$name" = editdistance ] || [ -x "run_scripts/run_$name.sh" ] || fail "no run_scripts/run_$name.sh"
        grep -q "problems/$name/statement/problem.en.md" README.md || fail "README.md does not name $name"
        grep -q "problems/$name/statement/problem.ja.md" README.ja.md || fail "README.ja.md does not name $name"
    done
}

# tokens: the numbers of the second column of a statement's table of limits, without commas, powers as 2^{n}.
tokens() {
    awk '/^## (Limits|制約)/ { on = 1; next } /^## / { on = 0 } on && /^\|/' "$1" | sed -E '1,2d; s/^\|[^|]*\|//' |
        sed -E 's/([0-9]),([0-9]{3})/\1\2/g; s/([0-9]),([0-9]{3})/\1\2/g; s/が 3 つ//' |
        grep -oE '[0-9]+(\.[0-9]+)?(\^\{[0-9]+\})?' | sort -u
}

@test "problems: both statements have the limits of the constants and the settings" {
    # The numbers of each table: constants, ^ for a power of 2, settings, and what follows from them.
    local -A limits=(
        [matmul]='1 MATMUL_SIDE_MAX MATMUL_ELEMENTS_MAX MATMUL_ELEMENTS_MAX/(double)(1<<28) 11585 2^{127}'
        [editdistance]='EDITDISTANCE_LENGTH_UNIT EDITDISTANCE_LENGTH_MAX ^EDITDISTANCE_CELLS_MAX
            EDITDISTANCE_CELLS_MAX 64'
        [mergesort]='0 ^MERGESORT_COUNT_MAX MERGESORT_COUNT_MAX'
        [diffevo]='1 DIFFEVO_COUNT_MAX DIFFEVO_DIMENSION_MIN DIFFEVO_DIMENSION_MAX DIFFEVO_POPULATION_MIN
            DIFFEVO_POPULATION_MAX 0 DIFFEVO_GENERATIONS_MAX DIFFEVO_WEIGHT_MIN DIFFEVO_WEIGHT_MAX
            DIFFEVO_CROSSOVER_ONE 1000 ^DIFFEVO_DATA_MAX'
        [cointsp]='COINTSP_CITIES_MIN COINTSP_CITIES_MAX COINTSP_POPULATION_MIN COINTSP_POPULATION_MAX 1
            COINTSP_GENERATIONS_MAX 2 0 COINTSP_DISTANCE_MAX 2^{31} 0.75 ^COINTSP_ONE'
        [attention]='1 ATTENTION_HEADS_MAX ATTENTION_LENGTH_MIN ATTENTION_LENGTH_MAX 64 ^ATTENTION_ELEMENTS_MAX'
        [softmax]='1 SOFTMAX_ROWS_MAX SOFTMAX_COLUMNS_MIN SOFTMAX_COLUMNS_MAX SOFTMAX_ELEMENTS_MAX SOFTMAX_VALUE_MAX'
        [scan]='1 ^SCAN_COUNT_MAX SCAN_COUNT_MAX'
    )
    # And numbers of the other text.
    local -A elsewhere=(
        [matmul]='^MATMUL_LARGE_PRODUCTS ^MATMUL_LARGE_ELEMENTS' [editdistance]=EDITDISTANCE_LENGTH_UNIT
        [mergesort]=^MERGESORT_COUNT_MAX [diffevo]='' [cointsp]=COINTSP_CITIES_MAX
        [attention]=^ATTENTION_LARGE_PRODUCTS
        [softmax]=SOFTMAX_COLUMNS_MIN
        [scan]=^SCAN_COUNT_MAX
    )
    for folder in problems/*/; do
        problem=$(basename "$folder")
        [ -n "${limits[$problem]:-}" ] || fail "no limits of $problem are looked at here"
        {
            printf '#include <stdio.h>\n#include "problems/%s/input.h"\nint main(void)\n{\n' "$problem"
            for word in ${limits[$problem]} --- ${elsewhere[$problem]}; do
                case $word in
                ^*) printf '    printf("2^{%%d}\\n", __builtin_ctzll(%s));\n' "${word#^}" ;;
                [A-Z]*) printf '    printf("%%.15g\\n", (double)(%s));\n' "$word" ;;
                *) printf '    puts("%s");\n' "$word" ;;
                esac
            done
            echo '}'
        } > "$BATS_TEST_TMPDIR/limits.c"
        gcc -I. -o "$BATS_TEST_TMPDIR/limits" "$BATS_TEST_TMPDIR/limits.c"
        "$BATS_TEST_TMPDIR/limits" > "$BATS_TEST_TMPDIR/numbers"
        expected=$({
            sed '/^---$/,$d' "$BATS_TEST_TMPDIR/numbers"
            sed -n '/^limits:/,/^[a-z]/s/^  [a-z_]*: *\([0-9]*\).*/\1/p' "$folder/problem.yaml"
            sed -n 's/^  time_limit: *\([0-9]*\).*/\1/p' "$folder/gpu.yaml"
        } | sort -u)
        for statement in "$folder"statement/problem.*.md; do
            echo "# $statement"
            assert_equal "$(tokens "$statement" | paste -sd ' ')" "$(paste -sd ' ' <<< "$expected")"
            for number in $(sed '1,/^---$/d' "$BATS_TEST_TMPDIR/numbers"); do
                grep -qF "$number" "$statement" || fail "$statement: no $number"
            done
        done
    done
}

# bats test_tags=long
@test "problems: the baselines in CUDA, OpenCL and C agree on a generated case of each problem" {
    requires nvcc
    for row in 'matmul:simple.c baseline.c simple.cu baseline.cu opencl_simple opencl_blocked:cancel 70 90 110' \
        'mergesort:baseline.c mergesort_threads.c qsort.c baseline.cu opencl:few 5000 payload=1 distinct=7' \
        'diffevo:baseline.c baseline.cu naive.cu:mixed 20 g=5' \
        'cointsp:baseline.c baseline.cu warp.cu:prescribed uniform 20 32 8' \
        'attention:simple.c baseline.c simple.cu baseline.cu 1_register_tiles.cu:drift 2 150 64 causal=1' \
        'softmax:simple.c baseline.c simple.cu baseline.cu:masked 30 77 bfloat16' \
        'scan:simple.c baseline.c simple.cu baseline.cu:random float32 5000 mean=70'; do
        IFS=: read -r problem names line <<< "$row"
        make -s submission simulator-if-used PROBLEM="$problem"
        for name in $names; do
            so=$(submission "problems/$problem/submissions/accepted/$name" "$problem")
            run -0 --separate-stderr timeout 60 "$host" "$problem" --submission "$so" --generate "$line" --seed 77
            assert_equal "${lines[-1]}" 'SUCCESSFUL.'
        done
    done
}

@test "problems: make run runs the baseline of each on its samples" {
    for folder in problems/*/; do
        problem=$(basename "$folder") only=''
        # Those of editdistance are run as the README says, by 60-make.bats.
        [ "$problem" != editdistance ] || only='--case sample/2-similar'
        run -0 timeout 120 make run PROBLEM="$problem" ARGS="$only"
        assert_equal "${lines[-1]}" 'SUCCESSFUL.'
    done
}

# bats test_tags=long
@test "problems: the scripts with the sizes of docs/SOURCES.md run, and say what only a GPU runs" {
    requires nvcc
    for problem in mergesort diffevo; do
        run -0 timeout 120 "run_scripts/run_$problem.sh" --seed 5
        [ "$(grep -c '^SUCCESSFUL\.$' <<< "$output")" -ge 2 ] || fail "$output"
        [ -e /dev/nvidiactl ] || assert_output --partial ': skipped, it needs a GPU'
    done
    run -0 env SUBMISSION=problems/matmul/submissions/accepted/baseline.c timeout 120 run_scripts/run_matmul.sh
    assert_equal "$(grep -c '^SUCCESSFUL\.$' <<< "$output")" "$(grep -c '^== uniform [0-9 ]*$' <<< "$output")"
    run -2 env TSPLIB=/nowhere run_scripts/run_cointsp.sh
    assert_output --partial \
        "'/nowhere/gr24.tsp' is missing: set TSPLIB, or fetch it with problems/cointsp/get_tsplib.sh"
    run -2 run_scripts/lib/generated.sh matmul
    assert_output --partial 'usage: generated.sh'
}

# bats test_tags=long
@test "problems: bench_submissions.sh prints medians side by side, and - for a submission without a time" {
    run -0 timeout 120 tests/bench/bench_submissions.sh mergesort 3 baseline.c qsort.c -- 'random 1000' 'sorted 2000' \
        'gpu:random 1000000'
    assert_line --regexp '^random 1000 +[0-9.]+ +[0-9.]+$'
    assert_line --regexp '^sorted 2000 +[0-9.]+ +[0-9.]+$'
    [ -e /dev/nvidiactl ] || assert_line --regexp '^random 1000000 +- +-$'
    assert_equal "$(cut -d , -f 1-4 "$build/bench/mergesort-submissions.csv" | head -n 3)" \
        $'problem,submission,arguments,device\n"mergesort","baseline.c","random 1000","cpu"\n"mergesort","qsort.c","random 1000","cpu"'
    assert_equal "$(awk -F , 'NR > 1 && $6 > 0 && $7 <= $6 && $6 <= $8' "$build/bench/mergesort-submissions.csv" |
        wc -l)" "$(($(wc -l < "$build/bench/mergesort-submissions.csv") - 1))"
    # A submission built otherwise: work-groups of one work-item.
    run -0 timeout 120 tests/bench/bench_submissions.sh matmul 1 opencl_simple:TILE=1 opencl_simple -- 'uniform 33 20 7'
    assert_line --regexp '^uniform 33 20 7 +[0-9.]+ +[0-9.]+$'
    assert_equal "$(sed 1q "$build"/bench/matmul/opencl_simple_TILE_1/device_user.c)" '#define TILE 1'
    run -2 tests/bench/bench_submissions.sh mergesort 3 no_such.c -- 'random 10'
    assert_output --partial 'there is no problems/mergesort/submissions/accepted/no_such.c'
}

@test "problems: a jury submission that names a league is judged in it" {
    local file league named=0
    . "$root/run_scripts/lib/lib.sh"
    for file in problems/*/submissions/*/*; do
        league=$(league_of "$file")
        [ -z "$league" ] || grep -q "^  $league:" "${file%%/submissions/*}/gpu.yaml" ||
            fail "$file: '$league' is not a league of its problem"
        ! grep -rq 'league:' "$file" || [ -n "$league" ] || fail "$file: no league was read from it"
        [ -z "$league" ] || named=$((named + 1))
    done
    [ $named -ge 10 ] || fail "only $named submissions name a league"
}

# bats test_tags=long
@test "problems: accepted submissions are right on drawn cases, a wrong one is found; bad arguments" {
    run -0 tests/scripts/drawn.sh --count 4 --seed 7 --only 'baseline.c$' mergesort scan
    assert_line --regexp '^ +4 of +4 +0  -  +mergesort/submissions/accepted/baseline.c$'
    assert_line --regexp '^ +4 of +4 +0  -  +scan/submissions/accepted/baseline.c$'
    run -1 tests/scripts/drawn.sh --count 6 --folder wrong_answer --only unsigned_keys mergesort
    assert_line --partial 'wrote sorted_keys['
    assert_line --regexp '^ +[0-5] of +6 +0  -  +mergesort/submissions/wrong_answer/unsigned_keys.c$'
    run -2 tests/scripts/drawn.sh --count none
    assert_output --partial 'count and seed must be numbers'
    run -2 tests/scripts/drawn.sh nothing
    run -2 "$build/check_problem" --lines=0 mergesort
}

# bats test_tags=long
@test "problems: slow programs written from the statements agree with the answers of 50 drawn inputs each" {
    local problem line so json=$BATS_TEST_TMPDIR/result.json
    while IFS=: read -r problem line; do
        so=$(submission "tests/fixtures/reference_$problem.c" "$problem")
        run -0 --separate-stderr timeout 100 "$host" "$problem" --submission "$so" --generate "$line" --repeat 50 \
            --seed 145 --json "$json"
        assert_equal "$(jq -c '[.verdict, .cases[0].calls]' "$json")" '["AC",50]'
    done << 'END'
matmul:mixed 37 41 53
matmul:special 30 20 17
matmul:tiny 20 30 25
mergesort:mixed 1500 payload=1
mergesort:extremes 1201
scan:random uint32 1500
scan:wide uint64 1500 mean=20
scan:wide float32 1500 mean=100
editdistance:mutated 384 256 alphabet=dna period=12
editdistance:moved 256 512 alphabet=binary
softmax:mixed 60 133 float32
END
}
