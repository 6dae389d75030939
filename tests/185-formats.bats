# Results and problems in the formats of other systems: docs/formats/conversions.md.
setup_file() {
    load helpers/common
    make -s -C "$root" format-programs >&3 2>&1
    # A team that would break every format: of its name, its messages and its files.
    evil=$'x]]>&<b>"\'|`# SKIP\nnot ok 9 \e[31m\u202e {{ }} [a](javascript:b) @all http://x \\ \r\n::error::y'
    export evil
    jq -n --arg evil "$evil" '{
        format: 1, toolkit: {version: "1"}, problem: "editdistance", submission: {source: ("/secret-folder/" + $evil)},
        verdict: "WA", message: $evil, league: $evil, date: "2026-01-31T09:30:00Z", seed: "123456789", left_out: 2,
        asked: {keep_going: true}, device: {kind: "cpu", name: $evil}, review: false, cases: [
            {name: "sample/1-small", verdict: "AC", message: "", answer: "127", output: "127", seconds: {median: 0.25}},
            {name: ("sample/" + $evil), verdict: "WA", message: $evil, answer: "5", output: "6",
                seconds: {median: 0.5}},
            {name: "secret/05-hidden-kind", verdict: "WA",
                message: "answered 3 where 987654 is right in case secret/05-hidden-kind",
             answer: "987654", output: "3", seconds: {median: 0.125}},
            {name: "secret/06-hidden-kind", verdict: "TLE", message: "ran 3 s in case secret/06-hidden-kind",
                answer: "987654",
             output: null, seconds: null}]}' > "$BATS_FILE_TMPDIR/evil.json"
}

setup() {
    load helpers/common
    load helpers/gradescope
    result=$BATS_FILE_TMPDIR/evil.json
    cd "$root"
}

convert() { "$build/convert" "$@"; }

# leaks_nothing: $output says nothing of secret cases.
leaks_nothing() {
    refute_output --partial hidden-kind
    refute_output --partial 987654
    refute_output --partial 123456789
    refute_output --partial secret-folder
}

# no_controls FILE: not a control character but newlines, no change of direction.
no_controls() { ! LC_ALL=C grep -q $'[\x01-\x09\x0b-\x1f\x7f]' "$1" && ! grep -q $'[\u202a-\u202e\u2066-\u2069]' "$1"; }

@test "formats: JUnit XML is valid with any text, and shows nothing secret" {
    run -0 convert junit --title "$evil" "$result"
    leaks_nothing
    echo "$output" > "$BATS_TEST_TMPDIR/junit.xml"
    no_controls "$BATS_TEST_TMPDIR/junit.xml"
    xmllint --noout --schema contrib/autograders/junit.xsd "$BATS_TEST_TMPDIR/junit.xml"
    path() { xmllint --xpath "$1" "$BATS_TEST_TMPDIR/junit.xml"; }
    assert_equal "$(path 'count(//testcase)')" 4
    assert_equal "$(path 'string(//testsuite/@failures)')" 3
    assert_equal "$(path 'count(//failure)')" 3
    assert_equal "$(path 'string(//testcase[3]/@name)')" 'secret case 1'
    assert_equal "$(path 'string(//testcase[4]/failure/@message)')" 'time limit exceeded'
    assert_equal "$(path 'string(//testcase[1]/@time)')" 0.250
    [[ $(path 'string(//testcase[2]/failure/@message)') == 'x]]>&<b>"'"'"'|`# SKIP not ok 9 '* ]]
    # Jenkins' own schema, if its file is here: junit-10.xsd comes only with the xunit plugin.
    [ -z "${JUNIT_10_XSD:-}" ] || xmllint --noout --schema "$JUNIT_10_XSD" "$BATS_TEST_TMPDIR/junit.xml"
    # What it asks of times beside: three digits behind the point, which ours asks, too.
    sed 's/ time="0\.250"/ time="0.2500001"/' "$BATS_TEST_TMPDIR/junit.xml" > "$BATS_TEST_TMPDIR/broken.xml"
    run ! xmllint --noout --schema contrib/autograders/junit.xsd "$BATS_TEST_TMPDIR/broken.xml"
    # Control: the schema can refuse.
    sed 's/ tests="4"/ tests="x"/' "$BATS_TEST_TMPDIR/junit.xml" > "$BATS_TEST_TMPDIR/broken.xml"
    run ! xmllint --noout --schema contrib/autograders/junit.xsd "$BATS_TEST_TMPDIR/broken.xml"
}

