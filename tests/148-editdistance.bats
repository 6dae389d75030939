#!/usr/bin/env bats
# Edit distance: the expert's two methods on the simulator.

setup() {
    load helpers/common
    cd "$root"
}

@test "editdistance: the expert is right on the simulator without a report, where its race wins, loses and has no cut" {
    requires nvcc
    [ ! -e /dev/nvidiactl ] || skip 'the device is a GPU'
    so=$(submission problems/editdistance/submissions/accepted/expert editdistance)
    for line in 'mutated 2048 2048 period=100 alphabet=bytes' 'mutated 3072 2944 period=40 alphabet=dna' \
        'mutated 1152 1152 period=8 alphabet=binary' 'mutated 2048 2304 period=127' 'equal 2048 1024' \
        'single 1920 2048' 'shifted 2048 2048 period=100' 'repetitive 2048 2048 period=16' 'random 2048 1024'; do
        run -0 timeout 120 "$host" editdistance --submission "$so" --generate "$line" --seed 148 \
            --json "$BATS_TEST_TMPDIR/result.json"
        assert_equal "${lines[-1]}" SUCCESSFUL.
        refute_output --partial '| cudasim: '
    done
}
