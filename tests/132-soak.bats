#!/usr/bin/env bats
# Many judgings in a row, and a host that is killed: tests/scripts/soak.sh, in short. `make soak` is the long one.
# bats file_tags=alone

setup() {
    load helpers/common
    cd "$root"
    requires box
}

# bats test_tags=long
@test "soak: 30 submissions and 5 kills: every verdict is right, nothing is left" {
    run -0 timeout 300 tests/scripts/soak.sh --count 30 --kills 5 --c-only
    assert_line --regexp '^30 submissions, [1-9][0-9]* of them hostile, in [0-9]+ s: [1-9][0-9]* AC'
    assert_line --regexp '^overhead of an honest one \(all but its calls\): median [0-9.]+ ms, '
    assert_line --regexp '^5 times the host was killed; until nothing of it was left: median [0-9.]+ ms, .* \(5\)$'
    assert_line --regexp '^after +0 '
    assert_line 'every verdict is as it must be, and nothing is left'
    refute_output --partial FAILED
}

@test "soak: the order comes from the seed" {
    timeout 120 tests/scripts/soak.sh --count 3 --kills 0 --c-only --seed 5 | sed 1q > "$BATS_TEST_TMPDIR/1"
    timeout 120 tests/scripts/soak.sh --count 3 --kills 0 --c-only --seed 5 | sed 1q > "$BATS_TEST_TMPDIR/2"
    cmp "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/2"
    run -2 tests/scripts/soak.sh --count -1
    assert_output 'usage: soak.sh [--count N] [--kills K] [--seed S] [--c-only]'
}

@test "soak: leftovers are found: a process, a file, a mount, a lock, shared memory" {
    cat > "$BATS_TEST_TMPDIR/leaves.sh" << 'END'
#!/bin/bash
. run_scripts/lib/lib.sh
. run_scripts/lib/clean_room.sh
clean_room_enter "$1" "$@"
[ -z "$(clean_room_left)" ] || { echo "not clean to begin with"; clean_room_left; exit 1; }
case $2 in
process) (setsid sleep 300 > /dev/null 2>&1 &) && sleep 0.2 ;;
file) touch /dev/shm/left ;;
mount) mkdir "$1/there" && mount -t tmpfs left "$1/there" ;;
lock)
    touch /tmp/gpu-contest-toolkit-contexts-lock # which nobody holds
    flock -n /tmp/gpu-contest-toolkit-cpu9.lock sleep 300 > /dev/null 2>&1 & sleep 0.2 ;;
memory) ipcmk -M 4096 > /dev/null ;;
esac
clean_room_left
END
    sed -i "s|^\. run_scripts|. $root/run_scripts|" "$BATS_TEST_TMPDIR/leaves.sh"
    chmod +x "$BATS_TEST_TMPDIR/leaves.sh"
    for what in 'process:process: [0-9]+ \(sleep\) S 1' 'file:file: /dev/shm/left' 'mount:mount: .*tmpfs left.*' \
        'lock:lock: /tmp/gpu-contest-toolkit-cpu9.lock is held' 'memory:System V shm: .*'; do
        mkdir "$BATS_TEST_TMPDIR/${what%%:*}"
        run -0 timeout 20 "$BATS_TEST_TMPDIR/leaves.sh" "$BATS_TEST_TMPDIR/${what%%:*}" "${what%%:*}"
        assert_line --regexp "^${what#*:}\$"
        refute_line --partial contexts-lock
        [ "${what%%:*}" = lock ] || [ "${what%%:*}" = process ] || assert_equal "${#lines[@]}" 1
    done
}
