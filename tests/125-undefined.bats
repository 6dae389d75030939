#!/usr/bin/env bats
# cudasim: uses of registers that were never set are found at their lines, and right kernels are not warned of. See
# tests/undefined/README.md.

setup_file() {
    load helpers/simulator
    build_suite undefined-programs
}

setup() {
    load helpers/simulator
    enter_suite undefined-tests
    source=$root/tests/undefined/wrong.cu
}

# all_found PROGRAM [KERNEL...]: every kernel but the named ones is reported, at marked lines only.
all_found() {
    run -0 --separate-stderr timeout 60 "$programs/$1"
    found=$(sed -nE 's/^cudasim: warning: undefined-register: ([a-z_]+), [^ ]*wrong\.cu:([0-9]+), .*/\1 \2/p' \
        <<< "$stderr")
    assert_equal "$(wc -l <<< "$found")" "$(wc -l <<< "$stderr")" # nothing else is reported
    marks=" $(grep -n '/\* HERE \*/' "$source" | cut -d : -f 1 | tr '\n' ' ')"
    while read -r kernel line; do
        [[ $marks == *" $line "* ]] || fail "$1: $kernel at line $line, which has no mark"
    done <<< "$found"
    kernels=$(sed -nE 's/^    RUN\(b, ([a-z_]+),.*/\1/p' "$source")
    for kernel in "${@:2}"; do kernels=$(grep -vx "$kernel" <<< "$kernels"); done
    assert_equal "$(cut -d ' ' -f 1 <<< "$found" | sort -u)" "$(sort <<< "$kernels")"
}

@test "undefined: optimised kernels are reported at their lines" { all_found wrong never_set; }

# With -G arrays lie in local memory, and fragments are arrays. The load of the neighbour is reported as a read.
@test "undefined: kernels compiled with -G are reported at their lines" {
    all_found wrong-G tile products shared_neighbour
}

@test "undefined: kernels that set their variables in time are not reported" {
    for program in right right-G; do
        run -0 --separate-stderr timeout 60 "$programs/$program"
        assert_equal "$stderr" ''
    done
}

@test "undefined: a report names the use and the lanes" {
    run -0 --separate-stderr timeout 60 "$programs/wrong"
    assert_regex "$stderr" 'late_lanes, [^ ]*, block \(0,0,0\), thread \(16,0,0\): the value that goes to memory comes '
    assert_regex "$stderr" 'late_lanes, .* in lanes 0x000f0000'
    assert_regex "$stderr" 'index_of_match, .*: the address of this access comes from '
    assert_regex "$stderr" 'flags, .*: this branch depends on '
    assert_regex "$stderr" 'by_function, .*: the parameter or result of a function comes from '
}

@test "undefined: the check belongs to 'written', and does not change counts" {
    CUDASIM_CHECK=races run -0 --separate-stderr timeout 60 "$programs/wrong"
    assert_equal "$stderr" ''
    for CUDASIM_CHECK in races written; do
        export CUDASIM_CHECK
        CUDASIM_JSON=$CUDASIM_CHECK.json run -0 timeout 60 "$programs/wrong"
        # What these kernels do depends on the values that their variables happen to have.
        jq '.kernels[] | select(.name | IN("index_of_match", "flags", "loop_end") | not)
            | .name, .instructions, .occupancy, [.lines[] | .line, .warp_instructions]' \
            "$CUDASIM_CHECK.json" > "$CUDASIM_CHECK"
    done
    diff -u races written
    [ -s written ]
    CUDASIM_FEATURES=features.csv run -0 --separate-stderr timeout 60 "$programs/wrong"
    [[ $stderr != *undefined-register* ]]
}
