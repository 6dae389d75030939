#!/usr/bin/env bats
# predict.sh features, and what the simulator writes of every launch for it: docs/predict/features.md.

setup_file() {
    load helpers/common
    [ "$(uname -m)" = x86_64 ] || export lacks='no x86-64 processor'
    make -s -C "$root" have-nvcc || export lacks='no nvcc'
    [ -z "${lacks:-}" ] || return 0
    make -s -j "$(nproc)" -C "$root" predict-features >&2 || {
        echo "# the features' program does not build: none of these tests can run" >&3
        return 1
    }
}

setup() {
    load helpers/common
    load helpers/features
    [ -z "${lacks:-}" ] || skip "$lacks"
    cd "$BATS_TEST_TMPDIR"
    fixtures=$root/tests/fixtures/predict
    local name
    for name in "${!CUDASIM_@}"; do unset "$name"; done
}

features() { timeout 100 "$root/run_scripts/predict.sh" features "$@"; }

# records N: the arguments of the nearest-neighbour kernel for N records.
records() { echo "--args buffer:$((8 * $1)) buffer:$((4 * $1)) $1 1.5 -2.5"; }

@test "features: dependences, loops, samples" {
    run -0 timeout 60 "$build/tests/test_cudasim_feature" "$fixtures/nn.ptx"
    assert_output --regexp '^[0-9]+ checks, 0 failed$'
}

@test "features: the nearest-neighbour kernel has the numbers of Riahi et al." {
    # shellcheck disable=SC2046
    run -0 --separate-stderr features "$fixtures/nn.ptx" --grid 1000 --block 128 $(records 128000) --n 128000
    assert_equal "$stderr" ''
    assert_equal "$(grep -E '^(l|l_[a-z]+) ' <<< "$output" | paste -sd ' ')" \
        'l 28 l_c 24 l_mr 2 l_mw 1 l_shr 0 l_shw 0 l_s 0 l_dpu 0 l_sfu 1'
    assert_equal "$(value dpc | cut -c 1-6)" 0.5738
    assert_equal "$(value kernel) $(value n_b) $(value n_t) $(value w) $(value n) $(value s)" \
        'distances 1000 128 4 128000 -'
    assert_equal "$(value cpx) $(value regular) $(value divergence) $(value shared_words)" '0 1 1 0'
    # Two sectors per request of the loads each, at 8 bytes a record; a result of 4 bytes; a fused product is two flops.
    assert_equal "$(value bytes_read) $(value bytes_written) $(value footprint)" \
        "$((2 * 8 * 128000)) $((4 * 128000)) $((12 * 128000))"
    assert_equal "$(value flops)" $((128000 * 6))
    [ "$(value registers)" -gt 4 ]
}

@test "features: a sample of the blocks gives the counts of all blocks, even if the last is not full" {
    # shellcheck disable=SC2046
    run -0 features "$fixtures/nn.ptx" --grid 1001 --block 128 --sample 0 $(records 128007)
    all=$output
    # shellcheck disable=SC2046
    run -0 features "$fixtures/nn.ptx" --grid 1001 --block 128 --sample 16 $(records 128007)
    # Paths and what memory is asked for come from some blocks in either run.
    seen='^(footprint|chain|wait_|longest|block_most|loads?_|store_)'
    diff <(grep -Ev "$seen|^executed " <<< "$all") <(grep -Ev "$seen|^executed " <<< "$output")
    paste <(grep -E "$seen" <<< "$all") <(grep -E "$seen" <<< "$output") > both
    awk '{ d = $2 - $4; if (d < 0) d = -d; if (d > 0.05 * $2) { print; bad = 1 } } END { exit bad }' both >&2
    awk -v a="$(value footprint)" -v b="$(sed -n 's/^footprint //p' <<< "$all")" \
        'BEGIN { exit !(a / b < 1.001 && b / a < 1.001) }'
    [ "$(value divergence)" != 1 ]
}