@test "formats: a judge error is an error in JUnit, and ends TAP" {
    jq '.verdict = "JE" | .cases[1].verdict = "JE"' "$result" > "$BATS_TEST_TMPDIR/je.json"
    convert junit "$BATS_TEST_TMPDIR/je.json" > "$BATS_TEST_TMPDIR/junit.xml"
    xmllint --noout --schema contrib/autograders/junit.xsd "$BATS_TEST_TMPDIR/junit.xml"
    assert_equal "$(xmllint --xpath 'concat(//@errors, count(//error), //@failures)' "$BATS_TEST_TMPDIR/junit.xml")" 112
    run -0 convert tap "$BATS_TEST_TMPDIR/je.json"
    assert_line --index -1 'Bail out! the toolkit or the machine failed'
}

@test "formats: prove reads TAP as intended, and no text adds a test" {
    convert tap --title "$evil" "$result" > "$BATS_TEST_TMPDIR/wa.t"
    no_controls "$BATS_TEST_TMPDIR/wa.t"
    run -0 cat "$BATS_TEST_TMPDIR/wa.t"
    leaks_nothing
    assert_line --index 0 'TAP version 13'
    assert_line --index 1 '1..4'
    assert_equal "$(grep -cE '^(not )?ok ' "$BATS_TEST_TMPDIR/wa.t")" 4
    assert_equal "$(grep -cE '^not ok ' "$BATS_TEST_TMPDIR/wa.t")" 3
    # No directive: version 13 has no way to write a #, and version 14 escapes it.
    run ! grep -E '^(not )?ok .*#' "$BATS_TEST_TMPDIR/wa.t"
    grep -qF $'\xef\xbc\x83 SKIP' "$BATS_TEST_TMPDIR/wa.t"
    convert tap --tap-version 14 --title "$evil" "$result" > "$BATS_TEST_TMPDIR/wa14.t"
    assert_equal "$(head -n 1 "$BATS_TEST_TMPDIR/wa14.t")" 'TAP version 14'
    grep -q '^not ok 3 - .*\\# SKIP' "$BATS_TEST_TMPDIR/wa14.t"
    run ! grep -E '^(not )?ok .*[^\\]#' "$BATS_TEST_TMPDIR/wa14.t"
    # The YAML blocks are YAML.
    grep '^  [a-z_]*: ' "$BATS_TEST_TMPDIR/wa.t" | sed -n '/verdict/,$p' | head -n 4 |
        sed 's/^  //' > "$BATS_TEST_TMPDIR/block.yaml"
    run -0 "$build/kattis" yaml "$BATS_TEST_TMPDIR/block.yaml" verdict words message league device duration_ms
    if command -v prove > /dev/null; then
        run -1 prove --exec cat "$BATS_TEST_TMPDIR/wa.t"
        assert_output --partial 'Failed tests:  2-4'
        assert_output --partial 'Tests=4'
        refute_output --partial 'Parse errors'
        refute_output --partial TODO
    fi
}

@test "formats: the step summary has no text that Markdown or HTML would interpret" {
    convert summary --title "$evil" "$result" > "$BATS_TEST_TMPDIR/summary.md"
    no_controls "$BATS_TEST_TMPDIR/summary.md"
    run -0 cat "$BATS_TEST_TMPDIR/summary.md"
    leaks_nothing
    assert_line '## WA: wrong answer'
    assert_line 'Cases: 1 of 4 accepted  '
    assert_line '| <code>secret case 1</code> | WA wrong answer | 0.125000 |  |'
    # Rows have five bars each, and texts have no characters but letters, digits, spaces and references.
    assert_equal "$(grep '^|' "$BATS_TEST_TMPDIR/summary.md" | tr -cd '|\n' | sort -u)" '|||||'
    run -0 bash -c "grep -o '<code>[^<]*</code>' '$BATS_TEST_TMPDIR/summary.md' | sed 's/<code>//; s/<.code>//; s/&#[0-9]*;//g' | LC_ALL=C tr -d 'A-Za-z0-9 \n\200-\377'"
    assert_output ''
    run ! grep -qE '@all|http:|javascript:|^::' "$BATS_TEST_TMPDIR/summary.md"
}

