#!/usr/bin/env bats
# The host on the simulator: a CUDA submission is judged on a machine without a GPU, and explains itself; and sim.sh.

setup_file() {
    load helpers/common
    requires nvcc
    requires x86-64
    make -s -j "$(nproc)" -C "$root" cudasim-library >&2 || {
        echo "# the simulator does not build: none of these tests can run" >&3
        return 1
    }
    baseline=$(submission device_user.cu)
    c=$(submission problems/editdistance/submissions/accepted/bitparallel.c)
    export baseline c
}

setup() {
    load helpers/common
    cd "$root"
}

# simulated EXIT SUBMISSION [option...]: judged on the simulator, on the first sample unless a case is named.
simulated() {
    local code=$1 so=$2
    shift 2
    [[ " $* " == *' --case '* ]] || set -- --case sample/1-small "$@"
    run "-$code" --separate-stderr timeout 120 "$host" editdistance --submission "$so" --device sim \
        --json "$BATS_TEST_TMPDIR/result.json" "$@"
    [ "$code" = 2 ] || [[ $stderr == "main_host: box: "* ]] || fail "$stderr"
    stderr=$(sed '/^main_host: box: /d' <<< "$stderr")
}

# jury PATH, fixture NAME: the built submission.
jury() { submission "problems/editdistance/submissions/$1"; }
fixture() { submission "tests/fixtures/sim/$1.cu"; }

@test "sim: without a GPU a CUDA submission runs on the simulator; the output says so once and labels times" {
    [ ! -e /dev/nvidiactl ] || skip "this machine has a GPU"
    run -0 --separate-stderr "$host" editdistance --submission "$baseline" --case sample/2-similar --repeat 2 \
        --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "${lines[-1]}" 'SUCCESSFUL.'
    assert_line --regexp '^GPU eclock : [0-9.]+ seconds \(simulated\) \(median of 2'
    assert_equal "$(grep -v '^main_host: box: ' <<< "$stderr")" \
        "main_host: no usable NVIDIA GPU (there is no /dev/nvidiactl): the CUDA submission runs on the simulator; times are simulated and not ranked"
    assert_equal "$(json '.verdict, .device.kind, .submission.language' | paste -sd ' ')" 'AC sim CUDA'
    assert_equal "$(json '.device.name')" 'cudasim (simulated, compute capability 9.0)'
    assert_equal "$(json '.device.simulator | map(select(startswith("CUDASIM_CHECK="))) | @csv')" '"CUDASIM_CHECK=all"'
    assert_equal "$(json '.cases[0] | .explain, .printed_bytes, .time_limit' | paste -sd ' ')" 'null 0 120'
}

@test "sim: make run runs device_user.cu on it" {
    [ ! -e /dev/nvidiactl ] || skip "this machine has a GPU"
    run -0 make run ARGS='--case sample/1-small'
    assert_equal "${lines[-1]}" 'SUCCESSFUL.'
    assert_line --regexp '^GPU eclock : [0-9.]+ seconds \(simulated\)$'
    assert_equal "$(grep -c 'runs on the simulator' <<< "$output")" 1
}

@test "sim: the output says what the simulator is, and what it is not for" {
    run -0 "$host" --devices
    assert_line $'sim\tcudasim (simulated, compute capability 9.0)'
    simulated 2 "$c"
    [[ $stderr == *'--device sim: the submission is C'* ]] || fail "$stderr"
    [ ! -e "$BATS_TEST_TMPDIR/result.json" ]
    run -2 "$host" editdistance --submission "$baseline" --device cpu
    assert_output --partial 'needs a GPU or the simulator'
    run -2 "$host" editdistance --submission "$baseline" --device sim --device-memory-limit 1
    assert_output --partial "--device-memory-limit needs a GPU, but the submission runs on 'sim'"
    for option in --explain '--checks none' '--sim-seed 1' '--sim-workers 1'; do
        # shellcheck disable=SC2086
        run -2 "$host" editdistance --submission "$c" $option
        assert_output --partial 'need the simulator'
    done
    for option in '--checks some' '--checks races,' '--checks ,' '--sim-seed x' '--sim-workers 0' \
        '--sim-workers 257'; do
        # shellcheck disable=SC2086
        simulated 2 "$baseline" $option
        assert_equal "${#stderr_lines[@]}" 1
    done
    if [ ! -e /dev/nvidiactl ]; then
        run -2 "$host" editdistance --submission "$baseline" --device gpu
        assert_output --partial 'the submission is CUDA, but this machine has no usable NVIDIA GPU'
    fi
}

