# Before all tests: builds the toolkit once, and ends loudly where that fails. Versions first. Where
# tests/scripts/test.sh has built it already, there is nothing to do but to say where it is.
setup_suite() {
    root=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
    export root build=$root/${BUILD:-build}
    export LC_ALL=C.UTF-8
    # The toolkit's own variables must not leak in from the caller.
    unset SUBMISSION PROBLEM JSON ARGS NAME MAKEFLAGS MAKELEVEL MFLAGS
    [ -z "${TOOLKIT_BUILT:-}" ] || return 0
    {
        echo "# $(gcc --version | head -n 1); $(bats --version); $(bwrap --version 2>&1 || echo 'no bubblewrap')"
        echo "# $(nvcc --version 2>/dev/null | grep release || echo 'no nvcc')"
    } >&3
    if ! make -s -C "$root" -j "$(nproc)" all unit-tests simulator-if-used >&2; then
        echo "# the toolkit does not build: no test can run" >&3
        return 1
    fi
}
