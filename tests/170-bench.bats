#!/usr/bin/env bats
# make bench and make plot, make sanitize and make profile.

setup() {
    load helpers/common
    cd "$root"
}

@test "bench: two sizes on the CPU give a table, and JSON with every sample" {
    for row in 'editdistance 128 512 bitparallel.c GCUPS false' 'matmul 64 128 baseline.c GFLOP/s false' \
        'softmax 64 256 baseline.c GB/s true' 'scan 1024 16384 baseline.c GB/s true' \
        'attention 128 256 baseline.c TFLOP/s true'; do
        read -r problem small large faster unit resident <<< "$row"
        run -0 timeout 60 run_scripts/bench.sh "$problem" cpu "$small" "$large"
        assert_line --regexp "^CPU, .* $small +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.e-]+$"
        refute_output --partial simulat
        file=$build/bench/$problem.json
        assert_equal "$(json '[.format, .problem, .resident, (.rows | length)] | map(tostring) | join(" ")' "$file")" \
            "1 $problem $resident 4"
        assert_equal "$(json '[.rows[].n] | unique | map(tostring) | join(" ")' "$file")" "$small $large"
        assert_equal "$(json '[.rows[].kind] | unique | join(" ")' "$file")" 'cpu_blocked cpu_simple'
        # 11 ranked calls; 3 others on a machine where 12 of them would take more than 10 s.
        assert_equal "$(json \
            '[.rows[] | select(.unit == "'"$unit"'" and .measure == "call" and .low <= .median_s and
            .median_s <= .high and (.samples | length) == if .ranked then 11 else 3 end)] | length' "$file")" 4
        [ "$problem" = attention ] || assert_equal "$(json '[.rows[].ranked] | all' "$file")" true
        assert_equal "$(awk -F , 'NR > 1' "$build/bench/$problem.csv" | wc -l)" 4
        assert_equal "$(sed 1q "$build/bench/$problem.csv" | cut -d , -f 2,7 | tr -d '"')" what,median_s
        # The rate is the work over the median.
        work=$(sed -n "s/^size $large \([0-9]*\) .*/\1/p" "problems/$problem/bench.txt")
        scale=$(sed -n 's/^unit [^ ]* //p' "problems/$problem/bench.txt")
        assert_equal "$(json "[.rows[] | select(.what == \"$faster\" and .n == $large) |
            (.rate * .median_s * $scale / $work - 1) | fabs < 1e-9] | tostring" "$file")" '[true]'
    done
}

@test "bench: a size that would take too long is left out, and a wrong answer is an error" {
    local before
    before=$(ls)
    BENCH_SECONDS=0 run -0 timeout 60 tests/bench/bench_ladder.sh matmul cpu 64 128
    assert_equal "$(ls)" "$before" # awk's `print a > 0` writes a file named 0
    assert_equal "$(json '[.rows[].n] | unique | tostring' "$build/bench/matmul.json")" '[64]'
    assert_line --regexp '^CPU, simple +128 +-$'

    list=$BATS_TEST_TMPDIR/bench.txt
    sed "s|^submission cpu_simple .*|submission cpu_simple ../wrong_answer/hamming.c CPU, wrong|" \
        problems/editdistance/bench.txt > "$list"
    BENCH_LIST=$list run -1 timeout 60 tests/bench/bench_ladder.sh editdistance cpu 128
    assert_output --partial 'FAILED. WA'
}

# Built for the simulator without optimisation: no call reaches a kernel.
@test "bench: a bench for GPUs reports a wrong command line before it calls CUDA, in one line" {
    requires nvcc
    [ -e "$(make -s print-cuda-folder)/../include/cublas_v2.h" ] || skip "no cuBLAS"
    bench=$BATS_TEST_TMPDIR/bench_gpu
    "$(make -s print-nvcc)" -std=c++17 -O0 -cudart shared --extended-lambda -I. -Iproblems/matmul \
        -Iproblems/matmul/include -gencode arch=compute_90,code=compute_90 -o "$bench" problems/matmul/bench_gpu.cu \
        "$build"/obj/verify/{cases/arguments,base/error,base/text,base/number}.o -lcublas
    usage='usage: bench_gpu [M N K]..., three arguments a size, bench_gpu population SEED [COUNT], '
    usage+='bench_gpu plans SEED [COUNT], or bench_gpu fit FILE...'
    for arguments in '1024' '1024 1024' '64 64 64 64'; do
        # shellcheck disable=SC2086
        run -2 "$bench" $arguments
        assert_output "$usage"
    done
    run -2 "$bench" '1024 1024 1024'
    assert_output "$usage"
    run -2 "$bench" population
    assert_output "$usage"
    run -2 "$bench" population 1 0
    assert_output "bench: COUNT: '0' is not a whole number from 1 to 10000"
    run -2 "$bench" 64 64 64x
    assert_output "bench: K: '64x' is not a whole number from 1 to 16384"
    run -2 "$bench" 64 64 64 0 64 64
    assert_output "bench: M: '0' is not a whole number from 1 to 16384"
}

