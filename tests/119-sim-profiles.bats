#!/usr/bin/env bats
# Which GPU the simulator imitates: contrib/cudasim/profiles, sim.sh --gpu, CUDASIM_PROFILE.

setup_file() {
    load helpers/common
    requires nvcc
    requires x86-64
    make -s -j "$(nproc)" -C "$root" cudasim-library >&2
    cd "$BATS_FILE_TMPDIR"
    cat > what.cu << 'END'
#include <cstdio>

__global__ void compiled_for(int *out)
{
#ifdef __CUDA_ARCH__
    *out = __CUDA_ARCH__;
#endif
}

static int attribute(cudaDeviceAttr which)
{
    int value = -1;

    return cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess ? value : -1;
}

int main()
{
    cudaDeviceProp p;
    int *memory, architecture = 0;

    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess)
        return 1;
    std::printf("name = %s\ncapability = %d.%d\n", p.name, p.major, p.minor);
    std::printf("multiprocessors = %d\nthreads_per_sm = %d\nblocks_per_sm = %d\nregisters_per_sm = %d\n",
                p.multiProcessorCount, p.maxThreadsPerMultiProcessor, p.maxBlocksPerMultiProcessor,
                p.regsPerMultiprocessor);
    std::printf("shared_per_sm = %zu\nshared_per_block_optin = %zu\nshared_reserved = %zu\n",
                p.sharedMemPerMultiprocessor, p.sharedMemPerBlockOptin, p.reservedSharedMemPerBlock);
    std::printf("clock_khz = %d\nmemory_clock_khz = %d\nmemory_bus_bits = %d\nl2_bytes = %d\nmemory = %zuG\n",
                attribute(cudaDevAttrClockRate), attribute(cudaDevAttrMemoryClockRate), p.memoryBusWidth,
                p.l2CacheSize, p.totalGlobalMem >> 30);
    std::printf("double_ratio = %d\nclusters = %d\n", attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio),
                attribute(cudaDevAttrClusterLaunch));
    cudaMallocManaged(&memory, sizeof *memory);
    compiled_for<<<1, 1>>>(memory);
    cudaDeviceSynchronize();
    architecture = *memory;
    cudaFree(memory);
    std::printf("compiled for %d\n", architecture);
    return 0;
}
END
    "$root/run_scripts/sim.sh" -o what what.cu
}

setup() {
    load helpers/common
    cd "$BATS_FILE_TMPDIR"
    profiles=$root/contrib/cudasim/profiles
}

# value KEY FILE: of a profile.
value() { sed -nE "s/^$1 *= *(.*[^ ]) *#.*/\1/p" "$2"; }

@test "profiles: each value names its card or manual; no key occurs twice" {
    for file in "$profiles"/*.conf; do
        run -1 grep -nvE '^#|^[a-z0-9_]+ += [^#]*[^# ] +# (card|manual): [^ ]' "$file"
        assert_output ''
        # A card's answers are in a file of measurements.
        for source in $(sed -nE '/^#/!s/.*# card: ([^ ,]+).*/\1/p' "$file"); do
            [ -f "$root/$source" ] || fail "there is no $source"
        done
        assert_equal "$(sed -n '/^#/!s/ .*//p' "$file" | sort | uniq -d)" ''
    done
}

@test "profiles: the device has the properties of the profile, and 0 for missing ones" {
    export LD_LIBRARY_PATH=$build/cudasim
    for file in "$profiles"/*.conf; do
        CUDASIM_PROFILE=$(basename "$file" .conf) run -0 --separate-stderr ./what
        assert_equal "$stderr" ''
        assert_line "name = $(value name "$file") (cudasim)"
        for key in capability multiprocessors threads_per_sm blocks_per_sm registers_per_sm shared_per_sm \
            shared_per_block_optin shared_reserved clock_khz memory_clock_khz memory_bus_bits l2_bytes memory \
            double_ratio; do
            expected=$(value $key "$file")
            assert_line "$key = ${expected:-0}"
        done
        assert_line "clusters = $([ "$(value cluster_size "$file")" = 1 ] && echo 0 || echo 1)"
    done
    # A variable overrides the profile; without a profile the device is the default.
    CUDASIM_PROFILE=t4 CUDASIM_MULTIPROCESSORS=7 run -0 ./what
    assert_line 'multiprocessors = 7'
    assert_line 'threads_per_sm = 1024'
    run -0 ./what
    assert_line 'name = cudasim'
    assert_line 'multiprocessors = 16'
    assert_line 'capability = 9.0'
}

@test "profiles: sim.sh --gpu compiles for that GPU, and its limits hold" {
    run -0 "$root/run_scripts/sim.sh" --gpu rtx4090 what.cu
    assert_line 'name = NVIDIA GeForce RTX 4090 (cudasim)'
    assert_line 'compiled for 890'
    run -0 "$root/run_scripts/sim.sh" --gpu a100-80 -- sh -c 'nvcc -o built what.cu && ./built'
    assert_line 'compiled for 800'
    cat > large.cu << 'END'
#include <cstdio>
__global__ void kernel() {}
int main()
{
    int code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10), blocks = 0;

    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 512, 0);
    std::printf("%d %d\n", code, blocks);
}
END
    run -0 --separate-stderr "$root/run_scripts/sim.sh" --gpu h100 --checks none large.cu
    assert_output '0 4'
    run -0 --separate-stderr "$root/run_scripts/sim.sh" --gpu rtx3090 --checks none large.cu
    assert_output '1 3'
}

@test "profiles: unknown names are refused with the list, and broken files with their line" {
    list=$(cd "$profiles" && printf '%s, ' *.conf | sed 's/\.conf//g; s/, $//')
    run -2 "$root/run_scripts/sim.sh" --gpu gtx1080 what.cu
    assert_output "sim.sh: --gpu: 'gtx1080' is unknown; there are: $list"
    run -2 "$root/run_scripts/sim.sh" --gpu ../profiles/t4 what.cu
    export LD_LIBRARY_PATH=$build/cudasim
    CUDASIM_PROFILE=gtx1080 run -1 ./what
    assert_output "cudasim: CUDASIM_PROFILE=gtx1080: must be one of: $list"
    CUDASIM_PROFILE=./none.conf run -1 ./what
    assert_output "cudasim: CUDASIM_PROFILE: cannot open './none.conf': No such file or directory"
    broken() { # LINE WORDS
        { echo '# mine'; echo "$1"; } > mine.conf
        CUDASIM_PROFILE=./mine.conf run -1 ./what
        assert_output --partial "$2"
    }
    broken 'multiprocessors 4' './mine.conf:2: must be KEY = VALUE'
    broken 'multiprocessors = 0' 'multiprocessors=0: must be a number from 1 to 1024'
    broken 'clock_khz = fast' 'clock_khz=fast: must be a number'
    broken 'capability = 12.0' 'capability=12.0: must be one up to 9.0'
    broken 'colour = green' "./mine.conf:2: the key 'colour' is unknown"
    { echo 'multiprocessors = 3'; echo 'multiprocessors = 4'; } > mine.conf
    CUDASIM_PROFILE=./mine.conf run -1 ./what
    assert_output --partial "./mine.conf:2: the key 'multiprocessors' is unknown, or there twice"
}
