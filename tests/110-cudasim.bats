#!/usr/bin/env bats
# cudasim: CUDA programs that check themselves, faults that must be found, the report. See tests/cudasim/PROGRAMS.md.

setup_file() {
    load helpers/common
    [ "$(uname -m)" = x86_64 ] || export lacks='no x86-64 processor'
    make -s -C "$root" have-nvcc || export lacks='no nvcc'
    [ -z "${lacks:-}" ] || return 0
    # The first time takes minutes. The tests tagged long build the slowest parts of CUB and Thrust.
    make -s -j "$(nproc)" -C "$root" cudasim-library cudasim-programs >&2 || {
        echo "# the simulator or its programs do not build: none of these tests can run" >&3
        return 1
    }
}

setup() {
    load helpers/common
    load helpers/features
    [ -z "${lacks:-}" ] || skip "$lacks"
    cd "$BATS_TEST_TMPDIR"
    programs=$build/cudasim-tests
    sources=$root/tests/cudasim
    faulty='errors errors_sticky driver_api children features/launch_attributes features/host_memory features/device_graphs' # programs that do wrong on purpose
    # The caller's own settings must not leak in.
    local name
    for name in "${!CUDASIM_@}"; do unset "$name"; done
    export LD_LIBRARY_PATH=$build/cudasim
}

# simulate PROGRAM: its output in $output, its standard error in $stderr, faults that the simulator saw in $said. In
# every launch the classes of instructions add up, unless $features is set and empty.
simulate() {
    local command=("$programs/$1") part
    # Short programs are parts of one.
    for part in "$programs"/together_*.cu; do
        ! grep -qF "/$1.cu\"" "$part" || command=("${part%.cu}" "${1##*/}")
    done
    rm -f features.csv
    CUDASIM_FEATURES=${features-features.csv} run --separate-stderr timeout 120 "${command[@]}"
    [ ! -e features.csv ] || classes_add_up features.csv || fail "$1: see above"
    [ "$status" -ne 124 ] || fail "$1 did not end in 120 s"$'\n'"$output"$'\n'"$stderr"
    said=$(grep -E '^cudasim: (error|warning): ' <<< "$stderr" || true)
}

# built PROGRAM: builds a program that setup_file() does not build.
built() { make -s -C "$root" "${programs#"$root"/}/$1" >&2; }

# passes PROGRAM: the program's own checks pass, and the simulator reports nothing.
passes() {
    simulate "$1"
    [ "$status" -eq 0 ] || fail "$1: exit $status"$'\n'"$output"$'\n'"$stderr"
    assert_equal "${output##*$'\n'}" PASSED
    if [ -e "$sources/$1.expected" ]; then
        diff -u "$sources/$1.expected" - <<< "$output"
    fi
    [[ " $faulty " == *" $1 "* ]] || assert_equal "$said" ''
}

