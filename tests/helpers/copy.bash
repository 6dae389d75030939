# For tests that change the toolkit: a copy of its files, without what was built.
# shellcheck shell=bash

# copy_toolkit [simulator]: makes the copy and goes there; the toolkit's own paths are forgotten. The simulator comes along
# where it is asked for and built: it would take minutes to build again.
copy_toolkit() {
    mkdir "$BATS_TEST_TMPDIR/copy"
    tar -C "$root" --exclude='./build*' --exclude=./.git --exclude=./.gpu --exclude=./getrndstr --exclude=./ldistance \
        --exclude=./seal --exclude=./key \
        -cf - . | tar -C "$BATS_TEST_TMPDIR/copy" -xf -
    cd "$BATS_TEST_TMPDIR/copy" || return
    if [ "${1:-}" = simulator ] && [ -d "$build/cudasim" ]; then
        mkdir build && cp -a "$build/cudasim" build/
    fi
    unset root build host practice BUILD
}
