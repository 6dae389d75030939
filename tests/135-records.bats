#!/usr/bin/env bats
# Secret seeds and signed records: what stays secret, what a record proves, and which changes it reveals.

setup_file() {
    load helpers/common
    cd "$root"
    export so source=problems/editdistance/submissions/accepted/bitparallel.c
    so=$(submission $source)
    export folder=$BATS_FILE_TMPDIR
    export secret=$folder/seal/seal-secret.json published=$folder/seal/seal-published.json
    export revealed=$folder/open/seal-revealed.json
    export key=$folder/key/key-secret.json public=$folder/key/key-public.json
    make -s seal SEAL="$folder/seal" NAME='Spring 2027' > "$folder/seal.out"
    make -s key KEY="$folder/key" > "$folder/key.out"
    # The seal revealed, in another folder: the tests of secrecy look at the first.
    mkdir "$folder/open"
    cp -p "$secret" "$folder/open/"
    "$build/seal" reveal "$folder/open" > "$folder/reveal.out"
    export record=$folder/record.json
    "$build/main_host" editdistance --submission "$so" --source $source --repeat 3 --seal "$secret" --judgement 7 \
        --key "$key" --json "$record" > "$folder/judge.out" 2> "$folder/judge.err"
}

setup() {
    load helpers/common
    cd "$root"
    v=run_scripts/verify_record.sh
}

# The recipes of docs/formats/records.md, by openssl, in hexadecimal digits.
hmac() { openssl dgst -sha256 -mac HMAC -macopt "hexkey:$1" | sed 's/.* //'; }
# judgement_key PROBLEM LEAGUE JUDGEMENT
judgement_key() { printf 'gpu-contest-seed-2\n%s\n%s\n%s\n' "$1" "$2" "$3" | hmac "$(jq -r .secret "$secret")"; }
# derived KEY CASE CALL: the seed.
derived() { printf 'gpu-contest-call-2\n%s\n%s\n' "$2" "$3" | hmac "$1" | cut -c 1-16; }
# mark KEY SHA256
mark() { printf 'gpu-contest-input-2\n%s\n' "$2" | hmac "$1"; }

# marks_of KEY PROBLEM SO CASE CALL [OPTION...]: what a sealed record must say of that call's input, made by --seed.
marks_of() {
    "$build/main_host" "$2" --submission "$3" --case "$4" --seed "$(printf %u "0x$(derived "$1" "$4" "$5")")" \
        "${@:6}" --key "$key" --json "$BATS_TEST_TMPDIR/call.json" > /dev/null
    mark "$1" "$(jq -r '.cases[0].inputs[0]' "$BATS_TEST_TMPDIR/call.json")"
}

# resign FILE: signs it again with the contest's own key, by openssl, as only the organiser can.
resign() {
    "$build/verify_record" --message "$1" > "$1.message"
    { printf 302e020100300506032b657004220420; jq -r .secret "$key"; } | tr -d '\n' | unhex > "$1.der"
    openssl pkey -inform DER -in "$1.der" -out "$1.pem"
    openssl pkeyutl -sign -inkey "$1.pem" -rawin -in "$1.message" -out "$1.sig"
    jq --arg value "$(od -An -v -tx1 "$1.sig" | tr -d ' \n')" '.signature.value = $value' "$1" > "$1.new"
    mv "$1.new" "$1"
}
unhex() { printf '%b' "$(sed 's/../\\x&/g')"; }

# changed FILTER: the record with a change, in $changed.
changed() {
    changed=$BATS_TEST_TMPDIR/changed.json
    jq "$1" "$record" > "$changed"
    ! cmp -s <(jq -S . "$record") <(jq -S . "$changed") || fail "'$1' changes nothing"
}