@test "features: JSON and CSV, and other block sizes" {
    # shellcheck disable=SC2046
    run -0 --separate-stderr features "$fixtures/nn.ptx" --grid 1000 --block 128 $(records 128000) --tune --json
    assert_equal "$(jq -c '[.[].n_t]' <<< "$output")" '[128,32,64,256,512,1024]'
    assert_equal "$(jq -c '[.[] | .n_b * .n_t] | unique' <<< "$output")" '[128000]'
    assert_equal "$(jq '.[0] | length' <<< "$output")" 106
    assert_equal "$(jq -c '.[0].n' <<< "$output")" null
    # shellcheck disable=SC2046
    features "$fixtures/nn.ptx" --grid 1000 --block 128 $(records 128000) --csv > one.csv
    classes_add_up one.csv
}

@test "features: PTX that does not parse or is not supported is reported with its line" {
    sed '15s/ld.param/ld.;param/' "$fixtures/nn.ptx" > broken.ptx
    run -1 --separate-stderr features broken.ptx --grid 1 --block 1
    assert_output ''
    assert_regex "$stderr" '^features: broken\.ptx:15: '
    sed 's/sqrt.rn.f32/sqrt.up.f32/' "$fixtures/nn.ptx" > unknown.ptx
    run -1 --separate-stderr features unknown.ptx --grid 1 --block 1
    assert_output ''
    assert_regex "$stderr" "^features: unknown\.ptx:$(grep -n sqrt.up unknown.ptx | cut -d : -f 1): .*sqrt"
}

@test "features: a loop whose end depends on data is refused, with its line" {
    run -1 --separate-stderr features "$fixtures/irregular.ptx" --kernel walk --grid 1 --block 32 \
        --args buffer:64 buffer:64
    assert_output ''
    line=$(grep -n 'bra NEXT' "$fixtures/irregular.ptx" | cut -d : -f 1)
    assert_regex "$stderr" "^features: walk: the loop that ends at [^ ]*irregular\.ptx:$line runs as often"
    assert_regex "$stderr" 'run a whole program on real data'
}

@test "features: a missing or wrong argument is reported, and no number is made up" {
    refused() {
        local said=$1
        shift
        run -2 --separate-stderr timeout 20 "$build/predict/features" "$@"
        assert_output ''
        assert_regex "$stderr" "$said"
    }
    refused 'no launch configuration: say --grid' "$fixtures/nn.ptx"
    refused 'no launch configuration' "$fixtures/nn.ptx" --grid 10
    refused "no kernel 'walks'; there are:.*walk .*other" "$fixtures/irregular.ptx" --kernel walks --grid 1 --block 1
    refused 'has 2 kernels; choose one with --kernel' "$fixtures/irregular.ptx" --grid 1 --block 1
    refused 'takes 5 arguments, --args has 1' "$fixtures/nn.ptx" --grid 1 --block 1 --args 5
    refused 'argument 3: 1.5 is not a whole number' "$fixtures/nn.ptx" \
        --grid 1 --block 1 --args buffer:8 buffer:8 1.5 1 1
    refused 'argument 4: x is not a number' "$fixtures/nn.ptx" --grid 1 --block 1 --args buffer:8 buffer:8 1 x 1
    refused 'argument 3: .*is not a pointer' "$fixtures/nn.ptx" --grid 1 --block 1 --args buffer:8 buffer:8 buffer:8 1 1
    refused 'buffer:0: must be a number of bytes' "$fixtures/nn.ptx" --grid 1 --block 1 --args buffer:0 buffer:8 1 1 1
    refused '--block 0: must be' "$fixtures/nn.ptx" --grid 1 --block 0
    refused 'at most 1024 threads' "$fixtures/nn.ptx" --grid 1 --block 2048
    refused "cannot open 'none.ptx'" none.ptx
    run -2 features none.ptx
    assert_output "predict.sh: cannot open 'none.ptx'"
    run -2 features "$fixtures/nn.ptx" --n nan
    assert_output --partial "'nan' is not a number"
    run -2 features "$fixtures/nn.ptx" --blocks 1
    assert_output --partial "unknown option '--blocks'"
    # A buffer that is too small is the kernel's failure.
    run -1 --separate-stderr "$build/predict/features" "$fixtures/nn.ptx" --grid 1 --block 32 \
        --args buffer:8 buffer:8 32 1 1
    assert_regex "$stderr" 'out-of-bounds.*its launch failed'
}

