# Packages of other judges: what package.sh imports, and what it lists instead. See docs/formats/packages.md.
setup_file() {
    load helpers/common
    make -s -C "$root" format-programs >&3 2>&1
    load helpers/copy
    BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR copy_toolkit built
}

setup() {
    load helpers/common
    cd "$BATS_FILE_TMPDIR/copy"
    unset root build host practice BUILD
    package=$BATS_TEST_TMPDIR/x
    mkdir -p "$package"/{data/sample,data/secret,submissions/accepted}
    echo 'print(1)' > "$package/submissions/accepted/a.py"
}

teardown() { rm -rf "$BATS_FILE_TMPDIR/copy/problems/imported"; }

# import: the package as problems/imported; $output has the list.
import() {
    requires box
    rm -rf problems/imported "$BATS_TEST_TMPDIR/x.zip"
    (cd "$BATS_TEST_TMPDIR" && zip -qr x.zip x)
    run -0 run_scripts/package.sh import "$BATS_TEST_TMPDIR/x.zip" imported --by-hand
}

# values PREFIX: the keys with it of the problem.yaml that was written, all of which the format has.
values() {
    build/kattis yaml problems/imported/problem.yaml problem_format_version type 'type.*' \
        'name.*' uuid version 'credits.*' \
        source 'source.*' license rights_owner embargo_until 'limits.*' 'keywords.*' languages 'languages.*' \
        allow_file_writing 'constants.*' > "$BATS_TEST_TMPDIR/values"
    grep -E "^($1)" "$BATS_TEST_TMPDIR/values" | tr '\t' '='
}

# case_in FOLDER NAME: a case of the package.
case_in() { mkdir -p "$package/data/$1" && echo 1 | tee "$package/data/$1/$2.in" > "$package/data/$1/$2.ans"; }

@test "import: imports every key that 2025-09 defines from a package in 2025-09" {
    mkdir "$package/statement"
    echo 'Up to {{max_n}}.' > "$package/statement/problem.en.md"
    case_in secret 1
    cat > "$package/problem.yaml" << 'YAML'
problem_format_version: 2025-09
type: [scoring, multi-pass]
name: {en: "A \"B\" \\ C", de: Zwei}
uuid: 5b45ba7c-d0f8-47c9-ad46-3cd9d8ab2f41
version: "1.10"
credits:
  authors: {name: Ann A, email: ann@a.example}
  contributors: [Bob B <bob@b.example>, {name: Cy C, orcid: 0000-0001-7414-8743}]
  testers: "Dee \\ \"D\" & \\\\"
  translators: {de: Eve E, pt-BR: [Fay F, {name: Gus G, kattis: gus}]}
  writer: Hal H
source:
  - {name: One 2024, url: "https://one.example/?a=b"}
  - Two 2024
license: cc by
embargo_until: 2027-01-31T12:00:00Z
limits:
  time_limit: 1e-1
  time_resolution: 0.5
  memory: 512
  validation_passes: 3
  time_multipliers: {ac_to_time_limit: 1.5, time_limit_to_tle: 0.5}
languages: [cpp, python3]
allow_file_writing: true
validator_flags: odd
constants: {max_n: 100000, eps: -1e-9, word: "a: b"}
YAML
    import
    assert_equal "$(values 'name|version|credits|source|embargo|languages|allow|constants|type')" 'type.0=scoring
type.1=multi-pass
name.en=A "B" \ C
version=1.10
credits.authors.name=Ann A
credits.authors.email=ann@a.example
credits.contributors.0=Bob B <bob@b.example>
credits.contributors.1.name=Cy C
credits.contributors.1.orcid=0000-0001-7414-8743
credits.testers=Dee \ "D" & \\
credits.translators.de=Eve E
credits.translators.pt-BR.0=Fay F
credits.translators.pt-BR.1.name=Gus G
credits.translators.pt-BR.1.kattis=gus
source.0.name=One 2024
source.0.url=https://one.example/?a=b
source.1=Two 2024
embargo_until=2027-01-31T12:00:00Z
languages.0=cpp
languages.1=python3
allow_file_writing=true
constants.max_n=100000
constants.eps=-1e-9
constants.word=a: b'
    assert_equal "$(values limits | sort)" 'limits.memory=512
limits.output=8
limits.time_limit=1e-1
limits.time_multipliers.ac_to_time_limit=1.5
limits.time_resolution=0.5
limits.validation_passes=3'
    # The authors own it.
    refute_output --partial rights_owner
    # Keys that the format does not have, and features that the toolkit does not have.
    for words in "name.de: 'Zwei' is left out" "credits.writer: 'Hal H' is left out" \
        "validator_flags: 'odd' is left out" \
        "limits.time_multipliers.time_limit_to_tle: '0.5' is left out" 'takes cpp python3 alone' \
        'constants: nothing here puts their values in place of {{NAME}}'; do
        assert_output --partial "$words"
    done
    assert_equal "$(grep -c 'is left out' <<< "$output")" 4
    # Impossible values are listed, and not written.
    sed -i 's/^embargo_until: .*/embargo_until: tomorrow/; s/^languages: .*/languages: [klingon]/
        s/^type: .*/type: [scoring, "a: b"]/; s/^  time_limit: .*/  time_limit: 1e999/' "$package/problem.yaml"
    import
    assert_equal "$(values 'languages|type|embargo|limits.time_limit')" 'type=scoring
limits.time_limit=10
languages=all'
    for words in "embargo_until: 'tomorrow'" "languages.0: 'klingon'" "type: 'a: b' is not a type" \
        "limits.validation_passes: '3'" "limits.time_limit: '1e999'"; do
        assert_output --partial "problem.yaml: $words"
    done
}

