#!/usr/bin/env bats
# cudasim: mistakes that students make are found, and programs without them get no report. See tests/defects/README.md.

setup_file() {
    load helpers/simulator
    build_suite defect-programs
}

setup() {
    load helpers/simulator
    enter_suite defect-tests
}

# Not found: a write into the next member of a structure, a block that leaves while its cluster reads its memory, an
# event asked for its time too early, a grid with its sides swapped. The plain loop that waits for a flag is reported,
# at a line of the PTX.
@test "defects: all but five are found at their lines, and their right twins get no report" {
    run -1 "$root/tests/defects/score.sh" "$programs"
    assert_equal "$(grep -E ' (missed|elsewhere)' <<< "$output" | cut -d ' ' -f 2 | paste -sd ' ')" \
        'member_of_structure cluster_block_leaves plain_spin elapsed_before_end grid_swapped'
    refute_output --partial ' twin alarm '
    assert_equal "${lines[-1]}" 'defects found 33 of 38, twins with an alarm 0 of 38'
}
