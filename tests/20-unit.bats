#!/usr/bin/env bats
# The unit tests, one program each: tests/unit/.

setup() {
    load helpers/common
}

@test "unit: Philox, alphabets and strings" {
    run -0 timeout 60 "$build/tests/test_random"
    assert_output --regexp '[0-9]+ checks, 0 failed'
}

@test "unit: arguments, settings, statistics, blobs, channel, shared memory, reaper" {
    run -0 timeout 60 "$build/tests/test_library"
    assert_output --regexp '[0-9]+ checks, 0 failed'
}

@test "unit: inputs and answers of several calls are made in parallel, in order, and none during a call" {
    run -0 timeout 60 "$build/tests/test_prepare"
    assert_output --regexp '[0-9]+ checks, 0 failed'
}

@test "unit: a runner has its own processor, and long work of other hosts keeps off it" {
    requires box
    # With its own /tmp, where no other host has files.
    run -0 timeout 60 bwrap --dev-bind / / --tmpfs /tmp --ro-bind "$build" "$build" "$build/tests/test_processor"
    assert_output --regexp '[0-9]+ checks, 0 failed'
}

@test "unit: work on several processors is done once, by no more threads than processors" {
    run -0 timeout 60 "$build/tests/test_parallel"
    assert_output --regexp "[0-9]+ checks, 0 failed"
}

@test "unit: settings and numbers: one strict reader, which refuses ambiguous text" {
    run -0 timeout 60 "$build/tests/test_settings"
    assert_output --regexp '^[0-9]{3,} checks, 0 failed$'
}

@test "unit: text from outside: UTF-8, control characters, how they are shown" {
    run -0 timeout 60 "$build/tests/test_text"
    assert_output --regexp '[0-9]{7,} checks, 0 failed'
}

@test "unit: each level of the system call filter allows, refuses and kills as specified" {
    run -0 timeout 60 "$build/tests/test_filter"
    assert_output --regexp '^[0-9]{3} checks, 0 failed$'
}

@test "unit: scripts and programs accept the same names" {
    make -s -C "$root" "${BUILD:-build}/tests/random_names" >&2
    # In a shell of its own: lib.sh sets shell options that tests must not have.
    run -0 timeout 60 bash -c '
        . "$0/run_scripts/lib/lib.sh"
        count=0 taken=0
        while IFS= LC_ALL=C read -r -d "" row; do # in others a broken byte takes the zero byte with it
            file=0 path=0
            ! name_is file "${row:2}" || file=1
            ! name_is path "${row:2}" || path=1
            [ "$file$path" = "${row:0:2}" ] || printf "%q: %s\n" "$row" "$file$path"
            count=$((count + 1)) taken=$((taken + path))
        done
        echo "$count names, $taken taken"' "$root" < <("$build/tests/random_names" 20000)
    assert_output --regexp '^20256 names, [1-9][0-9]{3} taken$'
}

@test "unit: scripts print no character that programs print as a number" {
    make -s -C "$root" "${BUILD:-build}/tests/steering" >&2
    "$build/tests/steering" > "$BATS_TEST_TMPDIR/lines"
    [ "$(wc -l < "$BATS_TEST_TMPDIR/lines")" -gt 1000 ]
    plain=$(bash -c '. "$0/run_scripts/lib/lib.sh"; echo "$shown_plain"' "$root")
    LC_ALL=C.UTF-8 run -1 grep -anxP "$plain" "$BATS_TEST_TMPDIR/lines"
    assert_output ''
    # One of them is shown by its bytes.
    run -0 bash -c '. "$0/run_scripts/lib/lib.sh"; printf "a\u202eb\n" | shown' "$root"
    assert_output 'a<xE2><x80><xAE>b'
}

@test "unit: a submission that names nothing which makes streams gets one hardware queue" {
    local kind name files=()
    cd "$BATS_TEST_TMPDIR"
    while read -r kind name; do
        echo "void $name(void); void device_user(void) { $name(); }" | cc -shared -fPIC -x c -o "$name.so" -
        files+=("$kind" "$name.so")
    done << END
one cudaMalloc
one cudaStreamSynchronize
one cudaMemcpyAsync
one my_StreamCreate
many cudaStreamCreate
many cudaStreamCreateWithFlags
many cuStreamCreate
many cudaGraphLaunch
many cudaLaunchKernel_ptsz
many cudaMemset_ptds
many cudaGetDriverEntryPointByVersion
END
    run -0 timeout 60 "$build/tests/test_queue" "$build" "${files[@]}"
    assert_output "25 checks, 0 failed"
}

@test "unit: the verdict over every combination of facts" {
    run -0 timeout 60 "$build/tests/test_verdict"
    assert_output --regexp '[0-9]+ checks, 0 failed'
}

@test "unit: cgroups limit, count, end everything and leave nothing; or the test says why there are none" {
    run -0 timeout 60 "$build/tests/test_cgroup"
    assert_output --regexp '[0-9]+ checks, 0 failed'
    [[ $output != 'no cgroup: '* ]] || skip "${lines[0]}"
}

@test "unit: seals, signatures and canonical texts, by known answers" {
    run -0 timeout 60 "$build/tests/test_seal"
    assert_output --regexp '[0-9]{4,} checks, 0 failed'
}

