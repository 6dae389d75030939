#!/usr/bin/env bats
# Tests that need an NVIDIA GPU: make test-gpu.
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
    assert_equal "$(json '.cases[0] | .start_seconds > 0.02 and .samples[0] < 0.02')" true
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
    run -1 "$host" editdistance --submission "$so" --case sample/1-small --time-limit 1 \
        --json "$BATS_TEST_TMPDIR/result.json"
    echo "# an endless kernel's process is gone $(json '.cases[0].end_seconds') s after the limit" >&3
    # The driver takes 0.06 to 0.13 s to destroy a CUDA context (docs/BENCHMARKS.md): 0.1 s is not possible here.
    assert_equal "$(json '.cases[0].end_seconds < 0.5')" true
    assert_equal "$(json .verdict)" TLE
    so=$(submission device_user.cu)
    run -0 "$host" editdistance --submission "$so" --case sample/1-small
}

@test "gpu: submissions run in the box 'landlock' too" {
    so=$(submission device_user.cu)
    run -0 --separate-stderr "$host" editdistance --submission "$so" --box landlock \
        --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json '.verdict, .box, .device.kind' | paste -sd ' ')" 'AC landlock gpu'
}

@test "gpu: in the box there is one GPU and no other device" {
    requires box
    so=$(submission tests/fixtures/peek.c)
    run -1 --separate-stderr "$host" editdistance --submission "$so" --any-imports --case sample/1-small --device gpu
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

# A case of mergesort with 256 MiB of keys.
large='random 67108864 seed=3'

@test "gpu: a plain copy of a large input runs at the speed of the link" {
    so=$(submission tests/fixtures/clock/copy_input.cu mergesort)
    run -1 --separate-stderr "$host" mergesort --submission "$so" --generate "$large"
    echo "# $(grep -o 'to the device.*' <<< "$stderr")" >&3
    rate=$(sed -n 's/.*to the device \([0-9]*\)\..*/\1/p' <<< "$stderr")
    [ "$rate" -ge 45 ]
}

@test "gpu: a copy of the output that still runs at the return is detected" {
    so=$(submission tests/fixtures/clock/late_copy.cu mergesort)
    run -1 "$host" mergesort --league open --submission "$so" --generate "$large" --repeat 3
    assert_output --partial 'FAILED. WA (wrong answer): device_user() wrote to its output after it had returned'
}

@test "gpu: a kernel that waits for the next input is detected before that input exists" {
    so=$(submission tests/fixtures/clock/left_kernel.cu mergesort)
    run -1 "$host" mergesort --league open --submission "$so" --generate "$large" --repeat 3
    assert_output --partial \
        'FAILED. SV (rule or security violation): device_user() left work running on the GPU when it returned'
}

@test "gpu: --ranked prints the clocks, the overhead, and whether the GPU was used" {
    requires box
    so=$(submission device_user.cu)
    "$host" editdistance --submission "$so" --ranked --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json \
        '[.cases[] | .used_gpu, .steady, (.samples | length == 11), (.parts | all(.sm_megahertz > 100)),
        .overhead.median < 0.0005] | all')" true
    assert_equal "$(json '.device | .before.memory_megahertz > 0 and .after.sm_megahertz > 0 and .after.celsius > 0')" \
        true
    so=$(submission problems/editdistance/submissions/accepted/baseline.c)
    "$host" editdistance --submission "$so" --device gpu --case sample/1-small \
        --ranked --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json '.cases[0].used_gpu')" false
}

@test "gpu: two judgings on one GPU wait for each other" {
    so=$(submission problems/editdistance/submissions/time_limit_exceeded/endless_kernel.cu)
    "$host" editdistance --submission "$so" --case sample/1-small --time-limit 3 > /dev/null &
    sleep 1
    so=$(submission device_user.cu)
    run -0 "$host" editdistance --submission "$so" --case sample/1-small
    assert_output --partial 'waiting for the GPU GPU-'
    wait
}

@test "gpu: a GPU marked as unfit is probed, and the mark is removed when it passes" {
    so=$(submission device_user.cu)
    uuid=$("$host" --devices | sed -n '1s/.*\t\(GPU-[^\t]*\)\t.*/\1/p')
    mark=/tmp/gpu-contest-toolkit-$uuid-unfit
    echo 'a test says so' > "$mark"
    run -0 "$host" editdistance --submission "$so" --case sample/1-small --gpu "$uuid"
    assert_output --partial 'is marked as unfit (a test says so): probing it'
    [ ! -e "$mark" ]
    run -2 "$host" editdistance --submission "$so" --gpu 99
    assert_output --partial 'there is no GPU with that number'
}

@test "gpu: while another process keeps the GPU busy nothing ranks, and no submission is blamed" {
    so=$(submission device_user.cu)
    busy=$BATS_TEST_TMPDIR/busy
    echo '__global__ void spin() { for (long long t = clock64(); clock64() - t < 30000000000LL;) ; }
        int main() { spin<<<1, 1>>>(); return cudaDeviceSynchronize(); }' > "$busy.cu"
    "$(make -s print-nvcc)" -arch native -o "$busy" "$busy.cu"
    "$busy" &
    sleep 2
    run -3 "$host" editdistance --submission "$so" --case sample/1-small --ranked
    assert_output --partial 'another process uses the GPU'
    run -0 "$host" editdistance --submission "$so" --case sample/1-small
    assert_output --partial 'another process uses the GPU'
    kill %1
    wait || true
}

