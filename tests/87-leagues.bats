#!/usr/bin/env bats
# What a problem may say of its cases and of submissions in gpu.yaml: leagues with rules, groups that only a GPU can do.
# The problem is editdistance with two leagues more.

setup_file() {
    load helpers/copy
    local original=$root its_build=$build
    export KIT=$BATS_FILE_TMPDIR/copy
    BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR copy_toolkit simulator built
    export root=$original build=$its_build
    mkdir problems/editdistance/data/secret/large
    echo 'random 128 256 seed=77' > problems/editdistance/data/secret/large/1-random.in
    sed -i '/^ranked:/,/^[^ r]/{/^ranked:/d; /^  - /d}' problems/editdistance/gpu.yaml
    cat >> problems/editdistance/gpu.yaml << END
gpu_only: [secret/large]
ranked: [secret/03-random, secret/10-binary, secret/large]
leagues:
  plain:
    about: no tensor cores
    refuse: [tensor_cores]
  free:
    about: anything, on few cases
    cases: [sample, secret/large]
END
    make -s all simulator-if-used
    build/check_problem --answers editdistance
    make -s all
}

setup() {
    load helpers/common
    cd "$KIT"
    host=build/main_host result=$BATS_TEST_TMPDIR/result.json
}

teardown() {
    [ -f "$BATS_TEST_TMPDIR/kept" ] || return 0
    cp "$BATS_TEST_TMPDIR/kept" problems/editdistance/gpu.yaml
    make -s freeze
    make -s all
}

# built FILE [VARIABLE=VALUE...]: the submission's shared object.
built() {
    make -s submission SUBMISSION="$1" "${@:2}" >&2 || return
    make -s print-submission SUBMISSION="$1" "${@:2}"
}

# refused FILE WORDS [VARIABLE=VALUE...]: SV in the first league, with those words, before anything runs;
# not in the other.
refused() {
    local so
    so=$(built "$1" "${@:3}")
    run -1 --separate-stderr timeout 60 $host editdistance --submission "$so" --json "$result"
    assert_equal "${#lines[@]}" 1
    [[ ${lines[0]} == "FAILED. SV (rule or security violation): "* ]] || fail "${lines[0]}"
    [[ ${lines[0]} == *"$2"* ]] || fail "${lines[0]}"
    assert_equal "$(json '[.verdict, .league, (.cases | length)] | join(" ")')" 'SV plain 0'
    run -1 timeout 60 $host editdistance --submission "$so" --league free --case sample/1-small --json "$result"
    assert_equal "$(json '[.verdict, .league] | join(" ")')" 'WA free'
}

@test "leagues: tensor cores are found by their PTX, from any source" {
    requires nvcc
    local flags="NVCC_FLAGS=-O3 -cudart shared --compress-mode=none -Xcompiler -fPIC -gencode arch=compute_90,code=compute_90"
    refused tests/fixtures/rules/wmma.cu "tensor cores are not allowed in this league: the PTX has 'wmma." \
        BUILD=build-ptx "$flags"
    refused tests/fixtures/rules/inline_ptx.cu \
        "tensor cores are not allowed in this league: the PTX has 'mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32'" \
        BUILD=build-ptx "$flags"
    refused tests/fixtures/rules/wmma.cu \
        "tensor cores are not allowed in this league: _Z8multiplyPK6__halfS1_Pf has HMMA"
}

# bats test_tags=long
@test "leagues: ... and in machine code of every architecture of nvcc, if there is no PTX" {
    requires nvcc
    local arch so
    for arch in 80 86 89 90 100 120; do
        make -s submission SUBMISSION=tests/fixtures/rules/inline_ptx.cu BUILD=build-$arch \
            NVCC_FLAGS="-O3 -cudart shared --compress-mode=none -Xcompiler -fPIC -gencode arch=compute_$arch,code=sm_$arch"
        so=build-$arch/submissions/editdistance/tests/fixtures/rules/inline_ptx.cu/device_user.so
        run -1 --separate-stderr $host editdistance --submission $so
        assert_output --partial 'tensor cores are not allowed in this league: _Z8multiplyPKjS0_Pf has HMMA'
    done
}

