#!/usr/bin/env bats
# Attacks on the contest's server: forms of other sites, planted sessions, smuggled requests, feeds during the freeze,
# text that wants to be a page, a header, a path or SQL.
# bats file_tags=serve

load helpers/contest
load helpers/serve

setup_file() {
    load helpers/common
    requires box
    make -s -C "$root" DEV=1 grade-programs serve-programs >&2
}

setup() {
    load helpers/common
    contest_places
    server='' grader='' caddy=''
}

teardown() { serve_stop; }

# log_in TOKEN [OPTION...]: a session in $jar, and $form for its forms.
log_in() {
    curl -s -o /dev/null -c "$jar" "${@:2}" --data-urlencode "token=$1" "$url/login"
    form=$(curl -s -b "$jar" "$url/my/index.html" | sed -n 's/.*name="form" value="\([^"]*\)".*/\1/p' | head -n 1)
}

# raw BYTES: sent as they are on one connection; what came back within five seconds.
raw() {
    local to
    exec {to}<> "/dev/tcp/127.0.0.1/${url##*:}"
    (trap '' PIPE; printf '%b' "$1" >&"$to") 2> /dev/null || true # it may have ended the connection by now
    command timeout 5 cat <&"$to" || true
    exec {to}>&-
}

@test "attack: a form of another site, from browsers with and without Sec-Fetch-Site" {
    local ada host origin
    serve_contest
    ada=$(token ada)
    serve
    host=${url#http://}
    for origin in http://evil.example "http://$host.evil.example" null 'http://127.0.0.1' "evil://x@$host"; do
        assert_equal "$origin $(code -H "Origin: $origin" --data-urlencode "token=$ada" "$url/login")" "$origin 403"
    done
    assert_equal "$(query 'SELECT count(*) FROM sessions')" 0
    assert_equal "$(code -H "Origin: $url" --data-urlencode "token=$ada" "$url/login")" 303
    assert_equal "$(code -H "Origin: HTTP://LOCALHOST:1" -H 'Host: localhost:1' --data-urlencode "token=$ada" \
        "$url/login")" 303
    # What a new browser says counts more: a proxy may give another Host.
    assert_equal "$(code -H "Origin: https://contest.example" -H 'Sec-Fetch-Site: same-origin' \
        --data-urlencode "token=$ada" "$url/login")" 303
}

@test "attack: a planted session does not become a login, and one of a neighbour's domain is not looked at" {
    local ada planted
    serve_contest
    ada=$(token ada)
    serve
    log_in "$(token bob)"
    planted=$(awk '$6 == "session" { print $7 }' "$jar")
    run -0 curl -s -D - -o /dev/null -H "Cookie: session=$planted" --data-urlencode "token=$ada" "$url/login"
    assert_output --partial 'Set-Cookie: session='
    refute_output --partial "$planted"
    # With TLS in front the cookie's name is one that only this host can set.
    run -0 curl -s -D - -o /dev/null -H 'X-Forwarded-For: 192.0.2.1' --data-urlencode "token=$ada" "$url/login"
    assert_output --regexp 'Set-Cookie: __Host-session=[0-9]+\.[^;]*; Path=/; HttpOnly; SameSite=Strict; .*; Secure'
    assert_equal "$(code -H 'X-Forwarded-For: 192.0.2.1' -H "Cookie: session=$planted" "$url/my/index.html")" 303
    assert_equal "$(code -H 'X-Forwarded-For: 192.0.2.1' -H "Cookie: __Host-session=$planted" \
        "$url/my/index.html")" 200
    # A revoked token's sessions end with it.
    run -0 "$build/grader" token "$contest" --revoke bob
    assert_equal "$(code -H "Cookie: session=$planted" "$url/my/index.html")" 303
}

