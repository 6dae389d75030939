#!/usr/bin/env bats
# The server where the machine fails it: a clock set back, a database that is held, a full disk, too much at once.
# bats file_tags=serve

load helpers/contest
load helpers/serve

setup_file() {
    load helpers/common
    requires box
    "$BATS_TEST_DIRNAME/../run_scripts/lib/packages.sh" clock >&2
    make -s -C "$root" DEV=1 grade-programs serve-programs >&2
}

setup() {
    load helpers/common
    contest_places
    server='' grader=''
    echo 'int x;' > "$BATS_TEST_TMPDIR/x.c"
}

teardown() { serve_stop; }

# clock SECONDS: from now on the server sees a clock that is so far ahead, or behind.
clock() { printf '%+d\n' "$1" > "$BATS_TEST_TMPDIR/clock"; }

# serve_by_clock: the server by that clock. The monotonic one is the machine's own.
serve_by_clock() {
    local -x LD_PRELOAD FAKETIME_TIMESTAMP_FILE=$BATS_TEST_TMPDIR/clock FAKETIME_NO_CACHE=1 \
        FAKETIME_DONT_FAKE_MONOTONIC=1 DONT_FAKE_MONOTONIC=1
    LD_PRELOAD=$(echo /usr/lib/*/faketime/libfaketimeMT.so.1)
    serve
}

# hand_in NAME: a submission of ada; the status.
hand_in() {
    echo "#error $1" > "$BATS_TEST_TMPDIR/$1.c"
    code -m 60 -H "Authorization: Bearer $ada" -F problem=A -F "files=@$BATS_TEST_TMPDIR/$1.c" "$url/submit"
}

@test "a clock set back and forth: times of submissions and questions still increase, in a running and a new server" {
    local ada
    serve_contest
    ada=$(token ada)
    clock 0
    serve_by_clock
    assert_equal "$(hand_in one)" 200
    # Back to before the contest's start: a submission is accepted, and comes after the first one.
    clock -7200
    sleep 1.2
    assert_equal "$(hand_in two) $(code -H "Authorization: Bearer $ada" -d 'text=When?' "$url/ask")" '200 303'
    run -0 cat "$BATS_TEST_TMPDIR/server.log"
    assert_output --regexp "^serve: the machine's clock stands 72[0-9][0-9] s before what was handed in last: "
    sleep 1.2
    assert_equal "$(hand_in three)" 200
    assert_equal "$(grep -c 'stands' "$BATS_TEST_TMPDIR/server.log")" 1
    # A server that begins while the clock is wrong.
    kill -9 "$server" && wait "$server" || true
    serve_by_clock
    assert_equal "$(hand_in four)" 200
    clock 0
    sleep 1.2
    assert_equal "$(hand_in five)" 200
    # In the order of their numbers, each later than the one before; and no further ahead than the real time.
    assert_equal "$(query 'SELECT count(*), sum(submitted > before), sum(found > before_found) FROM (SELECT *,
        lag(submitted, 1, 0) OVER (ORDER BY id) AS before, lag(found, 1, 0) OVER (ORDER BY id) AS before_found
        FROM submissions)')" '5|5|5'
    assert_equal "$(query 'SELECT (SELECT max(submitted) FROM submissions) < unixepoch() + 3,
        (SELECT made FROM clarifications) BETWEEN (SELECT submitted FROM submissions WHERE id = 2) AND
        (SELECT submitted FROM submissions WHERE id = 3)')" '1|1'
    # The contest's clock does not go back either.
    assert_equal "$(curl -s "$url/api/contests/contest/state" | jq -c '.started != null')" true
    # The submissions are in order of contest time.
    until_true 10 bash -c "curl -s '$url/api/contests/contest/submissions' | jq -e 'length == 5' > /dev/null"
    assert_equal "$(curl -s "$url/api/contests/contest/submissions" | jq -c '[.[].contest_time] | . == sort')" true
}

# hold SECONDS: another program locks the database for that time.
hold() {
    sqlite3 "$db" 'BEGIN IMMEDIATE' ".shell touch '$BATS_TEST_TMPDIR/held'" ".shell sleep $1" 'ROLLBACK' > /dev/null &
    holder=$!
    until_true 10 test -e "$BATS_TEST_TMPDIR/held"
    rm "$BATS_TEST_TMPDIR/held"
}

@test "a database locked by another program: a request waits and is refused in the end; pages go on; nothing is doubled" {
    local ada holder
    serve_contest
    ada=$(token ada)
    serve
    hold 3
    assert_equal "$(hand_in short)" 200
    wait "$holder"
    hold 14
    hand_in long > "$BATS_TEST_TMPDIR/code" &
    assert_equal "$(code -m 5 "$url/index.html") $(code -m 5 "$url/api/contests/contest/submissions")" '200 200'
    wait "$!"
    assert_equal "$(< "$BATS_TEST_TMPDIR/code")" 503
    wait "$holder"
    assert_equal "$(hand_in long) $(hand_in long)" '200 200'
    assert_equal "$(query 'SELECT group_concat(path) FROM (SELECT path FROM submissions ORDER BY id)')" short.c,long.c
    assert_equal "$(find "$contest/grading/sources" -mindepth 1 -maxdepth 1 | wc -l)" 2
    assert_equal "$(cat "$BATS_TEST_TMPDIR/server.log")" "serve: $db: another program has locked it for too long"
}

@test "a disk that fills while a batch arrives: rows and files of all items or of none; later exactly once" {
    local program
    serve_contest 'limits: { megabytes: 1 }'
    program=$("$build/grader" token "$contest" --program loop)
    cp -r "$contest" "$BATS_TEST_TMPDIR/source"
    # Four of 300 KB, of which the disk has room for some.
    head -c 300000 /dev/zero | tr '\0' ' ' > "$BATS_TEST_TMPDIR/spaces"
    jq -n --rawfile text "$BATS_TEST_TMPDIR/spaces" \
        '{items: [range(4) | {problem: "A", language: "c", again: true, source: ($text + "int x\(.);")}]}' \
        > "$BATS_TEST_TMPDIR/batch.json"
    export contest db build program BATS_TEST_TMPDIR
    run -0 unshare --user --map-root-user --mount bash -euo pipefail <<'SCRIPT'
    mount -t tmpfs -o size=4M none "$contest"
    cp -r "$BATS_TEST_TMPDIR/source/." "$contest"
    "$build/server" "$contest" --port 0 > "$BATS_TEST_TMPDIR/url" 2> "$BATS_TEST_TMPDIR/said" 3>&- &
    server=$!
    until [ -s "$BATS_TEST_TMPDIR/url" ]; do sleep 0.1; done
    url=$(head -n 1 "$BATS_TEST_TMPDIR/url") url=${url%/}
    send() {
        curl -s -o "$BATS_TEST_TMPDIR/answer" -w '%{http_code}\n' -H "Authorization: Bearer $program" \
            --data-binary "@$BATS_TEST_TMPDIR/batch.json" "$url/judge"
    }
    count() {
        sqlite3 "$db" 'SELECT (SELECT count(*) FROM submissions), (SELECT count(*) FROM batches),
            (SELECT count(*) FROM batch_items)'
        ls "$contest/grading/sources" | wc -l
    }
    head -c "$(($(df --output=avail -B1 "$contest" | tail -n 1) - 1000000))" /dev/zero > "$contest/more"
    send
    count
    send
    rm "$contest/more"
    send
    jq -c '[.batch, .items[].id]' "$BATS_TEST_TMPDIR/answer"
    count
    kill $server
    wait $server
    sqlite3 "$db" 'PRAGMA integrity_check; SELECT count(*) FROM judgements'
SCRIPT
    assert_output $'503\n0|0|0\n0\n503\n200\n["1","1","2","3","4"]\n4|1|4\n4\nok\n4'
}

@test "too much at once: each account has its own share of the memory for request bodies" {
    local ada bob i fds=() all=30000000
    serve_contest 'limits: { megabytes: 16 }'
    ada=$(token ada) bob=$(token bob)
    serve
    head -c $all /dev/zero > "$BATS_TEST_TMPDIR/much"
    # Two that do not end.
    for i in 1 2; do
        exec {fds[i]}<> "/dev/tcp/127.0.0.1/${url##*:}"
        printf 'POST /api/contests/contest/submissions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n' "$ada" \
            >&"${fds[i]}"
        printf 'Content-Length: %d\r\n\r\n' $((all + 100)) >&"${fds[i]}"
        cat "$BATS_TEST_TMPDIR/much" >&"${fds[i]}"
    done
    post() {
        curl -s -w '%{http_code}' -H "Authorization: Bearer $1" -H 'Expect:' --data-binary "@$BATS_TEST_TMPDIR/much" \
            "$url/api/contests/contest/submissions"
    }
    run -0 post "$ada"
    assert_output --regexp '^this account or address sends too much at once.*429$'
    # Another account at the same address, which has twice the share.
    run -0 post "$bob"
    assert_output '{"code":400,"message":"the body must be a JSON object"}400'
    for i in 1 2; do exec {fds[i]}>&-; done
    until_true 20 bash -c "[[ \$(curl -s -H 'Authorization: Bearer $ada' -H 'Expect:' \
        --data-binary '@$BATS_TEST_TMPDIR/much' '$url/api/contests/contest/submissions') == *'must be a JSON'* ]]"
}
