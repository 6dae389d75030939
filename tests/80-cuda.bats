#!/usr/bin/env bats
# CUDA submissions compile, on any machine with nvcc. How they run without a GPU is in 115-sim-host.bats.

setup() {
    load helpers/common
    requires nvcc
    cd "$root"
}

@test "cuda: every CUDA submission compiles and exports only device_user and its set-up" {
    for source in device_user.cu problems/editdistance/submissions/*/*.cu \
        problems/editdistance/submissions/*/two_files; do
        so=$(submission "$source")
        run -0 nm -D --defined-only "$so"
        assert_line --regexp '^[0-9a-f]+ T device_user$'
        [ "$(grep -cvE ' T device_user(_setup)?$' <<< "$output")" -eq 0 ]
    done
}

@test "cuda: native code and plain PTX are in the file, and the runtime is shared" {
    so=$(submission device_user.cu)
    run -0 bash -c "readelf -d '$so' | grep NEEDED"
    assert_output --partial libcudart.so
    # PTX is text where it is not compressed.
    run -0 bash -c "strings '$so' | grep -A 1 '^\.version'"
    assert_output --regexp '\.target sm_[0-9]+'
}

@test "cuda: a submission that lacks extern \"C\" and the header is C all the same: the build includes the header" {
    sed '/#include "device_user.h"/d; s/extern "C" //' device_user.cu > "$BATS_TEST_TMPDIR/plain.cu"
    so=$(submission "$BATS_TEST_TMPDIR/plain.cu")
    run -0 nm -D --defined-only "$so"
    assert_output --regexp ' T device_user$'
}

@test "cuda: a source that nvcc refuses is CE" {
    echo 'unsigned int device_user(char *, int, char *, int) { return nothing; }' > "$BATS_TEST_TMPDIR/bad.cu"
    run -1 run_scripts/judge.sh "$BATS_TEST_TMPDIR/bad.cu" --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json .verdict)" CE
    assert_output --partial 'identifier "nothing" is undefined'
    # ptxas has its own message for a symbol that no file of the folder has.
    printf '%s\n' 'extern __device__ int helper(int);' '__global__ void k(int *x) { *x = helper(3); }' \
        'unsigned int device_user(char *, int, char *, int) { k<<<1, 1>>>(nullptr); return 0; }' \
        > "$BATS_TEST_TMPDIR/extern.cu"
    run -1 run_scripts/judge.sh "$BATS_TEST_TMPDIR/extern.cu" --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json .message)" \
        "the submission does not compile: ptxas fatal   : Unresolved extern function '_Z6helperi'"
}

@test "cuda: Thrust adds nothing that a league refuses" {
    { echo '#include <thrust/device_vector.h>'; sed '/^void device_user\|^extern "C" void device_user/,/^{/ {
        /^{/a thrust::device_vector<float> none(1);
    }' problems/matmul/submissions/accepted/baseline.cu; } > "$BATS_TEST_TMPDIR/thrust.cu"
    grep -q 'none(1)' "$BATS_TEST_TMPDIR/thrust.cu"
    so=$(submission "$BATS_TEST_TMPDIR/thrust.cu" matmul)
    run -1 grep -q dlsym <(nm -D --undefined-only "$so")
}