@test "unit: editdistance: no narrow band around the diagonal contains the cheapest path of moved blocks" {
    run -0 timeout 120 "$build/tests/test_editdistance_cases"
    assert_output --regexp '[0-9]+ checks, 0 failed'
}

@test "unit: every version of the reference agrees with the plain one on thousands of pairs" {
    run -0 timeout 300 "$build/tests/test_levenshtein"
    assert_output --regexp '[0-9]{5,} checks, 0 failed'
}

@test "unit: cudasim: regions of memory, quarantine, bits, threads" {
    run -0 timeout 60 "$build/tests/test_cudasim_memory"
    assert_output --regexp '[0-9]{3,} checks, 0 failed'
}

@test "unit: cudasim: lines of the host's code, and damaged tables of them" {
    run -0 timeout 60 "$build/tests/test_cudasim_line"
    assert_output --regexp '[0-9]{3,} checks, 0 failed'
}

@test "unit: cudasim: fatbins and cubins as nvcc writes them, whole and broken" {
    cd "$root"
    run -0 timeout 60 "$build/tests/test_cudasim_fatbin"
    assert_output --regexp '[0-9]{3,} checks, 0 failed'
}

@test "unit: cudasim: a program is not built, and nothing is lost, when any allocation of the build fails" {
    run -0 timeout 60 "$build/tests/test_cudasim_program"
    assert_output --regexp '[0-9]{2,} checks, 0 failed'
}

@test "unit: cudasim: the report of made-up counts is right" {
    run -0 timeout 60 "$build/tests/test_cudasim_explain"
    assert_output --regexp '[0-9]{3,} checks, 0 failed'
}

@test "unit: cudasim: printf, malloc, free and assert do what an H200 did" {
    requires x86-64
    run -0 timeout 60 "$build/tests/test_cudasim_builtin"
    assert_output --regexp '[0-9]{3,} checks, 0 failed'
}

@test "unit: cudasim: f16 and bf16 are exact on every level of x86-64 that this machine has" {
    requires x86-64
    run -0 timeout 120 "$build/tests/test_cudasim_half"
    assert_output --regexp '[0-9]{5,} checks, 0 failed'
}

@test "unit: cudasim: a library without a table for its processor says so" {
    requires x86-64
    run -0 timeout 60 "$build/tests/test_cudasim_level"
}

@test "unit: cudasim: all orders of a seed come from one generator" {
    requires x86-64
    run -0 timeout 60 "$build/tests/test_cudasim_sim"
}

@test "unit: a check that fails makes its program fail" {
    cat > "$BATS_TEST_TMPDIR/t.c" << 'END'
#include "tests/unit/unit.h"
int main(void) { CHECK(1 == 2, "as it must"); return unit_end(); }
END
    gcc -I"$root" -o "$BATS_TEST_TMPDIR/t" "$BATS_TEST_TMPDIR/t.c"
    run -1 "$BATS_TEST_TMPDIR/t"
    assert_output --partial '1 checks, 1 failed'
}

@test "unit: calls in flight together: their addresses" {
    run -0 timeout 60 "$build/tests/test_series"
    assert_output --regexp '^[0-9]{4} checks, 0 failed$'
}

# in_flight KIND [FLAG]: judges that kind of tests/fixtures/series/flight.c by series, on a driver whose memory is the
# CPU's, built with FLAG.
in_flight() {
    make -s -C "$root" "${build#"$root"/}/runners/softmax" >&2
    gcc -O2 -fPIC -shared "-DSERIES_KIND=$1" -I "$root/problems/softmax/include" \
        -I "$root/problems/softmax/submissions/accepted" -o "$BATS_TEST_TMPDIR/flight.so" \
        "$root/tests/fixtures/series/flight.c" -lm
    gcc -O2 -fPIC -shared ${2:+"$2"} -Wl,-soname,libcuda.so.1 -o "$BATS_TEST_TMPDIR/driver.so" \
        "$root/tests/fixtures/series/driver.c"
    timeout 60 "$build/tests/test_series" "$build/runners/softmax" "$BATS_TEST_TMPDIR/driver.so" \
        "$BATS_TEST_TMPDIR/flight.so"
}

@test "unit: calls in flight together: an honest submission is timed, and all outputs are checked" {
    run -0 in_flight HONEST
    assert_output --regexp '^AC, 16 calls, [0-9]+ series, timed$'
    run -0 in_flight ONCE_WRONG
    assert_output --partial 'WA, 0 calls, 0 series, not timed: device_user() '
    assert_output --regexp 'in case small, call 6 of [0-9]+ in flight together$'
    run -0 in_flight STALE
    assert_output --regexp '^WA, .* in case small, call 2 of [0-9]+ in flight together$'
}

@test "unit: calls in flight together: no work is left for a later call, nor done ahead" {
    run -0 in_flight LAZY
    assert_output --regexp '^WA, .* in case small, call 2 of [0-9]+ in flight together$'
    run -0 in_flight AHEAD
    assert_output --regexp '^WA, .*: device_user\(\) wrote to the output of a call that was not made in case small, '
}

@test "unit: calls in flight together: a failed mapping of slots is not a fault of the channel" {
    run -0 in_flight HONEST -DSERIES_FAILS_AT=2
    assert_output --partial 'JE, 0 calls, 0 series, not timed: the runner failed: the driver does not map the slots in case'
}