@test "features: a whole program, with a kernel that depends on data and one whose blocks wait" {
    run -0 --separate-stderr features "$fixtures/program.cu" --csv
    printf '%s\n' "$output" > program.csv
    classes_add_up program.csv
    assert_equal "$(cut -d , -f 1,2,5,8,34 program.csv | sed 1d | xargs)" \
        'scale,24,128,3000,1 count_down,24,128,,0 in_turn,20,32,,0'
    here=$(grep -n 'HERE' "$fixtures/program.cu" | cut -d : -f 1)
    assert_regex "$stderr" "count_down: the loop that ends at [^ ]*program\.cu:$here runs as often as data"
    assert_regex "$stderr" '0 wrong, [0-9]+ steps, turn 20'
    # The same on the bare library: with a sample, the waiting kernel runs in full, and the output says so.
    program=$(make -s -C "$root" print-nvcc)
    "$program" -O1 -cudart shared -gencode 'arch=compute_90,code=[sm_90,compute_90]' -o program "$fixtures/program.cu"
    export LD_LIBRARY_PATH=$build/cudasim
    CUDASIM_FEATURES=sampled.csv CUDASIM_SAMPLE=5 run --separate-stderr timeout 60 ./program
    assert_regex "$stderr" 'in_turn: its blocks may wait for each other: all of them are executed'
    assert_regex "$output" '^2[0-9]* wrong, [0-9]+ steps, turn 20$' # only some blocks of the first kernel ran
    classes_add_up sampled.csv
    counts() { sed -n 2p | cut -d , -f 11,14-23,27-30; }
    assert_equal "$(counts < sampled.csv)" "$(CUDASIM_FEATURES=/dev/stdout ./program | counts)"
    # Launches cannot be sampled for nothing, and a file that cannot be written is no file.
    CUDASIM_SAMPLE=5 run --separate-stderr -3 ./program
    assert_regex "$stderr" 'CUDASIM_SAMPLE=5: executes launches in part'
    CUDASIM_FEATURES=/none/x.csv run --separate-stderr -3 ./program
    assert_regex "$stderr" "cannot write CUDASIM_FEATURES '/none/x.csv'"
    # A kernel without main is launched by hand.
    sed '/^int main/,$d' "$fixtures/program.cu" > kernels.cu
    run -0 --separate-stderr features kernels.cu --kernel scale --grid 100 --block 256 \
        --args buffer:102400 2 25600 --n 25600
    assert_equal "$(value kernel) $(value l_mr) $(value l_mw) $(value n_b) $(value n)" 'scale 1 1 100 25600'
    run -1 --separate-stderr features kernels.cu --kernel count_down --grid 1 --block 32 --args buffer:128 buffer:128 32
    assert_output ''
    assert_regex "$stderr" "kernels\.cu:$here "
}

@test "features: how far counts can be trusted: samples, the data they leave, clocks" {
    trust() {
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { print $1, $at["executed"], ($at["stale"] > 0), $at["clocked"], $at["data_branches"],
              $at["data_addresses"] }'
    }
    run -0 --separate-stderr features "$fixtures/trust.cu" --csv
    run -0 trust <<< "$output"
    assert_output "fill 1 0 0 0 0
follow 1 0 0 1 0
gather 1 0 0 0 1
spin 1 0 1 0 0"
    run -0 --separate-stderr features "$fixtures/trust.cu" --csv --sample 16
    run -0 trust <<< "$output"
    # 16 of 64 blocks; what they left is read by the next two; the last writes what a sample wrote, and is no sample.
    assert_output "fill 0.25 0 0 0 0
follow 0.25 1 0 1 0
gather 1 1 0 0 1
spin 1 0 1 0 0"
}