@test "formats: Gradescope's results.json: fields, scores, visibility, leaderboard" {
    local out=$BATS_TEST_TMPDIR/results.json
    run -0 convert gradescope --points 10 --title "$evil" --out "$out" "$result"
    gradescope_valid "$out"
    run -0 cat "$out"
    leaks_nothing
    assert_equal "$(jq -c '[.score, .stdout_visibility, .tests[].score, .tests[].visibility]' "$out")" \
        '[2.5,"hidden",2.5,0,0,0,"visible","visible","after_due_date","after_due_date"]'
    assert_equal "$(jq -r '.tests[2].name + ": " + .tests[3].output' "$out")" 'secret case 1: time limit exceeded'
    # A secret case shows its reason, where it is one of the list; the whole shows that of the first case that failed.
    jq '.cases |= map(.verdict = "AC") |
        .cases[2] += {verdict: "WA", reason: "a wrong value in case secret/hidden-kind"} |
        .cases[3] += {verdict: "RTE", reason: "a wrong value 987654 in case secret/hidden-kind"}' "$result" \
        > "$BATS_TEST_TMPDIR/reason.json"
    run -0 convert gradescope "$BATS_TEST_TMPDIR/reason.json"
    leaks_nothing
    assert_equal "$(jq -r '.tests[2, 3].output' <<< "$output")" $'wrong answer: a wrong value\nrun-time error'
    [[ $(jq -r .output <<< "$output") == *': a wrong value'* ]]
    # No time of what was not accepted; and a time of what was, but of no simulation.
    assert_equal "$(jq -c '[.leaderboard[].name]' "$out")" '["Cases accepted"]'
    jq '.verdict = "AC" | .message = "" | .cases |= map(.verdict = "AC")' "$result" > "$BATS_TEST_TMPDIR/ac.json"
    convert gradescope --hide-secret --out "$out" "$BATS_TEST_TMPDIR/ac.json"
    gradescope_valid "$out"
    assert_equal "$(jq -c '[.score, .leaderboard[1], .tests[3].visibility]' "$out")" \
        '[100,{"name":"Seconds","value":0.875,"order":"asc"},"hidden"]'
    jq '.device.kind = "sim"' "$BATS_TEST_TMPDIR/ac.json" > "$BATS_TEST_TMPDIR/sim.json"
    run -0 convert gradescope "$BATS_TEST_TMPDIR/sim.json"
    assert_equal "$(jq -c '[.leaderboard[].name]' <<< "$output")" '["Cases accepted"]'
    # A failure of the toolkit is not blamed on the submission, and its text is not shown.
    jq '.verdict = "JE" | .message = "no GPU in /secret-folder" | .cases = []' "$result" > "$BATS_TEST_TMPDIR/je.json"
    run -0 convert gradescope "$BATS_TEST_TMPDIR/je.json"
    assert_output --partial 'no fault of the submission'
    leaks_nothing
}

@test "formats: GitHub Classroom's reporter reads the grader's result" {
    run -0 convert classroom --points 8 --title "$evil" "$result"
    leaks_nothing
    assert_equal "$(wc -l <<< "$output")" 1
    # The sums of the reporter, and its exit code.
    assert_equal "$(jq -c '[.version, .status, .max_score, (.tests | map(.score) | add), (.tests | length)]' <<< "$output")" \
        '[1,"fail",8,2,4]'
    assert_equal "$(jq -c '[.tests[].status], [.tests[] | keys == ["duration", "filename", "line_no", "message", "name",
        "score", "status", "test_code"]]' <<< "$output" | paste -sd ' ')" \
        '["pass","fail","fail","fail"] [true,true,true,true]'
    assert_equal "$(jq -r '.tests[3] | .name + ": " + .message' <<< "$output")" 'secret case 2: time limit exceeded'
    jq '.verdict = "JE" | .cases = []' "$result" > "$BATS_TEST_TMPDIR/je.json"
    run -0 convert classroom "$BATS_TEST_TMPDIR/je.json"
    assert_equal "$(jq -c '[.status, .tests[0].name, .tests[0].score]' <<< "$output")" '["error","judging",0]'
    run -2 convert classroom "$result" "$result"
}

@test "formats: unfair scores and files that are no results are refused" {
    jq '.asked.keep_going = false' "$result" > "$BATS_TEST_TMPDIR/stopped.json"
    run -2 --separate-stderr convert gradescope "$BATS_TEST_TMPDIR/stopped.json"
    [[ $stderr == *--keep-going* ]]
    run -2 convert gradescope "$result" "$result"
    run -2 convert pdf "$result"
    assert_output "convert: there is no format 'pdf': use junit, tap, summary, gradescope or classroom"
    run -2 convert tap
    run -2 convert tap --points -1 "$result"
    run -2 convert tap --tap-version 12 "$result"
    assert_output "convert: --tap-version '12': use 13 or 14"
    run -2 convert tap "$BATS_TEST_TMPDIR/none.json"
    echo '{"format": 1, "verdict": "AC", "cases": 7}' > "$BATS_TEST_TMPDIR/other.json"
    run -2 convert tap "$BATS_TEST_TMPDIR/other.json"
    : > "$BATS_TEST_TMPDIR/empty.json"
    run -2 convert tap "$BATS_TEST_TMPDIR/empty.json"
    assert_output "convert: '$BATS_TEST_TMPDIR/empty.json' is empty: it is not JSON from main_host"
    head -c 200 "$result" > "$BATS_TEST_TMPDIR/cut.json"
    run -2 convert tap --out "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/cut.json"
    [ ! -e "$BATS_TEST_TMPDIR/out" ] && [ ! -e "$BATS_TEST_TMPDIR/out.part" ]
}

