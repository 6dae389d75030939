# Packages for other judges: what package.sh writes and check_package.sh finds. See docs/FORMATS.md.
setup_file() {
    load helpers/common
    make -s -C "$root" format-programs >&3 2>&1
}

setup() {
    load helpers/common
    cd "$root"
}

@test "packages: every problem can be packed, and what needs a case that is left out is left out with it" {
    for problem in cointsp diffevo editdistance matmul mergesort; do
        run -0 run_scripts/package.sh $problem
        assert_output --partial "/packages/$problem.zip: "
        case $problem in
        mergesort)
            assert_line --partial 'left out: submission run_time_error/stack.c, for no case that it fails in is there: '
            assert_line --partial 'left out: submission time_limit_exceeded/insertion_sort.c, for no case'
            refute_line --partial null_payloads.c
            ;;
        matmul) assert_line --partial 'left out: submission time_limit_exceeded/every_order.c, for no case that' ;;
        *) refute_output --partial 'for no case' ;;
        esac
    done
    # With a smaller limit fewer are there.
    run -0 run_scripts/package.sh editdistance --limit 5000
    assert_line "left out: submission wrong_answer/fixed_array.c, for no case that it fails in is there: $(
        )secret/06-disjoint secret/08-single secret/03-random"
    refute_line --partial hamming.c
}

@test "packages: jury submissions do in a package what their folder says" {
    requires box
    run_scripts/package.sh mergesort > /dev/null
    run -0 run_scripts/check_package.sh "$build/packages/mergesort.zip" --submissions
    assert_output "check-package: mergesort is a package of the format 2025-09"
}

@test "packages: cases that jury submissions name are there" {
    load helpers/copy
    local file name
    for file in problems/*/submissions/*/*.c*; do
        [ -f "$file" ] || continue
        while IFS= read -r name; do
            [ -f "${file%%/submissions/*}/data/$name.in" ] || fail "$file: fails in: $name"
        done < <(bash -c '. run_scripts/lib.sh; fails_in "$1"' - "$file")
    done
    copy_toolkit built
    sed -i 's|fails in: secret/keys/02-one|fails in: secret/keys/02-none|' \
        problems/mergesort/submissions/run_time_error/null_payloads.c
    run -2 run_scripts/package.sh mergesort
    assert_output --partial "null_payloads.c: 'fails in: secret/keys/02-none': there is no such case"
}