# bats test_tags=long
@test "bench: make bench-cudasim can build all that it needs from nothing" {
    requires x86-64
    mkdir "$BATS_TEST_TMPDIR/bin"
    printf '#!/bin/sh\nexec %s -n "$@"\n' "$(command -v make)" > "$BATS_TEST_TMPDIR/bin/make"
    chmod +x "$BATS_TEST_TMPDIR/bin/make"
    # As make builds nothing here, the first program that is to be measured is missing.
    BUILD=build-$BATS_TEST_NUMBER PATH=$BATS_TEST_TMPDIR/bin:$PATH run -3 tests/bench/bench_cudasim.sh 1
    rm -r "build-$BATS_TEST_NUMBER"
    assert_line --regexp "^bench_cudasim.sh: cudasim_speed failed: .*build-$BATS_TEST_NUMBER/cudasim_speed"
}

@test "bench: rows of bench_gpu.cu become rows of this toolkit, with old and new names" {
    rows=$(cat << 'END' | jq -c -L tests/bench --argjson names '{"expert": {"kind": "gpu_expert", "series": "E"}}' \
        'include "rows"; from_kernels($names; "p"; "GPU"; "u")'
{"what":"rate of LOP3","rate":1}
{"what":"expert.cu","measure":"kernel","size":"4 4 4","median_s":2,"q1":1,"q3":3,"rate":5,"unit":"x","sm_mhz":1980}
{"what":"kernel","peer":"expert","size":"7x8","kind":"bytes","median_s":2,"rate":5,"flops":6,"bytes":3}
{"what":"device_user","peer":"thrust","size":1024,"payloads":1,"median_s":2,"rate":5,"right":false}
END
    )
    assert_equal "$(jq -c '[.what, .kind, .series, .measure, .n, .ladder, .low, .clocks, .unit, .operations]' \
        <<< "$rows")" '["expert.cu","gpu_expert","E","kernel",4,true,1,1980,"x",null]
["expert","gpu_expert","E","kernel",7,false,null,null,"u",6]
["thrust","other","thrust","call",1024,false,null,null,"u",null]'
}

@test "bench: bad arguments are one clear line" {
    run -2 run_scripts/bench.sh
    assert_output 'usage: bench.sh PROBLEM [cpu|gpu|all] [SIZE...]'
    run -2 tests/bench/bench_ladder.sh matmul tpu
    assert_output "bench_ladder.sh: DEVICE: 'tpu' must be one of: cpu, gpu, all"
    run -2 tests/bench/bench_ladder.sh matmul cpu 65
    assert_output "bench_ladder.sh: SIZES: '65' is not a size of the ladder: 64 128 256 512 1024 2048 4096 8192"
    BENCH_SECONDS=long run -2 tests/bench/bench_ladder.sh matmul cpu
    assert_output 'bench_ladder.sh: BENCH_SECONDS=long is not a number of seconds'
    if [ ! -e /dev/nvidiactl ]; then
        run -2 tests/bench/bench_ladder.sh matmul gpu
        assert_output 'bench_ladder.sh: DEVICE=gpu: this machine has no NVIDIA GPU'
    fi
}

