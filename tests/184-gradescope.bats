# The Gradescope autograder where it runs: in a container that has the zip, packages and no namespaces.
setup() {
    load helpers/common
    load helpers/gradescope
    cd "$root"
    place=$BATS_TEST_TMPDIR/autograder
    results=$place/results/results.json
}

# unpack ZIP: as Gradescope does.
unpack() {
    rm -rf "$place"
    mkdir -p "$place"/{source,submission,results}
    unzip -q "$1" -d "$place/source"
}

# built_before PROBLEM: copies builds of this tree, so that sources in the zip are not built again.
built_before() {
    mkdir -p "$place/source/toolkit/build"
    for part in obj plain flags; do
        [ ! -e "$build/$part" ] || cp -a "$build/$part" "$place/source/toolkit/build/"
    done
    rm -rf "$place/source/toolkit/build"/{obj,plain}/problems/"$1"
}

# in_container ROOT COMMAND...: in a bare tree, ROOT or one with this machine's /usr alone; no namespaces, no GPU.
in_container() {
    local tree=("--bind" "$1" /) who=()
    [ "$(id -u)" = 0 ] && who=(--cap-add ALL) || who=(--unshare-user --uid 0 --gid 0)
    [ "$1" != / ] || tree=(--ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64
        --symlink usr/sbin /sbin --ro-bind-try /etc/alternatives /etc/alternatives
        --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache)
    timeout 1200 bwrap "${who[@]}" --unshare-pid "${tree[@]}" --proc /proc --dev /dev --tmpfs /tmp \
        --bind "$place" /autograder \
        --ro-bind "$build/tests/container" /container --ro-bind-try /etc/resolv.conf /etc/resolv.conf --clearenv \
        --setenv PATH /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --setenv HOME /root --chdir / \
        "${inside[@]}" /container "${@:2}"
}

# hand_in ROOT FILE...: hands in, and runs the autograder.
hand_in() {
    rm -rf "$place"/{submission,results}/*
    cp -R "${@:2}" "$place/submission/"
    run -0 in_container "$1" /autograder/source/run_autograder
    gradescope_valid "$results"
}
score() { jq -r "$1" "$results"; }

# judged ROOT RIGHT WRONG: sources that must get all of the points, and less.
judged() {
    hand_in "$1" "$2"
    assert_equal "$(score '[.score, (.execution_time > 0), .leaderboard[1].name] | @csv')" '100,true,"Seconds"'
    [[ $output == *'main_host: box: landlock '* ]] || fail "$output"
    hand_in "$1" "$3"
    [ "$(score '.score < 100 and (.tests | length) > 2')" = true ] || fail "$(cat "$results")"
}

# bats test_tags=slow,long
@test "gradescope: a problem other than the default, and a new one, in a container without namespaces" {
    requires box
    load helpers/copy
    inside=(--setenv AUTOGRADER_ROOT /autograder --setenv NVCC '')
    run -0 make -s gradescope PROBLEM=matmul
    unpack "$build/gradescope-matmul.zip"
    [ ! -e "$place/source/toolkit/problems/editdistance" ] && [ ! -e "$place/source/toolkit/tests" ]
    built_before matmul
    run -0 in_container / /autograder/source/setup.sh
    judged / problems/matmul/submissions/accepted/baseline.c problems/matmul/submissions/wrong_answer/transposed.c
    # It says what it cannot judge, and what is missing.
    hand_in / problems/matmul/submissions/accepted/baseline.cu
    assert_equal "$(score .score)" 0
    [[ $(score .output) == *'neither a GPU nor NVIDIA'*nvcc*'Submit C, or ask your instructor'* ]] ||
        fail "$(score .output)"
    # Nothing can read a case, not even the compiler.
    echo '#include "/autograder/source/toolkit/problems/matmul/problem.c"' > "$BATS_TEST_TMPDIR/read.c"
    hand_in / "$BATS_TEST_TMPDIR/read.c"
    [[ $(score .output) == 'compile error'*'Permission denied'* ]] || fail "$(score .output)"

    copy_toolkit
    run -0 run_scripts/new_problem.sh mine
    run -0 env -u BUILD run_scripts/gradescope.sh mine
    unpack build/gradescope-mine.zip
    cd "$BATS_TEST_DIRNAME/.."
    build=$PWD/build
    built_before mine
    run -0 in_container / /autograder/source/setup.sh
    judged / "$BATS_TEST_TMPDIR"/copy/problems/mine/submissions/{accepted/baseline,wrong_answer/*}.c
}

# bats test_tags=slow,long
@test "gradescope: a remote judge grades the submissions, and the zip has no problem" {
    requires box
    load helpers/contest
    load helpers/serve
    run_scripts/lib/packages.sh batch >&2
    make -s DEV=1 grade-programs serve-programs batch-program >&2
    contest_places
    server='' grader=''
    serve_contest
    token_file "$("$build/grader" token "$contest" --program gradescope)"
    serve
    watch
    # It is refused if it could not work.
    run -2 run_scripts/gradescope.sh mergesort --judge "$url"
    run -2 run_scripts/gradescope.sh mergesort --judge "$url" --token "$BATS_TEST_TMPDIR/token" --box none
    run -2 run_scripts/gradescope.sh mergesort --token "$BATS_TEST_TMPDIR/token"
    run -0 run_scripts/gradescope.sh mergesort --judge "$url" --token "$BATS_TEST_TMPDIR/token" --as A --points 10
    assert_output --partial "it holds the token of $url"
    unpack "$build/gradescope-mergesort.zip"
    [ -z "$(find "$place/source/toolkit/problems" -mindepth 1 -type d)" ]
    inside=(--setenv AUTOGRADER_ROOT /autograder --setenv NVCC '')
    run -0 in_container / /autograder/source/setup.sh
    [ ! -e "$place/source/toolkit/build/main_host" ]
    hand_in / "$sort/accepted/baseline.c"
    assert_equal "$(score '[.score, .tests[0].status, (.execution_time | type)] | @csv')" '10,"passed","number"'
    hand_in / "$sort/wrong_answer/unsigned_keys.c"
    assert_equal "$(score '[.score, .tests[0].status] | @csv')" '0,"failed"'
    [[ $(score .output) == 'wrong answer'* ]] || fail "$(score .output)"
    hand_in / "$sort/accepted/baseline.c" "$sort/accepted/qsort.c"
    assert_equal "$(score .output)" 'The judge takes one file: submit a single .cu, .c or .cc file.'
    serve_stop
    server='' grader=''
    inside+=(--setenv JUDGE_SECONDS 3)
    hand_in / "$sort/accepted/qsort.c"
    [[ $(score .output) == 'The judge has not judged this submission yet.'* ]] || fail "$(score .output)"
}

# bats test_tags=long
@test "gradescope: every problem, in a fresh Debian base system" {
    requires box
    command -v debootstrap > /dev/null || skip 'no debootstrap'
    [ "$(id -u)" = 0 ] || skip 'debootstrap needs root'
    local problem tree=$BATS_TEST_TMPDIR/tree folder wrong
    run -0 timeout 600 debootstrap --variant=minbase bookworm "$tree"
    inside=()
    for folder in problems/*/problem.c; do
        problem=$(basename "${folder%/problem.c}")
        wrong=$(find "problems/$problem/submissions/wrong_answer" -name '*.c' | sort | head -n 1)
        run -0 run_scripts/gradescope.sh "$problem"
        unpack "$build/gradescope-$problem.zip"
        run -0 in_container "$tree" /autograder/source/setup.sh
        judged "$tree" "problems/$problem/submissions/accepted/baseline.c" "$wrong"
    done
}