@test "gpu: simultaneous judgings on two GPUs do not affect each other's verdicts" {
    [ "$(nvidia-smi --query-gpu=uuid --format=csv,noheader | wc -l)" -ge 2 ] || skip 'there is one GPU'
    local so gpu n
    so=$(submission problems/matmul/submissions/accepted/1_register_tiles.cu matmul)
    # Inputs and outputs of hundreds of megabytes, copied while the other GPU is watched.
    for gpu in 0 1; do
        timeout 300 "$host" matmul --submission "$so" --case secret/large/8-8192 --repeat 40 --gpu $gpu \
            --json "$BATS_TEST_TMPDIR/$gpu.json" > "$BATS_TEST_TMPDIR/$gpu.txt" 2>&1 3>&- &
    done
    wait
    for gpu in 0 1; do
        n=$(jq -r '[.verdict, .cases[0].calls] | join(" ")' "$BATS_TEST_TMPDIR/$gpu.json")
        assert_equal "$gpu: $n $(tail -n 1 "$BATS_TEST_TMPDIR/$gpu.txt")" "$gpu: AC 40 SUCCESSFUL."
    done
    [ "$(jq -r .device.uuid "$BATS_TEST_TMPDIR"/[01].json | sort -u | wc -l)" = 2 ]
}

@test "gpu: a contest has one warden on the GPU for host after host, until one is found at fault" {
    local contest=$BATS_TEST_TMPDIR/contest name so
    local from=problems/editdistance/submissions
    mkdir -p "$contest/submissions/ada/A"
    printf "%s\n" "name: Test" "require_box: namespaces" "problems:" "  - id: A" "    problem: editdistance" \
        "    secret: sample" "    ranked_case: sample/1-small" > "$contest/contest.yaml"
    cp device_user.cu "$contest/submissions/ada/A/1.cu"
    cp "$from/time_limit_exceeded/endless_kernel.cu" "$contest/submissions/ada/A/2.cu"
    { cat device_user.cu; echo "// again"; } > "$contest/submissions/ada/A/3.cu"
    run_scripts/grade.sh "$contest" --gpu 0 --builds 4 > "$BATS_TEST_TMPDIR/out" 2>&1 3>&- < /dev/null &
    # Each warden that there is, by its number, while it grades.
    while kill -0 $! 2> /dev/null; do
        pgrep -f "^$build/gpu_warden" >> "$BATS_TEST_TMPDIR/seen" || true
        sleep 0.02
    done
    wait $!
    assert_equal "$(sqlite3 "$contest/grading/results.db" "SELECT verdict FROM judgements ORDER BY submission" |
        paste -sd " ")" "AC TLE AC"
    # Seven hosts: three of the first, one of the second, three of the third. What was killed may have cost one more.
    run sort -u "$BATS_TEST_TMPDIR/seen"
    [ "${#lines[@]}" -ge 1 ]
    [ "${#lines[@]}" -le 2 ]
    # The grader does not wait for the last one, which ends later.
    timeout 10 bash -c 'while pgrep -f "^$0"; do sleep 0.1; done' "$build/gpu_warden"
    # A lent warden that does not answer is not used.
    so=$(submission device_user.cu)
    run -0 "$host" editdistance --submission "$so" --case sample/1-small --warden 9 9< /dev/null
}

@test "gpu: the watch sees no gap on an idle GPU, nor beside a judging on another one" {
    run -0 tests/bench/bench_watch.sh 2
    assert_line --regexp "^GPU-.*, alone: [0-9]+ watches, gaps of [0-9.]+ us \(median\)"
    assert_equal "$(grep -c watches <<< "$output")" "$(nvidia-smi -L | awk "END { print NR * NR }")"
}

@test "gpu: more device memory than allowed is MLE, with limit and value; use up to the limit is not" {
    so=$(submission tests/exploits/cuda_memory.cu)
    run -1 "$host" editdistance --submission "$so" --case sample/1-small --device-memory-limit 256
    assert_output --partial 'FAILED. MLE'
    assert_output --partial 'device memory limit of 256 MiB ('
    so=$(submission device_user.cu)
    run -0 "$host" editdistance --submission "$so" --case sample/1-small --repeat 2 --device-memory-limit 256 \
        --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json '.cases[0].device_memory_limit')" $((256 << 20))
}

@test "gpu: its counters distinguish tensor cores from FP32, whatever the code looks like" {
    requires box
    accepted=problems/matmul/submissions/accepted
    so=$(submission $accepted/simple.cu matmul)
    run -0 "$host" matmul --submission "$so" --league fp32 --case sample/3-report --json "$BATS_TEST_TMPDIR/result.json"
    # Before Hopper there are none, and the host says so.
    if [ "$(json '.cases[0].gpu_counters')" = null ]; then
        assert_output --partial 'only the code was checked for them'
        return 0
    fi
    assert_output --regexp 'GPU counters: fp32 [0-9.]+ %, .* of the peak in 0.[0-9]+ seconds of calls'
    assert_equal "$(json '.cases[0].gpu_counters | .fp32 > 0 and .tensor_seconds < 0.001 * .call_seconds')" true
    so=$(submission $accepted/split_bf16.cu matmul)
    run "$host" matmul --submission "$so" --league accurate --case secret/20-report-700 --ranked \
        --counters --json "$BATS_TEST_TMPDIR/result.json"
    [ "$status" -eq 0 ] || fail "$output"
    assert_equal "$(json '.cases[0].gpu_counters | .tensor_seconds > 0.004 * .call_seconds')" true
    so=$(submission tests/exploits/league_hidden.cu matmul)
    run -1 "$host" matmul --submission "$so" --league fp32 --case sample/3-report --json "$BATS_TEST_TMPDIR/result.json"
    [[ $(json .message) == 'tensor cores are not allowed in this league: the GPU counted them busy for '* ]]
    so=$(submission tests/exploits/league_hidden_honest.cu matmul)
    run -0 "$host" matmul --submission "$so" --league fp32 --case sample/3-report
}
