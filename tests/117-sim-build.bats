#!/usr/bin/env bats
# sim.sh where people build: several files and their flags, make and CMake projects that know nothing of the simulator.

setup_file() {
    load helpers/common
    requires nvcc
    requires x86-64
    make -s -j "$(nproc)" -C "$root" cudasim-library >&2 || {
        echo "# the simulator does not build: none of these tests can run" >&3
        return 1
    }
}

setup() {
    load helpers/common
    cd "$BATS_TEST_TMPDIR"
    sim=$root/run_scripts/sim.sh
}

# program FILE: a program that prints what a kernel computed, and which runtime it has.
program() {
    cat > "$1" << 'END'
#include <cstdio>
#ifndef NAME
#define NAME "none"
#endif
__global__ void answer(int *n) { *n = 42; }
int main()
{
    int *memory, n = 0;
    cudaDeviceProp p;

    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess || cudaMalloc(&memory, sizeof n) != cudaSuccess)
        return 1;
    answer<<<1, 1>>>(memory);
    cudaMemcpy(&n, memory, sizeof n, cudaMemcpyDeviceToHost);
    cudaFree(memory);
    std::printf("%d by %.7s, %s\n", n, p.name, NAME);
    return n != 42;
}
END
}

# ---- the words of --nvcc ----

