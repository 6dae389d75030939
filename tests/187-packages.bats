# Packages for other judges: what package.sh export writes and package.sh check finds. See docs/formats/packages.md.
setup_file() {
    load helpers/common
    make -s -C "$root" format-programs >&3 2>&1
}

setup() {
    load helpers/common
    cd "$root"
}

# bats test_tags=long
@test "packages: every problem can be packed; a file that needs an omitted case is omitted too" {
    for problem in attention cointsp diffevo editdistance matmul mergesort scan softmax; do
        run -0 run_scripts/package.sh export $problem
        assert_output --partial "/packages/$problem.zip: "
        case $problem in
        mergesort)
            assert_line --partial 'left out: submission run_time_error/stack.c, for no case that it fails in is there: '
            assert_line --partial 'left out: submission time_limit_exceeded/insertion_sort.c, for no case'
            refute_line --partial null_payloads.c
            ;;
        scan)
            assert_line --partial 'left out: submission time_limit_exceeded/every_sum.c, for no case that it fails in is there: '
            assert_line --partial 'left out: submission wrong_answer/float_sum.c, for no case'
            refute_line --partial narrow_sums.c
            ;;
        attention) assert_line --partial 'left out: submission wrong_answer/scores_of_2048.c, for no case that' ;;
        diffevo) assert_line --partial 'left out: submission wrong_answer/one_grid.c, for no case that' ;;
        matmul) assert_line --partial 'left out: submission time_limit_exceeded/every_order.c, for no case that' ;;
        softmax) assert_line --partial 'left out: submission time_limit_exceeded/sum_again.c, for no case that' ;;
        *) refute_output --partial 'for no case' ;;
        esac
    done
    # With a smaller limit fewer are there.
    run -0 run_scripts/package.sh export editdistance --limit 5000
    assert_line "left out: submission wrong_answer/fixed_array.c, for no case that it fails in is there: $(
        )secret/06-disjoint secret/08-single secret/03-random"
    refute_line --partial hamming.c
}

# bats test_tags=long
@test "packages: jury submissions in a package get the verdict of their folder" {
    requires box
    run_scripts/package.sh export mergesort > /dev/null
    run -0 run_scripts/package.sh check "$build/packages/mergesort.zip" --submissions
    assert_line "check-package: mergesort is a package of the format 2025-09"
}

# fails_in FILE: the cases that a jury submission fails in, `fails in: secret/a, secret/b` in its comment, one per line.
fails_in() { sed -n 's/^[ /*]*fails in: \([^*]*[^* ]\) *\(\*\/\)\?$/\1/p' "$1" | sed 's/, */\n/g'; }

