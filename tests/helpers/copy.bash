# For tests that change the toolkit: a copy of its files, without what was built.
# shellcheck shell=bash

# copy_toolkit: makes the copy and goes there; the toolkit's own paths are forgotten.
copy_toolkit() {
    mkdir "$BATS_TEST_TMPDIR/copy"
    tar -C "$root" --exclude='./build*' --exclude=./.git --exclude=./.gpu --exclude=./getrndstr --exclude=./ldistance \
        -cf - . | tar -C "$BATS_TEST_TMPDIR/copy" -xf -
    cd "$BATS_TEST_TMPDIR/copy" || return
    unset root build host practice
}