@test "attack: requests inside of requests; two on one connection keep their own accounts" {
    local ada bob inner each
    serve_contest
    ada=$(token ada) bob=$(token bob)
    serve
    inner="POST /ask HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer $ada\r\nContent-Length: 14\r\n"
    inner+="Content-Type: application/x-www-form-urlencoded\r\n\r\ntext=smuggled1"
    for each in 'Content-Length: 0\r\nContent-Length: 5' 'Content-Length: 5\r\nTransfer-Encoding: chunked' \
        'Transfer-Encoding: xchunked' 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity' \
        'Content-Length: -1' 'Content-Length: +5' 'Content-Length: 5 5' 'Content-Length : 5' \
        'Content-Length: 99999999999999999999'; do
        # What follows is the body of the first request to one reader, and a second request to another.
        raw "POST /logout HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer $bob\r\n$each\r\n\r\n0\r\n\r\n$inner" \
            > "$BATS_TEST_TMPDIR/reply"
        # It is refused, and the connection ends.
        refute grep -a '^HTTP/1.1 [23]' "$BATS_TEST_TMPDIR/reply"
        assert_equal "$each $(query 'SELECT count(*) FROM clarifications')" "$each 0"
    done
    page="GET /my/index.html HTTP/1.1\r\nHost: x\r\n"
    raw "${page}Authorization: Bearer $ada\r\n\r\n$page\r\n${page}Authorization: Bearer $bob\r\nConnection: close\r\n\r\n" \
        > "$BATS_TEST_TMPDIR/reply"
    assert_equal "$(grep -a -o -e '^HTTP/1.1 [0-9]*' -e '<b><bdi>[a-z]*' "$BATS_TEST_TMPDIR/reply" | paste -sd ' ')" \
        'HTTP/1.1 200 <b><bdi>ada HTTP/1.1 303 HTTP/1.1 200 <b><bdi>bob'
}

# What a page must not have of a text that a team chose.
hostile='</pre><script>alert(1)</script><img src=x onerror=alert(1)>'

@test "attack: names, questions, file names and a compiler's messages stay text, on every page" {
    local ada prof page
    serve_contest
    printf 'name: "%s"\n' "$hostile" > "$contest/teams/bob.yaml"
    ada=$(token ada) prof=$("$build/grader" token "$contest" --jury prof)
    serve
    printf '#error %s \xe2\x80\xae\x1b[31m\n' "$hostile" > "$BATS_TEST_TMPDIR/x.c"
    run -0 curl -s -H "Authorization: Bearer $ada" -F problem=A -F "files=@$BATS_TEST_TMPDIR/x.c" "$url/submit"
    run -0 code -H "Authorization: Bearer $ada" --data-urlencode "text=$hostile" "$url/ask"
    for page in '<script>alert(1)<script>.c' '"><img src=x>.c' $'a\x1b[31m.c' '..\..\x.c' '../../x.c' '.x.c'; do
        run -0 code -H "Authorization: Bearer $ada" -F problem=A -F "files=@$BATS_TEST_TMPDIR/x.c;filename=\"$page\"" \
            "$url/submit"
        assert_regex "$output" '^(200|400)$'
    done
    assert_equal "$(query "SELECT count(*) FROM submissions WHERE path GLOB '*/*' OR path GLOB '.*' OR
        instr(path, char(27)) > 0")" 0
    run -0 "$build/grader" run "$contest"
    for page in /index.html /ja/index.html /problem/A.html /submission/1.html /my/1.html /my/index.html /ja/my/1.html \
        /my/balloons.html; do
        for each in "$ada" "$prof"; do
            body_as "$each" "$page" > "$BATS_TEST_TMPDIR/page"
            refute grep -aq -e '<script>alert' -e '<img' -e $'\x1b' "$BATS_TEST_TMPDIR/page"
        done
    done
    body_as "$ada" /my/1.html > "$BATS_TEST_TMPDIR/page"
    grep -q '&lt;script&gt;alert(1)' "$BATS_TEST_TMPDIR/page"
    refute grep -q $'\xe2\x80\xae' "$BATS_TEST_TMPDIR/page"
    # In JSON it is a string, which no browser takes for a page.
    run -0 curl -s -D - -H "Authorization: Bearer $ada" "$url/api/contests/contest/clarifications"
    assert_output --partial 'Content-Type: application/json'
    assert_output --partial 'X-Content-Type-Options: nosniff'
}