# pair NAME: the simulator finds the fault of NAME_bad by kind, kernel and line, and no other fault; it finds
# nothing in NAME_good.
pair() {
    local kind kernel line source place
    if [ -e "$sources/checks/$1_good.cu" ]; then
        simulate "$1_good"
        assert_equal "$status" 0
        assert_equal "$said" ''
    fi
    source=$sources/checks/$1_bad.cu
    read -r _ _ kind kernel < "$source"
    kernel=${kernel#kernel=}
    line=$(grep -n '/\* HERE \*/' "$source" | cut -d : -f 1)
    place=${kernel:+": $kernel"}${line:+, ${source}:$line, block}
    simulate "$1_bad"
    [ "$status" -le 1 ] || fail "exit $status"$'\n'"$stderr"
    # The message may name the file by any of its paths; its kernels are in a namespace.
    said=$(sed -E "s#, [^ ]*/checks/$1_bad\.cu:#, $source:#; s/\bcase_$1_bad:://g" <<< "$said")
    [[ $said =~ 'cudasim: '(error|warning)": $kind$place" ]] || fail "wanted: $kind$place"$'\n'"found: $said"
    run grep -vE "^cudasim: (error|warning): $kind\b" <<< "$said"
    assert_output ''
}

# ---- programs ----

@test "cudasim: async_copy" { passes async_copy; }
@test "cudasim: atomics" { passes atomics; }
@test "cudasim: batches" { passes batches; }
@test "cudasim: barrier_pipeline" { passes barrier_pipeline; }
@test "cudasim: bfs" { passes bfs; }
@test "cudasim: bitonic" { passes bitonic; }
@test "cudasim: children" { passes children; }
@test "cudasim: clock_nanosleep" { passes clock_nanosleep; }
@test "cudasim: clusters" { passes clusters; }
@test "cudasim: conditional_graphs" { passes conditional_graphs; }
@test "cudasim: constant_memory" { passes constant_memory; }
@test "cudasim: cooperative_groups" { passes cooperative_groups; }
# bats test_tags=long
@test "cudasim: cub_reduce" { built cub_reduce && passes cub_reduce; }
# bats test_tags=long
@test "cudasim: cub_scan" { built cub_scan && passes cub_scan; }
# bats test_tags=long
@test "cudasim: cub_sort" { built cub_sort && passes cub_sort; }
# bats test_tags=long
@test "cudasim: curand_pi" { built curand_pi && passes curand_pi; }
@test "cudasim: dependent_launch" { passes dependent_launch; }
@test "cudasim: device_malloc" { passes device_malloc; }
@test "cudasim: device_queries" { passes device_queries; }
@test "cudasim: device_runtime" { passes device_runtime; }
@test "cudasim: driver_api" { passes driver_api; }
@test "cudasim: driver_arrays" { passes driver_arrays; }
@test "cudasim: driver_graph" { passes driver_graph; }
@test "cudasim: dynamic_programming" { passes dynamic_programming; }
@test "cudasim: dynamic_shared" { passes dynamic_shared; }
@test "cudasim: errors" { passes errors; }
@test "cudasim: errors_sticky" {
    export CUDASIM_STRICT_RESET=1 # a reset must recover: the program's own variable
    passes errors_sticky
}
@test "cudasim: features/answers" { passes features/answers; }
@test "cudasim: features/as_the_card" { passes features/as_the_card; }
# bats test_tags=long
@test "cudasim: features/atomics_wide" { built features/atomics_wide && passes features/atomics_wide; }
@test "cudasim: features/barriers_ptx" { passes features/barriers_ptx; }
@test "cudasim: features/bit_ptx" { passes features/bit_ptx; }
@test "cudasim: features/contexts" { passes features/contexts; }
@test "cudasim: features/cpp20" { passes features/cpp20; }
@test "cudasim: features/cuda_ptx" { passes features/cuda_ptx; }
@test "cudasim: features/device_graphs" { passes features/device_graphs; }
@test "cudasim: features/device_nodes" { passes features/device_nodes; }
@test "cudasim: features/first_variants" { passes features/first_variants; }
# bats test_tags=long
@test "cudasim: features/generators" { built features/generators && passes features/generators; }
@test "cudasim: features/graph_edges" { passes features/graph_edges; }
@test "cudasim: features/graph_memory" { passes features/graph_memory; }
@test "cudasim: features/graph_updates" { passes features/graph_updates; }
@test "cudasim: features/graph_words" { passes features/graph_words; }
@test "cudasim: features/green_contexts" { passes features/green_contexts; }
@test "cudasim: features/group_calls" { passes features/group_calls; }
@test "cudasim: features/host_memory" { passes features/host_memory; }
@test "cudasim: features/int128" { passes features/int128; }
@test "cudasim: features/jit_link" { passes features/jit_link; }
@test "cudasim: features/launch_attributes" { passes features/launch_attributes; }
@test "cudasim: features/logs" { passes features/logs; }
@test "cudasim: features/memory_places" { passes features/memory_places; }
@test "cudasim: features/odd_ptx" { passes features/odd_ptx; }
@test "cudasim: features/processes" { passes features/processes; }
@test "cudasim: features/queries" {
    features='' # with them a kernel runs as it is launched, and cannot wait for the host
    passes features/queries
}
@test "cudasim: features/small_floats" { passes features/small_floats; }
# bats test_tags=long
@test "cudasim: features/std_types" { built features/std_types && passes features/std_types; }
@test "cudasim: features/link_logs" { passes features/link_logs; }
@test "cudasim: features/stream_words" { passes features/stream_words; }
@test "cudasim: features/sub_byte" { passes features/sub_byte; }
@test "cudasim: features/texture_shapes" { passes features/texture_shapes; }
@test "cudasim: features/texture_views" { passes features/texture_views; }
@test "cudasim: features/wrong_calls" { passes features/wrong_calls; }
# bats test_tags=long
@test "cudasim: features/cub_kinds" { built features/cub_kinds && passes features/cub_kinds; }
# bats test_tags=long
@test "cudasim: features/thrust_keys" { built features/thrust_keys && passes features/thrust_keys; }
@test "cudasim: fft" { passes fft; }
@test "cudasim: float_ops" { passes float_ops; }
@test "cudasim: fp8_ops" { passes fp8_ops; }
@test "cudasim: function_pointers" { passes function_pointers; }
@test "cudasim: game_of_life" { passes game_of_life; }
@test "cudasim: graph_objects" { passes graph_objects; }
@test "cudasim: graphs" { passes graphs; }
@test "cudasim: half_ops" { passes half_ops; }
@test "cudasim: histogram" { passes histogram; }
@test "cudasim: integer_ops" { passes integer_ops; }
@test "cudasim: launch_bounds_3d" { passes launch_bounds_3d; }
@test "cudasim: local_memory" { passes local_memory; }
@test "cudasim: mandelbrot" { passes mandelbrot; }
@test "cudasim: matmul_shared" { passes matmul_shared; }
@test "cudasim: matmul_wmma" { passes matmul_wmma; }
@test "cudasim: mbarrier" { passes mbarrier; }
@test "cudasim: memory_api" { passes memory_api; }
@test "cudasim: merge_sort" { passes merge_sort; }
@test "cudasim: mma_ptx" { passes mma_ptx; }
@test "cudasim: nbody" { passes nbody; }
@test "cudasim: needleman_wunsch" { passes needleman_wunsch; }
@test "cudasim: no_kernels" { passes no_kernels; }
@test "cudasim: forked" {
    passes forked
    assert_equal "$(grep -c 'forked after' <<< "$stderr")" 1
}
@test "cudasim: nvrtc" { passes nvrtc; }
@test "cudasim: pools" { passes pools; }
@test "cudasim: printf_assert" { passes printf_assert; }

@test "cudasim: block_order, the same on one worker and on several" {
    local workers first
    CUDASIM_WORKERS=1 passes block_order
    first=$output
    for workers in 2 3 5; do
        CUDASIM_WORKERS=$workers passes block_order
        assert_equal "$output" "$first"
    done
}

# Blocks of different length. With a fault, the text ends with that of the block which has it.
@test "cudasim: printf_order, as printed by one worker and by several" {
    local workers text
    text=$(for ((n = 0; n < 300; n++)); do printf "block %d begins\nblock %d ends\n" "$n" "$n"; done)
    for workers in 1 2 5 5 5 5 5 5 5 5 5 5; do
        export CUDASIM_WORKERS=$workers
        passes printf_order
        assert_equal "$output" "$text"$'\n'PASSED
        run -0 --separate-stderr "$programs/printf_order" fault
        assert_equal "$output" "$(head -n 401 <<< "$text")"
    done
}

@test "cudasim: producer_consumer" { passes producer_consumer; }
@test "cudasim: radix_sort" { passes radix_sort; }
@test "cudasim: recursion" { passes recursion; }
@test "cudasim: reduce" { passes reduce; }
@test "cudasim: scan" { passes scan; }
@test "cudasim: separate" { passes separate; }
@test "cudasim: sha256" { passes sha256; }
@test "cudasim: sobel" { passes sobel; }
@test "cudasim: spin_lock" { passes spin_lock; }
@test "cudasim: spmv" { passes spmv; }
@test "cudasim: streams_events" { passes streams_events; }
@test "cudasim: struct_params" { passes struct_params; }
# bats test_tags=long
@test "cudasim: templates_lambdas" { built templates_lambdas && passes templates_lambdas; }
@test "cudasim: tensor_maps" { passes tensor_maps; }
@test "cudasim: interleaved_maps" { passes interleaved_maps; }
@test "cudasim: textures" { passes textures; }
@test "cudasim: linear filters give the bits of an H200" { passes texture_filter; }
# bats test_tags=long
@test "cudasim: thrust_sort" { built thrust_sort && passes thrust_sort; }
@test "cudasim: transpose" { passes transpose; }
@test "cudasim: vector_add" { passes vector_add; }
@test "cudasim: vector_types" { passes vector_types; }
@test "cudasim: virtual_memory" { passes virtual_memory; }
@test "cudasim: volatile_fence" { passes volatile_fence; }
@test "cudasim: warp_algorithms" { passes warp_algorithms; }
@test "cudasim: async_stores" { passes async_stores; }
@test "cudasim: sparse" { passes sparse; }
@test "cudasim: multicast" { passes multicast; }
@test "cudasim: wgmma" { passes wgmma; }
@test "cudasim: wgmma's sums that are not exact are those of an H200, bit for bit" {
    run -0 timeout 120 "$programs/wgmma" --digests
    diff -u "$root/tests/fixtures/cudasim/wgmma-h200.txt" - <<< "$output"
}

# bats test_tags=long
@test "cudasim: the instruction bodies of every level of x86-64 give the same results" {
    make -s -C "$root" cudasim-library LEVELS="$(make -s -C "$root" print-runnable-levels)" >&2
    for CUDASIM_LEVEL in 2 3 4; do
        export CUDASIM_LEVEL
        for program in integer_ops float_ops half_ops atomics warp_algorithms mma_ptx vector_types; do
            passes "$program"
        done
    done
}

# bats test_tags=long
@test "cudasim: one worker, and orders of threads drawn from a seed" {
    for program in reduce scan spin_lock producer_consumer barrier_pipeline cooperative_groups; do
        CUDASIM_WORKERS=1 passes "$program"
        for seed in 1 2 3 5 6; do CUDASIM_SEED=$seed passes "$program"; done
    done
}

@test "cudasim: a first launch, which loads the kernel, while a stream waits for a word is warned of" {
    simulate features/lazy_load
    assert_equal "$status" 0
    assert_regex "$said" '^cudasim: warning: deadlock: [a-z_:]*unknown: its first launch loads it'
    CUDA_MODULE_LOADING=EAGER passes features/lazy_load
}

@test "cudasim: 1,287 answers of the runtime and the driver are those of an H200, or differ for a reason that is named" {
    run "$root/tests/answers/compare.sh"
    assert_success
    assert_output '1287 answers: 1271 as on the card, 16 apart for a reason, 0 different'
}

@test "cudasim: an unsupported kernel alone is refused, by name, even if the program checks no error" {
    run --separate-stderr -0 "$programs/refused"
    assert_output PASSED
    said=$(sed -E 's/PTX line [0-9]+/PTX line N/' <<< "$stderr")
    words='the launch returned cudaErrorInvalidPtx and the kernel did not run: refused: PTX line N: '
    words+="unsupported instruction 'tex.base.2dms.v4.f32.s32'"
    for kernel in direct by_call; do
        [[ $said == *"cudasim: warning: refused: $kernel: $words"* ]] || fail "$kernel: $stderr"
    done
    assert_equal "$(grep -c "warning: refused:" <<< "$stderr")" 2
}

@test "cudasim: sim.sh runs a program that loads the driver before the runtime" {
    readelf -d "$programs/together_driver" | sed -n '/NEEDED/p' > needed
    run -0 sed -n 1p needed
    assert_output --partial libcuda.so.1
    run -0 --separate-stderr "$root/run_scripts/sim.sh" "$programs/together_driver" green_contexts
    assert_output PASSED
}

@test "cudasim: without checks, and with the report" {
    for program in reduce matmul_shared device_malloc clusters; do
        CUDASIM_CHECK=none passes "$program"
        CUDASIM_JSON=$BATS_TEST_TMPDIR/result.json passes "$program"
        assert_equal "$(json .simulated)" true
    done
}

@test "cudasim: it exports what NVIDIA's runtime exports" {
    real=$(dirname "$(readlink -f "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")/../lib64/libcudart.so.13
    [ -e "$real" ] || skip "nvcc is not of CUDA 13"
    run -0 "$root/contrib/cudasim/runtime/exports.sh" "$build/cudasim/libcudart.so.13" "$real"
    assert_output ''
}

@test "cudasim: it exports what NVIDIA's driver exports" {
    real=$(dirname "$(readlink -f "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")/../lib64/stubs/libcuda.so
    [ -e "$real" ] || skip "the toolkit has no stub of libcuda"
    run -0 "$root/contrib/cudasim/runtime/exports.sh" "$build/cudasim/libcuda.so.1" "$real" '^cu[A-Z]'
    assert_output ''
}

# ---- checks ----

@test "check: assert_fails" { pair assert_fails; }
@test "check: barrier_divergent" { pair barrier_divergent; }
@test "check: barrier_divergent_branch" { pair barrier_divergent_branch; }
@test "check: barrier_early_exit" { pair barrier_early_exit; }
@test "check: barrier_mismatch" { pair barrier_mismatch; }
@test "check: barrier_number" { pair barrier_number; }
@test "check: barrier_shared" { pair barrier_shared; }
@test "check: barrier_warp_exit" { pair barrier_warp_exit; }
@test "check: deadlock" { pair deadlock; }
@test "check: deadlock_arrival" { pair deadlock_arrival; }
@test "check: deadlock_loop" { pair deadlock_loop; }
@test "check: deadlock_barrier" { pair deadlock_barrier; }
@test "check: deadlock_cluster" { pair deadlock_cluster; }
@test "check: double_free" { pair double_free; }
@test "check: grid_sync" { pair grid_sync; }
@test "check: host_pointer" { pair host_pointer; }
@test "check: leak" { pair leak; }
@test "check: local_neighbour" { pair local_neighbour; }
@test "check: local_returned" { pair local_returned; }
@test "check: member_mask_exited" { pair member_mask_exited; }
@test "check: member_mask_omits" { pair member_mask_omits; }
@test "check: inactive_lane" { pair inactive_lane; }
@test "check: invalid_free" { pair invalid_free; }
@test "check: leak_graph" { pair leak_graph; }
@test "check: leak_heap" { pair leak_heap; }
@test "check: leak_page_locked" { pair leak_page_locked; }
@test "check: leak_pool" { pair leak_pool; }
@test "check: leak_stream" { pair leak_stream; }
@test "check: misaligned" { pair misaligned; }
@test "check: misaligned_shared" { pair misaligned_shared; }
@test "check: misaligned_box" { pair misaligned_box; }
@test "check: neighbour_allocation" { pair neighbour_allocation; }
@test "check: null_pointer" { pair null_pointer; }
@test "check: null_pointer_before" { pair null_pointer_before; }
@test "check: out_of_bounds_atomic" { pair out_of_bounds_atomic; }
@test "check: out_of_bounds_local" { pair out_of_bounds_local; }
@test "check: out_of_bounds_negative" { pair out_of_bounds_negative; }
@test "check: out_of_bounds_read" { pair out_of_bounds_read; }
@test "check: out_of_bounds_reads" {
    pair out_of_bounds_reads
    # The kernel goes on, and the second line is found in the same run.
    assert_equal "$(grep -c "out-of-bounds: gather" <<< "$said")" 2
}
@test "check: out_of_bounds_shared" { pair out_of_bounds_shared; }
@test "check: out_of_bounds_write" { pair out_of_bounds_write; }
@test "check: with CUDASIM_GO_ON an access out of bounds is a warning, and the launch succeeds" {
    for name in reads write negative atomic shared local; do
        CUDASIM_GO_ON=1 simulate checks/out_of_bounds_${name}_bad
        assert_equal "$status $output" '0 done'
        assert_regex "$said" "^cudasim: warning: out-of-bounds: "
        refute_regex "$said" 'error: '
    done
    CUDASIM_GO_ON=1 simulate checks/null_pointer_bad
    assert_equal "$status" 1
}
@test "check: shared_neighbour" { pair shared_neighbour; }
@test "check: shared_pointer" { pair shared_pointer; }
@test "check: shared_race" { pair shared_race; }
@test "check: shared_race_cluster" { pair shared_race_cluster; }
@test "check: shared_race_loop" { pair shared_race_loop; }
@test "check: shared_race_write" { pair shared_race_write; }
@test "check: stack_limit" { pair stack_limit; }
@test "checks: a stack that nvcc knows may exceed cudaLimitStackSize" {
    simulate stack_limit_static_good
    assert_equal "$status" 0
    assert_equal "$said" ''
}
@test "check: stack_overflow" { pair stack_overflow; }
@test "check: template" {
    pair template
    assert_equal "$(wc -l <<< "$said")" 1
}
@test "check: trap" { pair trap; }
@test "check: uninitialised" { pair uninitialised; }
@test "check: uninitialised_rows" { pair uninitialised_rows; }
@test "check: uninitialised_tail" { pair uninitialised_tail; }
@test "check: uninitialised_atomic" { pair uninitialised_atomic; }
# With -G atomicAdd() is a function of its own, which has no lines.
@test "check: a fault in a function of the toolkit names the line that calls it" {
    source=$root/tests/cudasim/checks/uninitialised_atomic_bad.cu
    run --separate-stderr timeout 200 "$root/run_scripts/sim.sh" --nvcc -G "$source"
    line=$(grep -n "HERE" "$source" | cut -d : -f 1)
    assert_regex "$stderr" "uninitialised: count, [^ ]*uninitialised_atomic_bad.cu:$line,"
}
@test "check: uninitialised_element" { pair uninitialised_element; }
@test "check: uninitialised_generator" { pair uninitialised_generator; }
@test "check: uninitialised_local" { pair uninitialised_local; }
@test "check: uninitialised_managed" { pair uninitialised_managed; }
@test "check: uninitialised_matrix" { pair uninitialised_matrix; }
@test "check: uninitialised_shared" { pair uninitialised_shared; }
@test "check: uninitialised_texture" { pair uninitialised_texture; }
@test "check: uninitialised_vector" { pair uninitialised_vector; }
@test "check: unchecked_call" { pair unchecked_call; }
@test "check: unchecked_event" { pair unchecked_event; }
@test "check: unused" { CUDASIM_CHECK=all,unused pair unused; }
@test "check: use_after_free" { pair use_after_free; }
@test "check: use_after_free_device" { pair use_after_free_device; }
@test "check: use_after_free_reused" { pair use_after_free_reused; }
@test "check: write_const" { pair write_const; }

# ---- the report ----

# explain PROGRAM: its JSON in result.json, its text in text.
explain() {
    CUDASIM_JSON=$BATS_TEST_TMPDIR/result.json CUDASIM_EXPLAIN=1 passes "explain/$1"
    echo "$stderr" > text
    assert_equal "$(json '.format, .simulated')" $'1\ntrue'
    assert_equal "$(json '.faults | length')" 0
}

# kernel NAME FILTER: the filter's value for that kernel.
kernel() { json ".kernels[] | select(.name == \"$1\") | $2"; }

# findings KIND: the kernels with a finding of that kind.
findings() { json "[.kernels[].name] as \$names | .findings[] | select(.kind == \"$1\") | \$names[.kernel]" | sort -u; }

# line_of SOURCE PATTERN
line_of() { grep -n "$2" "$sources/explain/$1.cu" | cut -d : -f 1; }

@test "explain: coalesced reads need the fewest sectors, and get no finding" {
    explain coalesced
    assert_equal "$(kernel scale_rows '.global_loads.sectors / .global_loads.requests')" 4
    assert_equal "$(kernel scale_rows '.global_loads.efficiency, .global_stores.efficiency')" $'1\n1'
    assert_equal "$(kernel scale_rows .simd_efficiency)" 1
    assert_equal "$(findings uncoalesced-loads)$(findings uncoalesced-stores)" ''
}

@test "explain: uncoalesced accesses are found, with their line" {
    explain uncoalesced
    assert_equal "$(kernel scale_columns '.global_loads.sectors / .global_loads.requests')" 32
    assert_equal "$(kernel scale_columns .global_stores.efficiency)" 0.125
    assert_equal "$(findings uncoalesced-loads)" scale_columns
    assert_equal "$(json '.findings[] | select(.kind == "uncoalesced-loads") | .line' | head -n 1)" \
        "$(line_of uncoalesced 'out\[y \* width + x\] =')"
    run cat text
    assert_output --partial 'scale_columns'
    assert_output --partial '32.00 sectors per request, ideal 4.00'
}

@test "explain: bank conflicts are found, and none if the tile is padded" {
    explain bank_conflict
    # Half of the requests are stores without a conflict, half are loads of 32 passes.
    assert_equal "$(kernel conflicting '.shared.passes / .shared.requests')" 16.5
    assert_equal "$(kernel padded '.shared.passes / .shared.requests')" 1
    # A launch costs more than either, so there is no finding; but the line is printed.
    assert_equal "$(kernel conflicting '.lines[0] | .worst, .line')" \
        $'passes\n'"$(line_of bank_conflict '= tile\[threadIdx.x\]')"
    assert_equal "$(kernel padded '[.lines[].worst] | unique | .[]')" null
}

@test "explain: divergent threads are found, and none if warps stay whole" {
    explain divergent
    assert_equal "$(kernel uniform '.divergent_branches, .simd_efficiency')" $'0\n1'
    run jq -e '.kernels[] | select(.name == "divergent") | .divergent_branches > 0 and .simd_efficiency < 0.5' \
        result.json
    assert_success
    assert_equal "$(kernel divergent '.lines[0].worst')" lanes
    assert_equal "$(kernel uniform '[.lines[].worst] | unique | .[]')" null
}

@test "explain: register counts of ptxas, if there is a cubin" {
    explain coalesced
    assert_equal "$(kernel scale_rows .occupancy.estimated)" false
    run -0 "$build/fatbin" "$programs/explain/coalesced"
    assert_output --partial scale_rows
}

# access CASE: the host accesses the device's memory. The simulator says where, and the program ends as on a device.
access() {
    local expected
    expected=$(grep -B 1 "^static void $1(void)" "$sources/host_access.cu" | sed -n 's|^// expect: ||p')
    [ -n "$expected" ] || fail "$1: nothing is expected"
    run --separate-stderr timeout 100 "$programs/host_access" "$1"
    [ "$status" -eq 139 ] || fail "$1: exit $status"$'\n'"$stderr"
    said=$(grep '^cudasim: ' <<< "$stderr")
    grep -qxE "cudasim: error: host-access: $expected.*; use cudaMemcpy\(\)" <<< "$said" ||
        fail "$1: wanted: $expected"$'\n'"found: $stderr"
    [ "$(wc -l <<< "$said")" -eq 1 ] || fail "$1: more than one line: $said"
}

@test "cudasim: code of the host that accesses the device's memory is reported, and ends the program" {
    passes host_access
    for CUDASIM_SEED in '' 1; do
        export CUDASIM_SEED
        for case in $("$programs/host_access" --list); do access "$case"; done
    done
}

@test "cudasim: without the check 'host' the host may access the device's memory" {
    for CUDASIM_CHECK in none written,races,leaks,streams; do
        export CUDASIM_CHECK
        run -0 --separate-stderr timeout 100 "$programs/host_access" read_result
        refute_regex "$stderr" host-access
    done
    export CUDASIM_CHECK=host # the checks of streams open the host's memory when it is touched
    passes host_access
    access read_result
}

# ---- this file ----

@test "cudasim: every program and every pair has its test" {
    local source name
    tests=" $(grep -oE '(passes|pair|explain) [a-z0-9_/]+|programs/[a-z0-9_]+"' "$BATS_TEST_FILENAME" | paste -sd ' ') "
    for source in "$sources"/*.cu "$sources"/features/*.cu; do
        name=${source#"$sources"/} name=${name%.cu}
        [[ $tests == *" passes $name "* || $tests == *" programs/$name\" "* ]] || fail "no test runs $name"
    done
    for source in "$sources"/checks/*_bad.cu; do
        name=$(basename "$source" _bad.cu)
        [[ $tests == *" pair $name "* ]] || fail "no test runs the pair $name"
    done
    for source in "$sources"/explain/*.cu; do
        [[ $tests == *" explain $(basename "$source" .cu) "* ]] || fail "no test runs $source"
    done
}