@test "leagues: ... and where one architecture alone has the instruction, which its plain PTX lacks" {
    requires nvcc
    local each so
    for each in 100:UTCMMA 120:OMMA; do
        refused tests/fixtures/rules/blackwell.cu \
            "tensor cores are not allowed in this league: _Z8multiplyPKjS0_Pf has ${each#*:}" BUILD="build-${each%:*}" \
            "NVCC_FLAGS=-O3 -cudart shared --compress-mode=none -Xcompiler -fPIC -gencode arch=compute_${each%:*}a,code=sm_${each%:*}a -gencode arch=compute_${each%:*},code=compute_${each%:*}"
    done
}

@test "leagues: words that only look like them break no rule" {
    requires nvcc
    local so
    so=$(built tests/fixtures/rules/innocent.cu)
    run -1 timeout 60 $host editdistance --submission "$so" --case sample/1-small --json "$result"
    assert_equal "$(json '[.verdict, .cases[0].output] | join(" ")')" 'WA 128'
    so=$(built device_user.cu)
    run -0 timeout 60 $host editdistance --submission "$so" --case sample/1-small
}

@test "leagues: if code is inspected, ways to load other code and unreadable code are refused" {
    requires nvcc
    local so
    so=$(built tests/fixtures/rules/loader.cu)
    run -1 --separate-stderr $host editdistance --submission "$so"
    assert_line --partial 'SV (rule or security violation): cudaLibraryLoadData() is not allowed in this league'
    so=$(built tests/fixtures/rules/by_name.c)
    run -1 $host editdistance --submission "$so"
    assert_output 'FAILED. SV (rule or security violation): dlsym() is not allowed in this league: it can bring in code that is not inspected'
    make -s submission SUBMISSION=device_user.cu BUILD=build-z \
        NVCC_FLAGS='-O3 -cudart shared -Xcompiler -fPIC -arch=sm_90'
    run -1 --separate-stderr $host editdistance \
        --submission build-z/submissions/editdistance/device_user.cu/device_user.so
    assert_output --partial 'its code is compressed and cannot be inspected: build with --compress-mode=none'
}

@test "leagues: a damaged file is refused or judged, and does nothing else" {
    requires nvcc
    local so copy=$BATS_TEST_TMPDIR/damaged.so offset size i code
    so=$(built tests/fixtures/rules/inline_ptx.cu)
    read -r offset size <<< "$(readelf -SW "$so" |
        sed -n 's/.* \.nv_fatbin *PROGBITS *[0-9a-f]* *\([0-9a-f]*\) *\([0-9a-f]*\).*/\1 \2/p')"
    offset=$((16#$offset)) size=$((16#$size))
    for ((i = 0; i < 100; i++)); do
        cp "$so" "$copy"
        # Mostly in the first 200 bytes, where the headers are.
        printf "\\x$(printf %x $((i * 37 % 256)))" |
            dd of="$copy" bs=1 seek=$((offset + (i < 60 ? i * 3 : i * 997 % size))) conv=notrunc status=none
        code=0
        timeout 10 $host editdistance --submission "$copy" --case sample/1-small > "$BATS_TEST_TMPDIR/out" 2>&1 ||
            code=$?
        [ $code -eq 1 ] || fail "byte $i: exit code $code: $(cat "$BATS_TEST_TMPDIR/out")"
    done
}

@test "leagues: a league has its own cases; cases for a GPU only are skipped without one, unless they are named" {
    local so
    so=$(built problems/editdistance/submissions/accepted/bitparallel.c)
    run -0 $host editdistance --submission "$so" --group all --json "$result"
    assert_line --regexp '^1 more need a GPU and were skipped$'
    assert_equal "$(json '.left_out')" 1
    assert_equal "$(json '.cases | length')" \
        "$(find problems/editdistance/data/{sample,secret} -maxdepth 1 -name '*.in' | wc -l)"
    run -0 $host editdistance --submission "$so" --group all --league free --json "$result"
    assert_equal "$(json '[.left_out, (.cases | length)] | join(" ")')" '1 3'
    for how in '--group secret/large' '--case secret/large/1-random'; do
        run -0 $host editdistance --submission "$so" $how --json "$result"
        assert_equal "$(json '.cases[].name')" secret/large/1-random
    done
    # Those of the list that are not left out; the other league has one secret case, which only a GPU can do.
    run -0 $host editdistance --submission "$so" --group ranked --json "$result"
    assert_equal "$(json '[.cases[].name, .left_out] | join(" ")')" 'secret/03-random secret/10-binary 1'
    run -2 $host editdistance --submission "$so" --group ranked --league free
    assert_output "main_host: the problem 'editdistance' has no group of cases 'secret' in the league free"
    run -0 build/check_problem editdistance
    assert_line 'gpu    case: secret/large/1-random: needs a GPU, not checked'
    run -0 build/check_problem --all editdistance
    assert_line --regexp '^ok     case: secret/large/1-random: '
}

@test "leagues: a list in gpu.yaml without a valid case or group is refused, with its line; without a list all secret cases rank" {
    local list name so
    so=$(built problems/editdistance/submissions/accepted/bitparallel.c)
    cp problems/editdistance/gpu.yaml "$BATS_TEST_TMPDIR/kept"
    for list in ranked gpu_only; do
        for name in secret/99-none ranked; do
            sed "s|^$list:.*|$list: [sample, $name]|" "$BATS_TEST_TMPDIR/kept" > problems/editdistance/gpu.yaml
            run -2 build/check_problem editdistance
            assert_line --partial "problems/editdistance/gpu.yaml:$(grep -n "^$list:" problems/editdistance/gpu.yaml |
                cut -d: -f1): there is no case or group of cases '$name'"
        done
    done
    # No list; and one without a valid entry.
    for name in '/^ranked:/d' 's|^ranked:.*|ranked: [secret/large]|'; do
        sed "$name" "$BATS_TEST_TMPDIR/kept" > problems/editdistance/gpu.yaml
        make -s freeze
        make -s all
        run -0 $host editdistance --submission "$so" --group ranked --json "$result"
        assert_equal "$(json '[(.cases | length), .left_out] | join(" ")')" \
            "$(find problems/editdistance/data/secret -maxdepth 1 -name '*.in' | wc -l) 1"
    done
}

