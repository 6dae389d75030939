#!/usr/bin/env bats
# Calls whose data are resident on an NVIDIA GPU: traps, slots, looks, caches, and the exploits against them.
# bats file_tags=gpu

load helpers/copy

setup() {
    load helpers/common
    requires gpu
    requires box
    cd "$root"
    result=$BATS_TEST_TMPDIR/result.json
}

@test "gpu resident: the experts rank, with an empty submission's time beside them; nothing is subtracted" {
    local problem so league
    for problem in softmax scan attention; do
        league=''
        [ $problem != attention ] || league='--league accurate'
        so=$(submission problems/$problem/submissions/accepted/expert.cu $problem)
        # shellcheck disable=SC2086
        run -0 timeout 60 "$host" $problem --submission "$so" $league --group sample --ranked --repeat 21 \
            --json "$result"
        assert_output --partial "an empty submission's median"
        assert_equal "$(json '[.verdict, .device.kind] | join(" ")')" 'AC gpu'
        assert_equal "$(json '[.cases[] | .used_gpu and (.samples | length) == 21 and .overhead.median > 0 and
            ((.samples | sort)[10] == .seconds.median)] | all')" true
        echo "# $problem: $(json '.cases[] | [.seconds.median, .overhead.median] | map(. * 1e8 | round / 100) |
            "\(.[0]) us, an empty one \(.[1]) us;"' | paste -sd ' ')" >&3
    done
}

@test "gpu resident: a hundred calls, and the traps between them, harm no honest submission" {
    local so name
    for name in simple 2_registers; do
        so=$(submission problems/softmax/submissions/accepted/$name.cu softmax)
        run -0 timeout 60 "$host" softmax --submission "$so" --group sample --repeat 101 --json "$result"
        assert_equal "$(json '[.verdict, ([.cases[].calls] | add)] | join(" ")')" 'AC 303'
    done
}

@test "gpu resident: inputs of one file come without traps, with 1 to 1,000 rows" {
    local so rows
    so=$(submission problems/softmax/submissions/accepted/simple.cu softmax)
    for rows in 1 127 128 129 1000; do
        head -c $((rows * 1024)) /dev/zero > "$BATS_TEST_TMPDIR/zeros"
        run -0 timeout 60 "$host" softmax --submission "$so" --repeat 3 "$BATS_TEST_TMPDIR/zeros" $rows 256 float32
    done
}

# The table of tests/exploits/resident_l2_persisting.cu stays in the cache where the problem says so, and not else.
@test "gpu resident: the L2 cache is warm or cold as gpu.yaml says" {
    copy_toolkit built
    local exploit=tests/exploits/resident_l2_persisting.cu so
    run -1 timeout 60 run_scripts/judge.sh $exploit softmax --case sample/3-mixed --repeat 5
    assert_output --partial 'left its output unwritten in case sample/3-mixed, call 2 of 5'
    echo 'cache: warm' >> problems/softmax/gpu.yaml
    make -s all
    run -0 timeout 60 run_scripts/judge.sh $exploit softmax --case sample/3-mixed --repeat 5
}

# bats test_tags=alone
@test "gpu resident: the exploits get their verdicts, and their honest twins are accepted" {
    local count
    count=$(find tests/exploits -name 'resident_*.cu' | wc -l)
    run -0 timeout 180 tests/scripts/attack.sh --json "$BATS_TEST_TMPDIR/results" tests/exploits/resident_*.cu
    assert_line "$count attacks and honest twins, 0 of them not as they must be"
}
