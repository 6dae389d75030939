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

# Not found: a write into the next member of a structure.
@test "defects: all but one are found at their lines, and their right twins get no report" {
    run -1 "$root/tests/defects/score.sh" "$programs"
    assert_equal "$(grep -E ' (missed|elsewhere)' <<< "$output" | cut -d ' ' -f 2 | paste -sd ' ')" \
        member_of_structure
    refute_output --partial ' twin alarm '
    assert_equal "${lines[-1]}" 'defects found 37 of 38, twins with an alarm 0 of 38'
}

# bats test_tags=long
@test "defects: the second suite is found at its lines, and its right programs get no report" {
    make -s -j "$(nproc)" -C "$root" defects-second >&2
    run -0 "$root/tests/defects/score.sh" "$programs" blocks threads runtime idioms idioms_grid
    assert_equal "${lines[-1]}" 'defects found 64 of 64, right programs with an alarm 0 of 75'
}

# Only this test needs these programs, so they are built here.
# bats test_tags=long
@test "defects: the third suite is found at its lines, and its right programs get no report" {
    make -s -j "$(nproc)" -C "$root" defects-third
    run -0 "$root/tests/defects/score.sh" "$programs" courses programs careful
    assert_equal "${lines[-1]}" 'defects found 47 of 47, right programs with an alarm 0 of 47'
}

# bats test_tags=long
@test "defects: the fourth suite is found at its lines, and its right twins get no report" {
    make -s -j "$(nproc)" -C "$root" defects-fourth
    run -0 "$root/tests/defects/score.sh" "$programs" --twins lab lab_host
    assert_equal "${lines[-1]}" 'defects found 40 of 40, twins with an alarm 0 of 40'
}

# Not found: a pointer without a value, for which nvcc takes the one value that is ever assigned.
# bats test_tags=long
@test "defects: the fifth suite is found but for one, and its right twins get no report" {
    make -s -j "$(nproc)" -C "$root" defects-fifth
    run -1 "$root/tests/defects/score.sh" "$programs" --twins field field_hopper field_host
    assert_equal "$(grep -E ' (missed|elsewhere)' <<< "$output" | cut -d ' ' -f 2)" pointer_not_set
    assert_equal "${lines[-1]}" 'defects found 39 of 40, twins with an alarm 0 of 40'
}

# bats test_tags=long
@test "defects: the sixth suite is found at its lines, and its right twins get no report" {
    make -s -j "$(nproc)" -C "$root" defects-sixth
    run -0 "$root/tests/defects/score.sh" "$programs" --twins clinic clinic_hopper clinic_host
    assert_equal "${lines[-1]}" 'defects found 44 of 44, twins with an alarm 0 of 44'
}

# Not found: a variable that no case of a switch sets, for which nvcc takes the value of another case, and a pointer to
# an array of a part of the code that is over: its memory is still its own.
# bats test_tags=long
@test "defects: the seventh suite is found but for two, and its right twins get no report" {
    make -s -j "$(nproc)" -C "$root" defects-seventh
    run -1 "$root/tests/defects/score.sh" "$programs" --twins ward ward_host
    assert_equal "$(grep -E ' (missed|elsewhere)' <<< "$output" | cut -d ' ' -f 2 | paste -sd ' ')" \
        'no_default scope_is_over'
    assert_equal "${lines[-1]}" 'defects found 40 of 42, twins with an alarm 0 of 42'
}

# bats test_tags=long
@test "defects: the eighth suite is found at its lines, and its right twins get no report" {
    make -s -j "$(nproc)" -C "$root" defects-eighth
    run -0 "$root/tests/defects/score.sh" "$programs" --twins shop shop_hopper shop_host
    assert_equal "${lines[-1]}" 'defects found 40 of 40, twins with an alarm 0 of 40'
}

# bats test_tags=long
@test "defects: the tenth suite is found at its lines, and its right twins get no report" {
    make -s -j "$(nproc)" -C "$root" defects-tenth
    run -0 "$root/tests/defects/score.sh" "$programs" --twins yard yard_order yard_hopper yard_host
    assert_equal "${lines[-1]}" 'defects found 71 of 71, twins with an alarm 0 of 71'
}

# bats test_tags=long
@test "defects: what was missed in public programs is found, and what looks like it gets no report" {
    make -s -j "$(nproc)" -C "$root" defects-mutants
    run -0 "$root/tests/defects/score.sh" "$programs" --twins mutants
    assert_equal "${lines[-1]}" 'defects found 5 of 5, twins with an alarm 0 of 5'
}

@test "defects: each operator of mutants changes the line that it names" {
    cd "$root/tests/defects"
    awk -f mutants_sites.awk kernels.cu host.cu courses.cu lab.cu > "$BATS_TEST_TMPDIR/sites"
    assert [ "$(cut -f 1 "$BATS_TEST_TMPDIR/sites" | sort -u | wc -l)" -ge 20 ]
    while IFS=$'\t' read -r operator file line made; do
        run diff "$file" <(sed "$made" "$file")
        [[ ${lines[0]} =~ ^${line}(,[0-9]+)?[acd] ]] || fail "$operator, $file:$line: ${lines[0]:-no change}"
    done < <(sort -t $'\t' -k 1,1 -k 2,3 "$BATS_TEST_TMPDIR/sites" | awk -F '\t' 'n[$1]++ < 5')
}
