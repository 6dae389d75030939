#!/usr/bin/env bats
# Problem packages: cases are arguments and seeds, check-problem proves them sound, a new one starts from a skeleton.

load helpers/copy

setup() {
    load helpers/common
    cd "$root"
}

@test "problem: cases in the package are made from one line of text each" {
    run -0 find problems/editdistance/data -name '*.in' -size +1
    assert_output ''
    assert_equal "$(cat problems/editdistance/data/*/*.in | wc -l)" \
        "$(find problems/editdistance/data -name '*.in' | wc -l)"
}

@test "problem: texts for people are not frozen" {
    run -0 run_scripts/lib/frozen.sh list
    assert_line problems/matmul/problem.c
    refute_output --partial README.md
    refute_output --partial /statement/
}

@test "problem: problem.yaml has the format's required keys, and a statement for each name" {
    for key in problem_format_version name uuid; do
        grep -q "^$key:" problems/editdistance/problem.yaml || fail "no $key"
    done
    assert_equal "$(sed -n 's/^  \([a-z][a-z]\): .*/\1/p' problems/editdistance/problem.yaml | sort | paste -sd ' ')" \
        "$(cd problems/editdistance/statement && echo problem.*.md | sed 's/problem\.//g; s/\.md//g')"
    for statement in problems/editdistance/statement/problem.*.md; do
        for word in weight write 1,048,448 128 device_user; do
            grep -qF "$word" "$statement" || fail "$statement: no '$word'"
        done
    done
}

# bats test_tags=long
@test "problem: a wrong key, version or case is refused with file and line" {
    copy_toolkit simulator built
    make -s all
    sed -i 's/time_limit: 10/tyme_limit: 10/' problems/editdistance/problem.yaml
    run -2 build/main_host editdistance
    assert_output --regexp "problem\.yaml:[0-9]+: unknown key 'limits\.tyme_limit'"
    sed -i 's/tyme_limit: 10/time_limit: -3/' problems/editdistance/problem.yaml
    run -2 build/main_host editdistance
    assert_output --partial "'limits.time_limit: -3' is not a number above 0"
    sed -i 's/time_limit: -3/time_limit: 10/; s/2025-09/2023-07/' problems/editdistance/problem.yaml
    run -2 build/main_host editdistance
    assert_output --partial 'problem_format_version must be 2025-09'
    sed -i 's/2023-07/2025-09/' problems/editdistance/problem.yaml
    sed -i 's/$/\r/' problems/editdistance/data/sample/1-small.in
    run -2 build/main_host editdistance --case sample/1-small
    assert_output --partial "sample/1-small.in' ends its line as Windows does: save it with line ends of Unix (LF)"
    sed -i 's/\r$//' problems/editdistance/data/sample/1-small.in
    echo 'cache: hot' >> problems/editdistance/gpu.yaml
    run -2 build/main_host editdistance
    assert_output --partial "problems/editdistance/gpu.yaml: cache must be cold or warm, not 'hot'"
    sed -i '$d' problems/editdistance/gpu.yaml
    for bad in 1 65 16.5 many; do
        printf "resident: true\nthroughput: %s\n" "$bad" >> problems/editdistance/gpu.yaml
        run -2 build/main_host editdistance
        assert_output --partial "'throughput: $bad' is not a whole number from 2 to 64"
        sed -i "/^resident:/d; /^throughput:/d" problems/editdistance/gpu.yaml
    done
    echo "throughput: 16" >> problems/editdistance/gpu.yaml
    run -2 build/main_host editdistance
    assert_output --partial "'throughput: 16' needs resident: true"
    sed -i "\$d" problems/editdistance/gpu.yaml
    # Settings and cases that changed since the host was built are not what its digest says.
    run -0 build/main_host editdistance --case sample/1-small
    echo '# changed' >> problems/editdistance/gpu.yaml
    run -2 build/main_host editdistance
    assert_output --partial "'problems/editdistance/gpu.yaml' has changed since the host was built: run 'make'"
    echo 'random 128 128' > problems/editdistance/data/secret/99-new.in
    make -s all
    rm problems/editdistance/data/secret/99-new.in
    run -0 build/main_host editdistance --case sample/1-small
    make -s all
    echo 'random 128 128' > problems/editdistance/data/secret/99-new.in
    run -2 build/main_host editdistance
    assert_output --partial "data/secret/99-new.in' is newer than the built host: run 'make'"
    rm problems/editdistance/data/secret/99-new.in
    for line in 'random 100 128' 'random 128' 'upwards 128 128' 'random 128 128 color=red' 'random 128 128 alphabet=x' \
        'random 128 128 seed=-1' 'random 1048448 16512' 'shifted 128 128 period=128' '' \
        $'random 128 128\nrandom 128 128'; do
        echo "$line" > problems/editdistance/data/sample/1-small.in
        make -s build/main_host
        run -2 timeout 20 build/main_host editdistance --case sample/1-small
        assert_output --regexp '^main_host: .+'
    done
}