@test "bench: each problem has a ladder, and its generator accepts the ladder's sizes" {
    for folder in problems/*/; do
        list=$folder/bench.txt problem=$(basename "$folder")
        [ -s "$list" ] || fail "$problem has no bench.txt"
        read -r n _ line <<< "$(sed -n 's/^size //p' "$list" | head -n 1)"
        [ "$n" -gt 0 ]
        so=$(submission "problems/$problem/submissions/accepted/baseline.c" "$problem")
        run -0 timeout 30 "$host" "$problem" --submission "$so" --generate "$line"
    done
}

@test "plot: the committed measurements give pictures with their labels" {
    command -v gnuplot > /dev/null || run -0 run_scripts/lib/packages.sh plot
    mkdir "$BATS_TEST_TMPDIR/data"
    cp docs/results/bench-{matmul,diffevo,cointsp}.json "$BATS_TEST_TMPDIR/data"
    run -0 timeout 60 run_scripts/plot.sh "$BATS_TEST_TMPDIR/data" "$BATS_TEST_TMPDIR/plots"
    assert_line 'diffevo-kernels: skipped, it has no data'
    refute_output --partial 'matmul-time: skipped'
    for name in matmul-time matmul-rate diffevo-speedup cointsp-speedup; do
        svg=$BATS_TEST_TMPDIR/plots/$name.svg
        # Width and height, and more than an empty frame.
        head -c 400 "$svg" | grep -q 'width="900" height="520"' || fail "$name.svg is not an SVG of that size"
        [ "$(grep -c '<path\|<use' "$svg")" -gt 60 ] || fail "$name.svg is nearly empty"
        # The committed pictures match the committed data.
        [ -s "docs/plots/$name.svg" ] || fail "docs/plots has no $name"
    done
    text() { sed 's/<[^>]*>//g' "$BATS_TEST_TMPDIR/plots/$1.svg"; }
    for label in 'CPU, simple' 'CPU, blocked' 'GPU, simple' 'GPU, blocked' 'seconds a call, copies included' 4096; do
        text matmul-time | grep -qF "$label" || fail "matmul-time.svg has no '$label'"
    done
    # The roofline: a panel for each problem, whose series have no series of another beside them.
    head -c 400 "$BATS_TEST_TMPDIR/plots/roofline.svg" | grep -q 'width="1260" height="450"'
    assert_equal "$(text roofline | grep -cF 'operations for each byte')" 3
    for panel in cointsp diffevo matmul; do text roofline | grep -qE "^\s*$panel\s*$" || fail "no panel $panel"; done
    text roofline | grep -qE '^\s*cuBLAS\s*$' || fail "a series without the name of its problem is missing"
    [ -s docs/plots/roofline.svg ]
    text diffevo-speedup | grep -qF 'times as fast as: GPU, a kernel a stage'
    # If data stay on the GPU nothing is copied.
    jq '.resident = true' docs/results/bench-matmul.json > "$BATS_TEST_TMPDIR/data/bench-matmul.json"
    run -0 timeout 60 run_scripts/plot.sh "$BATS_TEST_TMPDIR/data" "$BATS_TEST_TMPDIR/plots"
    for name in time rate; do
        [ "$(text matmul-$name | grep -cF 'copies included')" -eq 0 ] || fail "matmul-$name.svg speaks of copies"
    done
    text matmul-time | grep -qF 'seconds a call'
}

@test "plot: a picture without data is left out, and a bad folder gives one clear line" {
    mkdir "$BATS_TEST_TMPDIR/empty" "$BATS_TEST_TMPDIR/one"
    : > "$BATS_TEST_TMPDIR/empty/bench-nothing.json"
    run -2 run_scripts/plot.sh "$BATS_TEST_TMPDIR/empty"
    assert_output "plot.sh: '$BATS_TEST_TMPDIR/empty' has no results of make bench"
    run -2 run_scripts/plot.sh "$BATS_TEST_TMPDIR/none"
    assert_output "plot.sh: there is no folder '$BATS_TEST_TMPDIR/none'"
    jq '.rows |= map(select(.measure == "kernel")) | .machine.gpu = "another"' docs/results/bench-matmul.json \
        > "$BATS_TEST_TMPDIR/one/matmul.json"
    run -0 run_scripts/plot.sh "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/pictures"
    assert_line 'matmul-time: skipped, it has no data'
    assert_line 'roofline: skipped, it has no data'
    assert_equal "$(cd "$BATS_TEST_TMPDIR/pictures" && echo *)" 'matmul-kernels.svg'
}

@test "sanitize: finds a planted write out of bounds, and a race, with kernel and line; nothing in the baseline" {
    requires nvcc
    line=$(grep -n HERE tests/fixtures/sim/out_of_bounds.cu | cut -d : -f 1)
    run -1 timeout 60 run_scripts/sanitize.sh tests/fixtures/sim/out_of_bounds.cu editdistance --device sim
    assert_line --regexp \
        "^1 x out-of-bounds, first in fill, tests/fixtures/sim/out_of_bounds.cu:$line: write of 4 bytes"
    assert_line 'on the simulator, all checks: device_user() did not return'
    run -1 timeout 60 run_scripts/sanitize.sh tests/fixtures/sim/race.cu --device sim
    assert_line --regexp '^[0-9]+ x shared-race, first in sum, tests/fixtures/sim/race.cu:[0-9]+:'
    run -0 timeout 60 make -s sanitize PROBLEM=matmul SUBMISSION=problems/matmul/submissions/accepted/baseline.cu \
        ARGS='--device sim'
    assert_line 'on the simulator, all checks: the answer is right'
    assert_line 'no errors'
    file=$(sed -n 's/^reports: \([^,]*\),.*/\1/p' <<< "$output")
    assert_equal "$(json '.faults | length' "$file")" 0
    # Another case, with the usual option.
    run -2 make -s sanitize PROBLEM=matmul CASE=sample/none ARGS='--device sim'
    assert_output --partial "has no case 'sample/none'"
    run -2 make -s profile PROBLEM=matmul CASE=sample/none ARGS='--device sim'
    assert_output --partial "has no case 'sample/none'"
}