@test "features: atomics that meet at a place, atomics on shared memory that are loops, the heap, swaps, loads of a warp" {
    meets() {
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { print $1, $at["atomic_turns"], $at["atomic_rounds"], $at["shared_rounds"], $at["shared_loops"],
              $at["heap"], $at["swaps"], $at["loads_most"] }'
    }
    run -0 --separate-stderr features "$fixtures/meets.cu" --csv
    run -0 meets <<< "$output"
    # Two warps at four sectors of 512 bytes, a round each, and two rounds at each sector. Loops of 64 bits count 1.5
    # times.
    # 64 lanes take rounds at a float of 64 bits: one counts 1.6 times in its 512 bytes, and 2.4 times at its sector.
    # One lane after another swaps; the other warp's turns between make half of them wait for a turn more. One warp of
    # two has all loads.
    assert_output "side_by_side 8 2 0 0 0 0 0
one_float 0 0 64 64 0 0 0
one_double 0 0 64 96 0 0 0
heap 102.4 153.6 0 0 128 0 0
swap 2048 2048 0 0 0 96 1
walk 0 0 0 0 0 0 2"
}

@test "features: loops that ptxas unrolled, words that it loads together, changes in place, sums of halves" {
    loops() {
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { print $1, int($at["wait_load"] / 10), $at["shared_passes"], $at["shared_merged"], $at["store_fresh"],
              $at["in_place"], $at["atomic_rounds"] }'
    }
    run -0 --separate-stderr features "$fixtures/loops.cu" --csv
    run -0 loops <<< "$output"
    # nvcc unrolls one of two loops by four, and ptxas that one by four again: 7 waits for 100 loads. Three of four
    # passes over a row of a tile are saved, and one of two for pairs. Pairs of halves are changed one after another, as
    # floats are.
    assert_output "known 0 0 0 4 0 0
unknown 9 0 0 4 0 0
square 0 17408 6144 512 0 0
bounded 0 17408 6144 512 0 0
padded 0 18432 0 512 0 0
pairs 9 808 202 4 0 0
in_place 0 0 0 32 32 0
copy 0 0 0 32 0 0
halves 0 0 0 0 0 153.6"
}

@test "features: the clocks that L1 needs for loads and stores are those that an H200 took" {
    passes() {
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { loads = $at["load_requests"]; stores = $at["store_requests"]
              printf "%s %.1f %.2f\n", $1, loads ? $at["load_passes"] / loads : 0, $at["store_passes"] / stores }'
    }
    run -0 --separate-stderr features "$fixtures/steps.cu" --csv
    run -0 passes <<< "$output"
    # microbenchmarks-h200.csv, steps_l1: 1.7 (with its loop), 1.7, 8.0, 3.0, 32.0, 8.0, 8.5; 4.1, 4.1, 16.0. gather_l1,
    # own_word: 10.8. stores_of_few, of one block: 3.1 (with its loop), 8.0, 46.2, 63.9.
    assert_output "load 1.0 2.00
load 1.0 2.00
load 8.0 2.00
load 3.0 2.00
load 32.0 2.00
load 8.0 2.00
load 8.0 2.00
load 4.0 8.00
load 4.0 8.00
load 16.0 8.00
gather 10.8 2.00
store 0.0 2.00
store 0.0 8.50
store 0.0 44.00
store 0.0 64.00"
}

