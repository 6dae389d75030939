#!/usr/bin/env bats
# The host's command line: the lines and use of the GPU Challenge 2009 manual, inputs, options, exit codes, JSON.

setup_file() {
    load helpers/common
    cd "$root"
    run_scripts/lib/files.sh
    a=$(submission problems/editdistance/submissions/accepted/bitparallel.c)
    export a
}

setup() {
    load helpers/common
    cd "$root"
}

# ldistance runs the default submission: device_user.cu, on the simulator if there is no GPU.

@test "host: ldistance prints the lines of the GPU Challenge 2009 manual, in order" {
    run -0 --separate-stderr ./ldistance "$practice/file3" "$practice/file4"
    assert_line --index 0 --regexp '^answer = [0-9]+$'
    assert_line --index 1 'strnum(a)= 2048'
    assert_line --index 2 'strnum(b)= 2048'
    assert_line --index 3 --regexp '^Initializing CUDA: [0-9]+\.[0-9]{3} seconds$'
    assert_line --index 4 --regexp '^GPU eclock : [0-9]+\.[0-9]{8} seconds( \(simulated\))?$'
    answer=${lines[0]#answer = }
    assert_line --index 5 "[CPU] : $answer"
    assert_line --index 6 "[GPU] : $answer"
    assert_line --index 7 'SUCCESSFUL.'
    assert_equal ${#lines[@]} 8
}

@test "host: a given ANSWER is used instead of a computed one" {
    run -0 --separate-stderr ./ldistance --submission "$a" "$practice/file3" "$practice/file4"
    answer=${lines[0]#answer = }
    run -0 --separate-stderr ./ldistance --submission "$a" "$practice/file3" "$practice/file4" "$answer"
    assert_line --index 0 "answer = $answer"
    run -1 --separate-stderr ./ldistance --submission "$a" "$practice/file3" "$practice/file4" 3
    assert_line --index 0 'answer = 3'
    assert_line '[CPU] : 3'
    assert_line "[GPU] : $answer"
    assert_line "FAILED. WA (wrong answer): device_user() answered $answer where 3 is right in case input"
}

@test "host: inputs that break a limit are refused by name, before anything runs" {
    cd "$BATS_TEST_TMPDIR"
    "$root/getrndstr" 128 1 > good
    : > empty
    "$root/getrndstr" 200 1 > odd
    { "$root/getrndstr" 1024 1; printf '\r\n'; } > windows
    printf 'weight\r\n' > word
    printf 'weight\n' > line
    { "$root/getrndstr" 128 1; echo; } > newline
    "$root/getrndstr" 1048576 1 > long
    "$root/getrndstr" 1048448 1 > longest
    "$root/getrndstr" 16512 1 > half
    "$root/getrndstr" 128 1 > locked
    mkdir folder
    mkfifo fifo
    declare -A words=([missing]="cannot open 'missing'" [empty]="file 'empty' is empty"
        [odd]="file 'odd' has length 200: a multiple of 128 is needed, or, for practice, less than 128"
        [windows]="file 'windows' has length 1026 because it ends with CR LF, as Windows ends a line: remove both with"
        [word]="file 'word' has length 8 because it ends with CR LF"
        [line]="file 'line' has length 7 because it ends with a newline"
        [newline]="file 'newline' has length 129 because it ends with a newline"
        [long]="file 'long' has length 1048576: at most 1048448" [folder]="'folder' is not a regular file"
        [fifo]="'fifo' is not a regular file")
    for file in "${!words[@]}"; do
        for arguments in "$file good" "good $file"; do
            # shellcheck disable=SC2086
            run -2 --separate-stderr timeout 10 "$root/ldistance" --json r.json $arguments
            assert_output ''
            assert_equal "${#stderr_lines[@]}" 1
            [[ $stderr == *"${words[$file]}"* ]] || fail "$stderr"
            [ ! -e r.json ]
        done
    done
    run -2 "$root/ldistance" longest half
    assert_output --partial '2^34'
    run -2 "$root/ldistance" good
    assert_output --partial 'FILE1 FILE2 [ANSWER] is needed'
    run -2 "$root/ldistance" good good 1 2
    run -2 "$root/ldistance" good good x
    assert_output --partial "ANSWER: 'x' is not a whole number"
}

@test "host: ldistance without files refuses and names the samples; with a case it runs the case" {
    run -2 --separate-stderr ./ldistance
    assert_output ''
    assert_equal "$stderr" \
        "main_host: name two files: FILE1 FILE2; 'make run' runs the samples; see --help"
    run -2 ./ldistance --repeat 3
    run -0 ./ldistance --submission "$(submission problems/editdistance/submissions/accepted/bitparallel.c)" \
        --case sample/1-small
    assert_line 'SUCCESSFUL.'
}

@test "host: the statement's example, too short for a judged input, is computed, and marked as such" {
    printf weight > "$BATS_TEST_TMPDIR/a"
    printf write > "$BATS_TEST_TMPDIR/b"
    for submission in '' --submission; do # as shipped, in CUDA where it can run; and in C
        run -0 --separate-stderr ./ldistance $submission \
            ${submission:+"$(submission problems/editdistance/submissions/accepted/baseline.c)"} \
            "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
        assert_line --index 0 'answer = 4'
        assert_line --index 3 \
            'for practice: the lengths that count are multiples of 128, and a submission may rely on that'
        assert_line '[GPU] : 4'
    done
    # The second string is as aligned as the first: what the statement promises.
    printf '%s\n' '#include <stdint.h>' '#include <stdlib.h>' \
        'unsigned device_user(char *a, int m, char *b, int n)' \
        '{ if ((uintptr_t)a % 128 || (uintptr_t)b % 128) abort(); return m == 6 && n == 5 && b[4] == 101 ? 4 : 0; }' \
        > "$BATS_TEST_TMPDIR/aligned.c"
    run -0 ./ldistance --submission "$(submission "$BATS_TEST_TMPDIR/aligned.c")" "$BATS_TEST_TMPDIR/a" \
        "$BATS_TEST_TMPDIR/b"
    # Other users cannot see such inputs.
    run -2 build/main_host editdistance --generate 'random 6 5'
    assert_output --partial 'a multiple of 128 is needed'
}

@test "host: times have eight decimals" {
    so=$(submission problems/editdistance/submissions/accepted/bitparallel.c)
    run -0 ./ldistance --repeat 7 --submission "$so" "$practice/file1" "$practice/file2"
    number='[0-9]+\.[0-9]{8}'
    assert_line --regexp \
        "^GPU eclock : $number seconds \(median of 7; min $number, max $number; .*interval $number to $number\)$"
}

@test "host: an unreadable file is refused by name" {
    "$root/getrndstr" 128 1 > "$BATS_TEST_TMPDIR/locked"
    chmod 0 "$BATS_TEST_TMPDIR/locked"
    if [ "$(id -u)" = 0 ]; then
        chmod 755 "$BATS_TEST_TMPDIR" "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR/.." "$BATS_TEST_TMPDIR/../.."
        # The toolkit may be in a folder that only root can enter: any user can run a copy of the host.
        mkdir -p "$BATS_TEST_TMPDIR/t/problems" && cp -rL "$root/problems/." "$BATS_TEST_TMPDIR/t/problems"
        mkdir "$BATS_TEST_TMPDIR/t/build" && cp -rL "$build"/{main_host,inspect,runners} "$BATS_TEST_TMPDIR/t/build"
        cp "$a" "$BATS_TEST_TMPDIR/t/a.so"
        run -2 setpriv --reuid 65534 --regid 65534 --clear-groups "$BATS_TEST_TMPDIR/t/build/main_host" editdistance \
            --submission "$BATS_TEST_TMPDIR/t/a.so" "$BATS_TEST_TMPDIR/locked" "$BATS_TEST_TMPDIR/locked"
    else
        run -2 ./ldistance "$BATS_TEST_TMPDIR/locked" "$BATS_TEST_TMPDIR/locked"
    fi
    assert_output --partial "cannot open '$BATS_TEST_TMPDIR/locked': Permission denied"
}

@test "host: wrong usage gives one line and exit code 2" {
    for arguments in '' 'nosuchproblem' 'editdistance --nonsense' 'editdistance --repeat' 'editdistance --repeat 0' \
        'editdistance --repeat x' 'editdistance --seed -1' 'editdistance --time-limit 0' \
        'editdistance --time-limit nan' 'editdistance --device tpu' 'editdistance --group public' \
        'editdistance --box steel' 'editdistance --require-box steel' 'editdistance --memory-limit 1' \
        'editdistance --memory-limit x' 'editdistance --case secret/99-none' 'editdistance --case sample/1-small x y' \
        'editdistance --submission /nonexistent.so' 'editdistance --submission Makefile' \
        'editdistance --group secret --case sample/1-small' 'editdistance --json /nonexistent/r.json' \
        'editdistance --warden 2' 'editdistance --warden 777'; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr timeout 10 "$host" $arguments
        assert_output ''
        assert_equal "${#stderr_lines[@]}" 1
        [[ $stderr == main_host:* ]] || fail "$arguments: $stderr"
    done
}

@test "host: --help, --version and --devices" {
    run -0 "$host" --help
    assert_line --index 0 'usage: main_host PROBLEM [options] [INPUT...]'
    assert_line 'INPUT of editdistance: FILE1 FILE2 [ANSWER]'
    run -0 "$host" --version
    assert_line --index 0 "$(cat VERSION)"
    assert_line --index 1 "frozen $(run_scripts/lib/frozen.sh digest)"
    assert_line "frozen matmul $(run_scripts/lib/frozen.sh digest matmul)"
    assert_equal "$(sort -u <<< "$output" | grep -c '^frozen')" "$(($(ls problems/*/problem.c | wc -l) + 1))"
    run -0 "$host" --devices
    assert_line cpu
    assert_line --regexp "^  processors +$(getconf _NPROCESSORS_ONLN)$"
    assert_line --regexp '^  memory +[1-9][0-9]* MiB'
    assert_equal "$(grep -c '^[^ ]' <<< "$output")" "$(grep -cE '^(gpu|sim)\b|^cpu$|^no ' <<< "$output")"
}

@test "host: --device gpu without a GPU says so" {
    [ ! -e /dev/nvidiactl ] || skip "this machine has a GPU"
    run -2 "$host" editdistance --submission "$a" --device gpu
    assert_output --partial 'no usable NVIDIA GPU'
}

@test "host: all samples, then one verdict" {
    run -0 --separate-stderr "$host" editdistance --submission "$a"
    assert_line --index 0 'case sample/1-small'
    assert_line '3 of 3 cases were run'
    assert_equal "${lines[-1]}" 'SUCCESSFUL.'
    assert_equal "$(grep -c '^SUCCESSFUL\.$' <<< "$output")" 4
}

@test "host: --case runs one case" {
    run -0 --separate-stderr "$host" editdistance --submission "$a" --case secret/04-dna
    assert_line --index 0 'case secret/04-dna'
    assert_line 'answer = 1821'
    assert_equal "$(grep -c '^case ' <<< "$output")" 1
}

@test "host: --seed changes the input, and the same seed gives the same" {
    run -0 --separate-stderr "$host" editdistance --submission "$a" --case sample/3-practice --seed 12345
    assert_line --index 1 --regexp '^answer = [0-9]+$'
    first=${lines[1]}
    [ "$first" != 'answer = 19735' ]
    run -0 --separate-stderr "$host" editdistance --submission "$a" --case sample/3-practice --seed 12345
    assert_line --index 1 "$first"
}

@test "host: --json has verdict, samples, device and digests" {
    run -0 "$host" editdistance --submission "$a" --json "$BATS_TEST_TMPDIR/result.json" --repeat 5 --seed 7 \
        --source bitparallel.c --time-limit 3.5
    assert_equal "$(json '.format, .problem, .verdict, .message, .seed, .repeat' | paste -sd ' ')" \
        '1 editdistance AC  7 5'
    assert_equal "$(json .toolkit.frozen)" "$(run_scripts/lib/frozen.sh digest editdistance)"
    assert_equal "$(json .toolkit.version)" "$(cat VERSION)"
    assert_equal "$(json '.submission.language, .submission.source' | paste -sd ' ')" 'C bitparallel.c'
    assert_equal "$(json '.device.kind')" cpu
    [ -n "$(json .device.name)" ]
    assert_equal "$(json '.cases | length')" 3
    assert_equal "$(json '.cases[2].name')" sample/3-practice
    assert_equal "$(json '[.cases[] | .samples | length] | unique | @csv')" 5
    assert_equal "$(json '[.cases[] | .samples[] > 0] | all')" true
    assert_equal "$(json '.cases[0].time_limit')" 3.5
    assert_equal "$(json '.cases[1] | .seconds | .min <= .q1 and .q1 <= .median and .median <= .q3 and .q3 <= .max')" \
        true
    # The parts of a call add up to its time: nothing of it is unaccounted for.
    assert_equal "$(json '[.cases[].parts[] | ((.release + .map + .call + .done) - .total) | fabs < 1e-6] | all')" true
    [ ! -e "$BATS_TEST_TMPDIR/result.json.part" ]
}

@test "host: an older result is not mistaken for a new one, and only plain files are replaced" {
    cd "$BATS_TEST_TMPDIR"
    echo '{"verdict": "AC"}' > result.json
    run -2 "$host" editdistance --submission /nonexistent.so --json result.json
    [ ! -e result.json ]
    : > target
    ln -s target link
    run -0 "$host" editdistance --submission "$a" --case sample/1-small --json link
    [ -L link ]
    assert_equal "$(json .verdict target)" AC
    run -0 "$host" editdistance --submission "$a" --case sample/1-small --json /dev/null
    [ -c /dev/null ]
    mkdir folder
    run -2 "$host" editdistance --submission "$a" --json folder
    assert_output --partial "'folder' is a folder"
}

@test "host: a submission's last output is read, and does not delay the host" {
    late=$(submission tests/fixtures/late_printer.c)
    run -1 "$host" editdistance --submission "$late" --case sample/1-small --json "$BATS_TEST_TMPDIR/result.json"
    assert_equal "$(json '.cases[0].printed_bytes')" 200000
    # The host gives up after 2 s.
    assert_equal "$(json '.cases[0].end_seconds < 2')" true
}

@test "host: each repetition has a fresh input" {
    replay=$(submission tests/fixtures/bad_replay.c)
    run -0 "$host" editdistance --submission "$replay" --case sample/3-practice
    run -1 "$host" editdistance --submission "$replay" --case sample/3-practice --repeat 3 \
        --json "$BATS_TEST_TMPDIR/result.json"
    assert_output --regexp 'FAILED\. WA .* in case sample/3-practice, call 2 of 3'
    assert_equal "$(json '.cases[0].calls')" 2
}

@test "host: cases after the first failure are run only with --keep-going" {
    wrong=$(submission problems/editdistance/submissions/wrong_answer/hamming.c)
    run -1 "$host" editdistance --submission "$wrong"
    assert_line '1 of 3 cases were run'
    run -1 "$host" editdistance --submission "$wrong" --keep-going --json "$BATS_TEST_TMPDIR/result.json"
    assert_line '3 of 3 cases were run'
    assert_equal "$(json '[.cases[].verdict] | @csv')" '"WA","WA","WA"'
}

@test "host: the host works from any folder and through a link" {
    cd "$BATS_TEST_TMPDIR"
    ln -s "$host" elsewhere
    run -0 ./elsewhere editdistance --case sample/1-small
    assert_equal "${lines[-1]}" 'SUCCESSFUL.'
}

@test "host: a submission without CUDA runs on one processor too" {
    run -0 taskset -c 0 "$host" editdistance --submission "$a" --repeat 3
    assert_equal "${lines[-1]}" 'SUCCESSFUL.'
}