@test "problem: code that makes outputs for the tests is only in check_problem, not in the judging programs" {
    run -0 nm build/check_problem
    assert_output --partial ' outputs_matmul'
    for program in main_host verify_record seal compare; do
        run -0 nm "build/$program"
        refute_output --regexp 'outputs_|spoil|[^a-z]solve$|matmul_solve'
    done
}

# bats test_tags=long
@test "problem: 1,000 right outputs by other methods are accepted per problem; a too strict checker is found" {
    local problem
    for problem in problems/*/; do
        run -0 timeout 180 build/check_problem --honest=1000 "$(basename "$problem")"
        assert_output --regexp '^ok     checker: 1[0-9]{3} right outputs by other methods judged$'
    done
    copy_toolkit built
    sed -i 's/return (4 \* sqrt((double)terms) + 8) \*/return (0.1 * sqrt((double)terms) + 0.1) */' problems/matmul/precision.h
    sed -i 's/return t.count == 0 ||.*/return false;/' problems/matmul/rounding.c
    make -s build/check_problem
    run -1 timeout 120 build/check_problem --honest=100 matmul
    assert_line --regexp '^FAILED [a-z]+ .*: the checker rejects a right output, by method [0-9]+$'
    run -2 build/check_problem --honest=0 matmul
    assert_output --partial 'usage: check_problem'
}

# bats test_tags=long
@test "problem: check_problem finds too weak checkers, which ignore a tolerance, a bit, an array or the order" {
    local problem file change what found=0
    copy_toolkit built
    make -s build/check_problem
    while IFS=@ read -r problem file change what; do
        [[ $problem != '#'* ]] || continue
        cp -p "problems/$problem/$file" kept
        sed -i "$change" "problems/$problem/$file"
        ! cmp -s kept "problems/$problem/$file" || fail "$problem, $what: the change finds nothing to change"
        make -s build/check_problem
        run -1 timeout 120 build/check_problem --checker "$problem"
        assert_line --regexp '^FAILED .*: the checker accepts an output '
        cp kept "problems/$problem/$file"
        found=$((found + 1))
    done < tests/fixtures/checkers/weak.txt
    [ $found -ge 12 ] || fail "only $found weak checkers were tried"
    make -s build/check_problem
    run -0 timeout 120 build/check_problem --checker cointsp
    assert_output --regexp '^ok     checker: [0-9]{4,} spoiled outputs tried$'
}

# bats test_tags=long
@test "problem: check-problem finds editdistance sound" {
    # Its last sample takes the baseline on the simulator as long as all the rest: `make check-problem` has it, and the
    # README's `make run`.
    CHECK_CASE=secret/02-bytes run -0 timeout 600 make check-problem
    assert_output --partial 'editdistance is sound'
    refute_output --partial FAILED
    # Every case and every jury submission was looked at.
    assert_equal "$(grep -c '^ok     case: ' <<< "$output")" \
        "$(ls problems/editdistance/data/{sample,secret}/*.in | wc -l)"
    assert_equal "$(grep -cE '^(ok|sim|pocl|gpu)  *submission: ' <<< "$output")" \
        "$(ls -d problems/editdistance/submissions/*/* | wc -l)"
}