@test "attack: SQL, paths and headers in every place for a name; a token in an address is in no log" {
    local ada each tables before
    serve_contest
    ada=$(token ada)
    serve
    token_file "$ada"
    run -0 --separate-stderr submit_sh A "$sort/accepted/baseline.c"
    before=$(query .schema | sha256sum)
    for each in "1'--" '1%20OR%201=1' '1;DROP%20TABLE%20tokens' '%27%20OR%20team=%27ada' '..%2f..%2fcontest.yaml' \
        '....//teams/ada.yaml' '%2e%2e/grading/results.db' '1%0d%0aSet-Cookie:%20session=x' '-1' \
        '9223372036854775808' '1e0' '%c0%ae%c0%ae/'; do
        for tables in my submission problem statement code judge api/contests api/contests/contest/submissions \
            api/contests/contest/judgements ja/problem; do
            run -0 curl -s -D - --path-as-is -H "Authorization: Bearer $(token bob)" "$url/$tables/$each.html"
            assert_output --regexp '^HTTP/1.1 (404|400|303|401|429|403)'
            refute_output --regexp '(^|[[:cntrl:]])Set-Cookie'
            run -0 code --path-as-is -H "Authorization: Bearer $ada" "$url/$tables/$each"
            assert_regex "$output" '^(404|400|303|403)$'
        done
    done
    for each in "A' OR '1'='1" '../A' $'A\r\nSet-Cookie: x=y' 'A;DROP TABLE tokens'; do
        assert_equal "$(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $ada" \
            --form-string "problem=$each" -F "files=@$sort/accepted/baseline.c" "$url/submit")" 400
        run -0 curl -s -D - -o /dev/null -H "Authorization: Bearer $ada" --data-urlencode "language=$each" \
            --data-urlencode text=hello "$url/ask"
        refute_output --partial 'Set-Cookie'
    done
    assert_equal "$(query .schema | sha256sum)" "$before"
    assert_equal "$(query 'SELECT count(*) FROM submissions')" 1
    run -0 code "$url/my/$ada.html?token=$ada"
    run -0 code "$url/api?access_token=$ada"
    run -0 code -H "Authorization: Basic $(printf 'x:%s' "${ada}x" | base64 -w0)" "$url/api"
    refute_kept "${ada#*.}" "$contest" "$BATS_TEST_TMPDIR/server.log"
}

# events FILE TOKEN: the changes that a reader hears of, from now on.
events() { curl -sN ${2:+-H "Authorization: Bearer $2"} "$url/events" > "$1" 3>&- & }
told() { grep -c '^event' "$BATS_TEST_TMPDIR/$1" || true; }
has_told() { [ "$(told "$1")" != 0 ]; }
judged() { [ "$(query "SELECT count(*) FROM judgements WHERE state = 'done'")" = "$1" ]; }