@test "formats: a sealed judging shows no inputs of its samples; --full shows organisers all" {
    jq '.seal = {name: "spring", commitment: "0"} | .cases[0].verdict = "WA" | .cases[0].message = "127 is right"' \
        "$result" > "$BATS_TEST_TMPDIR/sealed.json"
    for format in junit tap summary gradescope classroom; do
        run -0 convert $format "$BATS_TEST_TMPDIR/sealed.json"
        refute_output --partial '127 is right'
        leaks_nothing
        run -0 convert $format --full "$BATS_TEST_TMPDIR/sealed.json"
        assert_output --partial '127 is right'
        assert_output --partial hidden
    done
}

@test "formats: convert.sh reads results of judge.sh, several at once" {
    requires box
    run_scripts/judge.sh tests/fixtures/bad_syntax.c editdistance --json "$BATS_TEST_TMPDIR/ce.json" > /dev/null 2>&1 ||
        true
    run_scripts/judge.sh problems/editdistance/submissions/wrong_answer/hamming.c --group sample --keep-going \
        --json "$BATS_TEST_TMPDIR/wa.json" > /dev/null 2>&1 || true
    run -0 run_scripts/convert.sh tap "$BATS_TEST_TMPDIR/ce.json" "$BATS_TEST_TMPDIR/wa.json"
    assert_line '1..4'
    assert_line 'not ok 1 - editdistance judging'
    assert_output --partial 'expected expression'
    assert_line 'not ok 4 - editdistance sample/3-practice'
    run -0 run_scripts/convert.sh junit "$BATS_TEST_TMPDIR/ce.json" "$BATS_TEST_TMPDIR/wa.json"
    xmllint --noout --schema contrib/autograders/junit.xsd - <<< "$output"
}

