#!/usr/bin/env bats
# Measured times: the interval of the median, calls until it is known, what is faster than possible, and which of two
# submissions is faster.

load helpers/copy

setup() {
    load helpers/common
    cd "$root"
    fast=$root/problems/editdistance/submissions/accepted/bitparallel.c
}

@test "stats: the median's interval against tables and drawn samples; the least work of every problem" {
    run -0 timeout 60 "$build/tests/test_stats"
    assert_output --regexp '[0-9]{3,} checks, 0 failed'
    run -0 timeout 60 "$build/tests/test_work"
    assert_output --regexp '[0-9]{2,} checks, 0 failed'
}

@test "stats: the host prints the interval from 6 calls on" {
    local so
    so=$(submission "$fast")
    run -0 "$host" editdistance --submission "$so" --case sample/1-small --repeat 9 \
        --json "$BATS_TEST_TMPDIR/result.json"
    assert_line --regexp \
        '^GPU eclock : [0-9.]+ seconds \(median of 9; min [0-9.]+, max [0-9.]+; 96\.1 % interval [0-9.]+ to [0-9.]+\)$'
    # The second least and the second largest of nine.
    assert_equal "$(json \
        '.cases[0] | (.samples | sort) as $s | .interval | [.low == $s[1], .high == $s[7], .coverage == 1 - 20 / 512 or
        (.coverage - (1 - 20 / 512) | fabs) < 1e-9] | all')" true
    run -0 "$host" editdistance --submission "$so" --case sample/1-small --repeat 5 \
        --json "$BATS_TEST_TMPDIR/result.json"
    refute_output --partial interval
    assert_equal "$(json '.cases[0].interval')" null
    run -0 "$host" editdistance --submission "$so" --case sample/1-small
    assert_line --regexp '^GPU eclock : [0-9.]+ seconds$'
}

@test "until: --until ends a case once its median is known, after 7 calls at least" {
    local so value
    so=$(submission tests/fixtures/wait_20_ms.c)
    run -0 "$host" editdistance --submission "$so" --case sample/1-small --repeat 60 --until 100 \
        --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json '[.repeat, .cases[0].calls, (.cases[0].samples | length)] | join(" ")')" '60 7 7'
    # Too tight to reach: all calls are made.
    run -0 "$host" editdistance --submission "$so" --case sample/1-small --repeat 12 --until 0.000001 \
        --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json '.cases[0].calls')" 12
    for value in 0 -1 101 nan 1x ''; do
        run -2 "$host" editdistance --repeat 9 --until "$value"
        assert_output --partial "--until: '$value' is not a percentage above 0, up to 100"
    done
    run -2 "$host" editdistance --repeat 6 --until 1
    assert_output 'main_host: --until needs --repeat with 7 calls or more'
}

@test "floor: a time below the possible minimum is flagged, and the verdict stays" {
    copy_toolkit simulator built
    # The link is so slow that 20 ms is too short for 260 bytes; no other floor applies.
    printf 'cpu:\n  time_limit: 20\n  peak:\n    link: 26\n' > problems/editdistance/gpu.yaml
    make -s all submission SUBMISSION=tests/fixtures/wait_20_ms.c
    local so=build/submissions/editdistance/tests/fixtures/wait_20_ms.c/device_user.so words
    run -0 --separate-stderr build/main_host editdistance --submission $so --case sample/1-small --repeat 2 \
        --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "${lines[-1]}" 'SUCCESSFUL.'
    words='main_host: faster than possible: call 1 of case sample/1-small took [0-9.]+ s, '
    words+='but every known way takes at least 10.000000000 s: to be reviewed, not ranked$'
    [[ $stderr =~ $words ]] || fail "$stderr"
    assert_equal "$(json '[.verdict, .review, .cases[0].faster_than_possible, .cases[0].floor_seconds] | join(" ")')" \
        'AC true true 10'
    # A link that needs less than the 20 ms.
    sed -i 's/link: 26/link: 130000/' problems/editdistance/gpu.yaml
    make -s all
    run -0 --separate-stderr build/main_host editdistance --submission $so --case sample/1-small \
        --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(grep -v '^main_host: box: ' <<< "$stderr")" ''
    assert_equal "$(json '[.verdict, .review, .cases[0].faster_than_possible, .cases[0].floor_seconds] | join(" ")')" \
        'AC false false 0.002'
    # A wrong answer gets no flag.
    sed -i 's/link: 130000/link: 26/' problems/editdistance/gpu.yaml
    make -s all submission SUBMISSION=problems/editdistance/submissions/wrong_answer/hamming.c
    so=build/submissions/editdistance/problems/editdistance/submissions/wrong_answer/hamming.c/device_user.so
    run -1 build/main_host editdistance --submission $so --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json '[.verdict, .cases[-1].faster_than_possible] | join(" ")')" 'WA false'
    sed -i 's/link: 26/link: -1/' problems/editdistance/gpu.yaml
    make -s all
    run -2 build/main_host editdistance
    assert_output --partial "'cpu.peak.link: -1' is not a number above 0"
    # A problem that claims more work than the data allow is not sound.
    sed -i "s/    link: -1/    link: 1/" problems/editdistance/gpu.yaml
    sed -i "s/work->bytes = (double)(/work->bytes = 200 + (double)(/" problems/editdistance/problem.c
    make -s all
    run -1 build/check_problem editdistance
    assert_line "FAILED sample/1-small: its work has more bytes than input and output"
}