@test "leagues: a mistake in gpu.yaml or on the command line is reported with its place" {
    run -2 $host editdistance --league none
    assert_output "main_host: there is no league 'none'; there are: plain free"
    run -2 "$build/main_host" editdistance --league plain
    assert_output 'main_host: --league plain: this problem has no leagues'
    run -2 $host editdistance --group secret/none
    assert_output --partial "the problem 'editdistance' has no group of cases 'secret/none' in the league plain"
    cp problems/editdistance/gpu.yaml "$BATS_TEST_TMPDIR/"
    for change in 's/tensor_cores/tensor_corps/|:[0-9]*: there is no rule .tensor_corps.' \
        's/    about: no/    abuot: no/|:[0-9]*: the key .leagues.plain.abuot. is unknown' \
        's/^  plain:/  plain: x/; s/^    about: no.*//; s/^    refuse.*//|:[0-9]*: a league needs a name, with its keys'; do
        sed "${change%%|*}" "$BATS_TEST_TMPDIR/gpu.yaml" > problems/editdistance/gpu.yaml
        make -s all
        run -2 $host editdistance
        assert_output --regexp "gpu.yaml${change#*|}"
    done
    cp "$BATS_TEST_TMPDIR/gpu.yaml" problems/editdistance/
}

@test "host: --generate reads a case's line; --check-seed is recorded" {
    run -0 "$build/main_host" editdistance --generate 'random 256 128 alphabet=dna seed=4' --seed 3 --check-seed 99 \
        --json "$result"
    assert_line 'strnum(a)= 256'
    assert_equal "$(json '[.check_seed, .seed, .cases[0].name] | join(" ")')" '99 3 input'
    run -0 "$build/main_host" editdistance --generate 'random 256 128 alphabet=dna seed=4' --seed 4 --json "$result.2"
    [ "$(json '.cases[0].answer')" != "$(json '.cases[0].answer' "$result.2")" ] || fail 'the seed changes nothing'
    [ "$(json .check_seed "$result.2")" != 99 ] || fail 'the check seed is always the same'
    run -2 "$build/main_host" editdistance --generate 'random 256'
    assert_output --partial 'main_host: '
    run -2 "$build/main_host" editdistance --generate 'random 128 128' --case sample/1-small
    assert_output --partial '--case, --generate and INPUT exclude each other'
}
