# Programs of a suite that runs on the simulator.
# shellcheck shell=bash

load helpers/common

# build_suite TARGET...: for setup_file. Builds the library and the programs, or remembers what the machine lacks.
build_suite() {
    [ "$(uname -m)" = x86_64 ] || export lacks='no x86-64 processor'
    make -s -C "$root" have-nvcc || export lacks='no nvcc'
    [ -z "${lacks:-}" ] || return 0
    make -s -j "$(nproc)" -C "$root" cudasim-library "$@" >&2
}

# enter_suite FOLDER: for setup. The programs are in $programs, and find the simulator with its default settings.
enter_suite() {
    local name
    [ -z "${lacks:-}" ] || skip "$lacks"
    cd "$BATS_TEST_TMPDIR" || return
    # shellcheck disable=SC2034 # for the tests
    programs=$build/$1
    for name in "${!CUDASIM_@}"; do unset "$name"; done
    export LD_LIBRARY_PATH=$build/cudasim
}
