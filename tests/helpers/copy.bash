# For tests that change the toolkit: a copy of its files.
# shellcheck shell=bash

# copy_toolkit [simulator] [built]: makes the copy, without what was built, and goes there; the toolkit's own paths are
# forgotten. On request it also copies the simulator, or the host with its objects as well, which make finds up to date:
# each would take minutes to build again.
copy_toolkit() {
    local part
    mkdir "$BATS_TEST_TMPDIR/copy"
    tar -C "$root" --exclude='./build*' --exclude=./.git --exclude=./.gpu --exclude=./getrndstr --exclude=./ldistance \
        --exclude=./seal --exclude=./key \
        -cf - . | tar -C "$BATS_TEST_TMPDIR/copy" -xf -
    cd "$BATS_TEST_TMPDIR/copy" || return
    for part; do
        mkdir -p build
        case $part in
        simulator) [ ! -d "$build/cudasim" ] || cp -a "$build/cudasim" build/ ;;
        built)
            # The programs and what they are made of, but no test, no submission and nothing that a test has left.
            find "$build" -maxdepth 1 -type f -exec cp -a {} build/ \;
            cp -a "$build/obj" "$build/plain" "$build/runners" "$build/opencl" build/
            ;;
        *) echo "copy_toolkit: unknown '$part'" >&2; return 1 ;;
        esac
    done
    unset root build host practice BUILD
}
