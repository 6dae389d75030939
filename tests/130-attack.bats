#!/usr/bin/env bats
# The attack corpus, tests/exploits: each attack says what it tries and what it must get.
# bats file_tags=alone

setup() {
    load helpers/common
    cd "$root"
}

@test "attack: every exploit says what it tries and what it must get" {
    for exploit in tests/exploits/*_*; do
        source=$exploit
        [ ! -d "$exploit" ] || source=$(find "$exploit" -name 'device_user.c*')
        grep -q '^ \* Tries: ' "$source" || fail "$exploit"
        grep -qE '^ \* Expect: [A-Z|]+$' "$source" || fail "$exploit"
    done
}

@test "attack: there are at least 60 exploits, and every honest twin belongs to one" {
    [ "$(find tests/exploits -mindepth 1 -maxdepth 1 -name '*_*' ! -name '*_honest*' | wc -l)" -ge 60 ]
    for twin in tests/exploits/*_honest*; do
        find tests/exploits -name "$(basename "${twin%_honest*}")*" ! -name '*_honest*' | grep -q . || fail "$twin"
    done
}

# The whole corpus takes minutes: `make attack`. Here are two of every family, and the honest twins in C.
@test "attack: two of every family get their verdicts, and none is accepted" {
    requires box
    requires nvcc
    mapfile -t files < <(find tests/exploits -mindepth 1 -maxdepth 1 -name '*_*' | sort |
        awk -F / '{ split($3, name, "_") } family[name[1]]++ < 2 || /_honest\.c$/')
    [ ${#files[@]} -ge 35 ]
    COMPILE_SECONDS=5 run -0 timeout 900 tests/scripts/attack.sh --json "$BATS_TEST_TMPDIR/results" "${files[@]}"
    refute_output --partial FAILED
    refute_output --partial "$root/"
    # The accepted ones are the honest twins that this machine can judge.
    accepted=$(cd "$BATS_TEST_TMPDIR/results" && jq -r 'select(.verdict == "AC") | input_filename' ./*.json)
    assert_equal "$accepted" "$(cd "$BATS_TEST_TMPDIR/results" && ls ./*_honest*.json)"
}

@test "attack: without a box for the compiler judge.sh says so and compiles nothing" {
    local without=("$build/tests/container" --no-landlock)
    run -3 timeout 60 "${without[@]}" run_scripts/judge.sh tests/exploits/compile_include_passwd.c
    assert_output --partial 'neither bubblewrap nor Landlock works here; use --box none to go without'
    refute_output --partial root:
    run -0 timeout 60 "${without[@]}" run_scripts/judge.sh \
        problems/editdistance/submissions/accepted/bitparallel.c --box none --case sample/1-small
}

# bats test_tags=long
@test "attack: part of the corpus in a container that forbids namespaces, with a Landlock box" {
    requires box
    run -0 timeout 600 tests/scripts/attack.sh --container --json "$BATS_TEST_TMPDIR/results" \
        tests/exploits/{kill,peek,secrets,network,signals,trace}_*
    refute_output --partial FAILED
}

@test "attack: the run fails if an attack is accepted, stopped by another layer, or wrong in one of its cases" {
    requires box
    # told SED-EXPRESSION FILE WORDS: attack.sh must report the changed file in these words.
    local files=() words=() i
    told() {
        sed "$1" "tests/exploits/$2" > "$BATS_TEST_TMPDIR/$2"
        ! cmp -s "tests/exploits/$2" "$BATS_TEST_TMPDIR/$2" || fail "$2 is as it was"
        files+=("$BATS_TEST_TMPDIR/$2") words+=("$3")
    }
    told 's/SEEN 126/SEEN 127/; s/Expect: WA/Expect: AC/' compile_has_include.c 'FAILED: an attack is accepted; '
    # The run fails if an attack is accepted, or if its verdict or words differ.
    told 's/Expect: CE/Expect: WA/' compile_incbin.c 'FAILED: verdict CE; '
    told 's/Says: .*/Says: something else/' process_fork.c "FAILED: it does not say 'something else'; "
    told 's/return found ? \(.*\) : 0;/return \1;/; s/Expect: WA/Expect: AC|WA/' left_files.c \
        'FAILED: an attack is accepted; '
    told 's/lenStr1 > lenStr2/lenStr1 == 128 ? 127 : lenStr1 > lenStr2/' answer_guessed.c \
        'FAILED: verdict AC of a case; '
    # In one room, because entering a room costs as much as a judging.
    run -1 timeout 300 tests/scripts/attack.sh --json "$BATS_TEST_TMPDIR/results" "${files[@]}"
    for i in "${!files[@]}"; do
        grep "^$(basename "${files[i]}") " <<< "$output" | grep -qF "${words[i]}" || fail "${files[i]}: $output"
    done
    assert_line '5 attacks and honest twins, 5 of them not as they must be'
}