# another_toolkit: a copy of the host without a simulator, in $BATS_TEST_TMPDIR/t.
another_toolkit() {
    mkdir -p "$BATS_TEST_TMPDIR/t/build"
    ln -s "$root/problems" "$BATS_TEST_TMPDIR/t/problems"
    cp -r "$build/main_host" "$build/inspect" "$build/runners" "$BATS_TEST_TMPDIR/t/build"
}

@test "sim: if it is missing or has another version, one line says what to do" {
    another_toolkit
    run -2 --separate-stderr "$BATS_TEST_TMPDIR/t/build/main_host" editdistance --submission "$baseline" --device sim
    [[ $stderr == "main_host: the simulator is not built: "*": run 'make cudasim'" ]] || fail "$stderr"
    assert_output ''
    mkdir "$BATS_TEST_TMPDIR/t/build/cudasim"
    cp "$build/cudasim/libcudart.so.13" "$BATS_TEST_TMPDIR/t/build/cudasim/libcudart.so.12"
    run -2 --separate-stderr "$BATS_TEST_TMPDIR/t/build/main_host" editdistance --submission "$baseline" --device sim
    [[ $stderr == *'the submission needs libcudart.so.13, and the simulator is libcudart.so.12'* ]] || fail "$stderr"
    # A file that is not a library is not the submission's fault.
    echo garbage > "$BATS_TEST_TMPDIR/t/build/cudasim/libcudart.so.13"
    rm "$BATS_TEST_TMPDIR/t/build/cudasim/libcudart.so.12"
    run -3 "$BATS_TEST_TMPDIR/t/build/main_host" editdistance --submission "$baseline" --device sim
    assert_output --partial 'FAILED. JE'
}

# bats test_tags=long
@test "sim: the same verdicts as on a GPU, in the box and without it" {
    for box in auto none; do
        simulated 1 "$(jury wrong_answer/two_rows.cu)" --box $box
        assert_equal "$(json .verdict)" WA
        simulated 1 "$(jury run_time_error/illegal_address.cu)" --box $box
        assert_equal "$(json .verdict)" RTE
        simulated 1 "$(fixture endless)" --box $box --time-limit 1
        [[ $(json '.verdict + .message') == 'TLEdevice_user() exceeded the limit of 1 s and was stopped after '* ]]
        # The host gives up after 2 s.
        assert_equal "$(json '.cases[0].end_seconds < 2')" true
        simulated 0 "$baseline" --box $box
        assert_equal "$stderr" ''
    done
}

@test "sim: an access out of bounds is reported with kernel, line and thread, also after much output" {
    so=$(fixture out_of_bounds)
    line=$(grep -n HERE tests/fixtures/sim/out_of_bounds.cu | cut -d : -f 1)
    for case in sample/1-small sample/2-similar; do
        simulated 1 "$so" --case $case
        assert_equal "$(json .verdict)" RTE
        [[ $stderr == *'  | cudasim: error: out-of-bounds: fill, '* ]] || fail "$stderr"
        [[ $stderr == *"out_of_bounds.cu:$line, block (7,0,0), thread (104,0,0): "* ]] || fail "$stderr"
    done
    # Addresses are always checked.
    simulated 1 "$so" --checks none
    assert_equal "$(json .verdict)" RTE
}

@test "sim: cuda_user.h names a launch that failed, with its line" {
    line=$(grep -n HERE tests/fixtures/sim/refused_launch.cu | cut -d : -f 1)
    simulated 1 "$(fixture refused_launch)"
    assert_equal "$(json .verdict)" RTE
    [[ $stderr == *"  | tests/fixtures/sim/refused_launch.cu:$line: launch: cudaErrorInvalidValue (invalid argument)"* ]] ||
        fail "$stderr"
}

@test "sim: a kernel that waits for an event that never comes is reported as a deadlock" {
    simulated 1 "$(jury time_limit_exceeded/endless_kernel.cu)"
    [[ $stderr == *'  | cudasim: error: deadlock: wait_for, '* ]] || fail "$stderr"
}

# bats test_tags=long
@test "sim: memory that is never freed is reported; a right submission gets no report" {
    simulated 1 "$(fixture leak)"
    [[ $stderr == *'  | cudasim: warning: leak: 12345 bytes '* ]] || fail "$stderr"
    # A submission has no lines of the host's code, and the runner's are nobody's mistake.
    [[ $stderr != *' at call.c:'* ]] || fail "$stderr"
    simulated 1 "$(fixture leak)" --checks written,races
    assert_equal "$stderr" ''
    simulated 0 "$baseline" --case sample/2-similar --sim-seed 7
    assert_equal "$stderr" ''
    assert_equal "$(json '.device.simulator | index("CUDASIM_SEED=7") != null')" true
    simulated 0 "$(jury accepted/two_files)" --sim-workers 1
    assert_equal "$stderr" ''
}

