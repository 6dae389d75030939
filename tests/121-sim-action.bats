#!/usr/bin/env bats
# contrib/cudasim/action: its steps' scripts on a small project, as GitHub's runner would start them.

setup_file() {
    load helpers/common
    requires nvcc
    requires x86-64
    make -s -j "$(nproc)" -C "$root" cudasim-library >&2
}

setup() {
    load helpers/common
    action=$root/contrib/cudasim/action
    mkdir -p "$BATS_TEST_TMPDIR/work space/src"
    cd "$BATS_TEST_TMPDIR/work space"
    export GITHUB_WORKSPACE=$PWD GITHUB_OUTPUT=$BATS_TEST_TMPDIR/output GITHUB_STEP_SUMMARY=$BATS_TEST_TMPDIR/summary
    : > "$GITHUB_OUTPUT"
    : > "$GITHUB_STEP_SUMMARY"
}

# project: a program with a race and a leak, and tests that hide what it prints.
project() {
    cat > src/race.cu << 'END'
#include "reverse.h"
int main()
{
    int *data;
    cudaMalloc(&data, 256 * sizeof *data);
    cudaMemset(data, 0, 256 * sizeof *data);
    reverse<<<1, 256>>>(data);
    return cudaDeviceSynchronize();
}
END
    cat > src/reverse.h << 'END'
__global__ void reverse(int *data)
{
    __shared__ int tile[256];
    tile[threadIdx.x] = data[threadIdx.x];
    data[threadIdx.x] = tile[255 - threadIdx.x]; /* RACE */
}
END
    cat > Makefile << 'END'
test: src/race.cu src/reverse.h
	nvcc -arch=sm_70 -o race src/race.cu
	./race > race.out 2>&1
END
    line=$(grep -n RACE src/reverse.h | cut -d : -f 1)
}

@test "action: the scripts of the steps exist, every input is used, and equal files have equal keys" {
    for script in key build run; do
        grep -q "\"\$GITHUB_ACTION_PATH/$script.sh\"" "$action/action.yml"
        [ -x "$action/$script.sh" ]
    done
    for input in $(sed -n '/^inputs:/,/^outputs:/s/^  \([a-z-]*\):$/\1/p' "$action/action.yml"); do
        grep -qF "\${{ inputs.$input }}" "$action/action.yml" || fail "the input $input is not used"
    done
    for variable in $(sed -nE 's/^ +(SIM_[A-Z_]+): .*/\1/p' "$action/action.yml"); do
        grep -q "\${$variable" "$action/run.sh" || fail "$variable is not used"
    done
    run -0 "$action/key.sh"
    assert_line "build=$build/cudasim"
    assert_line --regexp '^key=cudasim-x86_64-[0-9a-f]{32}$'
    first=$output
    run -0 "$action/key.sh"
    assert_output "$first"
    run -0 "$action/build.sh"
}

@test "action: a race is annotated at its line though the test hides the output; warnings fail the step if asked" {
    project
    SIM_COMMAND='make -s test' run -0 --separate-stderr "$action/run.sh"
    assert_line --regexp "^::warning file=src/reverse.h,line=$line,title=cudasim shared-race::reverse, block \(0,0,0\), thread "
    assert_line --regexp '^::warning title=cudasim leak::1024 bytes'
    count=$(grep -c '^::warning' <<< "$output")
    assert_equal "$(cat "$GITHUB_OUTPUT")" $'errors=0\nwarnings='"$count"
    grep -q "0 errors, $count warnings, exit code 0" "$GITHUB_STEP_SUMMARY"
    SIM_COMMAND='make -s test' SIM_FAIL_ON=warning run -1 "$action/run.sh"
    SIM_COMMAND='make -s test' SIM_CHECKS=none SIM_FAIL_ON=warning run -0 "$action/run.sh"
    assert_output ''
}

@test "action: an error fails the step, and so does the command; options reach the simulator" {
    project
    sed -i 's/255 - threadIdx/255 * 300000 - threadIdx/; s/data\[threadIdx.x\] =/data[threadIdx.x + 2000] =/' src/reverse.h
    SIM_COMMAND='make -s test || true' run -1 --separate-stderr "$action/run.sh"
    assert_line --regexp '^::error file=src/reverse.h,line=5,title=cudasim out-of-bounds::reverse, block'
    SIM_COMMAND='make -s test || true' SIM_FAIL_ON=none run -0 "$action/run.sh"
    SIM_COMMAND='exit 7' run -7 "$action/run.sh"
    SIM_COMMAND='echo "$CUDASIM_SEED $(basename "$CUDASIM_PROFILE")"' SIM_SEED=5 SIM_GPU=t4 run -0 "$action/run.sh"
    assert_output '5 t4.conf'
    SIM_COMMAND='' run -2 "$action/run.sh"
    SIM_COMMAND=true SIM_FAIL_ON=maybe run -2 "$action/run.sh"
}

@test "action: annotations stay on one line, with any names and texts" {
    : > 'a,b:c%.cu'
    cat > messages << END
cudasim: warning: shared-race: f<int, 3>, $PWD/a,b:c%.cu:12, block (0,0,0), thread (1,0,0): 100 % of
cudasim: warning: shared-race: f<int, 4>, $PWD/a,b:c%.cu:12, block (0,0,0), thread (2,0,0): again
cudasim: error: out-of-bounds: g, /usr/include/x.h:3, block (0,0,0), thread (1,0,0): read
cudasim: warning: uninitialised: h, PTX line 7, block (0,0,0), thread (1,0,0): read
cudasim: error: trap: k, ../other/x.cu:3, block (0,0,0), thread (1,0,0): it
cudasim: 3 places with faults: no more will be reported
::error::not the simulator's
END
    run -0 "$action/annotate.sh" "$PWD" < messages
    assert_output "$(cat << 'END'
::warning file=a%2Cb%3Ac%25.cu,line=12,title=cudasim shared-race::f<int, 3>, block (0,0,0), thread (1,0,0): 100 %25 of
::error title=cudasim out-of-bounds::/usr/include/x.h:3: g, block (0,0,0), thread (1,0,0): read
::warning title=cudasim uninitialised::h, PTX line 7, block (0,0,0), thread (1,0,0): read
::error title=cudasim trap::../other/x.cu:3: k, block (0,0,0), thread (1,0,0): it
END
)"
}