@test "records: make seal and make key write a secret that only its owner can read, and print no secret" {
    assert_equal "$(stat -c %a "$secret" "$published" "$key" "$public" | tr '\n' ' ')" '600 644 600 644 '
    assert_equal "$(jq -r .name "$published")" 'Spring 2027'
    assert_equal "$(jq -r '.secret | length' "$secret")" 64
    assert_equal "$(jq -c keys "$published")" '["commitment","format","kind","name"]'
    assert_equal "$(jq -c keys "$public")" '["algorithm","format","kind","public_key"]'
    run -0 cat "$folder/seal.out" "$folder/key.out" "$published" "$public"
    assert_output --partial "$(jq -r .commitment "$secret")"
    assert_output --partial "$(jq -r .public_key "$key")"
    refute_output --partial "$(jq -r .secret "$secret")"
    refute_output --partial "$(jq -r .secret "$key")"
    run -0 cat "$folder/reveal.out"
    assert_output --partial "secret $(jq -r .secret "$secret")"
    # Another seal is another secret.
    "$build/seal" make "$BATS_TEST_TMPDIR/other"
    assert [ "$(jq -r .secret "$BATS_TEST_TMPDIR/other/seal-secret.json")" != "$(jq -r .secret "$secret")" ]
}

@test "records: no seal, key or revealed file is ever replaced" {
    sums=$(sha256sum "$secret" "$published" "$key" "$public" "$revealed")
    run -2 "$build/seal" make "$folder/seal"
    assert_output --partial 'exists and is not replaced'
    run -2 make seal SEAL="$folder/seal"
    run -2 "$build/seal" key "$folder/key"
    assert_output --partial 'exists and is not replaced'
    run -2 "$build/seal" reveal "$folder/open"
    assert_output --partial 'exists and is not replaced'
    assert_equal "$(sha256sum "$secret" "$published" "$key" "$public" "$revealed")" "$sums"
    # If one half exists, no new file is written beside it.
    mkdir "$BATS_TEST_TMPDIR/half"
    cp "$published" "$BATS_TEST_TMPDIR/half/"
    run -2 "$build/seal" make "$BATS_TEST_TMPDIR/half"
    assert_equal "$(ls "$BATS_TEST_TMPDIR/half")" seal-published.json
}

@test "records: sha256sum and openssl compute the same commitment and seeds from the secret" {
    assert_equal "$(jq -r .commitment "$published")" \
        "$(printf 'gpu-contest-seal-1\nSpring 2027\n%s\n' "$(jq -r .secret "$secret")" | sha256sum | cut -d ' ' -f 1)"
    # Every call's input is the one that --seed makes of the seed by openssl, and its mark the one by openssl.
    local judgement case calls name names call number expected all=$BATS_TEST_TMPDIR/all
    judgement=$(judgement_key editdistance '' 7)
    names=$(jq -r '.cases[].name' "$record")
    [ "$(wc -l <<< "$names")" -ge 3 ]
    number=0
    for name in $names; do
        for call in 1 2 3; do
            expected=$(marks_of "$judgement" editdistance "$so" "$name" "$call")
            assert_equal "$(jq -r ".cases[$number].inputs[$((call - 1))]" "$record")" "$expected"
        done
        number=$((number + 1))
    done
    # Another judgement of the same submission shares no input, whatever the case and call: nor do a problem's cases.
    "$build/main_host" editdistance --submission "$so" --repeat 3 --seal "$secret" --judgement 8 --key "$key" \
        --json "$BATS_TEST_TMPDIR/result.json"
    jq -r '.cases[].inputs[]' "$record" "$BATS_TEST_TMPDIR/result.json" > "$all"
    assert_equal "$(sort -u "$all" | wc -l)" "$((2 * 3 * $(wc -l <<< "$names")))"
    # The same number gives the same inputs again, so they can be made before there is a submission.
    other=$(submission problems/editdistance/submissions/accepted/baseline.c)
    "$build/main_host" editdistance --submission "$other" --repeat 3 --seal "$secret" --judgement 7 --key "$key" \
        --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(jq -c '[.cases[].inputs]' "$BATS_TEST_TMPDIR/result.json")" "$(jq -c '[.cases[].inputs]' "$record")"
}