@test "problem: a new problem from the skeleton builds and runs, and nothing else changes" {
    copy_toolkit simulator built
    make -s build/main_host
    before=$(build/main_host --version)
    run -0 make new-problem NAME=trial
    run -0 make run PROBLEM=trial
    assert_equal "${lines[-1]}" 'SUCCESSFUL.'
    # The digests of the host and of every other problem are as they were.
    assert_equal "$(build/main_host --version | grep -v '^frozen trial ')" "$before"
    run -0 build/main_host --version
    assert_line "frozen trial $(run_scripts/lib/frozen.sh digest trial)"
    run -0 make frozen
    printf '3 -7\n9 2\n' > numbers
    run -0 build/main_host trial numbers
    assert_line 'answer = 9'
    # Nothing but its own folder and what was built is new.
    run diff -rq -x "build*" -x .git -x .gpu -x getrndstr -x ldistance "$BATS_TEST_DIRNAME/.." .
    refute_output --regexp '^Files '
    assert_equal "$(sed -n 's/^Only in \.[^:]*: //p' <<< "$output" |
        grep -vE '^(build|getrndstr|ldistance|numbers)$')" trial

    run -2 make -s new-problem NAME=trial
    assert_output --partial 'problems/trial exists already'
    run make -s new-problem NAME=Bad-Name
    assert_output --partial 'usage: new_problem.sh NAME'
}

# bats test_tags=long
@test "problem: check-problem finds the skeleton sound, and what is broken in it" {
    copy_toolkit simulator built
    run -0 make new-problem NAME=trial
    run -0 timeout 120 make check-problem PROBLEM=trial
    assert_output --partial 'trial is sound'
    # A wrong answer file, a generator that looks at the clock, a reference that is wrong,
    # a submission in the wrong folder.
    echo 1 > problems/trial/data/sample/1-ten.ans
    run -2 make -s check-problem PROBLEM=trial
    assert_output --partial 'FAILED sample/1-ten: the answer is not the one in its .ans file'
    sed -i 's/values_of(input)\[i\] = (int32_t)(random_u32(&stream)/values_of(input)[i] = (int32_t)((uint32_t)getpid() + random_u32(\&stream)/; s/#include <string.h>/#include <string.h>\n#include <unistd.h>/' \
        problems/trial/problem.c
    mv problems/trial/submissions/wrong_answer/starts_at_zero.c problems/trial/submissions/accepted/
    run -2 make -s check-problem PROBLEM=trial
    assert_output --partial 'generated again, the input differs'
    assert_output --partial 'FAILED submission: accepted/starts_at_zero.c: WA, expected AC'
    sed -i 's/\[count_of(input) - 1\]/[0]/' problems/trial/problem.c
    sed -i 's|return sizeof(int32_t);|return sizeof(int32_t) * (1 + ((uint32_t)values_of(input)[0] % 1021));|' \
        problems/trial/problem.c
    run -2 make -s check-problem PROBLEM=trial
    assert_output --partial 'the two references differ'
    assert_output --partial 'seed 1 gives an output of another size than seed 0'
}

# bats test_tags=long
@test "problem: docs/PROBLEMS.md, command by command, leads from nothing to a sound problem" {
    local page
    page=$(sed -n '/^```sh$/,/^```$/{/^```/!p}' docs/PROBLEMS.md)
    [ "$(wc -l <<< "$page")" -ge 8 ] || fail 'docs/PROBLEMS.md has too few commands'
    copy_toolkit simulator built
    run -0 timeout 300 bash -euo pipefail -c "$page"
    assert_line 'random 1000003 seed=4'
    assert_line 'secret/2-odd: 918e8546f35c2a57'
    assert_line --partial 'check-problem: histogram is sound'
    refute_output --partial FAILED
    run -0 make frozen
    # The skeleton's own text is gone: its title, its guard, its name.
    run -1 grep -rniE 'skeleton|Largest value' problems/histogram
    assert_equal "$(grep -c HISTOGRAM_INPUT_H problems/histogram/input.h)" 2
    assert_equal "$(sed -n 's/^  en: //p' problems/histogram/problem.yaml)" Histogram
}