# bats test_tags=alone
@test "sim: it may use every processor" {
    [ "$(nproc)" -ge 2 ] || skip "one processor"
    requires box
    so=$(fixture endless)
    "$host" editdistance --submission "$so" --device sim --case sample/1-small --time-limit 600 > /dev/null 2>&1 3>&- &
    wait_for runners 1
    allowed=$(sed -n 's/^Cpus_allowed:\t//p' "/proc/${runners[0]}/status")
    kill %1
    wait
    assert_equal "$allowed" "$(sed -n 's/^Cpus_allowed:\t//p' /proc/self/status)"
}

@test "sim: --explain prints what the kernels did, and the JSON has it" {
    simulated 0 "$baseline" --case sample/2-similar --explain
    assert_line 'what the kernels did in case sample/2-similar, as counted by the simulator:'
    assert_line --regexp '^  \|   global loads +[0-9.]+ sectors per request'
    assert_equal "${lines[-1]}" 'SUCCESSFUL.'
    assert_equal "$(json '.cases[0].explain | .format, .simulated, (.kernels | length)' | paste -sd ' ')" '1 true 1'
    assert_equal "$(json '.cases[0].explain.kernels[0] | .name, .launches' | paste -sd ' ')" 'diagonal 2177'
    assert_equal "$stderr" ''
    # One report per process: all calls of a case together.
    simulated 0 "$baseline" --explain --repeat 3
    assert_equal "$(json '.cases[0].explain.kernels[0].launches')" $((3 * 257))
    # After a failure as well, when the process ends without being killed.
    simulated 1 "$(fixture out_of_bounds)" --explain
    assert_equal "$(json '.cases[0].explain.faults[0] | .kind, .kernel' | paste -sd ' ')" 'out-of-bounds fill'
    simulated 1 "$(fixture endless)" --explain --time-limit 1
    assert_equal "$(json '.cases[0].explain')" null
    [[ $stderr == *"the simulator's report of case sample/1-small is missing: the process did not end normally"* ]] ||
        fail "$stderr"
}

@test "sim: the report shows which accesses do not coalesce" {
    simulated 0 "$baseline" --case sample/2-similar --explain
    good=$(json '.cases[0].explain.kernels[0].global_loads.efficiency')
    simulated 0 "$(fixture uncoalesced)" --case sample/2-similar --explain
    bad=$(json '.cases[0].explain.kernels[0].global_loads.efficiency')
    jq -ne "$bad < 0.3 and $good > 0.6" > /dev/null || fail "efficiency: good $good, bad $bad"
    assert_line --regexp '^  \|   global loads .* efficiency 1[0-9] % of'
}

@test "sim: reports come from the submission's process, so the host trusts nothing in them" {
    so=$(fixture forge_report)
    simulated 1 "$so" --explain
    assert_equal "$(json '.verdict, .cases[0].explain' | paste -sd ' ')" 'WA null'
    assert_equal "$(grep -c '^SUCCESSFUL' <<< "$output")" 0
    refute_output --partial $'\033'
    [[ $stderr == *'is not JSON as the simulator writes it'* ]] || fail "$stderr"
    simulated 1 "$so" --explain --case sample/2-similar
    assert_equal "$(json '.verdict, .cases[0].explain' | paste -sd ' ')" 'WA null'
    [[ $stderr == *'is longer than 1 MiB'* ]] || fail "$stderr"
    [ "${#output}" -lt 300000 ]
}

# ---- sim.sh ----