@test "records: every league has its own inputs, and a league's record is judged again in that league" {
    local matmul league
    matmul=$(submission problems/matmul/submissions/accepted/baseline.c matmul)
    for league in fp32 accurate; do
        "$build/main_host" matmul --submission "$matmul" --league $league --seal "$secret" --judgement 3 --key "$key" \
            --json "$BATS_TEST_TMPDIR/$league.json"
        run -0 $v "$BATS_TEST_TMPDIR/$league.json" --key "$public" --submission "$matmul" --seal "$revealed" --rerun
        assert_line --regexp '^rerun +ok +AC again'
        assert_equal "$(json '.cases[0].inputs[0]' "$BATS_TEST_TMPDIR/$league.json")" \
            "$(marks_of "$(judgement_key matmul $league 3)" matmul "$matmul" \
                "$(json '.cases[0].name' "$BATS_TEST_TMPDIR/$league.json")" 1 --league $league)"
    done
    assert [ "$(json '.cases[0].inputs[0]' "$BATS_TEST_TMPDIR/fp32.json")" != \
        "$(json '.cases[0].inputs[0]' "$BATS_TEST_TMPDIR/accurate.json")" ]
}

@test "records: the secret, the seed and the key are not in the output, in a file or in the list of ps" {
    local hex decimal word judgement
    judgement=$(judgement_key editdistance '' 7)
    hex=$(derived "$judgement" sample/1-small 1)
    decimal=$(printf %u "0x$hex")
    cat > "$BATS_TEST_TMPDIR/slow.c" << 'END'
#include <time.h>
#include "device_user.h"
unsigned int device_user(char *a, int la, char *b, int lb)
{
    struct timespec pause = { .tv_sec = 2 };
    (void)a, (void)la, (void)b, (void)lb;
    nanosleep(&pause, 0);
    return 1;
}
END
    slow=$(submission "$BATS_TEST_TMPDIR/slow.c")
    "$build/main_host" editdistance --submission "$slow" --case sample/1-small --seal "$secret" --judgement 7 \
        --key "$key" --json "$BATS_TEST_TMPDIR/slow.json" > "$BATS_TEST_TMPDIR/slow.out" 2>&1 &
    sleep 1
    ps -eww -o args > "$BATS_TEST_TMPDIR/ps"
    tr '\0' '\n' < "/proc/$!/environ" >> "$BATS_TEST_TMPDIR/ps"
    wait $! || test $? = 1
    grep -qF "$secret" "$BATS_TEST_TMPDIR/ps" # the host was there, with the file's name
    for word in "$decimal" "$hex" "$judgement" "$(jq -r .secret "$secret")" "$(jq -r .secret "$key")"; do
        run -1 grep -qiF "$word" "$BATS_TEST_TMPDIR/ps" "$BATS_TEST_TMPDIR/slow.out" "$BATS_TEST_TMPDIR/slow.json" \
            "$record" "$folder/judge.out" "$folder/judge.err"
    done
    assert_equal "$(json .seed "$record")" null
    assert_equal "$(json .seal.commitment "$record")" "$(jq -r .commitment "$published")"
    # Control: the search finds it if it is there.
    "$build/main_host" editdistance --submission "$so" --seed "$decimal" --json "$BATS_TEST_TMPDIR/result.json"
    grep -qF "$decimal" "$BATS_TEST_TMPDIR/result.json"
}

@test "records: a submission cannot read seal and key in the box, and without a box there is no judging" {
    requires box
    cat > "$BATS_TEST_TMPDIR/thief.c" << END
#include <stdio.h>
#include "device_user.h"
static int look(const char *path) /* open(), whose name is refused */
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(2L), "D"(path), "S"(0L), "d"(0L) : "rcx", "r11", "memory");
    return result < 0 ? -1 : (int)result;
}
unsigned int device_user(char *a, int la, char *b, int lb)
{
    (void)a, (void)la, (void)b, (void)lb;
    printf("thief: %d %d\n", look("$secret"), look("$key"));
    fflush(stdout);
    return 0;
}
END
    thief=$(submission "$BATS_TEST_TMPDIR/thief.c")
    arguments=(--submission "$thief" --case sample/1-small --json "$BATS_TEST_TMPDIR/result.json")
    run -1 "$build/main_host" editdistance "${arguments[@]}" --seal "$secret" --judgement 1 --key "$key" --show-secret
    assert_output --partial '  | thief: -1 -1'
    run -1 "$build/main_host" editdistance "${arguments[@]}" --box none
    refute_output --partial 'thief: -1'
    for private in "--seal $secret --judgement 1" "--key $key"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr "$build/main_host" editdistance "${arguments[@]}" --box none $private
        [[ $stderr == *"without a box the submission can read '$(cut -d ' ' -f 2 <<< "$private")'"* ]]
        # shellcheck disable=SC2086
        run -2 run_scripts/judge.sh $source --box none $private
        assert_output --partial 'omit --box none'
    done
    # A revealed value is no secret.
    run -1 "$build/main_host" editdistance "${arguments[@]}" --box none --seal "$revealed" --judgement 1
}