@test "problem: check-problem names and counts each bad case; make answers repairs what it may" {
    copy_toolkit simulator built
    run -0 make -s new-problem NAME=trial
    rm problems/trial/data/sample/1-ten.ans
    echo 7 > problems/trial/data/secret/1-one.ans
    echo 'random 16777217 seed=9' > problems/trial/data/secret/4-large.in
    rm -r problems/trial/submissions/{time_limit_exceeded,run_time_error}
    sed -i '1a \ * fails in: secret/1-one, secret/9-none' problems/trial/submissions/wrong_answer/*.c
    : > problems/trial/statement/problem.ja.md
    run -2 make -s check-problem PROBLEM=trial
    assert_line "FAILED submission: wrong_answer/starts_at_zero.c: 'fails in: secret/9-none': there is no such case"
    assert_line 'FAILED statement: problem.ja.md is missing or empty: problem.yaml has a name in this language'
    assert_line 'ok     statement: problem.en.md'
    assert_line 'FAILED sample/1-ten: its .ans file is missing: make answers PROBLEM=trial writes it'
    assert_line 'FAILED secret/1-one: the answer is not the one in its .ans file: 541631366, not 7; if it is right: make answers PROBLEM=trial'
    assert_line --regexp '^FAILED secret/4-large: .*COUNT.* 16777216'
    assert_line 'FAILED validator: data/secret/4-large.in: exit 43, expected 42'
    assert_line 'check-problem: trial: 7 checks failed'
    # The others are still checked.
    assert_line --partial 'ok     case: secret/3-largest: answer -184'
    run -2 make -s answers PROBLEM=trial
    assert_line 'sample/1-ten: 2043973137'
    assert_line --regexp '^FAILED secret/4-large: '
    rm problems/trial/data/secret/4-large.in
    sed -i 's|, secret/9-none||' problems/trial/submissions/wrong_answer/*.c
    echo words > problems/trial/statement/problem.ja.md
    run -0 make -s answers PROBLEM=trial
    assert_line 'next: make check-problem PROBLEM=trial, then make freeze'
    run -0 make -s check-problem PROBLEM=trial
    assert_equal "$(cat problems/trial/data/secret/1-one.ans)" 541631366
    rm problems/trial/submissions/accepted/baseline.cu
    run -2 make -s check-problem PROBLEM=trial
    assert_output --partial 'problems/trial/submissions/accepted has no baseline.cu: both baselines must be there, in C and in CUDA'
}

# bats test_tags=long
@test "problem: docs/PROBLEMS.md, where several outputs are right: its outputs.c makes such a problem sound" {
    local block
    block=$(sed -n '/^```c$/,/^```$/{/^```/!p}' docs/PROBLEMS.md)
    copy_toolkit simulator built
    run -0 make -s new-problem NAME=dot
    rm problems/dot/data/*/* problems/dot/submissions/*/*
    cp -R tests/fixtures/dot/. problems/dot
    mv problems/dot/outputs.c helpers.c
    run -0 make -s answers PROBLEM=dot
    assert_line 'sample/1-small: -1.97580226'
    # Without it the answer, a double, is no output; each case says so once.
    run -2 make -s check-problem PROBLEM=dot
    assert_equal "$(grep -c '^FAILED .*: the answer is not an output: write solve() in problems/dot/outputs.c$' <<< "$output")" 2
    assert_line 'check-problem: dot: 2 checks failed'
    { cat helpers.c; echo "$block"; } > problems/dot/outputs.c
    run -0 make -s check-problem PROBLEM=dot
    assert_line --partial 'check-problem: dot is sound'
    # Without also_right, outputs with one bit changed are expected to be wrong.
    sed -i 's/ \.also_right = also_right,//' problems/dot/outputs.c
    run -2 make -s check-problem PROBLEM=dot
    assert_line --partial 'the checker accepts an output with one bit changed'
}