@test "import: imports names, authors and limits of a legacy package, and lists keys that changed their meaning" {
    mkdir "$package/problem_statement" "$package/graders"
    printf '%s\n' '\problemname{$x^2$ \emph{problem}}' '%% plainproblemname: x^2 problem' 'Text' \
        > "$package/problem_statement/problem.en.tex"
    echo '\problemname{Das \emph{sch\"one} $x$}' > "$package/problem_statement/problem.de.tex"
    echo 1 > "$package/read me"
    case_in secret 1
    printf '%s\n' 'author: Ann A and Bob B, Cy Sandor' 'license: cc by' 'validation: custom score multi-pass' \
        'limits:' '  time_multiplier: 3' '  time_safety_margin: 1.5' '  validation_passes: 4' 'libraries: gmp' \
        'grading:' '  objective: min' '  show_test_data_groups: true' 'source_url: https://a.example' \
        'source:' 'rights_owner: ""' \
        > "$package/problem.yaml"
    import
    assert_equal "$(values 'type|name|credits|limits.(time_m|val)')" 'type.0=scoring
type.1=multi-pass
name.de=Das sch"one x
name.en=x^2 problem
credits.authors.0=Ann A
credits.authors.1=Bob B
credits.authors.2=Cy Sandor
limits.validation_passes=4
limits.time_multipliers.ac_to_time_limit=3
limits.time_multipliers.time_limit_to_tle=1.5'
    for words in 'grading.objective: min: here the least score was the best' "libraries: 'gmp' is left out" \
        "grading.show_test_data_groups: 'true' is left out" "source_url: 'https://a.example' is left out" \
        'graders: it is left out' "x/read me' is left out: the format ignores"; do
        assert_output --partial "$words"
    done
    refute_output --partial rights_owner
    refute_output --partial "''"
    assert_equal "$(values 'source|credits.authors.3')" ''
}

@test "import: flags of graders, maps of flags, bounds and annotations of legacy cases" {
    mkdir "$package/problem_statement"
    echo 'Text' > "$package/problem_statement/problem.en.tex"
    for name in 1 2; do case_in secret/a $name; case_in secret/b $name; done
    case_in sample 1
    printf 'Try "0"\nand \\1.\n' > "$package/data/secret/a/1.hint"
    echo 'the least: 1' | tee "$package/data/secret/a/1.desc" > "$package/data/secret/a/9.desc"
    echo 'grader_flags: ignore_sample' > "$package/data/testdata.yaml"
    printf '%s\n' 'grader_flags: first_error accept_if_any_accepted' 'input_validator_flags: {name: v, flags: n=5 m}' \
        'output_validator_flags: {name: o, flags: case_sensitive}' > "$package/data/secret/a/testdata.yaml"
    printf '%s\n' 'grader_flags: always_accept odd' 'grading: custom' > "$package/data/secret/b/testdata.yaml"
    echo 'name: Flags' > "$package/problem.yaml"
    import
    # A pass-fail problem has flags too.
    for words in "imported/data/testdata.yaml: grader_flags: 'ignore_sample' is left out" \
        "secret/a/testdata.yaml: grader_flags: 'first_error accept_if_any_accepted' is left out" \
        "secret/b/testdata.yaml: grader_flags: 'always_accept odd' is left out" \
        "secret/b/testdata.yaml: grading: 'custom' is left out" 'secret/a/9.desc: it belongs to no case'; do
        assert_output --partial "$words"
    done
    assert_equal "$(cat problems/imported/imported/data/secret/a/test_group.yaml)" 'output_validator_args:
  - "case_sensitive"
input_validator_args:
  "v":
    - "n=5"
    - "m"'
    run -0 build/kattis yaml problems/imported/imported/data/secret/a/1.yaml hint description
    assert_output $'description\tthe least: 1\nhint\tTry "0" and \\1.'
    [ ! -e problems/imported/imported/data/secret/a/1.hint ]
    # A scoring one has bounds.
    echo 'type: scoring' >> "$package/problem.yaml"
    printf '%s\n' 'grader_flags: min sum' 'range: 0 12.5' > "$package/data/secret/a/testdata.yaml"
    printf '%s\n' 'grader_flags: max min' 'range: -5 +10' 'accept_score: 2.5' > "$package/data/secret/b/testdata.yaml"
    import
    assert_output --partial "imported/data/secret/a: range: '0 12.5': scores are from 0 up to a whole number"
    assert_output --partial "imported/data/secret/b: range: '-5 +10': scores are from 0 up to a whole number"
    # What the groups have of the file above them is listed too.
    assert_output --partial "imported/data/secret: grader_flags: 'ignore_sample' is left out"
    refute_output --partial "'max' is no"
    assert_equal "$(cat problems/imported/imported/data/secret/[ab]/test_group.yaml)" 'score_aggregation: sum
max_score: 2
score_aggregation: min
max_score: 10'
}

