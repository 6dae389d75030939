#!/usr/bin/env bats
# The client for programs, against a real server and grader: lines, exit codes, what breaks on the way, resuming.
# bats file_tags=serve

load helpers/contest
load helpers/serve

setup_file() {
    load helpers/common
    requires box
    "$BATS_TEST_DIRNAME/../run_scripts/lib/packages.sh" batch >&2
    make -s -C "$root" DEV=1 grade-programs serve-programs batch-program >&2
}

setup() {
    load helpers/common
    contest_places
    server='' grader=''
    cd "$BATS_TEST_TMPDIR"
    cp "$sort/accepted/baseline.c" a.c
    cp "$sort/accepted/baseline.c" b.c
    echo '#error c' > c.c
}

teardown() { serve_stop; }

# program [EXTRA LINE...]: a contest with an account of a program, and its server.
program() {
    serve_contest "$@"
    token_file "$("$build/grader" token "$contest" --program loop)"
    serve
}

# batch ARGUMENT...: with address and token.
batch() { timeout 120 "$build/batch" "$@" --url "$url" --token "$BATS_TEST_TMPDIR/token"; }

# told: file and verdict of each line of $output, sorted.
told() { jq -sc 'sort_by(.file) | map([.file, .verdict])' <<< "${1-$output}"; }

@test "lines: one per file with its name, equal sources too; as a stream, by polling, into a file, again" {
    program
    watch
    run -0 --separate-stderr batch A a.c b.c c.c
    assert_equal "$stderr" 'batch 1'
    assert_equal "$(told)" '[["a.c","AC"],["b.c","AC"],["c.c","CE"]]'
    assert_equal "$(jq -sc 'map(keys_unsorted[:3]) | unique' <<< "$output")" '[["batch","file","id"]]'
    assert_equal "$(jq -sc 'map(has("cases")) | unique' <<< "$output")" '[false]'
    stream=$(jq -Sc 'del(.batch)' <<< "$output" | sort)
    # What was judged is not judged again, unless it is asked for.
    run -0 --separate-stderr batch A a.c b.c c.c --poll 0.2
    assert_equal "$(jq -Sc 'del(.batch)' <<< "$output" | sort)" "$stream"
    assert_equal "$(query 'SELECT count(*) FROM submissions')" 2
    run -0 --separate-stderr batch A a.c --again --times --explain --out lines
    assert_equal "$output" ''
    assert_equal "$(jq -c '[.batch, .file, .verdict, .explanation.why]' lines)" \
        '["3","a.c","AC","it ran on a CPU: the simulator explains only CUDA kernels"]'
    assert_equal "$(query 'SELECT count(*) FROM submissions')" 3
    run -0 --separate-stderr batch --resume 1 --out lines
    assert_equal "$(jq -sc 'map([.batch, .file]) | unique | length' lines) $(wc -l < lines)" '2 4'
    # C++ keeps its language.
    run -0 --separate-stderr batch A "$root/tests/fixtures/stable_sort.cc"
    assert_equal "$(jq -r .verdict <<< "$output")" AC
    # The day-to-day way in is the same.
    run -0 --separate-stderr timeout 120 "$root/run_scripts/batch.sh" A c.c --url "$url" --token token
    assert_equal "$(told)" '[["c.c","CE"]]'
}