@test "features: atomics of two floats of a sector, what L1 has because other blocks asked for it, loads made one" {
    cat > common.cu << 'END'
/* Each lane adds to one of two neighbouring floats, and then to the other: two rounds of 16 lanes at the sector. */
__global__ void neighbours(float *a)
{
    atomicAdd(a + threadIdx.x % 2, 1.f);
    atomicAdd(a + (threadIdx.x + 1) % 2, 1.f);
}
/* 528 blocks, 4 on a multiprocessor, read a table of 64 KiB once: the first of four brings it. */
__global__ void table(const float *t, float *sum)
{
    float s = 0;
    for (int n = threadIdx.x; n < 16384; n += 256) s += t[n];
    sum[blockIdx.x * 256 + threadIdx.x] = s;
}
/* Words of the same table that data names: each block asks for some of its lines. */
__global__ void gather(const int *at, const float *t, float *sum)
{
    float s = t[at[(blockIdx.x * 256 + threadIdx.x) % 16384]];
    sum[blockIdx.x * 256 + threadIdx.x] = s;
}
/* Three loads of one word, and one of another: ptxas makes two of them. */
__global__ void thrice(const float *t, float *sum)
{
    const float *p = t + threadIdx.x;
    sum[threadIdx.x] = __ldg(p) + __ldg(p) * __ldg(p) + __ldg(p + 32);
}
/* Half of the lanes, then all: two loads. */
__global__ void half(const float *t, float *sum)
{
    const float *p = t + threadIdx.x;
    float some = 0;
    asm volatile("{.reg .pred q; setp.lt.u32 q, %1, 16; @q ld.global.nc.f32 %0, [%2];}"
                 : "+f"(some) : "r"(threadIdx.x), "l"(p));
    sum[threadIdx.x] = some + __ldg(p);
}
int main()
{
    float *a;
    int *at, host[16384];
    for (int n = 0; n < 16384; n++) host[n] = n * 7919 % 16384;
    cudaMalloc(&a, 16 << 20);
    cudaMemset(a, 0, 16 << 20);
    cudaMalloc(&at, sizeof host);
    cudaMemcpy(at, host, sizeof host, cudaMemcpyHostToDevice);
    neighbours<<<1, 32>>>(a);
    table<<<528, 256>>>(a, a + 65536);
    table<<<132, 256>>>(a, a + 65536); /* each block has its own multiprocessor */
    gather<<<8448, 256>>>(at, a, a + 65536);
    thrice<<<1, 32>>>(a, a + 65536);
    half<<<1, 32>>>(a, a + 65536);
    return cudaDeviceSynchronize();
}
END
    # Of several workers the order of blocks depends on their pace.
    CUDASIM_WORKERS=1 CUDASIM_PROFILE=h100 run -0 --separate-stderr features common.cu --csv
    run -0 awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { printf "%s %s %.2f %d\n", $1, $at["atomic_rounds"], $at["load_hits"] / ($at["load_sectors"] + 1e-9),
          $at["load_requests"] }' <<< "$output"
    assert_output "neighbours 76.8 0.00 0
table 0 0.75 270336
table 0 0.00 67584
gather 0 0.80 135168
thrice 0 0.00 2
half 0 0.33 2"
}

@test "features: memory of the host, managed memory touched first, printing, launches by kernels" {
    away() {
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            $1 ~ /^(sum|print|start|finish)$/ {
                print $1, $at["host_bytes"], $at["managed_first"], $at["prints"], $at["children"], $at["heap"] }'
    }
    local program=$BATS_TEST_TMPDIR/away csv=$BATS_TEST_TMPDIR/away.csv
    nvcc -O3 -rdc=true -gencode 'arch=compute_90,code=[sm_90,compute_90]' -cudart shared --compress-mode=none \
        -o "$program" "$fixtures/away.cu" -lcudadevrt
    CUDASIM_FEATURES=$csv CUDASIM_CHECK=none LD_LIBRARY_PATH=$build/cudasim run -0 timeout 60 "$program"
    run -0 away < "$csv"
    # Managed memory that a launch touched before lies with the GPU. A warp's printf() is one call.
    assert_output "sum 32768 0 0 0 0
sum 0 32768 0 0 0
sum 0 0 0 0 0
print 0 0 16 0 0
start 0 0 0 4 4"
}