# bats test_tags=slow,long
@test "formats: the Gradescope autograder judges right, wrong, broken and empty submissions" {
    requires box
    run -0 make -s gradescope PROBLEM=editdistance ARGS='--points 20'
    export AUTOGRADER_ROOT=$BATS_TEST_TMPDIR/autograder
    mkdir -p "$AUTOGRADER_ROOT"/{source,submission,results}
    unzip -q "$build/gradescope-editdistance.zip" -d "$AUTOGRADER_ROOT/source"
    for file in setup.sh run_autograder; do [ -x "$AUTOGRADER_ROOT/source/$file" ]; done
    # The zip has no secrets of other problems, and no files of git or the developers.
    [ ! -e "$AUTOGRADER_ROOT/source/toolkit/problems/matmul" ]
    [ -z "$(find "$AUTOGRADER_ROOT/source" -name .git -o -name '*-secret.json')" ]
    # The sources in the zip are older than what is built here, which need not be built again.
    mkdir "$AUTOGRADER_ROOT/source/toolkit/build"
    for part in obj plain flags cudasim; do
        [ ! -e "$build/$part" ] || cp -a "$build/$part" "$AUTOGRADER_ROOT/source/toolkit/build/"
    done
    local here=$root
    unset root build BUILD
    [ -d "$AUTOGRADER_ROOT/source/toolkit/build/cudasim" ] || export NVCC=''
    run -0 "$AUTOGRADER_ROOT/source/setup.sh"
    cd "$here"
    grade() { # FILE...
        rm -rf "$AUTOGRADER_ROOT"/{submission,results}/*
        [ $# -eq 0 ] || cp -R "$@" "$AUTOGRADER_ROOT/submission/"
        run -0 "$AUTOGRADER_ROOT/source/run_autograder"
        gradescope_valid "$AUTOGRADER_ROOT/results/results.json"
        # 105 is a seed; a time such as 0.0105 s is none.
        ! grep -qE '05-equal|(^|[^0-9.])105([^0-9.]|$)|129228' "$AUTOGRADER_ROOT/results/results.json"
    }
    score() { jq -r "$1" "$AUTOGRADER_ROOT/results/results.json"; }
    grade problems/editdistance/submissions/accepted/bitparallel.c
    assert_equal "$(score '[.score, (.tests | length), .leaderboard[0].value, (.leaderboard | length)] | @csv')" \
        20,22,22,2
    mkdir "$BATS_TEST_TMPDIR/folder" &&
        cp problems/editdistance/submissions/wrong_answer/hamming.c "$BATS_TEST_TMPDIR/folder/"
    grade "$BATS_TEST_TMPDIR/folder"
    assert_equal "$(score '[(.score * 100 | round), .tests[0].score, (.leaderboard | length)] | @csv')" \
        364,0,1 # 4 of 22 cases, of 20 points
    grade tests/fixtures/bad_syntax.c
    assert_equal "$(score .score)" 0
    [[ $(score .output) == *'expected expression'* ]]
    grade
    assert_equal "$(score '.score, .output')" $'0\nThere is nothing to judge: submit a .cu, .c or .cc file.'
    ln -s /etc/passwd "$BATS_TEST_TMPDIR/folder/x.h"
    grade "$BATS_TEST_TMPDIR/folder"
    [[ $(score .output) == *'symbolic link'* ]]
    rm "$BATS_TEST_TMPDIR/folder/x.h" && touch -- "$BATS_TEST_TMPDIR/folder/-x.h"
    grade "$BATS_TEST_TMPDIR/folder"
    assert_equal "$(score .output)" \
        'A file name is not allowed: use letters, digits and _ . + -, not beginning with -'
    mv "$AUTOGRADER_ROOT/source/toolkit" "$BATS_TEST_TMPDIR/gone"
    grade tests/fixtures/bad_syntax.c
    [[ $(score .output) == *'no fault of the submission'* ]]
}

@test "formats: a package in the format 2025-09 follows the format's rules" {
    requires box
    run -0 make -s package PROBLEM=editdistance ARGS='--limit 3000'
    assert_line 'left out: case secret/14-longest'
    assert_line 'left out: submission accepted/baseline.cu'
    run -0 run_scripts/package.sh check "$build/packages/editdistance.zip"
    assert_line --index 1 'check-package: editdistance is a package of the format 2025-09'
    cp "$build/packages/editdistance.zip" "$BATS_FILE_TMPDIR/editdistance.zip"
    # A second export is equal, byte for byte.
    run -0 run_scripts/package.sh export editdistance --limit 3000
    cmp "$build/packages/editdistance.zip" "$BATS_FILE_TMPDIR/editdistance.zip"
}

# bats test_tags=long
@test "formats: a package has the layout of other judges: flat validators, complete submissions" {
    requires box
    [ -f "$BATS_FILE_TMPDIR/editdistance.zip" ] || run_scripts/package.sh export editdistance --limit 3000 > /dev/null
    [ -f "$BATS_FILE_TMPDIR/editdistance.zip" ] || cp "$build/packages/editdistance.zip" "$BATS_FILE_TMPDIR/"
    cd "$BATS_TEST_TMPDIR"
    unzip -q "$BATS_FILE_TMPDIR/editdistance.zip"
    cd editdistance
    # Judges copy a program's files, and no folders; names are of few characters.
    [ -z "$(find input_validators/* output_validator submissions/*/* -mindepth 1 -type d)" ]
    [ -z "$(find . -type f | sed 's|^\./||' | grep -vE '^([a-zA-Z0-9][a-zA-Z0-9_.-]*/)*[a-zA-Z0-9][a-zA-Z0-9_.-]{0,254}$')" ]
    [ -x output_validator/build ] && [ -x input_validators/generated/build ]
    # A submission is built from its own files, as by a judge that knows no include/.
    for folder in submissions/*/*/; do
        cc -std=gnu17 -O2 -o run "$folder"*.c -lm -lpthread
        cmp "$folder"gpu_contest_driver.c include/c/gpu_contest_driver.c
    done
    cc -std=gnu17 -O2 -o run submissions/accepted/baseline/*.c -lm -lpthread
    ./run < data/sample/1-small.in > out
    cmp out data/sample/1-small.ans
    # Judges may change white space and capitals of an output; not its digits. Inputs are as they are.
    (cd output_validator && ./build) && (cd input_validators/generated && ./build)
    mkdir feedback
    judged() { run "-$1" output_validator/run data/sample/1-small.in data/sample/1-small.ans feedback/ < out; }
    judged 42
    tr a-f A-F < data/sample/1-small.ans | sed 's/$/ \r/' > out
    judged 42
    printf '\n\n' | cat - data/sample/1-small.ans > out
    judged 42
    sed '2s/.$//' data/sample/1-small.ans > out
    judged 43
    sed '2s/$/0/' data/sample/1-small.ans > out
    judged 43
    # Tools that try a case without its arguments see its form alone.
    run -42 input_validators/generated/run < data/sample/1-small.in
    run -43 input_validators/generated/run < <(tr a-f A-F < data/sample/1-small.in)
    run -43 input_validators/generated/run random 5 5 < data/sample/1-small.in
}

@test "formats: a package that breaks a rule is found" {
    requires box
    [ -f "$BATS_FILE_TMPDIR/editdistance.zip" ] || run_scripts/package.sh export editdistance --limit 3000 > /dev/null
    [ -f "$BATS_FILE_TMPDIR/editdistance.zip" ] || cp "$build/packages/editdistance.zip" "$BATS_FILE_TMPDIR/"
    mkdir "$BATS_TEST_TMPDIR/p"
    cd "$BATS_TEST_TMPDIR/p"
    unzip -q "$BATS_FILE_TMPDIR/editdistance.zip"
    cd editdistance
    sed -i 's/^uuid: .*/uuid: 1/; s/^type: .*/type: guess/; s/^  memory: .*/  memory: 1.5/; s/^  en: .*/  de: x/' \
        problem.yaml
    echo 'max_score: 3' > data/secret/test_group.yaml
    rm data/sample/1-small.ans
    sed -i '2s/^./f/' data/sample/2-similar.in
    cp data/secret/01-tiny.ans data/invalid_output/wrong-1.out
    cp data/secret/01-tiny.in data/invalid_output/wrong-1.in
    cp data/secret/01-tiny.ans data/invalid_output/wrong-1.ans
    cp data/secret/01-tiny.yaml data/invalid_output/wrong-1.yaml
    cp data/secret/01-tiny.in data/invalid_input/1.in
    cp data/secret/01-tiny.yaml data/invalid_input/1.yaml
    mkdir data/sample/group extra
    printf 'a\r\n' > statement/notes.md
    rm -r submissions/accepted
    cd ..
    run -2 "$root/run_scripts/package.sh" check ''
    assert_output 'kattis: usage: package.sh check ZIP|FOLDER [--submissions] (make check-package PACKAGE=...)'
    zip -qr editdistance.zip editdistance
    run -1 "$root/run_scripts/package.sh" check editdistance.zip
    for words in 'problem.yaml: uuid is not a UUID' "there is no type 'guess'" 'limits.memory is not a whole number' \
        'the languages of name (de ja) and statement (en ja) differ' "unknown key 'max_score'" \
        'data/sample/1-small.in has no .ans' 'data/sample/2-similar.ans is not accepted' \
        'data/sample/2-similar.in: an input validator rejects it' 'data/invalid_output/wrong-1.out is not rejected' \
        'data/invalid_input/1.in: every input validator accepts it' 'data/sample must not have groups' \
        'the format has no extra' 'has other line endings than LF' 'submissions/accepted is empty'; do
        assert_output --partial "$words"
    done
    mv editdistance.zip Edit-Distance.zip
    run -1 "$root/run_scripts/package.sh" check Edit-Distance.zip
}