@test "records: a good record passes every check, and openssl agrees" {
    run -0 $v "$record" --key "$public" --submission "$so" --source $source --seal "$published"
    assert_line --regexp "^signature +ok +matches, by the key $(jq -r .public_key "$public")$"
    assert_line --regexp '^key +ok '
    assert_line --regexp "^submission +ok .*$(sha256sum "$so" | cut -d ' ' -f 1)$"
    assert_line --regexp "^seal +ok .*$(jq -r .commitment "$published")$"
    assert_equal "${lines[-1]}" 'GOOD: all checks passed'
    assert_equal "$(json .date "$record" | grep -cE '^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-9:]{8}Z$')" 1
    assert_equal "$(json .toolkit.frozen "$record")" "$(run_scripts/lib/frozen.sh digest editdistance)"
    # Without the contest's key a signature proves little, and the output says so.
    run -0 $v "$record"
    assert_line --regexp '^key +- +not compared'
    assert_equal "${lines[-1]}" "GOOD, if that key is the contest's"

    "$build/verify_record" --message "$record" > "$BATS_TEST_TMPDIR/message"
    { printf 302a300506032b6570032100; jq -r .public_key "$public"; } | tr -d '\n' | unhex > "$BATS_TEST_TMPDIR/key"
    openssl pkey -pubin -inform DER -in "$BATS_TEST_TMPDIR/key" -out "$BATS_TEST_TMPDIR/pem"
    json .signature.value "$record" | unhex > "$BATS_TEST_TMPDIR/sig"
    openssl pkeyutl -verify -pubin -inkey "$BATS_TEST_TMPDIR/pem" -rawin -in "$BATS_TEST_TMPDIR/message" \
        -sigfile "$BATS_TEST_TMPDIR/sig"
    # The same record in another layout is valid too.
    jq -cS . "$record" > "$BATS_TEST_TMPDIR/compact.json"
    run -0 $v "$BATS_TEST_TMPDIR/compact.json" --key "$public"
}

@test "records: the digests are those of sha256sum" {
    local files=$BATS_TEST_TMPDIR/src
    mkdir -p "$files/a"
    cp $source "$files/user.c"
    echo x > "$files/a.h"
    echo y > "$files/a/z.h"
    run -0 "$build/main_host" editdistance --submission "$so" --source "$files/" --case sample/1-small \
        --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json .submission.sha256)" "$(sha256sum "$so" | cut -d ' ' -f 1)"
    assert_equal "$(json .submission.source_sha256)" "$(cd "$files" && find . -type f -printf '%P\n' | LC_ALL=C sort |
        tr '\n' '\0' | xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1)"
    assert_equal "$(json .cases[0].inputs)" null # digests of inputs are for records
    assert_equal "$(json .submission.source_sha256 "$record")" \
        "$(cd "$(dirname $source)" && sha256sum bitparallel.c | sha256sum | cut -d ' ' -f 1)"
    # A signed record needs the source; without a signature a missing source is only a remark.
    run -0 "$build/main_host" editdistance --submission "$so" --source nowhere.c --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json .submission.source_sha256)" null
    run -2 --separate-stderr "$build/main_host" editdistance --submission "$so" --source nowhere.c --key "$key" \
        --json "$BATS_TEST_TMPDIR/result.json"
    [[ $stderr == *"--source: cannot read the source 'nowhere.c'"* ]]
    assert [ ! -e "$BATS_TEST_TMPDIR/result.json" ]
}