# bats test_tags=slow,long
@test "features: classes add up in every kernel of the problems' baselines" {
    export LD_LIBRARY_PATH=$build/cudasim CUDASIM_CHECK=none CUDASIM_SAMPLE=16
    cd "$root"
    for problem in editdistance matmul mergesort diffevo cointsp attention scan softmax; do
        csv=$BATS_TEST_TMPDIR/$problem.csv
        library=$(submission "problems/$problem/submissions/accepted/baseline.cu" "$problem")
        make -s -C "$root" "${BUILD:-build}/practice/$problem" >&2
        # With a sample the program's answer is wrong: only the launches count.
        CUDASIM_FEATURES=$csv run timeout 100 "$build/practice/$problem" "$library"
        [ "$status" -ne 124 ] || fail "$problem did not end"
        classes_add_up "$csv" || fail "$problem"
        [ "$(wc -l < "$csv")" -gt 1 ] || fail "$problem launched nothing: $output"
    done
}

@test "features: the table of the eight kernels of Riahi et al. equals the measured rows" {
    awk -f "$root/contrib/predict/scripts/source_kernels.awk" "$root/contrib/predict/data/h100.csv" > table
    [ "$(wc -l < table)" = 10 ]
    run -0 diff table <(sed -n '/^| kernel | `l` |/,/^$/p' "$root/docs/predict/features.md" | grep .)
    # The classes of each row add up, as they do for every launch.
    run -0 awk -F ' *\\| *' 'NR > 2 { s = $4 + $5 + $6 + $7 + $8 + $9 + $10; d = s - $3; if (d > 0.05 || d < -0.05) exit 1 }' table
}

# ptxas makes one instruction of a product and a sum whose rounding is left to it. With .rn it does not.
@test "features: a product that only a sum reads is a part of a multiply-add" {
    ptx() {
        printf '%s\n' '.version 8.0' '.target sm_90' '.address_size 64' '.visible .entry k(.param .u64 p) {' \
            '.reg .b64 %rd<3>;' '.reg .f32 %f<6>;' 'ld.param.u64 %rd1, [p];' 'cvta.to.global.u64 %rd2, %rd1;' \
            'ld.global.f32 %f1, [%rd2];' "mul$1.f32 %f2, %f1, %f1;" 'sub.f32 %f3, %f1, %f2;' "$2" \
            'st.global.f32 [%rd2], %f3;' 'ret;' '}' > "$3"
    }
    fma() { features "$1" --grid 1 --block 32 --args buffer:4096 | awk '$1 == "busy_fma" { print $2 }'; }
    ptx '' '' free.ptx
    ptx .rn '' fixed.ptx
    ptx '' 'st.global.f32 [%rd2+4], %f2;' twice.ptx
    assert_equal "$(fma free.ptx) $(fma fixed.ptx) $(fma twice.ptx)" '0.25 0.5 0.5'
}

