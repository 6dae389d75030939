#!/usr/bin/env bats
# The PTX parser: a module by hand, what nvcc emits, and broken text.

setup() {
    load helpers/common
    ptx_dump=$build/ptx_dump
    fixtures=$root/tests/fixtures/cudasim
    module=$BATS_TEST_TMPDIR/module.ptx
}

# text LINE...: a module with these lines after its three header lines.
text() {
    printf '%s\n' '.version 8.0' '.target sm_80' '.address_size 64' "$@" > "$module"
}

# kernel LINE...: a kernel with these lines in its body, the first of them on line 5.
kernel() {
    text '.entry k(.param .u64 a) { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<4>;' "$@" 'ret; }'
}

# rejected LINE MESSAGE: the module is refused there, in these words.
rejected() {
    run -1 --separate-stderr timeout 10 "$ptx_dump" "$module"
    assert_output ''
    assert_equal "$stderr" "$module:$1: $2"
}

# accepted: the module is read; its dump is in $output.
accepted() {
    run -0 timeout 10 "$ptx_dump" "$module"
}

@test "ptx: a module written by hand gives the expected tree" {
    run -0 timeout 10 "$ptx_dump" "$fixtures/module.ptx"
    diff -u "$fixtures/module.txt" - <<< "$output"
}

@test "ptx: reads standard input; -q; one NUL after the text" {
    run -0 timeout 10 "$ptx_dump" -q "$fixtures/module.ptx"
    assert_output ''
    { cat "$fixtures/module.ptx"; printf '\0'; } | timeout 10 "$ptx_dump" - > "$BATS_TEST_TMPDIR/dump"
    diff -u "$fixtures/module.txt" "$BATS_TEST_TMPDIR/dump"
}

@test "ptx: wrong usage and files that cannot be read" {
    run -2 "$ptx_dump"
    assert_output --partial 'usage: ptx_dump'
    run -2 "$ptx_dump" --verbose
    run -2 "$ptx_dump" "$BATS_TEST_TMPDIR/missing"
    assert_output --partial 'No such file or directory'
    run -0 "$ptx_dump" --help
    assert_output --partial 'usage: ptx_dump'
}

@test "ptx: a function may be declared before and after its definition, and is listed once" {
    text '.func f;' '.func f { ret; }' '.func f;' '.extern .global .u32 x;' '.visible .global .u32 x = 5;'
    accepted
    assert_equal "$(grep -c '^func f' <<< "$output")" 1
    assert_line 'func f line 5'
    assert_equal "$(grep -c '^variable' <<< "$output")" 1
    assert_line 'variable global u32 x align 4 size 4 line 8'
}

@test "ptx: scopes shadow registers, ranges, variables and labels" {
    kernel '{ .reg .b32 %r<2>; .reg .b32 x; mov.b32 %r1, x; { .reg .b32 x; mov.b32 %r2, x; } mov.b32 %r1, x; }' \
        'bra L; { bra L; L: } L: mov.b32 %r1, %r2;'
    accepted
    assert_line --regexp '5	mov.b32 %r1#0, x#1$'
    assert_line --regexp '5	mov.b32 %r2#2, x#3$'
    assert_line --regexp '6	mov.b32 %r1#4, %r2#2$'
    assert_line --regexp '6	bra L$'
    assert_line --regexp '6	bra L\.[0-9]+$'
}

@test "ptx: unused registers take no space" {
    kernel '.reg .b32 %q<2000000000>;' 'mov.b32 %q1999999999, 5;'
    accepted
    assert_equal "$(grep -c '^  register' <<< "$output")" 1
    kernel '.reg .b32 %q<5>;' 'mov.b32 %q5, 5;'
    rejected 6 "the register '%q5' is not declared"
}

@test "ptx: white space may stand between the parts of an opcode" {
    kernel $'add  /* */ .s32\n .sat %r1, %r2, %r3;'
    accepted
    assert_line --regexp '5	add\.s32\.sat %r1#0, %r2#1, %r3#2$'
}

@test "ptx: constants are computed as PTX says" {
    text '.global .b64 x[8] = {-7/2, -7 % 3, -8>>1, 0xFFFFFFFFFFFFFFFF>>60, (.u64)-1>1, -1>1, 1?2:3, 1|6&4^2};'
    accepted
    assert_line '  = fd ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff'
    assert_line '  = fc ff ff ff ff ff ff ff 0f 00 00 00 00 00 00 00'
    assert_line '  = 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00'
    assert_line '  = 02 00 00 00 00 00 00 00 07 00 00 00 00 00 00 00'
}