@test "records: any change of a record breaks its signature" {
    for change in '.verdict = "WA"' '.cases[0].samples[0] *= 1.0000000000000002' '.submission.sha256 |= ascii_upcase' \
        '.seed = "1"' '.seal.commitment |= .[1:] + .[0:1]' '.cases[0].inputs[1] = .cases[0].inputs[0]' \
        'del(.cases[1])' '.added = 1' '.toolkit.frozen = ""' '.date |= sub("20"; "19")' '.device.name = "H200"' \
        '.asked.group = "all"' '.signature.value |= "00" + .[2:]' '.signature.value = ""' \
        '.signature.algorithm = "none"' 'del(.signature)' '.signature = null' \
        '.signature.public_key |= "00" + .[2:]' '.signature.signed_by = "the jury"' '.signature.verdict = "AC"' \
        '.signature.value |= . + " "' '.signature.value |= ascii_upcase' '.signature.public_key |= ascii_upcase'; do
        changed "$change"
        run -1 $v "$changed" --key "$public"
        assert_line --regexp '^signature +FAILED '
        assert_equal "${lines[-1]}" "NOT GOOD: 1 of these checks failed"
    done
    # A second key of the same name, which others would read instead.
    sed '0,/"verdict": "AC"/s//"verdict": "WA", "verdict": "AC"/' "$record" > "$BATS_TEST_TMPDIR/twice.json"
    run -1 $v "$BATS_TEST_TMPDIR/twice.json" --key "$public"
    assert_line --regexp '^record +FAILED '
}

# bats test_tags=long
@test "records: another notation of a number is the same number, also for judging again" {
    # 2 and 2.0 have the same signature, so the time limit must not depend on the notation.
    local limit
    timeout 60 "$build/main_host" editdistance --submission "$so" --case sample/1-small --time-limit 20 \
        --json "$BATS_TEST_TMPDIR/limited.json" --key "$key" > /dev/null
    grep -q '"time_limit": 20.0' "$BATS_TEST_TMPDIR/limited.json"
    for limit in 20 2e1 20.000; do
        sed "s/\"time_limit\": 20.0/\"time_limit\": $limit/" "$BATS_TEST_TMPDIR/limited.json" \
            > "$BATS_TEST_TMPDIR/same.json"
        run -0 $v "$BATS_TEST_TMPDIR/same.json" --key "$public" --submission "$so" --rerun
        assert_line --regexp '^rerun +ok '
    done
    # Judging again applies the limit: with a limit that no call can meet, the verdict differs.
    sed 's/"time_limit": 20.0/"time_limit": 1e-9/' "$BATS_TEST_TMPDIR/limited.json" > "$BATS_TEST_TMPDIR/short.json"
    run -1 $v "$BATS_TEST_TMPDIR/short.json" --key "$public"
    jq '.asked.time_limit = 1' "$BATS_TEST_TMPDIR/limited.json" |
        sed 's/"time_limit": 1,$/"time_limit": 0.000000001,/' \
        > "$BATS_TEST_TMPDIR/short.json"
    resign "$BATS_TEST_TMPDIR/short.json"
    run -1 $v "$BATS_TEST_TMPDIR/short.json" --key "$public" --submission "$so" --rerun
    assert_line --partial 'judged again'
    assert_line --partial 'it is TLE'
}