# legacy FOLDER: a package in the legacy format.
legacy() {
    mkdir -p "$1"/{data/sample,data/secret,problem_statement,submissions/accepted}
    mkdir -p "$1"/{output_validators/check,input_format_validators}
    printf '%s\n' 'name: "Say \"hello\": {x}"' 'author: A. Uthor, B. Other' 'source: Some Contest 2012' \
        'source_url: https://contest.example/' 'license: cc by-sa' 'rights_owner: The Owner' 'validation: custom' \
        'validator_flags: float_tolerance 1e-6' 'limits:' '  memory: 512' '  time_multiplier: 5' \
        'keywords: greedy  strings' > "$1/problem.yaml"
    printf '%s\n' '\problemname{Say hello}' 'Say it.' > "$1/problem_statement/problem.en.tex"
    printf '%s\n' '\problemname{Säg hej}' > "$1/problem_statement/problem.sv.tex"
    for group in sample secret; do echo 1 > "$1/data/$group/1.in"; echo hello > "$1/data/$group/1.ans"; done
    echo 'grading: default' > "$1/data/secret/testdata.yaml"
    echo 3 > "$1/.timelimit"
    echo 'print("hello")' > "$1/submissions/accepted/a.py"
    echo 'int main(void) { return 42; }' > "$1/output_validators/check/check.c"
    echo 'int main(void) { return 42; }' > "$1/input_format_validators/v.c"
}