@test "features: pages of managed memory that the host touched, or that were prefetched" {
    cat > pages.cu << 'END'
#include <stdio.h>
#include <string.h>
__global__ void add(int *a, int n) { for (int i = threadIdx.x; i < n; i += 32) a[i]++; }
int main(void)
{
    int *a, *b, *c, n = 1 << 18; /* 1 MiB */
    cudaMemLocation place = {};
    cudaMalloc(&c, 4 * n);
    cudaMallocManaged(&a, 4 * n);
    cudaMallocManaged(&b, 4 * n);
    memset(a, 0, 4 * n);
    place.type = cudaMemLocationTypeDevice;
    cudaMemPrefetchAsync(b, 4 * n, place, 0, 0);
    add<<<1, 32>>>(b, n); /* nothing is to move */
    cudaDeviceSynchronize();
    add<<<1, 32>>>(a, n); /* all of it */
    cudaDeviceSynchronize();
    add<<<1, 32>>>(a, n); /* nothing */
    cudaDeviceSynchronize();
    if (a[1 << 17] != 2) return 1;
    add<<<1, 32>>>(a, n); /* a page */
    cudaDeviceSynchronize();
    cudaMemcpy(c, a, 1 << 18, cudaMemcpyDefault);
    add<<<1, 32>>>(a, n); /* nothing */
    cudaMemcpy(c, a, 1 << 18, cudaMemcpyHostToDevice);
    add<<<1, 32>>>(a, n); /* what the copy read as the host */
    cudaMemcpy(a, c, 1 << 17, cudaMemcpyDeviceToHost);
    add<<<1, 32>>>(a, n); /* what it wrote as the host */
    cudaDeviceSynchronize();
    return fwrite(a, 4 * n, 1, stderr) != 1;
}
END
    run -0 --separate-stderr features pages.cu --csv
    run -0 awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { printf "%s/%d ", $at["managed_areas"], $at["managed_first"] / 65536 + 0.5 }' <<< "$output"
    assert_output '0/0 1/16 0/0 1/1 0/0 1/4 1/2 '
}

# ptxas puts what is at an address of the code into the instruction that needs it. It reads what all lanes have by ULDC.
@test "features: constant memory at addresses of the code, at those that all lanes have, and at others" {
    constants() {
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { print $1, $at["constant_requests"], $at["constant_words"], $at["constant_fixed"],
              $at["constant_uniform"], $at["constant_lines"] }'
    }
    run -0 --separate-stderr features "$fixtures/constants.cu" --csv
    run -0 constants <<< "$output"
    # 100 elements of 16 bytes lie in 25 lines of 64.
    assert_output "fixed 6 6 6 0 1
uniform 100 100 0 200 25
by_block 8 8 0 8 2
by_lane 1 32 0 0 8
by_data 1 1 0 0 1"
}

@test "features: the machine code's instructions are those that an H200 executed" {
    run -0 --separate-stderr features "$fixtures/machine.cu" --csv
    # What ncu counted there (smsp__inst_executed.sum, NVIDIA H200, nvcc 13.0). A division of 0 takes the slow path of
    # divisions, which no line of the PTX tells: half of the instructions of `divides` are its.
    run -0 awk -F, '
        BEGIN {
            split("straight 20 leaves 17 sums 1096 nested 10072 cases 2884 calls 272 guarded 616 shuffles 814 " \
                  "tile 1214", word, " ")
            for (i = 1; i in word; i += 2) executed[word[i]] = word[i + 1]
        }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["machine"] != 1 { print $1 " is not counted by its machine code" }
        $1 in executed {
            off = $at["issue"] / executed[$1] - 1
            known++
            if (off > 0.011 || off < -0.011) print $1, off
        }
        $1 == "tile" { print $1, $at["shared_passes"] - $at["shared_merged"], "passes" }
        END { print known " kernels" }' <<< "$output"
    # Of 64 words of a row each, in 5 rounds of two warps, ptxas loads four at once.
    assert_output "tile 360 passes
9 kernels"
}

@test "features: without a place for files the PTX alone is counted, and no file stays" {
    nvcc -cudart shared -arch=sm_90 -o program "$fixtures/machine.cu"
    export CUDASIM_CHECK=none LD_LIBRARY_PATH=$build/cudasim
    # counts TMPDIR: of how many launches the machine code is known, and of how many instructions were counted.
    counts() {
        CUDASIM_FEATURES=counts.csv TMPDIR=$1 timeout 60 ./program || return
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { known += $at["machine"]; some += $at["issue"] > 0 }
            END { print known, some }' counts.csv
        rm counts.csv
    }
    mkdir empty
    run -0 --separate-stderr counts "$PWD/empty"
    assert_line -n 1 '10 10'
    run -0 ls -A empty
    assert_output ''
    run -0 --separate-stderr counts "$PWD/nowhere"
    assert_line -n 1 '0 10'
}
