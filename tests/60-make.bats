#!/usr/bin/env bats
# make: a fresh copy runs, nothing is built twice, flags count, trusted files are frozen, the README tells the truth.

load helpers/copy

setup() {
    load helpers/common
    cd "$root"
}

@test "make: a fresh copy runs, and without a GPU and nvcc says what runs where" {
    copy_toolkit
    start=$SECONDS
    if [ -e /dev/nvidiactl ]; then
        run -0 timeout 60 make run
    else
        run -0 timeout 60 make run NVCC=
        assert_equal "$(grep -c 'no NVIDIA GPU, and the simulator needs nvcc: running the C version' <<< "$output")" 1
    fi
    assert_equal "${lines[-1]}" 'SUCCESSFUL.'
    echo "# make run in a fresh copy: $((SECONDS - start)) s" >&3
}

@test "make: without a GPU make run builds the simulator, once, and runs device_user.cu on it" {
    [ ! -e /dev/nvidiactl ] || skip "this machine has a GPU"
    requires nvcc
    requires x86-64
    # Most of its objects are there: the whole was built by the same rules before the first test.
    copy_toolkit simulator built
    level=$(make -s print-runnable-levels)
    level=${level##* }
    echo "$level" > build/cudasim/levels # as in a fresh clone, whatever tests asked for
    rm -f build/cudasim/{libcudart.so.13,runtime/runtime_memory.o} build/cudasim/table/table_control.v{2,"$level"}.o
    run -0 timeout 600 make run ARGS='--case sample/2-similar'
    assert_output --partial 'CC contrib/cudasim/runtime/runtime_memory.c'
    assert_output --partial "CC contrib/cudasim/table/table_control.c for x86-64-v$level"
    assert_equal "$(grep -c 'for x86-64-v' <<< "$output")" 1 # other levels are built when they are asked for
    assert_output --partial 'LINK build/cudasim/libcudart.so.13'
    assert_equal "${lines[-1]}" 'SUCCESSFUL.'
    assert_line --partial 'seconds (simulated)'
    run -0 timeout 60 make run ARGS='--case sample/1-small'
    refute_output --partial 'CC contrib'
}

@test "make: a build for another level of x86-64 is not used on this machine" {
    requires x86-64
    run -0 make -s print-same-flags
    echo 9 > "$BATS_TEST_TMPDIR/levels"
    run -2 make -s print-same-flags LEVELS_STAMP="$BATS_TEST_TMPDIR/levels"
}

@test "make: the message for a missing problem or submission has its name" {
    run -2 make run PROBLEM=nosuch
    assert_output --partial "there is no problem 'nosuch'; there are: attention cointsp diffevo editdistance"
    run -2 make submission SUBMISSION=nosuch.cu
    assert_output --partial "there is no submission 'nosuch.cu'"
    run -0 make -n submission PROBELM=matmul problem=scan
    assert_line --partial 'no makefile reads PROBELM: see the knobs at the top'
    assert_line --partial 'no makefile reads problem: see the knobs at the top'
    # Every knob in the comment at the top is one.
    local knobs
    mapfile -t knobs < <(sed -n '/^# Knobs/,/^$/p' Makefile | grep -oE '\<[A-Z_]+=' | sort -u)
    [ ${#knobs[@]} -gt 10 ] || fail "${knobs[*]}"
    run -0 make -n help "${knobs[@]/%/1}" SUBMISSION=device_user.cu PROBLEM=scan BUILD=build LEVELS=2 \
        CUDASIM_SEED=1
    refute_output --partial 'no makefile reads'
    mkdir "$BATS_TEST_TMPDIR/my toolkit"
    cp Makefile "$BATS_TEST_TMPDIR/my toolkit"
    run -2 make -C "$BATS_TEST_TMPDIR/my toolkit" run
    assert_output --partial "my toolkit' has a blank in its path: move it to a path without blanks"
    # A folder elsewhere was built in full, and the scripts then found nothing in it.
    local folder
    for folder in "$BATS_TEST_TMPDIR/out" ../out out/ a/../b 'a b' ''; do
        run -2 make help BUILD="$folder"
        assert_output --partial "BUILD: '$folder' must be a folder in this one"
        [ -n "$folder" ] || continue
        run -2 env BUILD="$folder" run_scripts/devices.sh
        assert_output --partial "BUILD: '$folder' must be a folder in the toolkit's"
    done
    # Such a level stayed in the build folder, and nothing could be built any more.
    run -2 make -n cudasim LEVELS='3 9'
    assert_output --partial "LEVELS: '3 9' must be some of 2 3 4"
    run -2 make bench PROBLEM=matmul DEVICE=tpu
    assert_line --index 0 "bench.sh: DEVICE: 'tpu' must be one of: cpu, gpu, all"
}

@test "scripts: a folder that cannot be written to is named, with the code of the machine's faults" {
    local command
    for command in demo.sh 'mutate.sh scan' 'gradescope.sh scan' 'bench.sh scan cpu 1024'; do
        # shellcheck disable=SC2086
        BUILD=VERSION run -3 timeout 60 run_scripts/$command
        assert_line --partial ": cannot write to the folder '$root/VERSION"
    done
    # A report that cannot be written is not missed after the work.
    run -2 timeout 60 run_scripts/sim.sh --html "$BATS_TEST_TMPDIR/none/page.html" tests/cudasim/vector_add.cu
    assert_output "sim.sh: --html: cannot write '$BATS_TEST_TMPDIR/none/page.html'"
    run -2 timeout 60 run_scripts/sim.sh --json "$BATS_TEST_TMPDIR" tests/cudasim/vector_add.cu
    assert_output "sim.sh: --json: cannot write '$BATS_TEST_TMPDIR'"
    # Wrong options end a ladder of sizes at the first.
    run -2 timeout 60 run_scripts/run_matmul.sh --frob
    assert_equal "$(grep -c frob <<< "$output")" 1
}

@test "make: a second make does nothing; a change of flags or of a header rebuilds" {
    copy_toolkit built
    make -s all
    run -0 make
    assert_output "make: Nothing to be done for 'all'."
    run -0 make DEV=1
    assert_output "make: Nothing to be done for 'all'."
    # Where no problem has an outputs.c, as in an autograder for a new one, the list of them is empty, and a file.
    rm build/outputs-sources build/outputs.c
    run -0 make -s OUTPUTS_SOURCES= build/outputs.c
    make -s all
    touch verify/wire/channel.h
    run -0 make
    assert_output --partial 'CC verify/judge/session.c'
    assert_output --partial 'CC verify/runner/runner.c'
    refute_output --partial 'CC verify/base/stats.c'
    touch problems/editdistance/include/device_user.h
    run -0 make
    assert_output --regexp 'NVCC device_user\.cu|CC .*/accepted/baseline\.c'
    # A change of flags would compile every file of the host, once for each of its places; two programs represent all.
    every=$(make -n -B all | grep -c 'echo "  CC ')
    [ "$every" -ge 80 ]
    two=(build/getrndstr build/runners/editdistance)
    for change in CFLAGS=-O1 CPPFLAGS=-DUNUSED; do
        assert_equal "$(env "$change" make -n all | grep -c 'echo "  CC ')" "$every"
        run -0 env "$change" make "${two[@]}"
        assert_output --partial 'CC getrndstr.c'
        assert_output --partial 'CC verify/runner/runner.c'
        run -0 env "$change" make "${two[@]}"
        refute_output --partial 'CC '
    done
    run -0 make "${two[@]}"
    assert_output --partial 'CC verify/runner/runner.c'
}

@test "make: a submission is built anew when a header in a folder of it changes, whatever the header's time says" {
    local folder=$BATS_TEST_TMPDIR/mine
    mkdir -p "$folder/inner"
    cp problems/editdistance/submissions/accepted/baseline.c "$folder/device_user.c"
    sed -i '1i #include "inner/value.h"' "$folder/device_user.c"
    echo '#define VALUE 1' > "$folder/inner/value.h"
    submission "$folder" editdistance
    run -0 make submission SUBMISSION="$folder" PROBLEM=editdistance
    refute_output --partial 'CC '
    echo '#define VALUE 2' > "$folder/inner/value.h"
    touch -d 2020-01-01 "$folder/inner/value.h"
    run -0 make submission SUBMISSION="$folder" PROBLEM=editdistance
    assert_output --partial 'CC '
}

@test "make: help has a line for every command, and groups them by who needs them" {
    run -0 make help
    for target in all run judge submission test test-long test-gpu bench plot sanitize profile predict bench-gpu \
        bench-cudasim check-problem new-problem answers cudasim fuzz frozen freeze lint packages mutate clean; do
        assert_line --regexp "^  $target +[a-z]"
    done
    assert_equal "$(grep -v '^  ' <<< "$output" | grep .)" \
        $'Participants\nSetters of problems\nOrganisers of contests and courses\nDevelopers of the toolkit'
    # Every target with a text is in it once.
    assert_equal "$(sed -n 's/^  \([a-z-]*\) .*/\1/p' <<< "$output" | sort)" \
        "$(sed -n 's/^\([a-z-]*\):.*## .*/\1/p' Makefile | sort)"
    run -0 build/main_host --help
    for group in 'Participants:' 'Setters of problems:' 'Organisers of contests:'; do
        assert_line "$group"
    done
}

@test "make: every script prints its purpose with --help, and does nothing else" {
    local script said count=0
    while read -r script; do
        [ -x "$script" ] || continue
        said=$(timeout 120 "$script" --help < /dev/null 2> "$BATS_TEST_TMPDIR/errors") ||
            fail "$script --help: exit code $?"
        [ -n "$said" ] || fail "$script --help says nothing"
        [ ! -s "$BATS_TEST_TMPDIR/errors" ] || fail "$script --help: $(cat "$BATS_TEST_TMPDIR/errors")"
        count=$((count + 1))
    done < <(find run_scripts contrib problems tests -name '*.sh' | grep -vE 'run_scripts/lib/|/fixtures/' |
        grep -vE '^contrib/(cudasim/runtime/exports|autograders/gradescope/setup|kattis/program_build)|^tests/instructions/' | sort)
    [ $count -ge 60 ] || fail "only $count scripts were found"
}

@test "make: V=1 shows commands, clean removes everything that was built" {
    copy_toolkit built
    rm build/obj/main_host.o
    run -0 make V=1
    assert_output --partial '-c -o build/obj/main_host.o main_host.c'
    make -s clean
    assert_equal "$(ls -A)" \
        "$(cd "$BATS_TEST_DIRNAME/.." && ls -A | grep -vxE 'build.*|\.git|getrndstr|ldistance')"
}

@test "make: trusted files are as committed" {
    run -0 make frozen
    assert_output 'frozen: all trusted files are as committed'
}

@test "make: a changed, a new and a missing trusted file are found by name" {
    copy_toolkit built
    make -s all
    digest_of() { build/main_host --version | sed -n "s/^frozen $1 //p"; }
    before=$(digest_of editdistance)
    matmul=$(digest_of matmul)
    echo '/* changed */' >> verify/judge/session.c
    echo > verify/extra.h
    rm problems/editdistance/data/secret/05-equal.*
    run -2 make frozen
    assert_output --partial verify/judge/session.c
    assert_output --partial verify/extra.h
    assert_output --partial 05-equal.in
    # The host says which sources it was built from.
    make -s all
    after=$(digest_of editdistance)
    [ "$before" != "$after" ]
    [ "$matmul" != "$(digest_of matmul)" ]
    matmul=$(digest_of matmul)
    assert_equal "$after" "$(run_scripts/lib/frozen.sh digest editdistance)"
    assert_equal "$after" "$(cd run_scripts/lib && ./frozen.sh digest editdistance)"
    # A file of one problem changes that problem's digest alone.
    rm problems/editdistance/data/secret/06-disjoint.*
    make -s all
    [ "$after" != "$(digest_of editdistance)" ]
    assert_equal "$(digest_of editdistance)" "$(run_scripts/lib/frozen.sh digest editdistance)"
    assert_equal "$(digest_of matmul)" "$matmul"
    # The statement and the submissions are not trusted, and not frozen.
    run -0 make freeze
    echo >> problems/editdistance/statement/problem.en.md
    echo >> device_user.cu
    run -0 make frozen
}

@test "make: judging runs make twice, besides the make that the user runs" {
    mkdir "$BATS_TEST_TMPDIR/counted"
    printf '#!/bin/sh\necho "$*" >> "%s"\nexec %s "$@"\n' "$BATS_TEST_TMPDIR/calls" "$(command -v make)" \
        > "$BATS_TEST_TMPDIR/counted/make"
    chmod +x "$BATS_TEST_TMPDIR/counted/make"
    for submission in wrong_answer/hamming.c accepted/opencl; do
        rm -f "$BATS_TEST_TMPDIR/calls"
        PATH=$BATS_TEST_TMPDIR/counted:$PATH run make judge ARGS='--case sample/1-small' \
            SUBMISSION=problems/editdistance/submissions/$submission
        assert_output --regexp '(SUCCESSFUL|FAILED\. WA)'
        assert_equal "$(wc -l < "$BATS_TEST_TMPDIR/calls")" 3
    done
}

@test "make: nothing in a submission replaces a trusted file" {
    mkdir -p "$BATS_TEST_TMPDIR"/shadow/{problems,verify/judge}
    cd "$BATS_TEST_TMPDIR/shadow"
    cp "$root/problems/editdistance/submissions/wrong_answer/hamming.c" hamming.c
    for file in device_user.h levenshtein.h problem.h toolkit.h verify/judge/verdict.h; do
        echo '#define main_host_was_here 1' > "$file"
    done
    # Its own copies of trusted functions stay its own.
    cat > verdict.c << 'END'
int verdict_of(void) { return 0; }
int problem_find(void) { return 0; }
int main(void) { return 0; }
END
    before=$("$host" --version)
    run -1 "$root/run_scripts/judge.sh" "$BATS_TEST_TMPDIR/shadow" --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json .verdict)" WA
    assert_equal "$("$host" --version)" "$before"
    assert_equal "$(json .toolkit.frozen)" "$("$root/run_scripts/lib/frozen.sh" digest editdistance)"
}

# bats test_tags=long
@test "make: practice scripts run1.sh to run9.sh" {
    so=$(submission problems/editdistance/submissions/accepted/bitparallel.c)
    for n in 1 2 3 4 5 6 7 8 9; do
        # Without a GPU the large ones take minutes.
        large=()
        [ $n -le 1 ] || [ -e /dev/nvidiactl ] || large=(--submission "$so")
        run -0 --separate-stderr "run_scripts/run$n.sh" "${large[@]}"
        assert_equal "${lines[-1]}" 'SUCCESSFUL.'
        assert_line --index 1 "strnum(a)= $(stat -c %s "$practice/file$((2 * n + 1))")"
    done
    # Rising sizes, from seeds alone.
    assert_equal "$(stat -c %s "$practice"/file{1,3,5,7,9,11,13,15,17,19} | sort -n | uniq | paste -sd ' ')" \
        "$(stat -c %s "$practice"/file{1,3,5,7,9,11,13,15,17,19} | paste -sd ' ')"
    assert_equal "$(ls "$practice" | wc -l)" 22
    # run3.sh is the run that the toolkit of 2009 shows: file7 and file8 of 20,480 characters.
    run -0 bash -c "./getrndstr 20480 7 | cmp - '$practice/file7' && ./getrndstr 20480 8 | cmp - '$practice/file8'"
    run -2 run_scripts/lib/practice.sh 11
    run -2 run_scripts/lib/practice.sh
    run -0 run_scripts/run1.sh --repeat 3
    assert_output --partial 'median of 3'
}

@test "packages: missing packages are installed, or named if there are no rights to install" {
    run -0 run_scripts/lib/packages.sh build test
    assert_output ''
    run -2 run_scripts/lib/packages.sh everything
    [ "$(id -u)" = 0 ] || skip "needs root to become somebody without rights"
    copy_toolkit
    chmod -R a+rX "$BATS_RUN_TMPDIR"
    mkdir bin
    ln -s /usr/bin/* bin/ 2> /dev/null
    rm bin/jq bin/bwrap
    run -3 setpriv --reuid 65534 --regid 65534 --clear-groups env PATH="$PWD/bin" run_scripts/lib/packages.sh build test
    assert_line --index 0 \
        'packages.sh: these packages are missing; install them with: sudo apt-get install bubblewrap jq'
}

# runs_page PAGE: every command of its sh blocks runs, in this copy.
runs_page() {
    local command server
    url=''
    sed -n '/^```sh$/,/^```$/{/^```/!p}' "$1" > commands
    [ "$(wc -l < commands)" -ge 8 ] || fail "$1 has too few commands"
    while read -r command; do
        case $command in
        'make test'*) continue ;; # this very run
        'make serve'*)
            # It runs until it is stopped.
            setsid make -s serve ARGS='--port 0' > served 2>&1 < /dev/null &
            server=$!
            wait_for grep -q 'http://127' served || { cat served; kill -- "-$server"; fail 'no server'; }
            url=$(grep -o 'http://127[^ ]*' served | head -n 1)
            run -0 curl -sf "$url"
            kill -TERM -- "-$server"
            grep -q '^token of the team gauss' served
            ;;
        *) run -0 timeout 300 bash -c "$command" ;;
        esac
        echo "# ran: $command" >&3
    done < commands
}

# bats test_tags=long
@test "readme: every command in its sh blocks runs, in a fresh copy" {
    copy_toolkit simulator built
    # Both languages show the same commands.
    for readme in README.md README.ja.md; do
        sed -n '/^```sh$/,/^```$/{/^```/!p}' "$readme" | sed 's/ *#.*//' > "commands.$readme"
    done
    run -0 diff commands.README.md commands.README.ja.md
    runs_page README.md
    [ -n "$url" ] || fail 'README.md starts no server'
}

# bats test_tags=long
@test "participants: every command in the sh blocks of docs/PARTICIPANT.md runs, in a fresh copy" {
    copy_toolkit simulator built
    runs_page docs/PARTICIPANT.md
}

# outline FILE: what a README is made of, whatever its language: headings, lists, tables, blocks, links, pictures.
outline() {
    grep -oE '^(#+|```.*|[0-9]\.|\|([-:]+\|)+)|\]\([^)]*\)' "$1" |
        sed -E 's/problem\.(en|ja)\.md/problem.md/; s/README(\.ja)?\.md/README/; s/\(#.*\)/(#here)/'
}

@test "readme: both languages have the same headings, tables, links and pictures" {
    for readme in README.md README.ja.md; do
        [ "$(head -c 2 $readme)" = '# ' ] || fail "$readme does not begin with its heading"
        outline $readme > "$BATS_TEST_TMPDIR/outline.$readme"
    done
    [ "$(wc -l < "$BATS_TEST_TMPDIR/outline.README.md")" -ge 50 ] || fail 'README.md has no outline'
    run -0 diff "$BATS_TEST_TMPDIR"/outline.README{,.ja}.md
}

@test "participants: the lines that docs/PARTICIPANT.md shows are the lines printed" {
    # Those of a GPU: on the simulator they are marked.
    so=$(submission problems/editdistance/submissions/accepted/bitparallel.c)
    for seed in 7 8; do ./getrndstr 20480 $seed > "$BATS_TEST_TMPDIR/file$seed"; done
    run -0 --separate-stderr ./ldistance --submission "$so" "$BATS_TEST_TMPDIR"/file{7,8}
    sed -n '/^answer = /,/^SUCCESSFUL\.$/p' docs/PARTICIPANT.md |
        sed -E 's/[0-9.]+( seconds)?$/N\1/' > "$BATS_TEST_TMPDIR/shown"
    sed -E 's/[0-9.]+( seconds)?$/N\1/' <<< "$output" > "$BATS_TEST_TMPDIR/printed"
    run -0 diff "$BATS_TEST_TMPDIR/shown" "$BATS_TEST_TMPDIR/printed"
}

@test "lint: the scripts pass shellcheck; no line, function or file is too long" {
    run -0 make lint
    copy_toolkit
    mkdir wide
    printf '/* %s */\n' "$(printf 'あ%.0s' {1..110})" > wide/characters.c # not bytes
    printf 'echo "%s"\n' "$(printf 'word %.0s' {1..30})" > wide/message.sh
    printf '{\n%s\n}\n' "$(yes ";" | head -n 80)" > wide/eighty.c
    run -0 tests/scripts/sizes.sh
    printf '\n/* %s*/\n' "$(printf 'word %.0s' {1..30})" > wide/comment.c
    printf 'echo %s\n' "$(printf 'word %.0s' {1..30})" > wide/words.bats
    printf '{\n%s\n}\n' "$(yes ';' | head -n 81)" > wide/more.c
    yes '' | head -n 801 > wide/lines.c
    run -1 tests/scripts/sizes.sh
    assert_equal "$(sort <<< "$output")" "$(printf '%s\n' 'wide/comment.c:2: longer than 120 columns' \
        'wide/lines.c: longer than 800 lines' 'wide/more.c:1: a function of 81 lines' \
        'wide/words.bats:1: longer than 120 columns')"
}

@test "make: an empty name of a submission is refused, and no other one is used" {
    run -2 make -s run SUBMISSION=
    assert_output --partial 'SUBMISSION is empty: name a file or folder, or omit it for the default (device_user.cu)'
    SUBMISSION='' run -2 make -s submission
    assert_output --partial 'SUBMISSION is empty'
    run -2 make -s judge SUBMISSION= PROBLEM=matmul
    assert_output --partial 'SUBMISSION is empty'
    SUBMISSION='' run -2 run_scripts/run_matmul.sh
    assert_output 'generated.sh: SUBMISSION is empty: name a file or folder, or omit it for the default'
    # A practice script runs device_user.cu, whatever else is named around it.
    SUBMISSION=problems/none.c run -0 run_scripts/lib/practice.sh 0 --device auto
}

# bats test_tags=long
@test "make: the message for a missing or different device_user() names what the submission has instead" {
    local name words
    cd "$BATS_TEST_TMPDIR"
    echo 'int device_usr(const char *a) { return *a; } int helper(void) { return 0; }' > misspelt.c
    echo 'static int own(void) { return 1; } int value = 2; typedef int (*f)(void); f table[] = { own };' > none.c
    mkdir two && echo 'int one(void) { return 1; }' > two/a.c && echo 'int Device_User(void) { return 2; }' > two/b.c
    echo 'int device_user(const char *a) { return *a; }' > other.cu
    echo '__global__ void kernel() {} void device_usr() { kernel<<<1, 1>>>(); }' > misspelt.cu
    while IFS='|' read -r name words; do
        [[ $name != *.cu ]] || make -s -C "$root" have-nvcc || continue
        run -2 make -s -C "$root" run SUBMISSION="$BATS_TEST_TMPDIR/$name"
        assert_line "error: $words"
        refute_output --partial '/ld: '
        run -1 "$root/run_scripts/judge.sh" "$BATS_TEST_TMPDIR/$name"
        assert_line "FAILED. CE (compile error): the submission does not compile: error: $words"
    done <<'CASES'
misspelt.c|there is no function device_user(): the submission defines device_usr(), helper()
none.c|there is no function device_user(): the submission defines no function
two|there is no function device_user(): the submission defines one(), Device_User()
other.cu|device_user(char const*) is another function than device_user.h declares: its parameters differ
misspelt.cu|there is no function device_user(): the submission defines device_usr(), kernel()
CASES
}
