#!/usr/bin/env bats
# OpenCL submissions: by PoCL on a machine without a GPU, in the box and without it; and device_user_setup().

setup() {
    load helpers/common
    cd "$root"
    result=$BATS_TEST_TMPDIR/result.json
}

@test "opencl: a .c file with .cl files is accepted, in the box and without it" {
    local so box
    so=$(submission problems/editdistance/submissions/accepted/opencl)
    for box in namespaces none; do
        run -0 --separate-stderr timeout 60 "$host" editdistance --submission "$so" --box $box --json "$result" \
            --device cpu
        assert_equal "${lines[-1]}" 'SUCCESSFUL.'
        assert_equal "$(json '[.submission.language, .device.kind, .box] | join(" ")')" "OpenCL pocl $box"
    done
}

@test "opencl: without a GPU it runs on the CPU automatically, and says so" {
    local so
    [ ! -e /dev/nvidiactl ] || skip "there is a GPU"
    so=$(submission problems/editdistance/submissions/accepted/opencl)
    run -0 --separate-stderr timeout 60 "$host" editdistance --submission "$so" --case sample/1-small
    [[ $stderr == *'the OpenCL submission runs on the CPU, by PoCL; its times are not ranked'* ]] || fail "$stderr"
    run -2 "$host" editdistance --submission "$so" --device gpu
    assert_output --partial '--device gpu was given, but this machine has no usable NVIDIA GPU'
    run -2 "$host" editdistance --submission "$so" --device sim
    assert_output --partial '--device sim: the submission is OpenCL: the simulator runs CUDA'
}

@test "opencl: one .c file that contains its kernel needs no toolkit file, and sees one platform" {
    local so
    so=$(submission tests/fixtures/opencl/one_file.c)
    run -1 --separate-stderr timeout 60 "$host" editdistance --submission "$so" --case sample/1-small
    assert_line '[GPU] : 7'
    assert_equal "$(grep -c 'platforms: 1$' <<< "$stderr")" 1
}

@test "opencl: a kernel that does not build is reported with the compiler's log" {
    local so
    so=$(submission tests/fixtures/opencl/broken)
    run -1 --separate-stderr timeout 60 "$host" editdistance --submission "$so" --case sample/1-small --json "$result"
    assert_equal "$(json .verdict)" RTE
    [[ $(json .message) == *'exited with code 41'* ]] || fail "$(json .message)"
    [[ $stderr == *"| OpenCL: the kernels do not build; the compiler's log:"* ]] || fail "$stderr"
    [[ $stderr == *"| "*"error: "*"use of undeclared identifier 'no_such_name'"* ]] || fail "$stderr"
}

@test "opencl: a machine whose OpenCL has no device is the judge's fault" {
    local so
    so=$(submission problems/editdistance/submissions/accepted/opencl)
    mkdir -p "$BATS_TEST_TMPDIR/kit"
    cp -r "$build" "$BATS_TEST_TMPDIR/kit/build"
    cp -r "$root/problems" "$BATS_TEST_TMPDIR/kit/"
    echo libno-such-driver.so.1 > "$BATS_TEST_TMPDIR/kit/build/opencl/cpu/driver.icd"
    run -3 --separate-stderr timeout 60 "$BATS_TEST_TMPDIR/kit/build/main_host" editdistance --submission "$so" \
        --device cpu --case sample/1-small --json "$result"
    assert_equal "$(json .verdict)" JE
    [[ $(json .message) == *'the device cannot be initialised on this machine: OpenCL: there is no platform'* ]] ||
        fail "$(json .message)"
}

@test "opencl: judge.sh judges a folder, and a source that does not compile is CE" {
    run -0 timeout 120 run_scripts/judge.sh problems/editdistance/submissions/accepted/opencl --group sample \
        --device cpu
    assert_line --partial 'SUCCESSFUL.'
    cp -r problems/editdistance/submissions/accepted/opencl "$BATS_TEST_TMPDIR/bad"
    sed -i 's/wavefront_cl/missing_cl/' "$BATS_TEST_TMPDIR/bad/device_user.c"
    run -1 timeout 120 run_scripts/judge.sh "$BATS_TEST_TMPDIR/bad" editdistance --group sample
    assert_output --partial 'FAILED. CE'
    assert_output --partial missing_cl
}

@test "setup: device_user_setup() is called once, before the clock; leaving it is RTE before the first call" {
    local so
    so=$(submission tests/fixtures/setup_once.c)
    run -1 timeout 60 "$host" editdistance --submission "$so" --case sample/1-small --time-limit 1 --json "$result"
    assert_line '[GPU] : 1'
    [ "$(json '.cases[0].start_seconds >= 1.5 and .cases[0].seconds.max < 1')" = true ] || fail "$(cat "$result")"
    so=$(submission tests/fixtures/setup_exit.c)
    run -1 timeout 60 "$host" editdistance --submission "$so" --case sample/1-small
    assert_output --partial 'RTE (run-time error): the submission, before the first call, exited with code 9'
}

@test "opencl: make devices lists all devices, with their properties" {
    run -0 make -s -C "$root" devices
    assert_line cpu
    assert_line --regexp $'^opencl\t.+\t.+'
    assert_line --regexp '^  version +OpenCL [0-9.]+'
    assert_line --regexp '^  compute units +[1-9][0-9]*$'
    assert_line --regexp '^  global memory +[1-9][0-9]* MiB$'
    assert_line --regexp '^  work-items a group +[1-9][0-9]*$'
    # Without a driver the script says so, and does not fail.
    OCL_ICD_VENDORS=$BATS_TEST_TMPDIR run -0 "$root/run_scripts/devices.sh"
    assert_line 'no OpenCL device'
}
