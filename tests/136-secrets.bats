#!/usr/bin/env bats
# What a judging reveals: with a seal, and for secret cases of a contest, only the organiser gets values of inputs
# and answers.

setup_file() {
    load helpers/common
    cd "$root"
    export folder=$BATS_FILE_TMPDIR
    export seal=$folder/seal/seal-secret.json key=$folder/key/key-secret.json public=$folder/key/key-public.json
    "$build/seal" make "$folder/seal" --name Secrets > "$folder/seal.out"
    "$build/seal" key "$folder/key" > "$folder/key.out"
    # Loses on purpose and leaks all it can: it prints the strings, and answers with a number made from them.
    cat > "$folder/tells.c" << 'END'
#include <stdio.h>
#include <stdlib.h>
#include "device_user.h"
unsigned int device_user(char *a, int la, char *b, int lb)
{
    unsigned int sum = 777000000;
    for (int i = 0; i < la; i++)
        sum += (unsigned char)a[i] * 31u;
    (void)lb;
    printf("%u %.32s %.32s\n", sum, a, b);
    fprintf(stderr, "%u\n", sum);
    fflush(stdout);
#ifdef EXITS
    _Exit((unsigned char)a[0] & 127);
#endif
    return sum;
}
END
    sed 's/#ifdef EXITS/#if 1/' "$folder/tells.c" > "$folder/exits.c"
    export tells exits so
    tells=$(submission "$folder/tells.c")
    exits=$(submission "$folder/exits.c")
    so=$(submission problems/editdistance/submissions/accepted/bitparallel.c)
}

setup() {
    load helpers/common
    cd "$root"
    sealed=("$build/main_host" editdistance --seal "$seal" --judgement 4)
    whole=$BATS_TEST_TMPDIR/whole public_form=$BATS_TEST_TMPDIR/public
}

# paths FILE: of every value in a JSON file that is not null, with [] for any element.
paths() {
    jq -r 'paths(type != "null" and type != "object" and type != "array") |
        map(if type == "number" then "[]" else "." + . end) | join("") | .[1:]' "$1" | sort -u
}

# secrets_of RECORD: every value of the organiser's record that the public form must not have, one per line. Short ones
# may occur there by chance.
secrets_of() {
    jq -r '.cases[] | .answer, .output, .printed_bytes, .memory_peak, .floor_seconds, .start_seconds, .end_seconds,
        (.message | scan("[0-9]{2,}")), (if .verdict == "AC" then empty else .samples[], .seconds.median end),
        (.parts[] | .release, .map, .call, .done) | select(. != null) | tostring | select(length > 2)' "$1" | sort -u
}

# not_in SECRETS FILE...: no file contains a line of SECRETS.
not_in() {
    local word
    [ -s "$1" ] || fail 'nothing to look for' || return
    while IFS= read -r word; do
        # Not as a part of a longer number or word, such as a digest.
        ! grep -qE "(^|[^0-9A-Za-z.])$(sed 's/[][\.*^$+?(){}|]/\\&/g' <<< "$word")([^0-9A-Za-z]|$)" "${@:2}" ||
            fail "'$word' stands in $(grep -lF -- "$word" "${@:2}")" || return
    done < "$1"
}

@test "secrets: every field of a result is listed as public or secret in one table" {
    sed -n 's/^    { "\([^"]*\)", FIELD_.*/\1/p' verify/result/disclosure.c > "$BATS_TEST_TMPDIR/table"
    [ "$(wc -l < "$BATS_TEST_TMPDIR/table")" -gt 80 ]
    assert_equal "$(sort "$BATS_TEST_TMPDIR/table" | uniq -d)" ''
    local submission
    for submission in "$so" "$tells"; do
        "${sealed[@]}" --submission "$submission" --group sample --ranked --repeat 7 --key "$key" --show-secret \
            --json "$whole" > "$BATS_TEST_TMPDIR/out" 2>&1 || test $? = 1
        paths "$whole" | grep -v '^signature\.' > "$BATS_TEST_TMPDIR/paths"
        [ "$(wc -l < "$BATS_TEST_TMPDIR/paths")" -gt 40 ]
        assert_equal "$(sort -u "$BATS_TEST_TMPDIR/table" | comm -13 - "$BATS_TEST_TMPDIR/paths")" ''
    done
}