# damage FILE: cuts it off, changes a byte, or repeats its start, as RANDOM says.
damage() {
    local size
    size=$(stat -c %s "$1")
    case $((RANDOM % 3)) in
    0) truncate -s $((RANDOM % size)) "$1" ;;
    1) printf "\\x$(printf %x $((RANDOM % 256)))" | dd of="$1" bs=1 seek=$((RANDOM % size)) conv=notrunc status=none ;;
    2) head -c $((RANDOM % size)) "$1" > "$1.more" && cat "$1.more" >> "$1" && rm "$1.more" ;;
    esac
}

@test "import: damaged packages are checked and imported, or refused; nothing crashes or is left behind" {
    requires box
    local file files round
    mkdir "$package/statement"
    printf '%s\n' '\problemname{A $x$}' > "$package/statement/problem.en.tex"
    case_in sample 1
    case_in secret/a 1
    printf '%s\n' 'input_validator_args: [x]' 'hint: "a"' > "$package/data/sample/1.yaml"
    printf '%s\n' 'max_score: 10' 'output_validator_args:' '  v: [a, b]' > "$package/data/secret/a/test_group.yaml"
    printf '%s\n' 'on_reject: break' 'grader_flags: sum' 'range: 0 10' > "$package/data/secret/testdata.yaml"
    printf '%s\n' 'problem_format_version: legacy' 'type: scoring' 'name: {en: A}' 'author: Ann A and Bob B' \
        'limits: {time_limit: 2}' 'keywords: a b' 'languages: [c]' > "$package/problem.yaml"
    cp -R "$package" "$BATS_TEST_TMPDIR/whole"
    mkdir "$BATS_TEST_TMPDIR/tmp"
    export TMPDIR=$BATS_TEST_TMPDIR/tmp
    RANDOM=${DAMAGE_SEED:-7}
    for ((round = 0; round < ${DAMAGES:-12}; round++)); do
        rm -rf "$package" "$BATS_TEST_TMPDIR/x.zip" problems/imported
        cp -R "$BATS_TEST_TMPDIR/whole" "$package"
        mapfile -t files < <(find "$package" -name '*.yaml' -o -name '*.tex' | sort)
        # Every fourth time the zip itself, else one of its files.
        [ $((round % 4)) -eq 3 ] || damage "${files[RANDOM % ${#files[@]}]}"
        (cd "$BATS_TEST_TMPDIR" && zip -qr x.zip x)
        [ $((round % 4)) -ne 3 ] || damage "$BATS_TEST_TMPDIR/x.zip"
        run build/kattis check "$BATS_TEST_TMPDIR/x.zip"
        [[ $status =~ ^[12]$ ]] || fail "round $round: check ends with $status: $output"
        run build/kattis import "$BATS_TEST_TMPDIR/x.zip" imported
        [[ $status =~ ^[02]$ ]] || fail "round $round: import ends with $status: $output"
        [ "$status" -eq 0 ] || [ ! -e problems/imported ]
        [ -z "$(ls "$TMPDIR")" ] || fail "round $round: it leaves $(ls "$TMPDIR")"
    done
}
