#!/usr/bin/env bats
# Calls in flight together on an NVIDIA GPU: what results show of them, and the exploits against them.
# bats file_tags=gpu

setup() {
    load helpers/common
    requires gpu
    requires box
    cd "$root"
    result=$BATS_TEST_TMPDIR/result.json
}

@test "gpu throughput: a call in flight takes the experts no longer than a call alone" {
    local problem so league
    for problem in softmax scan attention; do
        league=''
        [ $problem != attention ] || league='--league accurate'
        so=$(submission problems/$problem/submissions/accepted/expert.cu $problem)
        # shellcheck disable=SC2086
        run -0 timeout 60 "$host" $problem --submission "$so" $league --group sample --ranked --json "$result"
        assert_output --regexp 'throughput : 0\.[0-9]{8} seconds a call with 16 in flight together \(median of [0-9]+ s'
        assert_equal "$(json '[.cases[] | .throughput.calls == 16 and .throughput.series >= 5 and
            .throughput.seconds.median > 0 and .throughput.seconds.median <= .seconds.median] | all')" true
        echo "# $problem: $(json '.cases[] | [.seconds.median, .throughput.seconds.median] |
            map(. * 1e8 | round / 100) | "\(.[0]) us, \(.[1]) us;"' | paste -sd ' ') alone, and in flight" >&3
    done
}

@test "gpu throughput: fewer calls are in flight if they are large, and none if two are too large" {
    local so
    so=$(submission problems/softmax/submissions/accepted/expert.cu softmax)
    run -0 timeout 60 "$host" softmax --submission "$so" --ranked --repeat 3 --generate 'mixed 1024 8192 float32' \
        --json "$result"
    assert_equal "$(json '.cases[0].throughput.calls')" 3
    run -0 timeout 60 "$host" softmax --submission "$so" --ranked --repeat 3 --generate 'mixed 4096 8192 float32' \
        --json "$result"
    assert_equal "$(json '.cases[0].throughput')" null
}

@test "gpu throughput: only ranked judging measures it; with a seal it is as public as the time" {
    local so
    so=$(submission problems/softmax/submissions/accepted/simple.cu softmax)
    run -0 timeout 60 "$host" softmax --submission "$so" --case sample/1-small --json "$result"
    assert_equal "$(json '.cases[0].throughput')" null
    "$build/seal" make "$BATS_TEST_TMPDIR/seal" --name Throughput
    run -0 timeout 60 "$host" softmax --submission "$so" --case sample/1-small --ranked --judgement 1 \
        --seal "$BATS_TEST_TMPDIR/seal/seal-secret.json" --public-json "$result"
    assert_equal "$(json '.cases[0].throughput | .calls == 16 and .seconds.median > 0')" true
}

# bats test_tags=alone
@test "gpu throughput: the exploits get their verdicts, and their honest twins are accepted" {
    local count
    count=$(find tests/exploits -name 'series_*.cu' | wc -l)
    run -0 timeout 180 tests/scripts/attack.sh --json "$BATS_TEST_TMPDIR/results" tests/exploits/series_*.cu
    assert_line "$count attacks and honest twins, 0 of them not as they must be"
}
