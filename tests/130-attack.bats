#!/usr/bin/env bats
# The attack corpus, tests/exploits: each attack says what it tries and what it must get.

setup() {
    load helpers/common
    cd "$root"
}

@test "attack: every exploit says what it tries and what it must get" {
    for exploit in tests/exploits/*; do
        source=$exploit
        [ ! -d "$exploit" ] || source=$(find "$exploit" -name 'device_user.c*')
        grep -q '^ \* Tries: ' "$source" || fail "$exploit"
        grep -qE '^ \* Expect: [A-Z|]+$' "$source" || fail "$exploit"
    done
}

@test "attack: there are at least 60" { [ "$(find tests/exploits -mindepth 1 -maxdepth 1 | wc -l)" -ge 60 ]; }

@test "attack: all get what they must, and none is accepted" {
    requires box
    requires nvcc
    COMPILE_SECONDS=5 run -0 timeout 600 run_scripts/attack.sh --json "$BATS_TEST_TMPDIR/results"
    refute_output --partial FAILED
    assert_equal "$(jq -rs 'map(select(.verdict == "AC")) | length' "$BATS_TEST_TMPDIR"/results/*.json)" \
        "$(find tests/exploits -maxdepth 1 -name '*_honest*' | wc -l)"
    # A table that says so even if one is accepted would be no table.
    sed 's/Expect: CE/Expect: WA/' tests/exploits/compile_incbin.c > "$BATS_TEST_TMPDIR/compile_incbin.c"
    run -1 timeout 60 run_scripts/attack.sh --json "$BATS_TEST_TMPDIR/results" "$BATS_TEST_TMPDIR/compile_incbin.c"
    assert_output --regexp 'compile_incbin.c +CE +WA .*FAILED: '
    assert_line '1 attacks, 1 of them not as they must be'
}

@test "attack: where there is no box for the compiler, judge.sh says so and compiles nothing" {
    mkdir "$BATS_TEST_TMPDIR/bin"
    printf '#!/bin/sh\nexit 1\n' > "$BATS_TEST_TMPDIR/bin/bwrap"
    chmod +x "$BATS_TEST_TMPDIR/bin/bwrap"
    PATH=$BATS_TEST_TMPDIR/bin:$PATH run -3 timeout 60 run_scripts/judge.sh tests/exploits/compile_include_passwd.c
    assert_output --partial 'bubblewrap cannot make a box here; --box none does without'
    refute_output --partial root:
    PATH=$BATS_TEST_TMPDIR/bin:$PATH run -0 timeout 60 run_scripts/judge.sh \
        problems/editdistance/submissions/accepted/bitparallel.c --box none --case sample/1-small
}