@test "sanitize, profile: work that fails after device_user() has returned is reported, where data are on the GPU" {
    requires nvcc
    printf '%s\n' '#include "device_user.h"' '__global__ void beyond(char *out) { out[1 << 28] = 1; }' \
        'void device_user(const void *values, const uint8_t *starts, void *sums, size_t n, int type, device_stream s)' \
        '{ beyond<<<1, 1, 0, s>>>((char *)sums); }' > "$BATS_TEST_TMPDIR/late.cu"
    run -1 timeout 60 run_scripts/sanitize.sh "$BATS_TEST_TMPDIR/late.cu" scan --device sim
    assert_line 'on the simulator, all checks: the answer is missing: what device_user() started on the GPU failed'
    assert_line --regexp '^1 x illegal-address, first in beyond, .*late\.cu:2: write of 1 bytes'
    run timeout 60 run_scripts/profile.sh "$BATS_TEST_TMPDIR/late.cu" scan --device sim
    assert_output --partial 'the answer is missing: what device_user() started on the GPU failed'
}

@test "sanitize, profile: a refused launch and a copy the wrong way are reported though no code checks the error" {
    requires nvcc
    printf '%s\n' '#include <cuda_runtime.h>' '__global__ void fill(int *x) { *x = 1; }' \
        'extern "C" unsigned int device_user(char *, int, char *, int) {' '  int *x, y = 0;' \
        '  cudaMalloc(&x, 4); cudaMemset(x, 0, 4);' \
        '  fill<<<1, dim3(64, 64)>>>(x); fill<<<0, 1>>>(x); fill<<<1, 1, 300000>>>(x);' \
        '  cudaMemcpy(&y, x, 4, cudaMemcpyHostToDevice);' '  cudaFree(x); return y; }' > "$BATS_TEST_TMPDIR/refused.cu"
    run -1 run_scripts/sanitize.sh "$BATS_TEST_TMPDIR/refused.cu" --device sim
    assert_line --regexp '^4 x refused, first in fill: the launch returned cudaErrorInvalidValue and the kernel did not run: a'
    assert_output --partial 'blocks of 64 x 64 x 1 threads with 0 bytes of dynamic shared memory; it takes at most 1024'
    run -1 run_scripts/profile.sh "$BATS_TEST_TMPDIR/refused.cu" --device sim
    assert_line 'no kernel ran'
    assert_line --partial 'refused: cudaMemcpy: returned cudaErrorInvalidValue and copied nothing: by its direction the'
}