@test "records: a truncated file and a file that is no record are reported" {
    local size
    size=$(stat -c %s "$record")
    for keep in 0 1 100 $((size / 2)) $((size - 3)); do
        head -c "$keep" "$record" > "$BATS_TEST_TMPDIR/cut.json"
        run -1 $v "$BATS_TEST_TMPDIR/cut.json" --key "$public"
        assert_line --partial 'is not JSON'
        assert_equal ${#lines[@]} 2
    done
    for text in '{}' '[]' '3' '{"format":1}' '{"format":2,"verdict":"AC","date":"x"}' \
        '{"format":1,"verdict":3,"date":"x"}'; do
        echo "$text" > "$BATS_TEST_TMPDIR/none.json"
        run -1 $v "$BATS_TEST_TMPDIR/none.json" --key "$public"
        assert_line --regexp '^record +FAILED '
    done
    echo '{"format":1,"verdict":"AC","date":"x"}' > "$BATS_TEST_TMPDIR/none.json"
    run -1 $v "$BATS_TEST_TMPDIR/none.json" --key "$public" --inputs
    assert_line --regexp '^signature +FAILED +it is not signed'
    cp "$published" "$BATS_TEST_TMPDIR/none.json"
    run -1 $v "$BATS_TEST_TMPDIR/none.json" --key "$public"
}

@test "records: another key, submission, source or seal is detected" {
    "$build/seal" key "$BATS_TEST_TMPDIR/other"
    "$build/seal" make "$BATS_TEST_TMPDIR/other" --name 'Spring 2027'
    "$build/main_host" editdistance --submission "$so" --source $source --seal "$secret" --judgement 7 \
        --key "$BATS_TEST_TMPDIR/other/key-secret.json" --json "$BATS_TEST_TMPDIR/result.json"
    run -1 $v "$BATS_TEST_TMPDIR/result.json" --key "$public"
    assert_line --regexp '^signature +ok '
    assert_line --regexp '^key +FAILED +the record is signed by another key'
    other=$(submission problems/editdistance/submissions/wrong_answer/hamming.c)
    run -1 $v "$record" --key "$public" --submission "$other"
    assert_line --regexp '^submission +FAILED .* differs'
    run -1 $v "$record" --key "$public" --submission "$other" --seal "$revealed" --rerun
    refute_line --regexp '^rerun'
    run -1 $v "$record" --key "$public" --source problems/editdistance/submissions/wrong_answer/hamming.c
    assert_line --regexp '^source +FAILED .* differs'
    "$build/seal" reveal "$BATS_TEST_TMPDIR/other"
    for seal in "$BATS_TEST_TMPDIR"/other/seal-{published,revealed,secret}.json; do
        run -1 $v "$record" --key "$public" --seal "$seal"
        assert_line --regexp '^seal +FAILED .* differs'
    done
    run -1 "$build/seal" check "$BATS_TEST_TMPDIR/other/seal-revealed.json" "$published"
    assert_output --partial FAILED
    run -0 "$build/seal" check "$revealed" "$published"
    # A changed secret in a revealed file does not match its commitment.
    jq --arg secret "$(jq -r .secret "$BATS_TEST_TMPDIR/other/seal-secret.json")" '.secret = $secret' "$revealed" \
        > "$BATS_TEST_TMPDIR/swapped.json"
    run -2 $v "$record" --key "$public" --seal "$BATS_TEST_TMPDIR/swapped.json"
    assert_output --partial 'does not match the commitment'
    # A record that names a plain seed.
    "$build/main_host" editdistance --submission "$so" --seed 5 --key "$key" --json "$BATS_TEST_TMPDIR/result.json"
    run -1 $v "$BATS_TEST_TMPDIR/result.json" --key "$public" --seal "$published"
    assert_line --regexp "^seal +FAILED +the record's seed did not come from a seal"
}

@test "records: judging again from the revealed seed gives bit-identical inputs and the same verdict" {
    run -0 --separate-stderr $v "$record" --key "$public" --submission "$so" --seal "$revealed" --rerun
    calls=$(json '[.cases[].inputs[]] | length' "$record")
    assert [ "$calls" -ge 6 ]
    assert_line --regexp "^inputs +ok .* all $calls calls are bit-identical$"
    assert_line --regexp "^rerun +ok +AC again, .* all $calls calls were bit-identical$"
    assert_equal "$(grep -v '^main_host: box: ' <<< "$stderr")" ''
    # A correct rejection is confirmed too, and so is a judging with the files' own seed.
    other=$(submission problems/editdistance/submissions/wrong_answer/hamming.c)
    "$build/main_host" editdistance --submission "$other" --repeat 2 --keep-going --time-limit 5.5 --group all \
        --seed 77 --key "$key" --json "$BATS_TEST_TMPDIR/result.json" || test $? = 1
    run -0 $v "$BATS_TEST_TMPDIR/result.json" --key "$public" --submission "$other" --rerun
    assert_line --regexp '^rerun +ok +WA again'
    "$build/main_host" editdistance --submission "$so" --generate 'random 256 128 seed=9' --repeat 2 --seal "$secret" \
        --judgement 2 --key "$key" --json "$BATS_TEST_TMPDIR/result.json"
    run -0 $v "$BATS_TEST_TMPDIR/result.json" --key "$public" --submission "$so" --seal "$revealed" --rerun
    assert_line --regexp '^rerun +ok +AC again, .* all 2 calls were bit-identical$'
    assert_equal "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'verify_record-*' -user "$(id -un)" -mmin -1 | wc -l)" 0
}

@test "records: before the reveal the inputs cannot be made again" {
    for option in --inputs "--rerun --submission $so"; do
        for seal in '' "--seal $published"; do
            # shellcheck disable=SC2086
            run -2 --separate-stderr $v "$record" --key "$public" $option $seal
            [[ $stderr == *'the record is sealed: --inputs and --rerun need --seal with its seal-revealed.json' ]]
        done
    done
    run -2 "$build/main_host" editdistance --submission "$so" --seal "$published" --judgement 1
    assert_output --partial 'contains no secret'
}

@test "records: the inputs or judging again reveal an organiser's false record" {
    "$build/main_host" editdistance --submission "$so" --seed 5 --key "$key" --json "$record.5"
    # Made with seed 5, but claims seed 6.
    jq '.seed = "6"' "$record.5" > "$BATS_TEST_TMPDIR/false.json"
    resign "$BATS_TEST_TMPDIR/false.json"
    run -1 $v "$BATS_TEST_TMPDIR/false.json" --key "$public" --inputs
    assert_line --regexp '^signature +ok '
    assert_line --regexp '^inputs +FAILED +0 of [0-9]+ calls'
    # Made with seed 5, but claims the seal's seed.
    jq --slurpfile record "$record" '.seed = null | .seal = $record[0].seal' "$record.5" \
        > "$BATS_TEST_TMPDIR/false.json"
    resign "$BATS_TEST_TMPDIR/false.json"
    run -1 $v "$BATS_TEST_TMPDIR/false.json" --key "$public" --seal "$revealed" --inputs
    assert_line --regexp '^seal +ok '
    assert_line --regexp '^inputs +FAILED +0 of [0-9]+ calls'
    # One call only.
    jq '.cases[0].inputs[0] |= .[1:] + .[0:1]' "$record.5" > "$BATS_TEST_TMPDIR/false.json"
    resign "$BATS_TEST_TMPDIR/false.json"
    run -1 $v "$BATS_TEST_TMPDIR/false.json" --key "$public" --inputs
    assert_line --partial 'the first other one: case sample/1-small, call 1'
    # A case that is not in the problem.
    jq '.cases[0].name = "sample/0-easy"' "$record.5" > "$BATS_TEST_TMPDIR/false.json"
    resign "$BATS_TEST_TMPDIR/false.json"
    run -1 $v "$BATS_TEST_TMPDIR/false.json" --key "$public" --inputs
    # Accepted, but claims WA; and wrong in one case only.
    for change in '.verdict = "WA"' '.cases[1].verdict = "TLE"' 'del(.cases[-1])'; do
        jq "$change" "$record.5" > "$BATS_TEST_TMPDIR/false.json"
        resign "$BATS_TEST_TMPDIR/false.json"
        run -1 $v "$BATS_TEST_TMPDIR/false.json" --key "$public" --submission "$so" --rerun
        assert_line --regexp '^inputs +ok '
        assert_line --regexp '^rerun +FAILED '
    done
}

@test "records: a submission that does not compile has a record too" {
    cp tests/fixtures/bad_syntax.c "$BATS_TEST_TMPDIR/"
    run -1 run_scripts/judge.sh "$BATS_TEST_TMPDIR/bad_syntax.c" --seal "$secret" --judgement 1 --key "$key" \
        --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json .verdict)" CE
    assert_equal "$(json .seed)" null
    run -0 $v "$BATS_TEST_TMPDIR/result.json" --key "$public" --source "$BATS_TEST_TMPDIR/bad_syntax.c" \
        --seal "$published"
    run -1 $v "$BATS_TEST_TMPDIR/result.json" --key "$public" --submission "$so"
    assert_line --regexp '^submission +FAILED +the record has no digest'
    run -2 --separate-stderr $v "$BATS_TEST_TMPDIR/result.json" --key "$public" --submission "$so" --rerun
    [[ $stderr == *'the submission of this record did not run (CE)'* ]]
}