# result NAME SEED TIMES...: a result of the host with a case for each TIMES, "0.5 1.5": a sample each,
# the first not counted.
result() {
    local name=$1 seed=$2
    shift 2
    printf '%s\n' "$@" | jq -Rn --arg seed "$seed" \
        '{format: 1, problem: "p", verdict: "AC", message: "", seed: $seed, submission: {source: "s"},
        device: {kind: "cpu"},
            cases: [inputs | {name: "c\(input_line_number)", samples: (split(" ") | map(tonumber))}]}' \
        > "$BATS_TEST_TMPDIR/$name.json"
}

# rounds A-TIMES...: results of that many rounds, in which B takes 1 s. Sets `files`, those of A first, and `reversed`.
rounds() {
    local i=0 time
    files=() reversed=()
    for time in "$@"; do
        i=$((i + 1))
        result "A$i" $i "77 $time $time 99"
        result "B$i" $i "55 1 0.001 1"
        files+=("$BATS_TEST_TMPDIR/A$i.json" "$BATS_TEST_TMPDIR/B$i.json")
        reversed+=("$BATS_TEST_TMPDIR/B$i.json" "$BATS_TEST_TMPDIR/A$i.json")
    done
}

@test "compare: its result for fixed samples" {
    local compare=$build/compare
    # 9 rounds: from the second to the eighth, 1 - 2 (1 + 9) / 512 = 96.1 %.
    # Neither the order nor the first call matters.
    rounds 0.85 0.81 0.89 0.84 0.82 0.86 0.88 0.83 0.87
    run -0 "$compare" "${files[@]}" --json "$BATS_TEST_TMPDIR/result.json"
    assert_output 'A is FASTER than B: 0.85 times its time (96.1 % interval 0.82 to 0.88, 9 rounds)'
    assert_equal "$(json \
        '[.a_is, .ratio.median, .ratio.low, .ratio.high, .skipped, (.rounds | length), .rounds[1].ratio,
        .rounds[1].a[0].samples[0], .rounds[1].b[0].samples[1], .rounds[1].seed] | join(" ")')" \
        'FASTER 0.85 0.82 0.88 1 9 0.81 77 1 2'
    run -0 "$compare" "${reversed[@]}"
    assert_output 'A is SLOWER than B: 1.18 times its time (96.1 % interval 1.14 to 1.22, 9 rounds)'
    # The margin, on both sides: 1 / 1.13 = 0.885 and 1 / 1.14 = 0.877.
    run -0 "$compare" --margin 13 "${files[@]}"
    assert_output --partial 'A is FASTER than B'
    run -0 "$compare" --margin 14 "${files[@]}"
    assert_output --partial 'A is the SAME as B: 0.85 times'
    run -0 "$compare" --margin 13 "${reversed[@]}"
    assert_output --partial 'A is SLOWER than B'
    run -0 "$compare" --margin 14 "${reversed[@]}"
    assert_output --partial 'A is the SAME as B: 1.18 times'
    # With 6 rounds all must agree: one that differs makes the result unknown. With 9 rounds one may differ.
    rounds 0.5 0.5 0.5 0.5 0.5 0.99
    run -0 "$compare" "${files[@]}"
    assert_output 'A is FASTER than B: 0.50 times its time (96.9 % interval 0.50 to 0.99, 6 rounds)'
    rounds 0.5 0.5 0.5 0.5 0.5 1.01
    run -0 "$compare" "${files[@]}"
    assert_output --partial 'A is the SAME as B'
    rounds 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 9
    run -0 "$compare" "${files[@]}"
    assert_output --partial 'A is FASTER than B: 0.50 times'
    # A narrow interval is printed with more digits.
    rounds 0.9981 0.9982 0.9983 0.9984 0.9985 0.9986
    run -0 "$compare" "${files[@]}"
    assert_output 'A is FASTER than B: 0.99835 times its time (96.9 % interval 0.99810 to 0.99860, 6 rounds)'
    # Several cases: the geometric mean of 1/4, 1 and 2 against 1.
    for i in 1 2 3 4 5 6; do
        result "A$i" $i '9 0.25' '9 1' '9 2'
        result "B$i" $i '9 1' '9 1' '9 1'
    done
    rounds_of_three=("$BATS_TEST_TMPDIR"/{A1,B1,A2,B2,A3,B3,A4,B4,A5,B5,A6,B6}.json)
    run -0 "$compare" "${rounds_of_three[@]}"
    assert_output 'A is FASTER than B: 0.79 times its time (96.9 % interval 0.79 to 0.79, 6 rounds)'
}

