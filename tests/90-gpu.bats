#!/usr/bin/env bats
# What needs an NVIDIA GPU: make test-gpu.
# bats file_tags=gpu

setup() {
    load helpers/common
    requires gpu
    cd "$root"
}

@test "gpu: the baseline solves the samples on the GPU, which the JSON names" {
    so=$(submission device_user.cu)
    run -0 "$host" editdistance --submission "$so" --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "${lines[-1]}" 'SUCCESSFUL.'
    assert_equal "$(json '.verdict, .device.kind, .submission.language' | paste -sd ' ')" 'AC gpu CUDA'
    [[ $(json .device.uuid) == GPU-* ]]
    [[ $(json .submission.cuda_library) == libcudart.so.* ]]
    [ "$(json .device.driver)" != null ]
    assert_equal "$(json .device.name)" "$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)"
}

@test "gpu: make run picks the GPU and device_user.cu" {
    run -0 make run
    assert_equal "${lines[-1]}" 'SUCCESSFUL.'
    refute_output --partial 'NVIDIA GPU'
    refute_output --partial simulated
}

@test "gpu: CUDA is initialised before the clock, and reported apart" {
    so=$(submission device_user.cu)
    "$host" editdistance --submission "$so" --case sample/1-small --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json '.cases[0] | .start_seconds > 0.1 and .samples[0] < 0.1')" true
}

@test "gpu: every jury submission gets its folder's verdict" {
    declare -A verdict=([accepted]=AC [wrong_answer]=WA [time_limit_exceeded]=TLE [run_time_error]=RTE)
    for source in problems/editdistance/submissions/*/*; do
        kind=$(basename "$(dirname "$source")")
        run_scripts/judge.sh "$source" --json "$BATS_TEST_TMPDIR/result.json" --time-limit 20 || true
        assert_equal "$source $(json .verdict)" "$source ${verdict[$kind]}"
        rm "$BATS_TEST_TMPDIR/result.json"
    done
}

@test "gpu: an endless kernel is gone at the limit, and the next submission runs" {
    so=$(submission problems/editdistance/submissions/time_limit_exceeded/endless_kernel.cu)
    run -1 "$host" editdistance --submission "$so" --case sample/1-small --time-limit 1 --json "$BATS_TEST_TMPDIR/result.json"
    echo "# an endless kernel's process is gone $(json '.cases[0].end_seconds') s after the limit" >&3
    # The driver takes 0.06 to 0.13 s to take down any CUDA context (docs/BENCHMARKS.md): 0.1 s is not to be had here.
    assert_equal "$(json '.cases[0].end_seconds < 0.5')" true
    assert_equal "$(json .verdict)" TLE
    so=$(submission device_user.cu)
    run -0 "$host" editdistance --submission "$so" --case sample/1-small
}

@test "gpu: in the box there is one GPU and no other device" {
    requires box
    so=$(submission tests/fixtures/peek.c)
    run -1 --separate-stderr "$host" editdistance --submission "$so" --case sample/1-small --device gpu
    grep -oE 'nvidia[0-9a-z-]*' <<< "$(grep '| /dev:' <<< "$stderr")" | sort > "$BATS_TEST_TMPDIR/seen"
    assert_equal "$(wc -l < "$BATS_TEST_TMPDIR/seen")" 3
    grep -qx nvidiactl "$BATS_TEST_TMPDIR/seen"
    grep -qx nvidia-uvm "$BATS_TEST_TMPDIR/seen"
}

@test "gpu: --device cpu refuses CUDA" {
    so=$(submission device_user.cu)
    run -2 "$host" editdistance --submission "$so" --device cpu
    assert_output --partial 'needs a GPU'
}