@test "records: a usage error gives one line that says what to do" {
    local bad=$BATS_TEST_TMPDIR/bad.json
    cp "$secret" "$BATS_TEST_TMPDIR/open.json"
    chmod 644 "$BATS_TEST_TMPDIR/open.json"
    (umask 077; jq '.commitment |= .[1:] + .[0:1]' "$secret" > "$BATS_TEST_TMPDIR/torn.json"; head -c 100 "$secret" \
        > "$bad")
    base=("$build/main_host" editdistance --submission "$so" --json "$BATS_TEST_TMPDIR/result.json")
    declare -A words=(
        ["--seal $secret --seed 1"]='--seal and --seed exclude each other'
        ["--seal $secret"]='--seal needs --judgement N'
        ['--judgement 1']='--judgement needs --seal'
        ["--seal $secret --judgement 0"]='--judgement'
        ["--seal $secret --judgement 9007199254740992"]='--judgement'
        ["--seal $secret --judgement 1x"]='--judgement'
        ["--seal $secret a b"]='--seal is for generated inputs'
        ['--judgement 1 --seal nowhere']="cannot open 'nowhere'"
        ["--judgement 1 --seal $key"]='contains no secret'
        ["--judgement 1 --seal $BATS_TEST_TMPDIR/open.json"]='has mode 0644'
        ["--judgement 1 --seal $BATS_TEST_TMPDIR/torn.json"]='does not match the commitment'
        ["--judgement 1 --seal $bad"]='is not JSON'
        ["--judgement 1 --seal $record"]="is not a seal or a key: it has no 'kind'"
        ["--judgement 1 --seal $BATS_TEST_TMPDIR"]='is not a regular file'
        ['--seal']="option '--seal' needs a value"
        ["--key $public"]='is not a key-secret.json'
        ["--key $secret"]='is not a key-secret.json'
        ['--key nowhere']="cannot open 'nowhere'"
        ["--key $key --explain"]='--explain and --key exclude each other'
    )
    for arguments in "${!words[@]}"; do
        echo old > "$BATS_TEST_TMPDIR/result.json"
        # shellcheck disable=SC2086
        run -2 --separate-stderr timeout 20 "${base[@]}" $arguments
        assert_output ''
        assert_equal "${#stderr_lines[@]}" 1
        [[ $stderr == *"${words[$arguments]}"* ]] || fail "$arguments: $stderr"
        [[ $stderr != *"$(jq -r .secret "$secret")"* && $stderr != *"$(jq -r .secret "$secret" | cut -c 1-16)"* ]]
    done
    run -2 "$build/main_host" editdistance --key "$key"
    assert_output --partial 'give --json FILE to write it to'
    for arguments in '' nowhere "$record $record" "$record --wrong" "$record --rerun" "$record --key" \
        "$record --key nowhere" "$record --key $published" "$record --submission nowhere" "$record --source nowhere" \
        "$record --seal nowhere" "$record --seal $public"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr timeout 20 $v $arguments
        assert_equal "${#stderr_lines[@]}" 1
    done
    for arguments in '' wrong make 'make a b' "make $record" "reveal $BATS_TEST_TMPDIR" 'check a' \
        "check $revealed $revealed" "check $published $published"; do
        # shellcheck disable=SC2086
        run -2 timeout 20 "$build/seal" $arguments
    done
    run -2 "$build/seal" make "$BATS_TEST_TMPDIR/n" --name $'two\nlines'
    assert [ ! -e "$BATS_TEST_TMPDIR/n/seal-secret.json" ]
    # Files on the command line have no seed.
    run_scripts/lib/files.sh
    "$build/main_host" editdistance --submission "$so" --key "$key" --json "$BATS_TEST_TMPDIR/result.json" \
        "$practice/file1" "$practice/file2"
    run -0 $v "$BATS_TEST_TMPDIR/result.json" --key "$public"
    run -2 $v "$BATS_TEST_TMPDIR/result.json" --key "$public" --inputs
    assert_output --partial 'not made from a seed'
}
