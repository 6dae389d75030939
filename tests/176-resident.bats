#!/usr/bin/env bats
# Problems whose data are resident on the GPU, without a GPU: on the CPU and on the simulator. With a GPU:
# tests/91-gpu-resident.bats.

load helpers/copy

setup() {
    load helpers/common
    cd "$root"
    result=$BATS_TEST_TMPDIR/result.json
}

# written NAME TEXT: a submission to softmax with that text; prints the path of its device_user.so.
written() {
    printf '%s\n' "$2" > "$BATS_TEST_TMPDIR/$1"
    submission "$BATS_TEST_TMPDIR/$1" softmax
}

@test "resident: the three problems are judged on the CPU, and on the simulator" {
    local problem file so
    for problem in softmax scan attention; do
        so=$(submission "problems/$problem/submissions/accepted/simple.c" $problem)
        run -0 --separate-stderr timeout 60 "$host" $problem --submission "$so" --repeat 3 --json "$result"
        assert_equal "${lines[-1]}" SUCCESSFUL.
        assert_equal "$(json '[.verdict, .device.kind, .cases[0].calls] | join(" ")')" 'AC cpu 3'
    done
    requires nvcc
    for problem in softmax scan attention; do
        so=$(submission "problems/$problem/submissions/accepted/simple.cu" $problem)
        file=$(cd problems/$problem/data && ls sample/*.in | head -n 1)
        run -0 --separate-stderr timeout 60 "$host" $problem --submission "$so" --device sim --case "${file%.in}" \
            --repeat 2 --json "$result"
        assert_equal "$(json '[.verdict, .device.kind, .cases[0].calls] | join(" ")')" 'AC sim 2'
    done
}

@test "resident: CUDA gets memory of the device and a stream, C memory of the CPU and none" {
    local so
    so=$(written pointers.c '#include <stdlib.h>
        void device_user(const void *input, void *output, int rows, int columns, int type, device_stream stream)
        {
            const float *in = input;
            if (stream || (size_t)input % 256 || (size_t)output % 256 || in[0] != in[0])
                abort();
            (void)rows, (void)columns, (void)type;
        }')
    run -1 "$host" softmax --submission "$so" --case sample/1-small
    assert_output --partial 'WA (wrong answer): device_user() left its output unwritten'
    requires nvcc
    so=$(written pointers.cu '#include <cstdlib>
        extern "C" void device_user(const void *input, void *output, int, int, int, device_stream stream)
        {
            cudaPointerAttributes in, out;
            if (cudaPointerGetAttributes(&in, input) != cudaSuccess || in.type != cudaMemoryTypeDevice ||
                cudaPointerGetAttributes(&out, output) != cudaSuccess || out.type != cudaMemoryTypeDevice ||
                !stream || (size_t)input % 256 || (size_t)output % 256)
                abort();
        }')
    run -1 "$host" softmax --submission "$so" --device sim --case sample/1-small
    assert_output --partial 'WA (wrong answer): device_user() left its output unwritten'
}

@test "resident: the runner waits for all work that a call starts, on any stream" {
    local so
    requires nvcc
    so=$(written streams.cu '
        static __global__ void mean(float *out, int columns) { out[threadIdx.x] = 1.0f / (float)columns; }
        extern "C" void device_user(const void *, void *output, int rows, int columns, int, device_stream)
        {
            cudaStream_t own;
            cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
            mean<<<1, rows * columns, 0, own>>>((float *)output, columns);
        }')
    run -1 "$host" softmax --submission "$so" --device sim --case sample/1-small
    assert_output --partial 'wrote output[0][0] = 0.0625 where'
}

@test "resident: work that fails after device_user() has returned is reported as such, with the simulator's report" {
    local so
    requires nvcc
    so=$(written late.cu '
        static __global__ void beyond(float *out) { out[1 << 28] = 1; }
        extern "C" void device_user(const void *, void *output, int, int, int, device_stream stream)
        {
            beyond<<<1, 1, 0, stream>>>((float *)output);
        }')
    run -1 "$host" softmax --submission "$so" --device sim --case sample/1-small --explain --json "$result"
    assert_line --regexp '^FAILED\. RTE \(run-time error\): device_user\(\) started work on the GPU that failed after [0-9.]+ s in case'
    assert_equal "$(json '.cases[0].explain.faults[0] | .kind, .kernel' | paste -sd ' ')" 'illegal-address beyond'
}

# bats test_tags=alone
@test "resident: --ranked on the CPU makes 11 calls, each with its own input, and shows an empty submission's time" {
    local so
    requires box
    so=$(submission problems/softmax/submissions/accepted/baseline.c softmax)
    run -0 "$host" softmax --submission "$so" --device cpu --case sample/3-mixed --ranked --json "$result"
    assert_output --partial "an empty submission's median"
    assert_equal "$(json '[.ranked, .verdict, .cases[0].calls, (.cases[0].samples | length), .cases[0].used_gpu,
        .cases[0].throughput] | map(tostring) | join(" ")')" 'true AC 12 11 false null'
    # Nothing is subtracted from ranked times.
    assert_equal "$(json '.cases[0] | ((.samples | sort)[5] == .seconds.median) and .overhead.median > 0 and
        ((.net_seconds - (.seconds.median - .overhead.median)) | fabs) < 1e-12')" true
}

@test "resident: two submissions are compared" {
    local jury=problems/softmax/submissions/accepted
    run -0 run_scripts/compare.sh $jury/simple.c $jury/baseline.c softmax --case sample/3-mixed --rounds 6 --calls 1 \
        --json "$result" --device cpu
    assert_line --regexp '^.* is (FASTER than|SLOWER than|the SAME as) .*: [0-9.]+ times its time'
    assert_equal "$(json '.rounds | length')" 6
}

@test "resident: a signed record holds each call's input, and is judged again" {
    local source=problems/scan/submissions/accepted/simple.c so
    so=$(submission $source scan)
    "$build/seal" make "$BATS_TEST_TMPDIR/seal" --name resident > /dev/null
    "$build/seal" key "$BATS_TEST_TMPDIR/key" > /dev/null
    run -0 "$host" scan --submission "$so" --source $source --league segmented --repeat 3 --device cpu \
        --seal "$BATS_TEST_TMPDIR/seal/seal-secret.json" --judgement 7 --key "$BATS_TEST_TMPDIR/key/key-secret.json" \
        --json "$result"
    assert_equal "$(json '[.cases[].inputs[]] | length == (unique | length) and length >= 6')" true
    run -0 run_scripts/verify_record.sh "$result" --key "$BATS_TEST_TMPDIR/key/key-public.json" --submission "$so"
    jq '.cases[0].samples[0] *= 0.5' "$result" > "$BATS_TEST_TMPDIR/changed.json"
    run -1 run_scripts/verify_record.sh "$BATS_TEST_TMPDIR/changed.json" --key "$BATS_TEST_TMPDIR/key/key-public.json"
}

@test "resident: leagues have their cases and their rules" {
    local so
    so=$(submission problems/scan/submissions/accepted/simple.c scan)
    for league in plain segmented; do
        run -0 "$host" scan --submission "$so" --league $league --device cpu --json "$result"
        assert_equal "$(json '[.verdict, .league] | join(" ")')" "AC $league"
    done
    run -2 "$host" scan --submission "$so" --league sums
    assert_output --partial "'sums'"
    requires nvcc
    so=$(submission problems/attention/submissions/accepted/2_tensor_cores.cu attention)
    run -1 "$host" attention --submission "$so" --league fp32 --case sample/1-small --device sim
    assert_output --partial 'SV (rule or security violation)'
}

@test "resident: OpenCL is refused in one line" {
    local so
    so=$(written opencl.c '#define CL_TARGET_OPENCL_VERSION 120
        #include <CL/cl.h>
        void device_user(const void *input, void *output, int rows, int columns, int type, device_stream stream)
        {
            cl_uint count;
            clGetPlatformIDs(0, NULL, &count);
            clEnqueueNDRangeKernel(NULL, NULL, 1, NULL, NULL, NULL, 0, NULL, NULL);
            (void)input, (void)output, (void)rows, (void)columns, (void)type, (void)stream;
        }')
    run -2 "$host" softmax --submission "$so"
    assert_output "main_host: 'softmax' keeps its data in GPU memory for CUDA: the submission cannot use OpenCL"
}

@test "resident: gpu.yaml refuses unknown keys and values" {
    copy_toolkit built
    local file=problems/softmax/gpu.yaml
    cp $file "$BATS_TEST_TMPDIR/kept"
    echo 'cache: hot' >> $file
    run -2 build/main_host softmax
    assert_output "main_host: $PWD/$file: cache must be cold or warm, not 'hot'"
    sed 's/^resident: true/resident: maybe/' "$BATS_TEST_TMPDIR/kept" > $file
    run -2 build/main_host softmax
    assert_output --partial "$file:2: 'resident: maybe'"
    sed 's/^resident: true/residents: true/' "$BATS_TEST_TMPDIR/kept" > $file
    run -2 build/main_host softmax
    assert_output --partial "$file:2: unknown key 'residents'"
    sed '/^resident: true/p' "$BATS_TEST_TMPDIR/kept" > $file
    run -2 build/main_host softmax
    assert_output --regexp "gpu.yaml:[23]: "
}

# with_driver KIND: calls and traps of that kind of tests/fixtures/resident/call.c, on a driver with the CPU's memory.
with_driver() {
    make -s "${build#"$root"/}/runners/softmax" "${build#"$root"/}/tests/test_resident" >&2
    gcc -O2 -fPIC -shared "-DRESIDENT_KIND=$1" -I problems/softmax/include -o "$BATS_TEST_TMPDIR/call.so" \
        tests/fixtures/resident/call.c -lpthread
    gcc -O2 -fPIC -shared -Wl,-soname,libcuda.so.1 -o "$BATS_TEST_TMPDIR/driver.so" tests/fixtures/series/driver.c
    timeout 60 "$build/tests/test_resident" "$build/runners/softmax" "$BATS_TEST_TMPDIR/driver.so" "$1" \
        "$BATS_TEST_TMPDIR/call.so"
}

@test "resident: a trap has a call's steps before its input arrives; gaps, busy GPUs and slow looks count" {
    run -0 with_driver HONEST
    assert_output --regexp '^[0-9]{3} checks, 0 failed$'
}

@test "resident: writing the output before a call, or after the submission's own done mark, is detected" {
    run -0 with_driver EARLY
    assert_output --regexp '^[0-9]+ checks, 0 failed$'
    run -0 with_driver FORGED
    assert_output --regexp '^[0-9]+ checks, 0 failed$'
}

# The others are judged by `make attack`; those that need a GPU by tests/91-gpu-resident.bats.
# bats test_tags=alone
@test "resident: exploits that need no GPU get their verdicts" {
    requires box
    requires nvcc
    local files=() name
    for name in answer_honest answer_part answer_pointer answer_shape half half_honest input_changed late_honest \
        late_thread memory places slot_freed slot_unmapped trap_kernel; do
        files+=("tests/exploits/resident_$name.cu")
    done
    run -0 timeout 120 tests/scripts/attack.sh --json "$BATS_TEST_TMPDIR/results" "${files[@]}"
    assert_line '14 attacks and honest twins, 0 of them not as they must be'
}