@test "sim.sh: --nvcc splits its flags as a shell does" {
    . "$root/run_scripts/lib/sim_build.sh"
    while IFS= read -r line; do
        eval "expected=($line)"
        split_words "$line" || fail "refused: $line"
        assert_equal "${#words[@]} ${words[*]@Q}" "${#expected[@]} ${expected[*]@Q}"
    done << 'END'
-a  -b	-c
-Xcompiler "-O2 -g"
-DX=\"a\ b\" 'it is' "he said \"so\"" ''
"a\nb" 'a\nb' a\nb "\\" \\ "\$HOME"
a"b c"'d e'f ""
END
    split_words '$(touch harm) `touch harm` * ~ $HOME'
    assert_equal "${words[*]}" '$(touch harm) `touch harm` * ~ $HOME'
    [ ! -e harm ]
    split_words '   '
    assert_equal ${#words[@]} 0
    for line in "'a" '"a' 'a "b\"'; do
        run -1 split_words "$line"
    done
}

@test "sim.sh: --nvcc without options of link time optimisation, which leave no PTX" {
    . "$root/run_scripts/lib/sim_build.sh"
    flags=(-rdc=true -dlto -O1 --dlink-time-opt -lto -lm)
    without_lto
    assert_equal "${flags[*]}" '-rdc=true -O1 -lm'
    program lto.cu
    run -0 timeout 300 "$sim" --nvcc '-rdc=true -dlto' lto.cu
    assert_output --partial '42 by cudasim'
}

@test "sim.sh: -I, -D, -L, -l, quoted flags and several files, also with blanks in their names" {
    mkdir 'in clude' libs
    echo '#define PLUS 1' > 'in clude/plus.h'
    cat > 'the main.cu' << 'END'
#include <cstdio>
#include "plus.h"
extern "C" int seven();
const char *name();
int main() { std::printf("%s %d\n", name(), seven() + PLUS + MORE); }
END
    echo 'const char *name() { return NAME; }' > name.cpp
    echo 'int seven(void) { return 7; }' > seven.c
    gcc -c -o libs/seven.o seven.c
    ar rcs libs/libseven.a libs/seven.o
    run -0 --separate-stderr "$sim" -I 'in clude' -DMORE=2 -D MORE2 -L libs -lseven \
        --nvcc '-Xcompiler "-O1 -g" -cudart shared "-DNAME=\"a b\""' 'the main.cu' name.cpp
    assert_output 'a b 10'
    run -2 "$sim" --nvcc '"-O2' name.cpp
    assert_output "sim.sh: --nvcc: a quote does not end in '\"-O2'"
}

@test "sim.sh: a launch that is refused is reported at its line, in optimised code too" {
    printf '__global__ void nothing() {}\nint main()\n{\n    nothing<<<1, 2048>>>();\n    return 0;\n}\n' > refused.cu
    run -0 --separate-stderr "$root/run_scripts/sim.sh" refused.cu
    assert_regex "$stderr" 'warning: refused: nothing: .* at most 1024 threads .* \(called at refused\.cu:4\)'
    printf '%s\n' '__global__ void __cluster_dims__(2) pair() {}' '__global__ void whole() {}' \
        'int main() { pair<<<3, 32>>>(); void *none[1];' \
        '    return cudaLaunchCooperativeKernel(whole, 9999, 1024, none) == cudaSuccess; }' > shapes.cu
    CUDASIM_MULTIPROCESSORS=16 run -0 --separate-stderr "$root/run_scripts/sim.sh" shapes.cu
    assert_regex "$stderr" 'refused: pair: .*; clusters of 2 x 1 x 1 blocks: they have at most 8 blocks and divide the grid'
    assert_regex "$stderr" 'refused: whole: .*; a cooperative launch needs all its blocks on the device at once, and 32 fit'
}

@test "sim.sh: too much shared memory is refused without ptxas too, and the report says what to do" {
    cat > shared.cu << 'END'
__global__ void fixed(int *out) { __shared__ int kept[16384]; kept[threadIdx.x] = 1; *out = kept[blockIdx.x]; }
__global__ void sized(int *out) { extern __shared__ int kept[]; kept[threadIdx.x] = 1; *out = kept[blockIdx.x]; }
int main()
{
    int *out;
    cudaMalloc(&out, 4);
    fixed<<<1, 1>>>(out);
    sized<<<1, 1, 65536>>>(out);
    sized<<<1, 1, 300000>>>(out);
    cudaFree(out);
}
END
    run -0 --separate-stderr "$root/run_scripts/sim.sh" shared.cu
    assert_regex "$stderr" 'refused: fixed: .*cudaErrorInvalidPtx .* its __shared__ arrays take 65536 bytes, and ptxas accepts 49152: use dynamic shared memory, extern __shared__ \(called at shared\.cu:7\)'
    assert_regex "$stderr" '65536 bytes .*; cudaFuncSetAttribute\(\) with cudaFuncAttributeMaxDynamicSharedMemorySize raises the latter to up to 232448 \(called at shared\.cu:8\)'
    assert_regex "$stderr" '300000 bytes .* and 49152 bytes \(called at shared\.cu:9\)'
    [ "$(grep -c '^cudasim: ' <<< "$stderr")" = 3 ] || fail "$stderr"
}

@test "sim.sh: cudaMalloc() of a typed pointer is reported at its line, inlined or not; far addresses by their distance" {
    cat > typed.cu << 'END'
__global__ void far(char *all, long at) { all[at] = 1; }
__global__ void host(char *all) { *all = 1; }
static void more(long size)
{
    float *lost;
    cudaMalloc(&lost, size);
}
static char typed_host[8];
int main()
{
    char *all, *kept;
    cudaMalloc(&all, 1 << 20);
    cudaMalloc(&kept, 3);
    more(1l << 45);
    far<<<1, dim3(1, 1, 65)>>>(all, 0);
    far<<<1, 1>>>(all, 1l << 30);
    cudaDeviceReset();
    host<<<1, 1>>>(typed_host);
    cudaDeviceSynchronize();
}
END
    for level in -O0 -O2 -O3; do
        run -0 --separate-stderr "$root/run_scripts/sim.sh" --nvcc "$level" typed.cu
        assert_regex "$stderr" 'unchecked-error: cudaMalloc\(\), .*typed\.cu:6[), ].*'
        assert_regex "$stderr" 'refused: far: .*; a block has at most 64 threads in z \(called at typed\.cu:15\)'
        assert_regex "$stderr" 'illegal-address: far, .*, which is the device.s, but in no allocation: [0-9]+ bytes after the end of an allocation of 3 bytes'
        assert_regex "$stderr" "never the device's \\(a pointer of the host, one never set, or an index far out of bounds\\)"
    done
    printf '%s\n' 'int main()' '{' '    float *lost;' '    cudaMalloc(&lost, 8);' '}' > lost.cu
    run -0 --separate-stderr "$root/run_scripts/sim.sh" lost.cu
    assert_regex "$stderr" 'leak: 8 bytes .* \(allocated at lost\.cu:4\)'
}

@test "sim.sh: --error-exitcode fails a program that is reported, and no other one" {
    printf 'int main(int count, char **) { int *x; cudaMalloc(&x, 4); if (count < 2) cudaFree(x); return count; }\n' > leak.cu
    run -1 "$root/run_scripts/sim.sh" --error-exitcode 9 leak.cu
    CUDASIM_LOG=log run -9 "$root/run_scripts/sim.sh" --error-exitcode 9 leak.cu x
    assert_output --partial 'leak: 4 bytes'
    run -0 grep -c 'leak: 4 bytes' log
    "$root/run_scripts/sim.sh" -o 'the program' leak.cu
    run -9 "$root/run_scripts/sim.sh" --error-exitcode 9 -- "./the program" x
    run -2 "$root/run_scripts/sim.sh" --checks none --error-exitcode 9 'the program' x
    for wrong in 0 256 x; do
        run -2 "$root/run_scripts/sim.sh" --error-exitcode "$wrong" leak.cu
        assert_output "sim.sh: --error-exitcode: '$wrong' is not a number from 1 to 255"
    done
}

@test "sim.sh: -o writes the program and does not run it" {
    program main.cu
    run -0 "$sim" -D 'NAME="kept"' -o 'the program' main.cu
    assert_output ''
    run -0 "$sim" './the program'
    assert_output '42 by cudasim, kept'
    run -2 "$sim" -o nowhere/program main.cu
    assert_line "sim.sh: cannot write 'nowhere/program'"
    run -2 "$sim" -o x './the program'
    assert_output 'sim.sh: -o is for sources'
    run -2 "$sim" -o '' main.cu
    assert_output --partial "option '-o' needs a value"
}

# ---- a command ----

@test "sim.sh: a command gets its arguments and gives its exit code; what is missing is named" {
    run -3 --separate-stderr "$sim" --seed 5 -- sh -c 'printf "[%s]" "$@" "$CUDASIM_SEED"; exit 3' sh 'a b' '*' "it's"
    assert_output "[a b][*][it's][5]"
    run -2 "$sim" -- no-such-command
    assert_output "sim.sh: cannot find the command 'no-such-command'"
    run -2 "$sim" -o x -- make
    assert_output 'sim.sh: -o and --keep are for sources, not for a command'
    echo text > notes.txt
    run -2 "$sim" notes.txt
    assert_output "sim.sh: 'notes.txt' is neither a CUDA source nor a program; put -- before a command"
}

@test "sim.sh -- make: works with every way to call nvcc, and every runtime and card that is asked for" {
    mkdir 'a project'
    cd 'a project'
    program main.cu
    real=$(make -s -C "$root" print-nvcc)
    cat > Makefile << END
CUDA_HOME ?= /usr/local/cuda
programs = in_path in_home by_hand whole_path separate
test: \$(programs)
	for p in \$(programs); do ./\$\$p || exit 1; done
in_path: main.cu
	nvcc -arch=sm_60 -Xcompiler -Wall,-O1 -o \$@ \$<
in_home: main.cu
	\$(CUDA_HOME)/bin/nvcc -gencode arch=compute_60,code=sm_60 --gpu-code sm_60 --cudart static -o \$@ \$<
by_hand: main.cu
	\$(CUDA_HOME)/bin/nvcc -dlto -arch sm_120 -c -o by_hand.o \$< || \$(CUDA_HOME)/bin/nvcc -c -o by_hand.o \$<
	g++ -o \$@ by_hand.o -L"\$(CUDA_HOME)/lib64" -lcudart_static -ldl -lrt -lpthread
whole_path: main.cu
	$real -o \$@ \$<
separate: main.cu
	nvcc -gencode=arch=compute_70,code=[sm_70,compute_70] -cudart=none -c -o separate.o \$<
	nvcc -arch native -o \$@ separate.o
END
    run -0 --separate-stderr "$sim" -D 'NAME="project"' -- make -s
    for n in 0 1 2 4; do assert_equal "${lines[n]}" '42 by cudasim, project'; done
    # If the compiler is called by its full path, sim.sh only chooses the runtime.
    assert_equal "${lines[3]}" '42 by cudasim, none'
    assert_equal "${#lines[@]}" 5
    # A fault in what the command runs reaches its caller.
    run -2 --separate-stderr "$sim" -- make -s missing
}

# bats test_tags=long
@test "sim.sh -- cmake: also targets that want the static runtime, or another card" {
    program main.cu
    cat > CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.20)
project(sample LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
set(CMAKE_CUDA_ARCHITECTURES 70)
add_executable(plain main.cu)
add_executable(static main.cu)
set_property(TARGET static PROPERTY CUDA_RUNTIME_LIBRARY Static)
add_executable(linked main.cu)
set_property(TARGET linked PROPERTY CUDA_RUNTIME_LIBRARY None)
target_link_libraries(linked CUDA::cudart_static)
enable_testing()
foreach(name plain static linked)
  add_test(NAME ${name} COMMAND ${name})
endforeach()
END
    run -0 "$sim" -- cmake -S . -B 'build folder'
    run -0 "$sim" -- cmake --build 'build folder'
    run -0 "$sim" -- ctest --test-dir 'build folder' --output-on-failure
    assert_output --partial '100% tests passed, 0 tests failed out of 3'
    # The toolchain file alone builds programs for the simulator as well.
    run -0 cmake -S . -B other -D CMAKE_TOOLCHAIN_FILE="$root/contrib/cudasim/toolchain/cudasim.cmake"
    run -0 cmake --build other --target static
    run -0 "$sim" other/static
    assert_output '42 by cudasim, none'
}

@test "the simulator's nvcc: the flags it replaces and keeps, and how it finds the real nvcc" {
    wrapper=$root/contrib/cudasim/toolchain/nvcc
    mkdir bin
    printf '#!/bin/bash\nprintf "%%s\\n" "$@"\n' > bin/nvcc
    chmod +x bin/nvcc
    seen() { SIM_NVCC=$PWD/bin/nvcc "$wrapper" "$@" | paste -sd ' '; }
    start='-g -cudart shared -gencode arch=compute_90,code=compute_90'
    assert_equal "$(seen -arch=sm_60 -O3 x.cu)" "$start -lineinfo -O3 x.cu"
    assert_equal "$(seen --gpu-architecture sm_70 --gpu-code=sm_70 -cudart static -G x.cu)" "$start -G x.cu"
    assert_equal "$(seen -Xcompiler -arch -o -gencode -D -code x.cu)" \
        "$start -lineinfo -Xcompiler -arch -o -gencode -D -code x.cu"
    assert_equal "$(seen -Xcompiler=-fopenmp -arch=sm_60 x.cu)" "$start -lineinfo -Xcompiler=-fopenmp x.cu"
    assert_equal "$(seen -gencode arch=compute_90a,code=sm_90a x.cu)" \
        "${start//_90/_90a} -lineinfo x.cu"
    echo '__global__ void few() { asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); }' > few.cuh
    printf '#include "few.cuh"\n' > few.cu
    touch plain.cu
    assert_equal "$(seen -c few.cu)" "${start//_90/_90a} -lineinfo -c few.cu"
    assert_equal "$(seen plain.cu)" "$start -lineinfo plain.cu"
    assert_equal "$(SIM_ARCHITECTURE=80 seen few.cu)" "${start//_90/_80} -lineinfo few.cu"
    assert_equal "$(seen -dlto -dc --dlink-time-opt -lto x.cu)" "$start -lineinfo -dc x.cu"
    assert_equal "$(seen -cubin x.cu)" '-g -cudart shared -gencode arch=compute_90,code=sm_90 -lineinfo -cubin x.cu'
    assert_equal "$(SIM_MACHINE_CODE=1 seen x.cu)" \
        '-g -cudart shared -gencode arch=compute_90,code=[sm_90,compute_90] -lineinfo x.cu'
    assert_equal "$(SIM_FLAGS=$'-DA=b c\n-DD' seen x.cu)" "$start -lineinfo -DA=b c -DD x.cu"
    # In PATH it skips itself.
    run -0 env -u SIM_NVCC PATH="$(dirname "$wrapper"):$PWD/bin:$PATH" nvcc x.cu
    assert_line x.cu
    run -127 env -u SIM_NVCC PATH="$(dirname "$wrapper"):/usr/bin:/bin" CUDA_HOME=/nonexistent nvcc x.cu
    assert_output 'nvcc: the CUDA Toolkit is not found: set SIM_NVCC to its nvcc'
}