@test "formats: a legacy package is imported as far as possible, and the rest is listed" {
    requires box
    load helpers/copy
    copy_toolkit built
    legacy "$BATS_TEST_TMPDIR/hello"
    (cd "$BATS_TEST_TMPDIR" && zip -qr hello.zip hello)
    run -0 run_scripts/package.sh import "$BATS_TEST_TMPDIR/hello.zip" hello --by-hand
    assert_output --partial 'problems/hello: problem.yaml, en sv statement, 2 cases, 1 submissions'
    assert_output --partial 'problem.c: generate(), reference(), reference_plain(), check()'
    assert_equal "$(find problems/hello -name testdata.yaml)" ''
    value() {
        build/kattis yaml "problems/hello/$1" 'problem_format_version' type 'name.*' uuid 'credits.*' 'source.*' \
            license rights_owner 'limits.*' 'keywords.*' languages 'output_validator_args.*' | sed -n "s/^$2\t//p"
    }
    assert_equal "$(value problem.yaml problem_format_version)" 2025-09
    assert_equal "$(value problem.yaml name.en)" 'Say "hello": {x}'
    assert_equal "$(value problem.yaml credits.authors.0)" 'A. Uthor'
    assert_equal "$(value problem.yaml source.url)" https://contest.example/
    assert_equal "$(value problem.yaml limits.time_limit)" 3
    assert_equal "$(value problem.yaml limits.memory)" 512
    assert_equal "$(value problem.yaml keywords.1)" strings
    assert_equal "$(value problem.yaml rights_owner)" 'The Owner'
    assert_equal "$(value imported/data/secret/test_group.yaml output_validator_args.1)" 1e-6
    [ -f problems/hello/imported/output_validator/check.c ]
    [ -f problems/hello/imported/input_validators/v.c ]
    [ -f problems/hello/statement/problem.sv.tex ]
    grep -q 'legacy' problems/hello/IMPORTED.md
    # It is complete.
    run -1 grep 'left out' problems/hello/IMPORTED.md
    assert_equal "$(value problem.yaml limits.time_multipliers.ac_to_time_limit)" 5
    # It does not replace existing files.
    run -0 make -s print-submission
    run -2 run_scripts/package.sh import "$BATS_TEST_TMPDIR/hello.zip" hello --by-hand
    assert_output --partial 'problems/hello exists already'
    # Keys that 2025-09 or the toolkit does not use, such as scores of a problem without scoring.
    rm -r problems/hello
    printf '%s\n' 'on_reject: continue' 'accept_score: 25' 'range: 0 50' 'grader_flags: min' 'reject_score: 0' \
        'output_validator_flags: case_sensitive' > "$BATS_TEST_TMPDIR/hello/data/secret/testdata.yaml"
    printf '%s\n' 'on_reject: break' 'input_validator_flags: n=5' > "$BATS_TEST_TMPDIR/hello/data/testdata.yaml"
    mkdir "$BATS_TEST_TMPDIR"/hello/{data/secret/deep,data/secret/deep/er,graders}
    echo 'output_validator_flags: never' > "$BATS_TEST_TMPDIR/hello/data/secret/deep/er/testdata.yaml"
    printf '%s\n' 'timelimit = 3' 'color = red' > "$BATS_TEST_TMPDIR/hello/domjudge-problem.ini"
    sed -i -e 's/memory: 512/memory: 0.5/' \
        -e '$a grading: {objective: min}' -e '$a languages: [c, cpp]' -e '$a name.de: Hallo' -e '$a uuid: none' \
        "$BATS_TEST_TMPDIR/hello/problem.yaml"
    (cd "$BATS_TEST_TMPDIR" && rm hello.zip && zip -qr hello.zip hello)
    run -0 run_scripts/package.sh import "$BATS_TEST_TMPDIR/hello.zip" hello --by-hand
    run -0 grep 'left out' problems/hello/IMPORTED.md
    assert_output "- problem.yaml: limits.memory: '0.5' is left out
- problem.yaml: name.de: 'Hallo' is left out
- problem.yaml: uuid: 'none' is left out
- domjudge-problem.ini: what it says beside timelimit is left out
- graders: it is left out
- imported/data/secret/deep/er/testdata.yaml: output_validator_flags: 'never' is left out
- imported/data/secret/testdata.yaml: on_reject: 'continue' is left out
- imported/data/secret/testdata.yaml: accept_score: '25' is left out
- imported/data/secret/testdata.yaml: range: '0 50' is left out
- imported/data/secret/testdata.yaml: grader_flags: 'min' is left out"
}

@test "formats: a package that the toolkit wrote is imported" {
    requires box
    load helpers/copy
    run_scripts/package.sh export diffevo --limit 3000 > /dev/null
    cp "$build/packages/diffevo.zip" "$BATS_TEST_TMPDIR/"
    copy_toolkit built
    run -0 run_scripts/package.sh import "$BATS_TEST_TMPDIR/diffevo.zip" again --by-hand
    assert_output --partial 'en ja statement'
    assert_equal "$(grep 'left out' problems/again/IMPORTED.md)" ''
    [ -x problems/again/imported/output_validator/build ] || [ -f problems/again/imported/output_validator/build ]
    cmp problems/again/statement/problem.en.md problems/diffevo/statement/problem.en.md
    # The names survive the way out and in.
    name() {
        build/kattis yaml "$1" 'problem_format_version' type 'name.*' uuid source 'source.*' license rights_owner \
            'limits.*' 'keywords.*' languages 'languages.*' | grep -E '^(name\.|uuid|license|rights_owner|keywords)'
    }
    assert_equal "$(name problems/again/problem.yaml | sort)" "$(name problems/diffevo/problem.yaml | sort)"
}