@test "secrets: with a seal the host prints and writes no value; the organiser's record has them all" {
    local submission
    for submission in "$tells" "$exits"; do
        run -1 "${sealed[@]}" --submission "$submission" --group secret --keep-going --repeat 2 --json "$public_form"
        printf '%s\n' "$output" > "$BATS_TEST_TMPDIR/out"
        run -1 "${sealed[@]}" --submission "$submission" --group secret --keep-going --repeat 2 --show-secret \
            --json "$whole" --public-json "$public_form.2"
        printf '%s\n' "$output" > "$BATS_TEST_TMPDIR/told"
        secrets_of "$whole" > "$BATS_TEST_TMPDIR/secrets"
        grep -Eo '777[0-9]{6}' "$BATS_TEST_TMPDIR/told" >> "$BATS_TEST_TMPDIR/secrets"
        [ "$(wc -l < "$BATS_TEST_TMPDIR/secrets")" -gt 40 ]
        not_in "$BATS_TEST_TMPDIR/secrets" "$public_form" "$public_form.2" "$BATS_TEST_TMPDIR/out"
        # Two judgings with the same number show no difference by the submission; both forms have the same keys.
        assert_equal "$(jq -S 'del(.date, .check_seed)' "$public_form")" \
            "$(jq -S 'del(.date, .check_seed)' "$public_form.2")"
        assert_equal "$(json .withheld "$public_form")" true
        assert_equal "$(json .withheld "$whole")" null
        assert_equal "$(json '.cases[0] | keys | tostring' "$whole")" \
            "$(json '.cases[0] | keys | tostring' "$public_form")"
    done
    assert_equal "$(json .message "$public_form")" \
        'the process ended before device_user() had returned in case secret/01-tiny, call 1'
    # Control: the search finds the secrets where they are.
    run not_in "$BATS_TEST_TMPDIR/secrets" "$whole"
    assert_failure
    run not_in "$BATS_TEST_TMPDIR/secrets" "$BATS_TEST_TMPDIR/told"
    assert_failure
}

@test "secrets: times of accepted submissions are public, and no text of the submission's process is" {
    run -0 "${sealed[@]}" --submission "$so" --group sample --repeat 7 --show-secret --json "$whole" \
        --public-json "$public_form"
    assert_equal "$(json '[.cases[].samples | length] | unique | tostring' "$public_form")" '[7]'
    assert_equal "$(json '.cases[0].seconds' "$public_form")" "$(json '.cases[0].seconds' "$whole")"
    assert_equal "$(json '[.cases[].parts[] | .release, .map, .call, .done] | unique | tostring' "$public_form")" \
        '[null]'
    assert_equal "$(json '[.cases[] | .answer, .output, .floor_seconds, .memory_peak, .printed_bytes, .start_seconds,
        .end_seconds, .explain] | unique | tostring' "$public_form")" '[null]'
    # A rejected submission shows not even times and their number.
    run -1 "${sealed[@]}" --submission "$tells" --group sample --repeat 7 --public-json "$public_form"
    assert_equal "$(json '[.cases[] | .answer, .output, .printed_bytes, .seconds, .interval,
        (.samples, .parts | .[0])] | unique | tostring' "$public_form")" '[null]'
    run -0 "${sealed[@]}" --submission "$so" --group sample --repeat 7 --show-secret --json "$whole" \
        --public-json "$public_form"
    secrets_of "$whole" > "$BATS_TEST_TMPDIR/secrets"
    not_in "$BATS_TEST_TMPDIR/secrets" "$public_form"
}

@test "secrets: without a seal the host shows values; the public form withholds those of secret cases alone" {
    run -1 "$build/main_host" editdistance --submission "$tells" --group all --keep-going --json "$whole" \
        --public-json "$public_form"
    assert_output --partial 'where '
    assert_output --partial '[CPU] : '
    jq '.cases |= map(select(.name | startswith("sample/") | not))' "$whole" > "$BATS_TEST_TMPDIR/secret.json"
    secrets_of "$BATS_TEST_TMPDIR/secret.json" > "$BATS_TEST_TMPDIR/secrets"
    not_in "$BATS_TEST_TMPDIR/secrets" <(jq '.cases |= map(select(.name | startswith("sample/") | not))' "$public_form")
    # A sample, which everybody has, is shown in full.
    assert_equal "$(jq -S '.cases[0]' "$public_form")" "$(jq -S '.cases[0]' "$whole")"
    assert_equal "$(json '.cases[0].output | length > 5' "$public_form")" true
    # Samples alone: nothing is withheld.
    run -1 "$build/main_host" editdistance --submission "$tells" --json "$whole" --public-json "$public_form"
    cmp "$whole" "$public_form"
}

@test "secrets: both forms are signed records; the public one is judged again once the seal is revealed" {
    run -0 "${sealed[@]}" --submission "$so" --group sample --repeat 2 --key "$key" --show-secret --json "$whole" \
        --public-json "$public_form"
    mkdir "$BATS_TEST_TMPDIR/open"
    cp -p "$seal" "$BATS_TEST_TMPDIR/open/"
    "$build/seal" reveal "$BATS_TEST_TMPDIR/open" > /dev/null
    local form
    for form in "$whole" "$public_form"; do
        run -0 run_scripts/verify_record.sh "$form" --key "$public" --submission "$so" \
            --seal "$BATS_TEST_TMPDIR/open/seal-revealed.json" --rerun
        assert_line --regexp '^rerun +ok +AC again'
    done
    # A word added to the public form, or one put back, breaks its signature.
    jq --slurpfile whole "$whole" '.cases[0].answer = $whole[0].cases[0].answer' "$public_form" \
        > "$BATS_TEST_TMPDIR/put"
    run -1 run_scripts/verify_record.sh "$BATS_TEST_TMPDIR/put" --key "$public"
    assert_line --regexp '^signature +FAILED'
    run -2 "${sealed[@]}" --submission "$so" --json "$whole" --public-json "$whole"
    assert_output --partial 'name the same file'
}