@test "ptx: broken text: the frame of a module" {
    : > "$module"
    rejected 1 'a PTX module begins with .version'
    echo '.target sm_80' > "$module"
    rejected 1 'a PTX module begins with .version'
    echo '.version 8.0' > "$module"
    rejected 2 'the module has no .target'
    text '.address_size 32'
    rejected 4 'only addresses of 64 bits are supported'
    text '' 'ret;'
    rejected 5 "expected a directive, found 'ret'"
    text '.visible .thing x;'
    rejected 4 "expected a declaration, found '.thing'"
    text '/* one' 'two'
    rejected 4 'the comment never ends'
    text '.section .debug_str {' '.b8 1,2'
    rejected 4 'the section never ends'
    text '.file 1 "a'
    rejected 4 'the string never ends'
    text $'.global .u32 \x01;'
    rejected 4 'unexpected byte 0x01'
}

@test "ptx: broken text: variables" {
    text '.global .u31 x;'
    rejected 4 "'.u31' is not a type of a variable"
    text '.global x;'
    rejected 4 "expected a type, found 'x'"
    text '.global .pred x;'
    rejected 4 'only registers may be of type .pred'
    text '.global .align 6 .u32 x;'
    rejected 4 'the alignment 6 is not a power of two'
    text '.global .u32 x' '.global .u32 y;'
    rejected 5 "expected ';', found '.global'"
    text '.global .u32 x;' '.global .u32 x;'
    rejected 5 "'x' is declared twice"
    text '.global .u32 x[40000][40000];'
    rejected 4 "'x' is larger than 1 GiB"
    text '.global .u32 x[0];'
    rejected 4 "'x' has no elements"
    text '.reg .u32 x;'
    rejected 4 'registers and parameters belong to functions'
    text '.shared .u32 x = 1;'
    rejected 4 "'x' cannot have an initial value"
    for kind in texref samplerref surfref; do
        text ".global .$kind x;"
        rejected 4 'textures, surfaces and samplers are not supported'
    done
    text '.tex .u32 x;'
    rejected 4 'textures, surfaces and samplers are not supported'
    text '.entry k(.param .texref x) { ret; }'
    rejected 4 'textures, surfaces and samplers are not supported'
}

@test "ptx: broken text: initial values" {
    text '.global .u32 x[2] = {1, 2, 3};'
    rejected 4 'more initial values than the variable holds'
    text '.global .u32 x[2] = {{1}};'
    rejected 4 'more braces than the type has dimensions'
    text '.global .u64 x = y;'
    rejected 4 "'y' is not declared"
    text '.global .u16 y;' '.global .u16 x = y;'
    rejected 5 'an address does not fit the type'
    text '.global .u32 y;' '.global .u8 x = 0xFFF(y);'
    rejected 5 'a mask that is not one byte of an address'
    text '.global .u32 x = 1/0;'
    rejected 4 'a constant is divided by zero'
    text '.global .u32 x = 0x1FFFFFFFFFFFFFFFF;'
    rejected 4 'the number exceeds 64 bits'
    text '.global .u32 x = 08;'
    rejected 4 "bad number '08'"
    text '.global .f32 x = 0f3F8000;'
    rejected 4 "bad number '0f3F8000'"
    text '.global .b8 x[2][100000000] = {{1}, {2}};'
    rejected 4 'the initialiser leaves too large a gap'
    text ".global .u32 x = $(printf '(%.0s' {1..100})1;"
    rejected 4 'more than 64 levels of nesting'
}

@test "ptx: broken text: functions" {
    text '.func f { ret; }' '.func f { ret; }'
    rejected 5 "the function 'f' is defined twice"
    text '.entry k(.u32 a) { ret; }'
    rejected 4 "expected '.param' or '.reg', found '.u32'"
    text '.entry k(.param .u32 a, .param .u32 a) { ret; }'
    rejected 4 "'a' is declared twice"
    text '.entry k() .fast 1 { ret; }'
    rejected 4 "expected '{', ';' or a directive of functions, found '.fast'"
    text '.entry k() {' 'ret;'
    rejected 6 "expected '}', found the end of the text"
    text '.func f;' '.alias g, f;'
    rejected 5 "the function 'f' is not defined"
    text ".entry k() $(printf '{%.0s' {1..100})"
    rejected 4 'more than 64 nested scopes'
}

