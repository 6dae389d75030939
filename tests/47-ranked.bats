#!/usr/bin/env bats
# The clock: times that rank, inputs that cannot be read early, outputs as they are at "done".

setup() {
    load helpers/common
    cd "$root"
    result=$BATS_TEST_TMPDIR/result.json
}

# A case of mergesort that is large: page-locked for CUDA, and its output copied off the clock.
large='random 400000 seed=7'

# bats test_tags=alone
@test "clock: threads are stopped, the spared child lives, a warden's end is detected" {
    run -0 timeout 60 "$build/tests/test_warden"
    assert_output --regexp '[0-9]{2,} checks, 0 failed'
}

# bats test_tags=alone
@test "clock: the warden probes, flushes, is lent, and ends, on the simulator" {
    requires nvcc
    requires x86-64
    make -s cudasim-library "${build#"$root"/}/tests/sim_warden" BUILD="${build#"$root"/}"
    run -0 timeout 60 "$build/tests/test_warden" "$build/tests/sim_warden"
    assert_output --regexp "^15[0-9] checks, 0 failed"
}

# bats test_tags=alone
@test "clock: --ranked makes 11 calls that count, each with its own input, and shows an empty submission's time" {
    requires box
    so=$(submission problems/editdistance/submissions/accepted/baseline.c)
    run -0 "$host" editdistance --submission "$so" --case sample/1-small --ranked --json "$result"
    assert_output --partial "an empty submission's median"
    assert_output --partial "did not use the GPU in case sample/1-small"
    assert_equal "$(json '.ranked, .repeat, .verdict' | paste -sd ' ')" 'true 11 AC'
    assert_equal "$(json '.cases[0] | (.samples | length), .calls, .steady, .used_gpu, .disturbed' | paste -sd ' ')" \
        '11 12 true false 0'
    assert_equal "$(json '.cases[0] | .overhead.min > 0 and .overhead.min <= .overhead.median and
        .overhead.median <= .overhead.max and .seconds.median > .overhead.min and
        ((.net_seconds - (.seconds.median - .overhead.median)) | fabs) < 1e-12')" true
}

@test "clock: the seed of a ranked judging is new each time, unless it is given" {
    requires box
    so=$(submission problems/editdistance/submissions/accepted/baseline.c)
    for i in 1 2 3; do
        "$host" editdistance --submission "$so" --case sample/1-small --ranked --repeat 1 --json "$result" > /dev/null
        json .seed
    done > "$BATS_TEST_TMPDIR/seeds"
    assert_equal "$(sort -u "$BATS_TEST_TMPDIR/seeds" | wc -l)" 3
    "$host" editdistance --submission "$so" --case sample/1-small --ranked --repeat 1 --seed 5 --json "$result" \
        > /dev/null
    assert_equal "$(json .seed)" 5
}

@test "clock: a judging that cannot rank is refused in one line" {
    so=$(submission problems/editdistance/submissions/accepted/baseline.c)
    echo abc > "$BATS_TEST_TMPDIR/a"
    run -2 "$host" editdistance --submission "$so" --ranked "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/a"
    assert_output 'main_host: --ranked: an INPUT from files is the same in every call: use --case instead'
    run -2 "$host" editdistance --submission "$so" --ranked --repeat 10
    assert_output 'main_host: --ranked: --repeat 10 is even: use an odd number, so that the median is one of the times'
    run -3 "$host" editdistance --submission "$so" --ranked --box none
    assert_output --partial 'times without a box do not rank'
    run -2 "$host" editdistance --submission "$so" --gpu 0
    assert_output 'main_host: --gpu 0: the submission is C and does not run on a GPU'
}

@test "clock: a simulated time does not rank" {
    requires nvcc
    [ ! -e /dev/nvidiactl ] || skip "there is a GPU"
    so=$(submission device_user.cu)
    run -2 "$host" editdistance --submission "$so" --ranked
    assert_output --partial "the simulator's times do not rank"
    run -2 "$host" editdistance --submission "$so" --gpu 1
    assert_output --partial 'no usable NVIDIA GPU'
}

# bats test_tags=alone
@test "clock: a polling thread sees a large input appear whole, at the same address each time" {
    requires nvcc
    requires box
    so=$(submission tests/fixtures/clock/peek_place.cu mergesort)
    run -0 --separate-stderr "$host" mergesort --submission "$so" --generate "$large" --repeat 8 --device sim
    assert_equal "$(grep -c 'torn' <<< "$stderr")" 8
    [ "$(grep -c ' 0 of them torn' <<< "$stderr")" -eq 8 ]
    assert_equal "$(grep -o 'at 0x.*' <<< "$stderr" | sort -u | wc -l)" 1
    # It did look: it saw most of the changes between calls.
    [ "$(grep -o '[0-9]* changes' <<< "$stderr" | tail -n 1 | cut -d ' ' -f 1)" -ge 1 ]
}

# bats test_tags=alone
@test "clock: a large output counts as it is when device_user() returns" {
    so=$(submission tests/fixtures/clock/late_thread.c mergesort)
    run -1 "$host" mergesort --submission "$so" --generate "$large"
    assert_output --partial 'FAILED. WA'
    so=$(submission problems/mergesort/submissions/accepted/baseline.c mergesort)
    run -0 "$host" mergesort --submission "$so" --generate "$large" --repeat 3
}

# bats test_tags=alone
@test "clock: a process that dies as it answers with a large output is judged, not waited for" {
    cat > "$BATS_TEST_TMPDIR/die.c" << 'END'
#include <pthread.h>
#include <unistd.h>
#include <signal.h>
static void *end(void *unused) { usleep(200); raise(SIGKILL); return unused; }
void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n)
{
    pthread_t thread;
    (void)keys, (void)payloads, (void)sorted_keys, (void)sorted_payloads, (void)n;
    pthread_create(&thread, NULL, end, NULL);
}
END
    so=$(submission "$BATS_TEST_TMPDIR/die.c" mergesort)
    for i in 1 2 3; do
        run -1 timeout 30 "$host" mergesort --submission "$so" --generate "$large"
        assert_output --regexp 'FAILED. (WA|RTE)'
    done
}