@test "compare: results that cannot be compared" {
    local compare=$build/compare
    rounds 1 1 1 1 1
    run -2 "$compare" "${files[@]}"
    assert_line 'compare: fewer than 6 rounds give no 95 % interval'
    rounds 1 1 1 1 1 1
    run -2 "$compare" "${files[@]:1}"
    assert_line 'compare: the files come in pairs'
    run -2 "$compare" --margin x "${files[@]}"
    run -2 "$compare" --what "${files[@]}"
    run -3 "$compare" "${files[@]}" --json /nowhere/x
    result B3 4 '55 1'
    run -3 "$compare" "${files[@]}"
    assert_output --partial 'A3.json and '
    assert_output --partial 'B3.json are not of the same problem, cases and seed'
    result B3 3 '55'
    run -3 "$compare" "${files[@]}"
    assert_output --partial 'case c1 has 1 calls: the first does not count, and one more is needed'
    result B3 3 '55 0'
    run -3 "$compare" "${files[@]}"
    assert_output --partial 'case c1 has a time that is not a positive number'
    echo '{}' > "$BATS_TEST_TMPDIR/B3.json"
    run -3 "$compare" "${files[@]}"
    assert_output --partial 'B3.json is not a result of main_host'
    echo '{' > "$BATS_TEST_TMPDIR/B3.json"
    run -3 "$compare" "${files[@]}"
    jq '.verdict = "WA" | .message = "why"' "$BATS_TEST_TMPDIR/A2.json" > "$BATS_TEST_TMPDIR/x"
    mv "$BATS_TEST_TMPDIR/x" "$BATS_TEST_TMPDIR/A2.json"
    run -1 "$compare" "${files[@]}"
    assert_output 'A FAILED. WA: why'
}

@test "compare: a submission against itself is the SAME, one of ten times the time SLOWER, the other way round FASTER" {
    local same=tests/fixtures/wait_20_ms.c slow=$BATS_TEST_TMPDIR/wait_200_ms.c
    sed 's/20e-3/200e-3/' $same > "$slow"
    grep -q 200e-3 "$slow"
    # A margin of 99 %: a busy machine makes calls of 20 ms several times as long, in both alike.
    run -0 timeout 120 run_scripts/compare.sh $same $same --case sample/1-small --margin 99 --rounds 9
    assert_line --regexp \
        '^A is the SAME as B: [0-9.]+ times its time \(96\.1 % interval [0-9.]+ to [0-9.]+, 9 rounds\)$'
    run -0 timeout 120 run_scripts/compare.sh "$slow" $same --case sample/1-small --margin 20 --rounds=9 --seed 40 \
        --calls 2 --json "$BATS_TEST_TMPDIR/result.json"
    assert_line --regexp '^A is SLOWER than B: [0-9.]+ times its time '
    assert_equal "$(json \
        '[.a_is, .margin, .a.submission.source == "'"$slow"'", .b.submission.source, ([.rounds[].seed] | join(",")),
        ([.rounds[] | .a, .b | .[].samples | length] | unique | join(","))] | join(" ")')" \
        "SLOWER 0.2 true $same 40,41,42,43,44,45,46,47,48 3"
    run -0 timeout 120 run_scripts/compare.sh $same "$slow" --generate 'random 128 128' --margin 20 --rounds 9
    assert_line --regexp '^A is FASTER than B: 0\.[0-9]+ times its time '
}

@test "compare: a failed submission is reported with its verdict; wrong arguments are refused" {
    local right=problems/editdistance/submissions/accepted/bitparallel.c \
        wrong=problems/editdistance/submissions/wrong_answer/hamming.c
    run -1 timeout 60 run_scripts/compare.sh $right $wrong --json "$BATS_TEST_TMPDIR/result.json"
    assert_line --regexp '^B FAILED\. WA \(wrong answer\): '
    [ ! -e "$BATS_TEST_TMPDIR/result.json" ] || fail 'there is a result'
    run -1 --separate-stderr timeout 60 run_scripts/compare.sh tests/fixtures/bad_syntax.c $right
    assert_output --regexp '^A FAILED\. CE \(compile error\): '
    # A problem other than the default is found by its path, or named.
    run -0 timeout 120 run_scripts/compare.sh problems/matmul/submissions/accepted/baseline.c \
        problems/matmul/submissions/accepted/baseline.c --case sample/1-square --rounds 6 --margin 100
    assert_line --partial 'A is the SAME as B'
    run -2 run_scripts/compare.sh $right
    assert_output --partial 'usage: compare.sh A B'
    run -2 run_scripts/compare.sh $right none.c
    assert_output "compare.sh: there is no submission 'none.c'"
    run -2 run_scripts/compare.sh $right $right nothing
    assert_output --partial "there is no problem 'nothing'"
    for options in '--rounds 5' '--rounds x' '--rounds' '--calls 0' '--seed -1' '--margin 1e3' '--json /nowhere/x' \
        '--repeat 4' '--until=1' '--submission x'; do
        run -2 run_scripts/compare.sh $right $right $options
        assert_output --regexp '^compare.sh: .*--'
    done
    run -2 timeout 60 run_scripts/compare.sh $right $right --case none
    assert_output --partial "has no case 'none'"
    run -0 run_scripts/compare.sh --help
    assert_line --regexp '^  --rounds R '
}