@test "sanitize: compute-sanitizer's reports are counted by kind, with the first place" {
    eval "$(sed -n '/^kinds()/,/^}/p' run_scripts/sanitize.sh)"
    cat > "$BATS_TEST_TMPDIR/memcheck" << 'END'
========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at fill(int *, int)+0x90 in out_of_bounds.cu:11
=========     by thread (104,0,0) in block (7,0,0)
=========     Access to 0x7f160e800fa0 is out of bounds
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: device_user [0x1]
=========
========= Invalid __global__ write of size 4 bytes
=========     at fill(int *, int)+0x90 in out_of_bounds.cu:11
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure" on CUDA API call.
========= Leaked 4,000 bytes at 0x7f160e800000
========= Target application returned an error
========= ERROR SUMMARY: 3 errors
END
    assert_equal "$(kinds "$BATS_TEST_TMPDIR/memcheck")" '  2 x Invalid __global__ write of size 4 bytes
  1 x Program hit cudaErrorLaunchFailure (error 719)
  first: at fill(int *, int)+0x90 in out_of_bounds.cu:11'
    cat > "$BATS_TEST_TMPDIR/racecheck" << 'END'
========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at sum(const unsigned int *)+0x180 in race.cu:13
=========     and Read access at sum(const unsigned int *)+0x110 in race.cu:16 [512 hazards]
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
END
    assert_equal "$(kinds "$BATS_TEST_TMPDIR/racecheck")" '  1 x Race
  first: at sum(const unsigned int *)+0x180 in race.cu:13'
    printf '========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n' > "$BATS_TEST_TMPDIR/clean"
    assert_equal "$(kinds "$BATS_TEST_TMPDIR/clean")" ''
}

@test "profile: each kernel's share, and what to do first" {
    requires nvcc
    run -0 timeout 60 make -s profile SUBMISSION=device_user.cu ARGS='--device sim'
    assert_line --regexp '^ 100 % +257 .* launches +diagonal$'
    assert_line --regexp '^[0-9]+ % of the time: launches: diagonal\(\) is launched 257 times'
    assert_equal "$(json .simulated "$build/reports/editdistance/device_user.cu-profile.json")" true
}

@test "profile: ncu's raw page becomes one line per kernel, with its limit in words" {
    cat > "$BATS_TEST_TMPDIR/raw.csv" << 'END'
==PROF== connected
"ID","Kernel Name","gpu__time_duration.sum","sm__throughput.avg.pct_of_peak_sustained_elapsed","gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed","l1tex__throughput.avg.pct_of_peak_sustained_active","lts__throughput.avg.pct_of_peak_sustained_elapsed","gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed","sm__warps_active.avg.pct_of_peak_sustained_active","sm__maximum_warps_per_active_cycle_pct","launch__waves_per_multiprocessor"
"","","ns","%","%","%","%","%","%","%",""
"0","copy(float *, int)","1,000","5","91.5","30","40","91.5","80","100","12"
"1","small(int)","3000","1","2","80","1","0","5","100","0.01"
"2","copy(float *, int)","1,000","5","91.5","30","40","91.5","80","100","12"
"3","waits(int)","1000","20","30","20","10","30","60","100","4"
END
    run -0 bash -c "jq -L contrib/practice -Rn 'include \"ncu\"; launches' '$BATS_TEST_TMPDIR/raw.csv' |
        jq -r -L contrib/practice 'include \"ncu\"; kernels' | tr '\t' '|'"
    assert_line --index 0 '3|1|1|80|1|0|5|100|small(int)|limited by its grid, 1 % of what the GPU can hold at once'
    assert_line --index 1 '2|2|5|30|40|91.5|80|100|copy(float *, int)|limited by memory (DRAM), at 91.5 % of its peak'
    assert_line --index 2 '1|1|20|20|10|30|60|100|waits(int)|limited by latency: no unit is above 30 % of its peak'
}

@test "sanitize, profile: bad arguments are one clear line" {
    run -2 run_scripts/sanitize.sh
    assert_output --partial 'usage: sanitize.sh SUBMISSION [PROBLEM]'
    run -2 run_scripts/profile.sh no_such.cu
    assert_output "profile.sh: there is no submission 'no_such.cu'"
    run -2 run_scripts/sanitize.sh problems/matmul/submissions/accepted/simple.c
    assert_output "sanitize.sh: 'problems/matmul/submissions/accepted/simple.c' is not CUDA C: this script works on CUDA submissions only"
    requires nvcc
    run -2 run_scripts/sanitize.sh device_user.cu --device sim --case no/such
    assert_output "sanitize.sh: the problem 'editdistance' has no case 'no/such'"
    run -2 run_scripts/sanitize.sh device_user.cu --device sim --case a --generate b
    assert_output 'sanitize.sh: --case and --generate exclude each other'
    run -2 run_scripts/profile.sh device_user.cu --box none
    assert_output --partial "profile.sh: unknown argument '--box'"
    PROFILE_LAUNCHES=x run -2 run_scripts/profile.sh device_user.cu --device sim
    assert_output 'profile.sh: PROFILE_LAUNCHES=x is not a number from 1 to 999999'
    [ -e /dev/nvidiactl ] || run -2 run_scripts/profile.sh device_user.cu --device gpu
}

