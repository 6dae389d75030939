#!/usr/bin/env bats
# getrndstr: LENGTH and SEED fix every character, for ever.

setup() {
    load helpers/common
    cd "$root"
}

@test "getrndstr: the README's call writes LENGTH characters and no newline" {
    ./getrndstr 1000 1 > "$BATS_TEST_TMPDIR/file"
    assert_equal "$(stat -c %s "$BATS_TEST_TMPDIR/file")" 1000
    run -1 grep -cP '[^ -~]' "$BATS_TEST_TMPDIR/file"
    assert_output 0
}

@test "getrndstr: the characters of a pair never change" {
    run -0 ./getrndstr 60 1
    assert_output 'ttWc_sM^7Tcwg#-%7_^o/<)8J+]hMLTQpv~h4^r2:U6rZ`58G~*!E b>hn/K'
    run -0 bash -c './getrndstr 1000000 18446744073709551615 | sha256sum'
    assert_output "$(cat "$root/tests/fixtures/getrndstr.sha256")"
}

@test "getrndstr: a longer string starts with the shorter one, another seed gives another" {
    long=$(./getrndstr 200 9)
    assert_equal "$(./getrndstr 100 9)" "${long:0:100}"
    [ "$(./getrndstr 100 10)" != "${long:0:100}" ]
}

@test "getrndstr: alphabets" {
    for pair in 'dna:ACGT' 'binary:01' 'digits:0123456789' 'lower:abcdefghijklmnopqrstuvwxyz'; do
        run -0 bash -c "./getrndstr -a ${pair%%:*} 4000 3 | fold -w 1 | sort -u | tr -d '\n'"
        assert_output "${pair#*:}"
    done
    run -0 bash -c "./getrndstr --alphabet bytes 100000 3 | od -An -v -tu1 -w1 | sort -u | wc -l"
    assert_output 256
    run -0 bash -c "./getrndstr -c xy 4000 3 | fold -w 1 | sort -u | tr -d '\n'"
    assert_output xy
}

@test "getrndstr: length 0 writes nothing" {
    run -0 ./getrndstr 0 1
    assert_output ''
}

@test "getrndstr: any other call is a usage error that names the bad argument" {
    run -2 ./getrndstr
    assert_output --partial 'usage: getrndstr'
    for arguments in '10' '10 1 2' 'x 1' '-1 1' '10 -1' '10 1x' '99999999999999999999 1' '17179869185 1' \
        '10 18446744073709551616' '-a klingon 10 1' '-z 3 10 1' '1.5 1' "'' 1"; do
        run -2 bash -c "./getrndstr $arguments"
        assert_line --index 0 --regexp '^getrndstr: '
        assert_output --partial 'usage: getrndstr'
    done
    run -2 ./getrndstr -c '' 10 1
}

@test "getrndstr: a full disk is an error, not a short file" {
    run -3 bash -c './getrndstr 100000 1 > /dev/full'
    assert_output --partial 'cannot write'
}

@test "getrndstr: the one command of its manual builds it without make, with the same output" {
    cp -R "$root/getrndstr.c" "$root/verify" "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR"
    run -0 gcc -O3 -o getrndstr getrndstr.c
    assert_output ''
    run -0 cmp <(./getrndstr -a dna 5000 9) <("$root/getrndstr" -a dna 5000 9)
}