@test "ptx: broken text: statements" {
    kernel 'mov.u32 %r1, %r2' 'ret;'
    rejected 6 "expected ',' or ';', found 'ret'"
    kernel 'mov.u32 %r1, ;'
    rejected 5 "expected an operand, found ';'"
    kernel 'mov.u32 %r99, 1;'
    rejected 5 "the register '%r99' is not declared"
    kernel '' 'bra nowhere;'
    rejected 6 "'nowhere' is not declared"
    kernel 'bra L; { L: }'
    rejected 5 "'L' is not declared"
    kernel 'L: L:'
    rejected 5 "'L' is declared twice"
    kernel '@%r1 bra L; L:'
    rejected 5 "'%r1' is not a predicate"
    kernel 'mov.b64 {%r1, {%r2}}, %rd1;'
    rejected 5 'a vector inside of a vector'
    kernel 'mov.b64 {}, %rd1;'
    rejected 5 'a vector without elements'
    kernel 'ld.u32 %r1, [[%rd1]];'
    rejected 5 'an address inside of a vector or an address'
    kernel 'ld.u32 %r1, [];'
    rejected 5 "expected an operand, found ']'"
    kernel 'ld.u32 %r1, [%rd1;'
    rejected 5 "expected ']', found ';'"
    kernel 'ld.u32 %r1, [1.5];'
    rejected 5 'an address begins with a register, a name or a number'
    kernel 'ld.u32 %r1, a[2];'
    rejected 5 'name[index] is not supported: write [name+offset]'
    for part in .x .b .b8 .h12345 .b0h .u32; do
        kernel "vadd.u32.u32.u32 %r1, %r2$part, %r3;"
        rejected 5 'a register has no such part'
    done
    kernel 'mov.u32 %r1, -a;'
    rejected 5 'only registers and numbers take a sign'
    kernel '.reg .b32 %q<-1>;'
    rejected 5 "expected a number of registers, found '-'"
    kernel '%r1 = 5;'
    rejected 5 "expected an instruction, found '%r1'"
    kernel '.loc 1 2;'
    rejected 5 "expected a constant, found ';'"
}

@test "ptx: long lines of broken text are refused quickly" {
    { printf '.version 8.0\n.target sm_80\n.entry k() {'; head -c 5000000 /dev/zero | tr '\0' '{'; } > "$module"
    rejected 3 'more than 64 nested scopes'
    { printf '.version 8.0\n.target sm_80\n.entry k() { add '; head -c 5000000 /dev/zero | tr '\0' 'x'; } > "$module"
    run -1 timeout 10 "$ptx_dump" "$module"
    assert_output "$module:3: expected ',' or ';', found the end of the text"
}

@test "ptx: reads the output of nvcc with all options" {
    requires nvcc
    cat > "$BATS_TEST_TMPDIR/program.cu" << 'END'
#include <cooperative_groups.h>
#include <cstdio>
#include <mma.h>
using namespace nvcuda;
struct Base { __device__ virtual int f(int x) { return x; } };
struct Derived : Base { __device__ int f(int x) override { return 3 * x; } };
struct __attribute__((packed)) Packed { char c; const int *p; };
__device__ int g;
__device__ Packed packed = {1, &g};
__managed__ int managed[4] = {1, 2, 3, 4};
__device__ int recursive(int n) { return n < 2 ? 1 : recursive(n - 1) + recursive(n - 2); }
__device__ int (*pointers[])(int) = {recursive, nullptr};
__global__ void __launch_bounds__(128, 2) kernel(int *p, int n)
{
    __shared__ int tile[2][64];
    extern __shared__ double dynamic[];
    Base *object = n > 3 ? new Derived : new Base;
    tile[n & 1][threadIdx.x & 63] = object->f(n) + pointers[0](n) + packed.c;
    cooperative_groups::this_grid().sync();
    switch (n) {
    case 0: p[0] = 1; break;
    case 1: p[1] = 5 / n; break;
    case 2: p[2] = __popc(n); break;
    case 3: p[3] = atomicAdd(p, 1); break;
    case 4: printf("%d %f\n", n, dynamic[n]); break;
    }
    asm volatile("{ .reg .pred q; L: setp.ne.s32 q, %1, 0; @!q bra L; mov.u32 %0, %%laneid; }" : "=r"(n) : "r"(n));
    p[4] = n + tile[1][n] + managed[n & 3];
    free(object);
}
__global__ void matrix(half *a, float *c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
    wmma::fill_fragment(z, 0.f);
    wmma::load_matrix_sync(x, a, 16);
    wmma::load_matrix_sync(y, a, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);
}
END
    nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
    for options in '-arch=sm_75' '-arch=sm_80 -G' '-arch=sm_86 -lineinfo' '-arch=sm_90 -rdc=true'; do
        # shellcheck disable=SC2086
        "$nvcc" -std=c++17 $options -ptx -o "$module" "$BATS_TEST_TMPDIR/program.cu"
        accepted
        assert_line --regexp '^entry _Z6kernelPii line .* maxntid 128,1,1 minnctapersm 2$'
        assert_line --regexp '^variable global b32 managed .*managed|^variable global b8 managed .*managed'
        if [[ $options == *lineinfo* ]]; then
            assert_line --regexp '^file 1 .*program\.cu$'
        fi
    done
}