@test "packages: the cases that jury submissions name exist" {
    load helpers/copy
    local file name
    for file in {problems/*,contrib/skeleton}/submissions/*/*.c*; do
        [ -f "$file" ] || continue
        while IFS= read -r name; do
            [ -f "${file%%/submissions/*}/data/$name.in" ] || fail "$file: fails in: $name"
        done < <(fails_in "$file")
    done
    copy_toolkit built
    sed -i 's|fails in: secret/keys/02-one|fails in: secret/keys/02-none|' \
        problems/mergesort/submissions/run_time_error/null_payloads.c
    run -2 run_scripts/package.sh export mergesort
    assert_output --partial "null_payloads.c: 'fails in: secret/keys/02-none': there is no such case"
}

# small FOLDER: a package that keeps all rules, with a validator that takes everything.
small() {
    mkdir -p "$1"/{data/sample,data/secret,statement,submissions/accepted,input_validators}
    printf '%s\n' 'problem_format_version: 2025-09' 'type: pass-fail' 'name: {en: Small}' \
        'uuid: 5b45ba7c-d0f8-47c9-ad46-3cd9d8ab2f41' 'credits: {authors: {name: Ann A, email: a@a.example}}' \
        'license: cc by' 'limits:' '  time_limit: 1e1' > "$1/problem.yaml"
    echo 'Text' > "$1/statement/problem.en.md"
    for name in sample/1 secret/1; do echo 1 | tee "$1/data/$name.in" > "$1/data/$name.ans"; done
    echo 'int main(int n, char **a) { return n == 3 && a[2][0] == 120 ? 42 : 43; }' > "$1/input_validators/v.c"
    printf '%s\n' 'input_validator_args:' '  v: [n=1, x]' | tee "$1/data/sample/test_group.yaml" \
        > "$1/data/secret/test_group.yaml"
    echo 'int main(void) { return 0; }' > "$1/submissions/accepted/baseline.c"
}

# checked_package CODE: the package in $p, zipped and checked.
checked_package() {
    rm -f "$BATS_TEST_TMPDIR/small.zip"
    (cd "$BATS_TEST_TMPDIR" && zip -qr small.zip small)
    run run_scripts/package.sh check "$BATS_TEST_TMPDIR/small.zip"
    [ "$status" -eq "$1" ] || fail "exit code $status: $output"
}

@test "packages: a program that is a link changes no file outside, and no program fills the box" {
    requires box
    p=$BATS_TEST_TMPDIR/small
    small "$p"
    echo secret > "$BATS_TEST_TMPDIR/secret.json"
    chmod 600 "$BATS_TEST_TMPDIR/secret.json"
    rm "$p/input_validators/v.c"
    mkdir "$p/input_validators/v"
    echo "for place in / /dev /dev/shm; do ! touch \$place/other 2> /dev/null || echo error: wrote to \$place >&2; done
ln -s '$BATS_TEST_TMPDIR/secret.json' run" > "$p/input_validators/v/build"
    checked_package 1
    assert_line --partial 'FAILED input_validators/v does not build'
    refute_output --partial wrote
    assert_equal "$(stat -c %a "$BATS_TEST_TMPDIR/secret.json")" 600
}

@test "packages: a validator without an end is run once, whatever the number of cases" {
    requires box
    p=$BATS_TEST_TMPDIR/small
    small "$p"
    for i in {2..30}; do echo 1 | tee "$p/data/secret/$i.in" > "$p/data/secret/$i.ans"; done
    echo 'int main(void) { for (;;) ; }' > "$p/input_validators/v.c"
    export PACKAGE_SECONDS=10
    checked_package 1
    assert_line 'FAILED a program of the package ran for more than 10 s: no other one is run'
    assert_equal "$(grep -c 'an input validator rejects it' <<< "$output")" 1
}

@test "packages: accepts all that the format allows: exponents, maps of persons and arguments, ignored names" {
    requires box
    p=$BATS_TEST_TMPDIR/small
    small "$p"
    echo 1 > "$p/data/secret/a b.in"
    mkdir "$p/-x" "$p/data/secret/1.files"
    echo 1 | tee "$p/-x/y" > "$p/data/secret/1.files/other.in"
    echo a > "$p/data/sample/1.ans"
    echo A | tee "$p/data/sample/1.out" > "$p/data/secret/1.svg"
    printf '%s\n' 'source: [{name: One, url: "https://a.example"}, Two]' 'embargo_until: 2027-02-28T23:59:59Z' \
        'languages: [c, cpp, python3]' 'constants: {max_n: 5}' >> "$p/problem.yaml"
    checked_package 0
    assert_line "ignored, as the format demands for such a name: 'small/data/secret/a b.in'"
    assert_line "ignored, as the format demands for such a name: 'small/-x/y'"
    assert_line 'check-package: small is a package of the format 2025-09'
    # The answer of a sample must be right.
    echo B > "$p/data/sample/1.out"
    checked_package 1
    assert_line --partial "data/sample/1.out is not accepted"
}

@test "packages: finds what the format forbids: values, types, files of a case, programs with equal names" {
    requires box
    p=$BATS_TEST_TMPDIR/small
    small "$p"
    sed -i 's/^type: .*/type: [pass-fail, scoring]/; s/^credits: .*/credits: {writer: B, testers: {email: b@b.example}}/
        s/^  time_limit: .*/  time_limit: 0e5/' "$p/problem.yaml"
    printf '%s\n' '  validation_passes: 3' '  time_multipliers: {ac_to_time_limit: 0.5}' '  memory: 1e3' \
        'embargo_until: tomorrow' 'languages: [klingon, all]' 'allow_file_writing: maybe' >> "$p/problem.yaml"
    echo 1 | tee "$p"/data/secret/1.{png,svg,out,ans.statement,ans.download} > "$p/data/sample/1.in.statement"
    echo 1 > "$p/data/secret/1.x.statement"
    echo 1 | tee "$p"/data/sample/1.{interaction,out} > /dev/null
    mkdir "$p/submissions/accepted/baseline"
    cp "$p/submissions/accepted/baseline.c" "$p/submissions/accepted/baseline/main.c"
    checked_package 1
    for words in 'type: pass-fail and scoring cannot be' 'the format has no credits.writer' \
        'credits.testers.email has no name' 'limits.time_limit is not a number above 0' \
        'limits.validation_passes is for multi-pass' 'ac_to_time_limit is not a number from 1 on' \
        'limits.memory is not a whole number above 0' "embargo_until: 'tomorrow' must be" "has no 'klingon'" \
        "has no 'all'" "allow_file_writing: 'maybe'" 'rights_owner is missing' \
        'data/secret/1 has several illustrations: data/secret/1.png data/secret/1.svg' \
        'data/secret/1.out and data/secret/1.ans.statement' 'data/sample/1.in.statement is without' \
        'the format has no data/secret/1.x.statement' 'data/sample/1.interaction and data/sample/1.out' \
        'submissions/accepted/baseline.c and submissions/accepted/baseline/ have the same name'; do
        assert_output --partial "$words"
    done
    assert_line 'check-package: small: 19 checks failed'
    for types in 'scoring, scoring' 'multi-pass, submit-answer' 'submit-answer, interactive'; do
        sed -i "s/^type: .*/type: [$types]/" "$p/problem.yaml"
        checked_package 1
        assert_output --partial 'cannot be'
    done
}

@test "packages: programs of a package cannot change the package that is checked" {
    requires box
    p=$BATS_TEST_TMPDIR/small
    small "$p"
    rm "$p/input_validators/v.c"
    mkdir "$p/input_validators/v"
    printf '%s\n' '#!/bin/sh' 'for f in $(find ../.. -name "*.out"); do cp "$f" "${f%.out}.ans"; done' 'exit 42' \
        > "$p/input_validators/v/run"
    chmod +x "$p/input_validators/v/run"
    echo 2 > "$p/data/sample/1.out"
    checked_package 1
    assert_line --partial 'data/sample/1.out is not accepted'
    assert_line 'check-package: small: 1 checks failed'
}
