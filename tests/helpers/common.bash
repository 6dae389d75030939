# Loaded by every test file.
# shellcheck shell=bash
bats_require_minimum_version 1.5.0
# What bats_load_library does with these two, without the processes that each of their files starts there: they take
# longer than most tests.
for library in bats-support bats-assert; do
    for file in "${BATS_LIB_PATH:-/usr/lib/bats}/$library"/src/*.bash; do
        # shellcheck source=/dev/null
        . "$file"
    done
done
unset library file

# Inputs of 128 characters and their distance, made once a test file.
host=$build/main_host
practice=$build/files

# requires gpu|nvcc|box|x86-64|clang: skips a test that cannot run on this machine.
requires() {
    case $1 in
    gpu) [ -e /dev/nvidiactl ] || skip "no NVIDIA GPU" ;;
    nvcc)
        # Asked once for all tests of a file: it takes make a fifth of a second.
        [ -e "$BATS_FILE_TMPDIR/have-nvcc" ] || {
            make -s -C "$root" have-nvcc || skip "no nvcc"
            touch "$BATS_FILE_TMPDIR/have-nvcc"
        } ;;
    box) bwrap --unshare-all --ro-bind / / true 2> /dev/null || skip "no user namespaces" ;;
    x86-64) [ "$(uname -m)" = x86_64 ] || skip "no x86-64 processor" ;;
    clang) echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
        clang -fsanitize=fuzzer -x c -o /dev/null - 2> /dev/null || skip "no clang with libFuzzer" ;;
    *) echo "requires: unknown '$1'" >&2; return 1 ;;
    esac
}

# submission SOURCE [PROBLEM]: builds it and prints the path of its device_user.so.
submission() {
    local printed
    printed=$(make -s -C "$root" submission print-submission SUBMISSION="$1" PROBLEM="${2:-editdistance}") || {
        echo "$printed" >&2
        return 1
    }
    echo "$root/${printed##*$'\n'}"
}

# timeout SECONDS COMMAND...: ends what hangs. It says nothing about speed: on a busy machine everything takes longer,
# so it waits ten times as long, half an hour at most.
timeout() { command timeout $(($1 < 180 ? $1 * 10 : 1800)) "${@:2}"; }

# wait_for COMMAND...: until it succeeds, for five minutes at most.
wait_for() {
    local left=3000
    until "$@"; do
        [ $((left--)) -gt 0 ] || { echo "waited in vain for: $*" >&2; return 1; }
        sleep 0.1
    done
}

# runners COUNT: whether COUNT runners work in boxes. $runners lists their processes then.
runners() {
    local pid
    runners=()
    for pid in $(pgrep -f '^/toolkit/runner '); do
        [ "$(readlink "/proc/$pid/exe")" = /usr/bin/bwrap ] || runners+=("$pid")
    done
    [ ${#runners[@]} -ge "$1" ]
}

# json FILTER [FILE]: what jq prints of the result.
json() { jq -r "$1" "${2:-$BATS_TEST_TMPDIR/result.json}"; }