@test "attack: during the freeze nobody can count the steps of another team's submission" {
    local ada bob prof each number=0 page=() pids=()
    serve_contest 'scoring: { type: fastest }' "freeze: $(date -u -d '1 minute ago' +%FT%TZ)"
    ada=$(token ada) bob=$(token bob) prof=$("$build/grader" token "$contest" --jury prof)
    serve
    watch
    for each in accepted/baseline.c wrong_answer/difference.c; do
        sleep 1 # the connections of the last round have ended
        events "$BATS_TEST_TMPDIR/public" '' && pids+=($!)
        events "$BATS_TEST_TMPDIR/bob" "$bob" && pids+=($!)
        events "$BATS_TEST_TMPDIR/ada" "$ada" && pids+=($!)
        events "$BATS_TEST_TMPDIR/prof" "$prof" && pids+=($!)
        sleep 1
        run -0 curl -s -H "Authorization: Bearer $ada" -F problem=A -F "files=@$sort/$each" "$url/submit"
        wait_for has_told public
        page+=("$(curl -s "$url/index.html" | sed -n 's/.*As of <time datetime="\([^"]*\)".*/\1/p')")
        wait_for judged $((number += 1))
        sleep 1 # for events that must not come
        kill "${pids[@]}" && pids=()
        assert_equal "$each $(told public) $(told bob)" "$each 1 1"
        assert [ "$(told ada)" -ge 2 ]
        assert [ "$(told prof)" -ge 2 ]
        # Nor do pages say when the last step was.
        assert_equal "$(curl -s "$url/index.html" | sed -n 's/.*As of <time datetime="\([^"]*\)".*/\1/p')" "${page[-1]}"
    done
    assert_equal "$(query 'SELECT verdict FROM judgements' | paste -sd ' ')" 'AC WA'
    # A question to all and the thaw are news for everybody.
    events "$BATS_TEST_TMPDIR/public" ''
    pids=($!)
    sleep 1
    run -0 code -H "Authorization: Bearer $prof" -d text=Hello "$url/ask"
    wait_for has_told public
    kill "${pids[@]}"
}

@test "attack: during the freeze all that is public is the same for another verdict" {
    local page other kept=$BATS_TEST_TMPDIR/kept
    serve_contest 'scoring: { type: fastest }' "freeze: $(date -u -d '1 minute ago' +%FT%TZ)"
    serve
    token_file "$(token ada)"
    run -0 --separate-stderr submit_sh A "$sort/accepted/baseline.c"
    run -0 "$build/grader" run "$contest"
    documents() { # FOLDER
        local page
        mkdir "$1"
        for page in index ja/index problem/A ja/problem/A submission/1 ja/submission/1 code/1 my/1; do
            curl -s -D - "$url/$page.html" | sed 's/<footer>.*//; /^Date:/d' > "$1/${page//\//-}"
        done
        for page in access judgements runs submissions teams awards scoreboard state problems groups clarifications; do
            curl -s "$url/api/contests/contest/$page" > "$1/$page"
        done
        # Without the empty lines, which come every 25 s of the clock.
        curl -s -m 2 "$url/api/contests/contest/event-feed" | sed '/^$/d' > "$1/feed" || true
    }
    documents "$kept.ac"
    serve_stop
    server=''
    sqlite3 "$db" "UPDATE judgements SET verdict = 'WA', message = 'wrong'; UPDATE runs SET verdict = 'WA';
        DELETE FROM runs WHERE step = 'ranked'; DELETE FROM steps WHERE step IN ('ranked', 'baseline')"
    serve
    documents "$kept.wa"
    diff -r "$kept.ac" "$kept.wa"
    assert [ "$(cat "$kept.ac"/* | wc -c)" -gt 50000 ]
}

@test "attack: many requests of one team at once hand the same file in once, and stay within its queue" {
    local ada i
    serve_contest 'limits: { queued: 3 }'
    ada=$(token ada)
    serve
    for i in {1..12}; do
        curl -s -o /dev/null -H "Authorization: Bearer $ada" -F problem=A -F "files=@$sort/accepted/baseline.c" \
            "$url/submit" 3>&- &
    done
    wait $(jobs -p | grep -vx "$server")
    assert_equal "$(query 'SELECT count(*) FROM submissions')" 1
    for i in {1..7}; do
        echo "void device_user(void) { } /* $i */" > "$BATS_TEST_TMPDIR/$i.c"
        curl -s -o /dev/null -H "Authorization: Bearer $ada" -F problem=A -F "files=@$BATS_TEST_TMPDIR/$i.c" \
            "$url/submit" 3>&- &
    done
    wait $(jobs -p | grep -vx "$server")
    assert_equal "$(query 'SELECT count(*) FROM submissions')" 3
}

@test "attack: one team's questions do not push the others' from the jury's page" {
    local ada bob prof
    serve_contest
    ada=$(token ada) bob=$(token bob) prof=$("$build/grader" token "$contest" --jury prof)
    serve
    assert_equal "$(code -H "Authorization: Bearer $bob" -d text=first "$url/ask")" 303
    # As many as it may have without an answer; by requests, the limit of an account would come first.
    sqlite3 "$db" "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20)
        INSERT INTO clarifications (from_team, text, made) SELECT 'ada', 'why ' || i, unixepoch() FROM n"
    run -0 curl -s -D - -H "Authorization: Bearer $ada" -d text=again "$url/ask"
    assert_output --regexp '^HTTP/1.1 429'
    assert_output --partial '20 of your questions of the last hour have no answer yet: wait for the jury'
    run -0 curl -s -D - -H "Authorization: Bearer $ada" -H 'Content-Type: application/json' -d '{"text": "again"}' \
        "$url/api/contests/contest/clarifications"
    assert_output --regexp '^HTTP/1.1 429'
    # Others go on asking, the jury answers, and an answer makes room.
    assert_equal "$(code -H "Authorization: Bearer $bob" -d text=second "$url/ask")" 303
    assert_equal "$(code -H "Authorization: Bearer $prof" -d text=so -d reply_to=5 "$url/ask")" 303
    assert_equal "$(code -H "Authorization: Bearer $ada" -d text=again "$url/ask")" 303
    assert_equal "$(code -H "Authorization: Bearer $ada" -d text=again "$url/ask")" 429
    # Old ones do not count: the jury may have answered them to all.
    sqlite3 "$db" "UPDATE clarifications SET made = made - 3600 WHERE from_team = 'ada'"
    assert_equal "$(code -H "Authorization: Bearer $ada" -d text=later "$url/ask")" 303
}

@test "attack: whoever opens streams without end takes none from teams at the same address, or from the jury" {
    local ada bob prof i fds=() line
    serve_contest
    ada=$(token ada) bob=$(token bob) prof=$("$build/grader" token "$contest" --jury prof)
    serve 0 --proxy
    # stream ADDRESS [TOKEN]: opens one, in $fds; $line is the first of the reply.
    stream() {
        exec {fds[i]}<> "/dev/tcp/127.0.0.1/${url##*:}"
        printf 'GET /events HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: %s\r\n%s\r\n' "$1" \
            "${2:+Authorization: Bearer $2$'\r\n'}" >&"${fds[i]}"
        read -r -t 10 line <&"${fds[i]}"
        i=$((i + 1))
    }
    # seen TOKEN ADDRESS: 200 if a stream begins, which curl then leaves.
    seen() {
        curl -s -m 1 -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $1" -H "X-Forwarded-For: $2" \
            "$url/events" || true
    }
    i=1
    while [ $i -le 384 ]; do stream "10.0.0.$((1 + i % 3))"; done
    assert_equal "$line" $'HTTP/1.1 200 OK\r'
    assert_equal "$(code -m 5 -H 'X-Forwarded-For: 10.0.0.9' "$url/events")" 503
    # From an address that has many streams without an account, and from another one.
    assert_equal "$(seen "$ada" 10.0.0.1) $(seen "$bob" 10.0.0.9) $(seen "$prof" 10.0.0.1)" '200 200 200'
    # A team takes its own share alone; the server need not have noticed yet that the first one was left.
    while [ $i -le 415 ]; do stream 10.0.0.9 "$ada"; done
    assert_equal "$line" $'HTTP/1.1 200 OK\r'
    stream 10.0.0.9 "$ada"
    assert_equal "$(seen "$ada" 10.0.0.8) $(seen "$bob" 10.0.0.9) $(seen "$prof" 10.0.0.9)" '503 200 200'
    for i in "${fds[@]}"; do exec {i}>&-; done
}