# bats test_tags=long
@test "bench_grade: the time of grading without the calls, alone and as one of many in a run; bad arguments" {
    requires box
    run -0 --separate-stderr timeout 100 tests/bench/bench_grade.sh --count 1
    assert_equal "${#lines[@]}" 11
    assert_line --regexp "^overhead, the difference +[0-9.]+ +[0-9.]+$"
    assert_line --regexp "^overhead of one of many in a run, without its build +[0-9.]+ +[0-9.]+$"
    # The parts add up to the whole.
    assert_equal "$(awk '/^all of it/ { rest = $(NF) } /^(  (compiling|the timed)|overhead, )/ { rest -= $(NF) }
        END { print (rest < 0.003 && rest > -0.003) }' <<< "$output")" 1
    run -2 tests/bench/bench_grade.sh --count 0
    assert_output --partial "usage: bench_grade.sh"
    run -2 tests/bench/bench_grade.sh Makefile mergesort
    assert_output --partial "'Makefile' is not a .c or .cu file"
}

# bats test_tags=long
@test "bench_intake: the cost of odd names, one line per count; bad arguments" {
    requires box
    run -0 --separate-stderr timeout 100 tests/bench/bench_intake.sh 1
    assert_equal "$(awk 'NR > 1 && NF == 3 && $2 > 0 && $3 == $2 { print $1 }' <<< "$output")" \
        $'0\n10000\n20000\n40000'
    assert_equal "${#lines[@]}" 5
    run -2 tests/bench/bench_intake.sh 0
    assert_output --partial "usage: bench_intake.sh"
}

@test "bench_watch: without a GPU, and with bad arguments, it says so in a line" {
    run -2 tests/bench/bench_watch.sh 0
    assert_output --partial "usage: bench_watch.sh"
    if [ ! -e /dev/nvidiactl ]; then
        run -2 --separate-stderr tests/bench/bench_watch.sh
        assert_equal "${stderr_lines[-1]}" "bench_watch.sh: there is no NVIDIA GPU here to watch"
    fi
    make -s "${build#"$root"/}/bench_watch"
    run -2 "$build/bench_watch"
    run -3 "$build/bench_watch" /nonexistent/warden GPU-0 1
    assert_output --partial "/nonexistent/warden"
    run -3 "$build/bench_watch" /bin/true GPU-0 1
    assert_output "bench_watch: the warden of the GPU has ended"
}

@test "bench_population.sh: refuses a folder without a simulator, a half that is none and a number below 1" {
    run -2 tests/bench/bench_population.sh "$BATS_TEST_TMPDIR"
    assert_output --partial 'the first argument must be a folder with libcudart.so.13'
    touch "$BATS_TEST_TMPDIR/libcudart.so.13"
    run -2 tests/bench/bench_population.sh "$BATS_TEST_TMPDIR" --half third
    assert_output --partial '--half must be one of: odd, even'
    run -2 tests/bench/bench_population.sh "$BATS_TEST_TMPDIR" --repeats 0
    assert_output --partial "--repeats: '0' is not a number from 1 on"
}

# bats test_tags=long
@test "bench: how long a participant waits at an idle server, by step; a wrong answer is an error" {
    requires box
    run -0 timeout 120 tests/bench/bench_upload.sh --count 2 editdistance \
        problems/editdistance/submissions/accepted/bitparallel.c
    for step in build samples secret shown; do
        assert_line --regexp "^$step +2: least [0-9.]+, median [0-9.]+, most [0-9.]+ s$"
    done
    run -1 timeout 120 tests/bench/bench_upload.sh --count 1 editdistance \
        problems/editdistance/submissions/wrong_answer/hamming.c
    assert_output --partial 'submission 0 was not accepted'
    run -2 tests/bench/bench_upload.sh editdistance
    run -2 tests/bench/bench_upload.sh --count 0 editdistance x.c
}