# bats test_tags=long
@test "sim.sh: compiles a program, runs it, and passes arguments and exit code on" {
    cd "$BATS_TEST_TMPDIR"
    echo '#define MORE 5' > more.h
    cat > main.cu << 'END'
#include <cstdio>
#include "more.h"
int helper(int n);
int main(int count, char **words)
{
    for (int i = 1; i < count; i++)
        std::printf("[%s]\n", words[i]);
    return helper(MORE);
}
END
    cat > helper.cu << 'END'
#ifndef EXTRA
#define EXTRA 0
#endif
__global__ void add(int *n) { *n += 2 + EXTRA; }
int helper(int n)
{
    int *memory;

    cudaMalloc(&memory, sizeof n);
    cudaMemcpy(memory, &n, sizeof n, cudaMemcpyHostToDevice);
    add<<<1, 1>>>(memory);
    cudaMemcpy(&n, memory, sizeof n, cudaMemcpyDeviceToHost);
    cudaFree(memory);
    return n;
}
END
    sim=$root/run_scripts/sim.sh
    run -7 --separate-stderr "$sim" main.cu helper.cu -x 'two words' --help
    assert_output $'[-x]\n[two words]\n[--help]'
    assert_equal "$stderr" ''
    run -7 "$sim" --checks none --seed 3 --workers 1 main.cu helper.cu -- x.cu
    assert_output '[x.cu]'
    run -17 "$sim" --nvcc '-DEXTRA=10 -std=c++17' main.cu helper.cu
    # A changed header is detected; unchanged files are not compiled again.
    echo '#define MORE 50' > more.h
    run -52 "$sim" main.cu helper.cu
    run -52 env CUDA_HOME= NVCC="$(make -s -C "$root" print-nvcc)" "$sim" main.cu helper.cu
    run -52 "$sim" --keep main.cu helper.cu
    kept=${output##*files are in }
    ls "$kept"/*.ptx
    # Reports.
    run -52 --separate-stderr "$sim" --explain --json report.json main.cu helper.cu
    [[ $stderr == *'add()'*'(ptxas)'* ]] || fail "$stderr"
    assert_equal "$(json '.kernels[0].name' report.json)" add
    # A program that is built already.
    "$(make -s -C "$root" print-nvcc)" -cudart shared -o ready main.cu helper.cu
    run -52 "$sim" ready y
    assert_output '[y]'
}

@test "sim.sh: one line says what it cannot do" {
    cd "$BATS_TEST_TMPDIR"
    sim=$root/run_scripts/sim.sh
    refused() { # EXIT WORDS ARGUMENT...
        run "-$1" "$sim" "${@:3}"
        assert_equal "${#lines[@]}" 1
        assert_output --partial "$2"
    }
    echo 'int main() { return cudaFree(0); }' > plain.cu
    nvcc=$(make -s -C "$root" print-nvcc)
    "$nvcc" -o static plain.cu
    refused 2 "'./static' uses no shared CUDA runtime: link it with -cudart shared" static
    "$nvcc" -cudart shared -Xlinker "--disable-new-dtags,-rpath,$(dirname "$(realpath "$nvcc")")/../lib64" -o rpath \
        plain.cu
    refused 2 "'./rpath' fixes the path of its CUDA runtime" rpath
    refused 2 'usage: sim.sh'
    refused 2 "unknown option '--what'" --what plain.cu
    refused 2 "option '--seed' needs a value" --seed
    refused 2 "--checks: 'foo' must be all, none, or a list of: written,races,leaks,lanes,bounds,calls,streams,host,unused" \
        --checks foo plain.cu
    refused 2 "--workers: '0' is not a number from 1 to 256" --workers 0 plain.cu
    refused 2 "--seed: 'x' is not a whole number" --seed x plain.cu
    refused 2 "cannot open 'nowhere.cu'" nowhere.cu
    refused 2 "cannot open 'nowhere'" nowhere
    echo text > plain.txt
    refused 2 "'plain.txt' is neither a CUDA source nor a program" plain.txt
    NVCC=/nonexistent refused 3 'nvcc is not found' plain.cu
    echo 'int main() { return nothing; }' > broken.cu
    run -2 "$sim" broken.cu
    assert_output --partial 'identifier "nothing" is undefined'
    assert_line 'sim.sh: the program does not compile: see above'
    run -0 "$sim" --help
    assert_line --index 0 'usage: sim.sh [OPTION...] FILE.cu... [--] [ARGUMENT...]'
}

@test "sim.sh: a fault is reported, and the program goes on as on a GPU" {
    cd "$BATS_TEST_TMPDIR"
    run --separate-stderr "$root/run_scripts/sim.sh" "$root/tests/cudasim/checks/out_of_bounds_write_bad.cu"
    [[ $stderr == *'cudasim: error: out-of-bounds: '*'out_of_bounds_write_bad.cu:'* ]] || fail "$stderr"
    run -0 --separate-stderr "$root/run_scripts/sim.sh" "$root/tests/cudasim/vector_add.cu"
    assert_equal "${lines[-1]}" PASSED
    assert_equal "$stderr" ''
}

@test "sim.sh: cuda_user.h is there for programs too; the capture of a thread's own stream ends with the thread" {
    cd "$BATS_TEST_TMPDIR"
    cat > capture.cu << 'END'
#include <cstdio>
#include <thread>

#include "cuda_user.h"

int main()
{
    int *number;

    std::thread([&] {
        CUDA_CHECK(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
        std::puts(cudaGetErrorName(cudaMalloc(&number, sizeof *number)));
    }).join();
    CUDA_CHECK(cudaMalloc(&number, sizeof *number));
    CUDA_CHECK(cudaFree(number));
    CUDA_CHECK(cudaFree(&number)); /* HERE */
}
END
    run -1 --separate-stderr "$root/run_scripts/sim.sh" capture.cu
    assert_output cudaErrorStreamCaptureUnsupported
    line=$(grep -n HERE capture.cu | cut -d : -f 1)
    [[ $stderr == *"capture.cu:$line: cudaFree(&number): cudaErrorInvalidValue (invalid argument)" ]] || fail "$stderr"
}