@test "formats: hostile zips are refused, and leave nothing" {
    requires box
    load helpers/copy
    copy_toolkit built
    local z=$BATS_TEST_TMPDIR/z
    refused() { # WORDS
        run -2 run_scripts/package.sh import "$z/x.zip" hostile --by-hand
        assert_output --partial "$1"
        [ ! -e problems/hostile ] && [ ! -e "$BATS_TEST_TMPDIR/escaped" ]
        rm -rf "$z"
        mkdir -p "$z/x"
    }
    mkdir -p "$z/x"
    echo not a zip > "$z/x.zip"
    refused 'is not a zip, or it is damaged'
    legacy "$z/x"
    ln -s /etc/passwd "$z/x/data/secret/2.in"
    (cd "$z" && zip -qry x.zip x)
    refused 'a link or a special file in it'
    # Names that lead outside: written under a harmless name of the same length, then changed in the file.
    legacy "$z/x"
    mkdir "$z/x/QQ" && echo bad > "$z/x/QQ/QQ_escaped"
    (cd "$z" && zip -qr x.zip x && LC_ALL=C sed -i 's|x/QQ/QQ_escaped|x/../../escaped|g' x.zip)
    refused 'a name that is not allowed'
    legacy "$z/x"
    echo bad > "$z/x/Qetc"
    (cd "$z" && zip -qr x.zip x && LC_ALL=C sed -i 's|x/Qetc|//etc/|g; s|x/Qetc|/tmp/q|g' x.zip)
    refused 'a name that is not allowed'
    legacy "$z/x"
    echo 1 > "$z/x/a;b"
    (cd "$z" && zip -qr x.zip x)
    refused 'a name that is not allowed'
    # Names that unpack as other names.
    legacy "$z/x"
    printf 1 > "$z/x/a"$'\001'"b"
    (cd "$z" && zip -qr x.zip x)
    refused 'a name that is not allowed'
    # A bomb: 24 MB of nothing in 24 kB; and one file that is too large, whatever size the zip gives.
    export UNPACK_BYTES=20000000 UNPACK_FILE_BYTES=8388608
    legacy "$z/x"
    for i in 1 2 3 4 5 6; do truncate -s 4M "$z/x/data/secret/$i.in"; done
    (cd "$z" && zip -qr x.zip x)
    [ "$(stat -c %s "$z/x.zip")" -lt 100000 ]
    refused 'larger than 20000000 bytes'
    legacy "$z/x"
    truncate -s 12M "$z/x/data/secret/2.in"
    (cd "$z" && zip -qr x.zip x)
    refused 'more than 8388608 bytes'
    legacy "$z/x"
    echo 'problem_format_version: 2099-01' >> "$z/x/problem.yaml"
    (cd "$z" && zip -qr x.zip x)
    refused "version '2099-01'"
    rm "$z/x/problem.yaml" 2> /dev/null || true
    echo 1 > "$z/x/readme"
    (cd "$z" && zip -qr x.zip x)
    refused 'has no problem.yaml'
}

# bats test_tags=long
@test "formats: continuous integration gets reports and an exit code, and no word of a secret case" {
    requires box
    local ci=contrib/autograders/github/judge_ci.sh out=$BATS_TEST_TMPDIR/report
    export GITHUB_STEP_SUMMARY=$BATS_TEST_TMPDIR/step.md GITHUB_OUTPUT=$BATS_TEST_TMPDIR/output
    run -1 "$ci" problems/editdistance/submissions/wrong_answer/hamming.c editdistance "$out"
    assert_output --partial 'WA: wrong answer; Cases: 4 of 22 accepted'
    refute_output --partial secret/
    xmllint --noout --schema contrib/autograders/junit.xsd "$out/junit.xml"
    cmp "$out/summary.md" "$GITHUB_STEP_SUMMARY"
    cmp "$out/classroom.json" <(sed -n 's/^result=//p' "$GITHUB_OUTPUT" | base64 -d)
    assert_equal "$(jq -c '[.status, .max_score, (.tests | map(.score) | add | round)]' "$out/classroom.json")" \
        '["fail",100,18]'
    run ! grep -rqE "secret/|05-equal|129228" "$out"
    [ "$(grep -c '^ok ' "$out/results.tap")" = 4 ]
    run -0 "$ci" problems/editdistance/submissions/accepted/baseline.c editdistance "$out" --group sample
    run -2 "$ci" tests/fixtures/none.c editdistance "$out"
    assert_output --partial "there is no submission"
    [ ! -e "$out/junit.xml" ]
    # The workflow is YAML, calls existing files, and gives only the rights that it needs.
    run -0 "$build/kattis" yaml contrib/autograders/github/judge.yml name 'on.*' 'permissions.*' 'env.*' 'jobs.*'
    assert_line $'permissions.contents\tread'
    assert_output --partial 'toolkit/contrib/autograders/github/judge_ci.sh "student/$SUBMISSION" "$PROBLEM" report'
    run -0 jq -r '.tests[] | .name, .run, (.points | tostring)' contrib/autograders/github/autograding.json
    assert_line --index 1 --partial contrib/autograders/github/judge_ci.sh
}
