#!/usr/bin/env bats
# Submissions' files are read by a program of their own, which a hostile file may hold, break or steer.

setup() {
    load helpers/common
    cd "$root"
}

@test "inspect: the host has no reader of such files" {
    run -1 bash -c "nm -D '$host' | grep -E 'U g?elf_'"
    run -1 bash -c "nm '$host' | grep -E ' (elfinfo_read|rules_check|imports_check|startup_check)$'"
    nm "$build/inspect" | grep -q ' T rules_check$'
}

@test "inspect: whatever the reader answers, or a file holds, the file is at fault and words are words" {
    run -0 timeout 300 "$build/tests/test_inspection" "$build" "$build/empty.so" "$BATS_TEST_TMPDIR"
    assert_output --regexp '^[0-9]{3} checks, 0 failed$'
}

@test "inspect: a reader that a file steers has nothing but its memory and the answer" {
    requires x86-64
    gcc -O1 -fPIC -shared -o "$BATS_TEST_TMPDIR/steered.so" tests/fixtures/steered_reader.c
    run -0 --separate-stderr env LD_PRELOAD="$BATS_TEST_TMPDIR/steered.so" \
        bash -c "exec timeout 60 '$build/inspect' 0 names box < '$build/empty.so'"
    assert_equal "$output|$stderr" '+ nothing else|'
}

@test "inspect: a file that cannot be read is the caller's mistake, or a compile error of a submission that was built" {
    local result=$BATS_TEST_TMPDIR/result.json
    head -c 3000 "$build/empty.so" > "$BATS_TEST_TMPDIR/short.so"
    mkfifo "$BATS_TEST_TMPDIR/fifo"
    : > "$BATS_TEST_TMPDIR/nothing"
    for file in short.so fifo nothing .; do
        run -2 timeout 20 "$host" editdistance --submission "$BATS_TEST_TMPDIR/$file" --case sample/1-small
        assert_output --regexp "^main_host: '$BATS_TEST_TMPDIR/$file' (is not a shared object|does not export)"
        run -1 timeout 20 "$host" editdistance --submission "$BATS_TEST_TMPDIR/$file" --case sample/1-small \
            --language C --json "$result"
        assert_equal "$(json .verdict)" CE
    done
}

@test "inspect: where the reader cannot be started or confined, the judge is at fault" {
    local t=$BATS_TEST_TMPDIR/t
    mkdir -p "$t/build"
    ln -s "$root/problems" "$t/problems"
    cp "$host" "$build/empty.so" "$t/build"
    run -3 timeout 20 "$t/build/main_host" editdistance --submission "$build/empty.so" --case sample/1-small
    assert_output --partial "cannot start '$t/build/inspect': No such file or directory; run 'make'"
    # Where memory is short before it begins.
    cp "$build/inspect" "$t/build"
    truncate -s 1T "$t/huge.so"
    run -3 bash -c "ulimit -v 10000000; timeout 20 '$t/build/main_host' editdistance --submission '$t/huge.so'"
    assert_line 'inspect: cannot map the file: Cannot allocate memory'
    assert_line "main_host: '$t/build/inspect' does not begin to read the submission"
}

# device_code FILE KIND: what is found in a file that has FILE as device code, of kind 1 (PTX) or 2 (machine code), in a
# league without tensor cores.
device_code() {
    gcc -shared -x assembler -o "$BATS_TEST_TMPDIR/one.so" - << END
.section .nv_fatbin, "a"
.balign 8
.long 0xba55ed50
.short 1, 16
.quad last - first
first: .short $2, 1
.long 64
.quad last - code
.quad 0, 0, 0, 0, 0, 0
code: .incbin "$1"
.balign 8, 0
last:
.section .note.GNU-stack, "", @progbits
END
    "$build/inspect" 1 any box < "$BATS_TEST_TMPDIR/one.so" | tail -c 512 | tr -d '\0'
}

# kernel PROCESSOR INSTRUCTION: PTX with it between loads and stores of all registers, so that it is not left out.
kernel() {
    printf '%s\n' '.version 8.7' ".target sm_$1" '.address_size 64' '.visible .entry k(.param .u64 q) {' \
        '.reg .b32 %r<20>; .reg .f32 %f<20>; .reg .f64 %fd<20>; .reg .b64 %rd<4>; .reg .pred %p<2>;' \
        'ld.param.u64 %rd0, [q]; ld.global.u64 %rd1, [%rd0];'
    awk 'BEGIN { for (i = 0; i < 20; i++)
        printf "ld.global.b32 %%r%d, [%%rd0+%d]; ld.global.f32 %%f%d, [%%rd0+%d]; ld.global.f64 %%fd%d, [%%rd0+%d];\n",
            i, 8 + 4 * i, i, 100 + 4 * i, i, 200 + 8 * i }'
    printf '%s\n' 'setp.ne.s32 %p0, %r0, %r1;' "$2"
    awk 'BEGIN { for (i = 0; i < 20; i++)
        printf "st.global.b32 [%%rd0+%d], %%r%d; st.global.f32 [%%rd0+%d], %%f%d; st.global.f64 [%%rd0+%d], %%fd%d;\n",
            8 + 4 * i, i, 100 + 4 * i, i, 200 + 8 * i, i }'
    echo 'ret; }'
}

@test "inspect: every form of instruction for tensor cores is found, in machine code and in PTX" {
    requires nvcc
    requires x86-64
    local processors instruction processor count=0 ptxas one=$BATS_TEST_TMPDIR/one
    ptxas=$(dirname "$(make -s -f contrib/grade/build.mk print-tools | head -n 1)")/ptxas
    while IFS='|' read -r processors instruction; do
        [[ $processors != '#'* ]] || continue
        for processor in $processors; do
            kernel "$processor" "$instruction" > "$one.ptx"
            "$ptxas" -w "-arch=sm_$processor" -o "$one.cubin" "$one.ptx" > /dev/null
            run -0 device_code "$one.cubin" 2
            [[ $output == 'tensor cores are not allowed in this league: k has '* ]] ||
                fail "$processor $instruction: $output"
            count=$((count + 1))
        done
        run -0 device_code "$one.ptx" 1
        [[ $output == 'tensor cores are not allowed in this league: the PTX has '* ]] || fail "$instruction: $output"
    done < tests/fixtures/tensor_instructions.txt
    [ "$count" -gt 130 ]
    # The same kernel without one breaks no rule.
    for processor in 75 80 90a 100a 120a; do
        kernel $processor '' > "$one.ptx"
        "$ptxas" "-arch=sm_$processor" -o "$one.cubin" "$one.ptx"
        run -0 device_code "$one.cubin" 2
        assert_output ''
    done
}
