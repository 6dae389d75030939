#!/usr/bin/env bats
# The container's files, without a builder of images: what they name is there, and what they start works.

setup() {
    load helpers/common
    cd "$root"
}

# The commands that a container file runs on the toolkit, one command per line.
steps() {
    grep -oE '(run_scripts/lib/packages\.sh|make -s) .*[a-z0-9"'\'']' "$1" |
        sed 's/[;\\].*//; s/ *&& *$//; s/ *$//'
}

@test "container: Containerfile and Apptainer definition build the same" {
    assert_equal "$(steps contrib/container/Containerfile)" "$(steps contrib/container/apptainer.def)"
    [ "$(steps contrib/container/Containerfile | wc -l)" -ge 3 ]
}

@test "container: every target that it builds, and every group of packages, is known" {
    local targets groups target group
    mapfile -t targets < <(steps contrib/container/Containerfile | sed -n 's/^make -s -j "$(nproc)" //p' |
        tr " " "\n")
    [ ${#targets[@]} -ge 4 ]
    for target in "${targets[@]}"; do
        [[ $target != *=* ]] || continue
        run -0 make -s -n "$target"
    done
    run -2 make -s -n no-such-target
    read -r -a groups <<< "$(steps contrib/container/Containerfile | sed -n 's/^run_scripts.*packages\.sh //p')"
    [ ${#groups[@]} -ge 3 ]
    for group in "${groups[@]}"; do
        grep -q "^for_$group=" run_scripts/lib/packages.sh || fail "packages.sh has no group '$group'"
    done
}

@test "container: its entry point judges, shows help, and runs a named command" {
    requires box
    run -0 contrib/container/start.sh --help
    assert_output --partial 'demo grades the sample contest'
    run -0 contrib/container/start.sh judge problems/mergesort/submissions/accepted/qsort.c mergesort
    assert_equal "${lines[-1]}" 'SUCCESSFUL.'
    run -1 contrib/container/start.sh judge problems/mergesort/submissions/wrong_answer/difference.c mergesort
    run -0 contrib/container/start.sh echo a command
    assert_output "a command"
    [ -x run_scripts/demo.sh ]
}