@test "refused, with a line and code 2: options, files, tokens, refusals of the server; code 3 without an answer" {
    local said
    program
    said() { # LINE ARGUMENT...
        run -2 --separate-stderr batch "${@:2}"
        assert_equal "$stderr" "batch: $1"
        assert_output ''
    }
    said 'name a problem and files; see build/batch --help' A
    said "'x.txt' is not a .cu, .c or .cc file" A x.txt
    said "there is no file 'none.c', or it cannot be read" A none.c
    said "unknown option '--fast'; see build/batch --help" A a.c --fast
    said "--poll: '0' is not a number of seconds from 0.1 to 86400" A a.c --poll 0
    said "--resume: '0' is not the number of a batch" --resume 0
    said '101 files are more than 100: make several batches' A $(printf 'a.c %.0s' {1..101})
    said 'items[0]: problem: there is no such problem in this contest (HTTP 400)' Z a.c
    said "--resume: the token's account has no batch 99" --resume 99
    printf '\xff' > broken.c
    said "'broken.c' is not text in UTF-8" A broken.c
    mkdir folder.c
    run -2 --separate-stderr batch A folder.c
    chmod 640 token
    said "others may read '$BATS_TEST_TMPDIR/token': chmod 600 it first" A a.c
    token_file 'no token'
    said "'$BATS_TEST_TMPDIR/token' does not contain a token" A a.c
    token_file "1.$(printf 'A%.0s' {1..43})"
    said 'this token is not valid, or not valid any more (HTTP 401)' A a.c
    token_file "$(token ada)"
    said 'batches are for programs: grade.sh CONTEST token --program (HTTP 403)' A a.c
    rm token
    run -2 --separate-stderr batch A a.c
    assert_regex "$stderr" "^batch: cannot open the token's file"
    token_file 1.AAAA
    for url in ftp://127.0.0.1 'http://127.0.0.1/?x' 'http://a b' file:///etc/passwd https://; do
        said "'$url' is not a server's address, such as https://contest.example.org" A a.c
    done
    url=http://127.0.0.1:1
    run -3 --separate-stderr batch A a.c --patience 0
    assert_regex "$stderr" "^batch: 'http://127.0.0.1:1' does not answer: .*"
}

@test "too many at once: the client waits as the server says, and goes on" {
    program 'limits: { batch: 2 }'
    batch A a.c c.c > first 2> /dev/null &
    first=$!
    until_true 20 bash -c "[ \"\$(sqlite3 -readonly '$db' 'SELECT count(*) FROM batch_items')\" = 2 ]"
    echo '#error d' > d.c
    batch A d.c > second 2> second.log &
    second=$!
    sleep 1
    assert_equal "$(cat second.log)" ''
    watch
    wait "$first" "$second"
    assert_equal "$(told "$(cat first second)")" '[["a.c","AC"],["c.c","CE"],["d.c","CE"]]'
}

@test "kill -9 of the client, a line cut off, kill -9 of the server: each result is written once" {
    local i files=() pid
    program
    for i in {1..8}; do echo "#error $i" > "$i.c"; done
    files=({1..8}.c)
    "$build/batch" A "${files[@]}" --out lines --url "$url" --token token 2> said 3>&- &
    pid=$!
    until_true 20 grep -q '^batch 1$' said
    # The token is in nothing that others can look at.
    run -1 grep -aF "$(< token)" "/proc/$pid/cmdline" "/proc/$pid/environ"
    watch
    until_true 60 bash -c '[ "$(wc -l < lines)" -ge 2 ]'
    kill -9 "$pid"
    wait "$pid" || true
    # As a power cut leaves it, between lines of somebody else.
    sed -i '1i {"batch":"9","file":"other.c","id":"1","verdict":"AC"}' lines
    printf '{"batch":"1","file":"8.c","id":"8","verd' >> lines
    batch A "${files[@]}" --resume 1 --out lines > resumed 2>&1 &
    pid=$!
    kill -9 "$server"
    wait "$server" || true
    sleep 1
    serve "${url##*:}"
    wait "$pid"
    assert_equal "$(cat resumed)" ''
    assert_equal "$(jq -sc 'map(select(.batch == "1") | .file) | sort' lines)" \
        '["1.c","2.c","3.c","4.c","5.c","6.c","7.c","8.c"]'
    assert_equal "$(wc -l < lines) $(head -n 1 lines | jq -r .file)" '9 other.c'
    # Nothing is missing: nothing is asked for once more, nor written.
    run -0 --separate-stderr batch A "${files[@]}" --resume 1 --out lines
    assert_equal "$(wc -l < lines)" 9
    run -2 --separate-stderr batch A 1.c --resume 1 --out lines
    assert_equal "$stderr" 'batch: batch 1 has 8 items, but you gave 1 files: give its files, or none'
    exec {hold}< lines
    flock "$hold"
    run -2 --separate-stderr batch --resume 1 --out lines
    assert_equal "$stderr" "batch: another program writes results to 'lines'"
    exec {hold}<&-
    full() { batch --resume 1 > /dev/full; }
    run -3 --separate-stderr full
    assert_equal "$stderr" "batch: cannot write to 'standard output': No space left on device"
}
