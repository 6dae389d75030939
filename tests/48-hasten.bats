#!/usr/bin/env bats
# Runners that are started before they are needed, and --hasten: cases judged beside the start of the next runners.

setup() {
    load helpers/common
    cd "$root"
    result=$BATS_TEST_TMPDIR/result.json
}

@test "hasten: a pool of runners is bounded, each serves one case, and the first that is there goes first" {
    make -s "${BUILD:-build}/tests/test_ready" >&2
    run -0 timeout 60 "$build/tests/test_ready" "$BATS_TEST_TMPDIR"
    assert_output --regexp '^[0-9]{2} checks, 0 failed$'
}

@test "hasten: it excludes what it would disturb" {
    local each
    for each in --ranked '--repeat 3' --counters; do
        # shellcheck disable=SC2086
        run -2 "$host" editdistance --hasten $each
        assert_output --partial '--hasten disturbs times and counters'
    done
    run -2 "$host" editdistance --counters --no-counters
    assert_output --partial "exclude each other"
}

# late_toolkit: a copy of the host in $BATS_TEST_TMPDIR/t, whose runners cannot begin while the first one is there.
late_toolkit() {
    local t=$BATS_TEST_TMPDIR/t objects
    mkdir -p "$t/build/runners"
    ln -s "$root/problems" "$t/problems"
    cp "$build"/{main_host,inspect,landlock} "$build"/empty*.so "$t/build"
    ln -s "$build/cudasim" "$t/build/cudasim"
    mapfile -t objects < <(find "$build/plain/verify" -name '*.o')
    gcc -o "$t/build/runners/editdistance" tests/fixtures/late_runner.c "${objects[@]}" \
        "$build/plain/problems/editdistance/call.o" -Wl,--export-dynamic -lseccomp -ldl
    late=$t/build/main_host
}

# hastened EXIT SUBMISSION [option...]: judged with --hasten, and again without it in $result.slow.
hastened() {
    local code=$1 so=$2
    shift 2
    run "-$code" timeout 60 "$host" editdistance --submission "$so" --device sim --group sample \
        --json "$result.slow" "$@"
    run "-$code" timeout 60 "$late" editdistance --submission "$so" --device sim --group sample --json "$result" \
        --hasten "$@"
    assert_equal "$(json .hastened) $(json .hastened "$result.slow")" 'true false'
    # All but times, and what the first case waited for.
    for each in "$result" "$result.slow"; do
        jq 'del(.. | objects | .seconds, .samples, .parts, .start_seconds, .end_seconds, .memory_peak) |
            del(.hastened, .date, .submission.file, .check_seed)' "$each" > "$each.same"
    done
    diff "$result.same" "$result.slow.same"
}

@test "hasten: a judging has the same result, and nothing is left" {
    requires nvcc
    requires x86-64
    requires box
    make -s cudasim-library >&2
    late_toolkit
    hastened 0 "$(submission device_user.cu)"
    refute_output --partial 'judged again'
    hastened 1 "$(submission problems/editdistance/submissions/wrong_answer/two_rows.cu)" --keep-going
    refute_output --partial 'judged again' # an answer is wrong, whatever else goes on
    run -1 pgrep -f "^$BATS_TEST_TMPDIR/t/build/runners"
}

@test "hasten: a case that runs out of time beside the start of others is judged again, alone, and once" {
    requires nvcc
    requires x86-64
    requires box
    make -s cudasim-library >&2
    late_toolkit
    hastened 1 "$(submission tests/fixtures/sim/endless.cu)" --time-limit 1 --keep-going
    assert_equal "$(grep -c 'is judged again' <<< "$output")" 1
    assert_line --regexp '^main_host: case sample/1-small is judged again, alone: .*'
    assert_equal "$(json '[.cases[] | .verdict, .calls] | @csv' | tr -d '"')" 'TLE,1,TLE,1,TLE,1'
    run -1 pgrep -f "^$BATS_TEST_TMPDIR/t/build/runners"
}

@test "hasten: the grader judges the secret cases of CUDA so, where other cases give the times" {
    local name steps
    load helpers/contest
    requires nvcc
    requires x86-64
    requires box
    [ ! -e /dev/nvidiactl ] || skip "this machine has a GPU"
    make -s grade-programs cudasim-library >&2
    contest_places
    contest 'practice: yes' 'scoring: { rank_cpu: yes }'
    submit ada kernels.cu "$sort/accepted/baseline.cu"
    submit ada plain.c "$sort/accepted/baseline.c"
    run -0 grade
    # hastened, or not, and how many cases of each step
    for name in kernels.cu plain.c; do
        steps=$(query "SELECT json_group_array(json_array(step, json_extract(record, '$.hastened'),
                json_array_length(record, '$.cases'))) FROM (SELECT * FROM steps JOIN judgements j ON j.id = judgement
            JOIN submissions s ON s.id = submission WHERE path LIKE '%$name' AND step <> 'build'
            AND step <> 'explain' ORDER BY started)")
        case $name in
        kernels.cu) assert_equal "$steps" '[["samples",0,3],["secret",1,3]]' ;;
        plain.c) assert_equal "$steps" '[["samples",0,3],["secret",0,3],["ranked",0,1]]' ;;
        esac
    done
}
