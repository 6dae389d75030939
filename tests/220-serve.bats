#!/usr/bin/env bats
# A contest over HTTP: accounts, what teams hand in, what they and others see, the Contest API, and what goes wrong.
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

teardown() {
    serve_stop
    ! declare -F chromium_stop > /dev/null || chromium_stop
}

@test "tokens: one per team, shown once, stored as a digest; a new token or a revocation ends the old one" {
    local first second
    serve_contest
    first=$("$build/grader" token "$contest" ada)
    assert [ "$(wc -c <<< "$first")" -ge 45 ]
    second=$("$build/grader" token "$contest" ada)
    run -2 --separate-stderr "$build/grader" token "$contest" nobody
    assert_equal "$stderr" "grader: there is no team 'nobody' in teams/: write teams/nobody.yaml first"
    run -2 "$build/grader" token "$contest" ../ada
    run -0 "$build/grader" token "$contest"
    assert_line --regexp $'^ada\tteam\t'
    serve
    assert_equal "$(get_as "$first" /api/contests)" 401
    assert_equal "$(get_as "$second" /api/contests)" 200
    assert_equal "$(get_as "${second%?}" /api/contests)" 401
    # Not in the database, nor beside it.
    refute_kept "${second#*.}" "$contest" "$BATS_TEST_TMPDIR/server.log"
    run -2 "$build/grader" results "$contest" --sql 'SELECT hash FROM tokens'
    run -0 "$build/grader" token "$contest" --revoke ada
    assert_equal "$(get_as "$second" /api/contests)" 401
    run -2 "$build/grader" token "$contest" --revoke ada
}

@test "tokens: after many wrong ones an address has to wait with wrong ones; a right one is taken, by forms too" {
    local i codes='' ada
    serve_contest
    ada=$(token ada)
    serve
    for i in {1..12}; do codes+=" $(get_as "$i.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" /api)"; done
    assert_equal "$codes" " 401 401 401 401 401 401 401 401 401 401 429 429"
    assert_equal "$(code -F token=no "$url/login")" 429
    assert_equal "$(get_as "$ada" /api)" 200
    assert_equal "$(code -F token="$ada" "$url/login")" 303
    assert_equal "$(code "$url/index.html")" 200
}

@test "tokens: a stream ends when its token is revoked or made anew, or its session is over" {
    local ada bob feed=$BATS_TEST_TMPDIR/feed events=$BATS_TEST_TMPDIR/events public=$BATS_TEST_TMPDIR/public
    serve_contest
    ada=$(token ada) bob=$(token bob)
    serve
    curl -sN -H "Authorization: Bearer $ada" "$url/api/contests/contest/event-feed" > "$feed" 3>&- &
    local first=$!
    curl -s -o /dev/null -c "$jar" -F token="$bob" "$url/login"
    curl -sN -b "$jar" "$url/events" > "$events" 3>&- &
    local second=$!
    curl -sN "$url/api/contests/contest/event-feed" > "$public" 3>&- &
    local third=$!
    until_true 10 grep -q '"teams"' "$feed"
    until_true 10 grep -q '"teams"' "$public"
    run -0 "$build/grader" token "$contest" ada
    until_true 10 has_ended "$first"
    kill -0 "$second"
    run -0 "$build/grader" token "$contest" --revoke bob
    until_true 10 has_ended "$second"
    kill -0 "$third"
    kill "$third"
}

@test "tokens: a program's stream of a batch ends when its token is revoked, and not before" {
    local program first events=$BATS_TEST_TMPDIR/events
    serve_contest
    program=$("$build/grader" token "$contest" --program trainer)
    serve
    run -0 curl -s -H "Authorization: Bearer $program" "$url/judge" \
        --data-binary '{"items":[{"problem":"A","language":"c","source":"int x;"}]}'
    assert_output '{"batch": "1", "items": [{"id": "1"}]}'
    # Nobody judges here: the stream has nothing to say, and waits.
    curl -sN -D "$events" -o /dev/null -H "Authorization: Bearer $program" "$url/judge/1/events" 3>&- &
    first=$!
    until_true 10 grep -q ' 200 ' "$events"
    kill -0 "$first"
    run -0 "$build/grader" token "$contest" --revoke trainer
    until_true 10 has_ended "$first"
}

@test "bad requests: headers, cookies and fields that come twice; cut paths; each address names its methods" {
    local ada bob
    serve_contest
    ada=$(token ada) bob=$(token bob)
    serve
    post() { code -H "Authorization: Bearer $ada" "$@"; }
    assert_equal "$(code -H "Authorization: Bearer $ada" -H "Authorization: Bearer $bob" "$url/api")" 400
    assert_equal "$(code -H 'Cookie: session=1.a; session=2.b' "$url/my/index.html")" 400
    assert_equal "$(code -H 'Cookie: session=1.a' -H 'Cookie: session=2.b' "$url/my/index.html")" 400
    assert_equal "$(post -F text=one -F text=two "$url/ask")" 400
    assert_equal "$(post -F text=one -F problem=A -F problem= "$url/ask")" 400
    assert_equal "$(code "$url/api/contests/contest/event-feed?since_token=a&since_token=b")" 400
    curl -s -o /dev/null -c "$jar" -F token="$bob" "$url/login"
    assert_equal "$(code -b "$jar" "$url/my/index.html")" 200
    assert_equal "$(code -H "Cookie: SESSION=$(awk '$6 == "session" { print $7 }' "$jar")" "$url/my/index.html")" 303
    assert_equal "$(code "$url/index.html%00.txt") $(code "$url/index.html%00")" '404 404'
    assert_equal "$(raw 'GET /index.html HTTP/1.1\r\nConnection: close\r\n\r\n')" 400
    assert_equal "$(raw 'GET /index.html HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n')" 400
    assert_equal "$(raw 'GET /index.html HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')" 200
    assert_equal "$(allow "$url/login") $(allow -d x "$url/index.html")" '405 POST 405 GET, HEAD'
    assert_equal "$(allow -X PUT "$url/api/contests/contest/submissions")" '405 GET, HEAD, POST'
    assert_equal "$(allow -d '{}' "$url/api/contests/contest/teams")" '405 GET, HEAD'
}

@test "bad requests: objects have the keys that they may have, of their types; what others asked cannot be replied to" {
    local ada bob id program
    serve_contest
    ada=$(token ada) bob=$(token bob)
    serve
    say() { curl -s -H "Authorization: Bearer $1" --data-binary "$2" "$url/api/contests/contest/clarifications"; }
    id=$(body_as "$ada" /api/contests/contest/account | jq -r .team_id)
    assert_equal "$(say "$ada" '{"text":"mine"}')" '{"id": "1"}'
    assert_equal "$(say "$bob" '{"text":"x","reply_to_id":"1"}' | jq .message)" \
        "$(say "$bob" '{"text":"x","reply_to_id":"99"}' | jq .message)"
    assert_equal "$(say "$ada" '{"text":"again","reply_to_id":"1","from_team_id":"'"$id"'"}' | jq -c 'keys')" '["id"]'
    assert_equal "$(say "$bob" '{"text":"x","from_team_id":"'"$id"'"}' | jq -r .message)" \
        "from_team_id must be omitted, or be the team's own"
    assert_equal "$(say "$bob" '{"text":"x","time":"2020-01-01T00:00:00Z"}' | jq -r .message)" \
        'omit id and time: the server sets them'
    assert_equal "$(say "$bob" '{"text":"x","problem_id":5}' | jq -r .message)" 'problem_id must be text'
    assert_equal "$(say "$bob" '{"text":"x","txet":"y"}' | jq -r .message)" 'txet: there is no such key here'
    assert_equal "$(say "$bob" '{"text":"  \u3000\n"}' | jq -r .code)" 400
    program=$("$build/grader" token "$contest" --program trainer)
    judge() { curl -s -H "Authorization: Bearer $program" --data-binary "$1" "$url/judge"; }
    assert_equal "$(judge '{"items":[],"priority":9}')" 'priority: there is no such key here'
}

@test "before the start: no page, answer or status tells a problem's name; at the start they are there" {
    local ada program page
    serve_contest
    ada=$(token ada) program=$("$build/grader" token "$contest" --program trainer)
    sed -i "s/^start: .*/start: $(date -u -d '1 hour' +%FT%TZ)/" "$contest/contest.yaml"
    serve
    names() { grep -c 'problem/A\|statement/A\|"A"\|>A<\|Merge sort' || true; }
    for page in index.html ja/index.html login.html my/index.html api/contests/contest/problems \
        api/contests/contest/scoreboard api/contests/contest; do
        assert_equal "$page $(body_as "$ada" "/$page" | names)" "$page 0"
    done
    assert_equal "$(code "$url/problem/A.html") $(get_as "$ada" /statement/A.html)" '404 404'
    said() { curl -s -w ' %{http_code}' -H "Authorization: Bearer $ada" "$@"; }
    assert_equal "$(said -F problem=A -F files=@/dev/null "$url/submit")" \
        "$(said -F problem=nothing -F files=@/dev/null "$url/submit")"
    assert_equal "$(said -F problem=A -F text=x "$url/ask")" "$(said -F problem=nothing -F text=x "$url/ask")"
    assert_equal "$(said --data-binary '{"problem_id":"pA","text":"x"}' "$url/api/contests/contest/clarifications")" \
        "$(said --data-binary '{"problem_id":"no","text":"x"}' "$url/api/contests/contest/clarifications")"
    for page in A nothing; do
        assert_equal "$(curl -s -H "Authorization: Bearer $program" "$url/judge" --data-binary \
            "{\"items\":[{\"problem\":\"$page\",\"language\":\"c\",\"source\":\"int x;\"}]}")" \
            'the contest has not begun'
    done
    run -0 "$root/run_scripts/scoreboard.sh" "$contest"
    assert_equal "$(cat "$contest"/scoreboard/index.html | names)" 0
    assert_equal "$(ls "$contest/scoreboard/problem")" ''
    serve_stop
    sed -i "s/^start: .*/start: $(date -u -d '1 hour ago' +%FT%TZ)/" "$contest/contest.yaml"
    serve
    assert_equal "$(code "$url/problem/A.html")" 200
    assert_not_equal "$(body_as "$ada" /my/index.html | names)" 0
}

@test "limits: where few files may be open the server says so, and serves fewer clients or none" {
    serve_contest
    (ulimit -n 300 && exec "$build/server" "$contest" --port 0) \
        > "$BATS_TEST_TMPDIR/out" 2> "$BATS_TEST_TMPDIR/log" 3>&- &
    server=$!
    until_true 20 test -s "$BATS_TEST_TMPDIR/out"
    assert_equal "$(code "$(head -n 1 "$BATS_TEST_TMPDIR/out")index.html")" 200
    run -0 cat "$BATS_TEST_TMPDIR/log"
    assert_output 'serve: only 300 files may be open: 236 connections at once instead of 1024 (ulimit -n)'
    serve_stop
    run -2 bash -c "ulimit -n 100; exec '$build/server' '$contest' --port 0"
    assert_output 'server: only 100 files may be open, and the server needs 128: raise the limit (ulimit -n)'
}

@test "listening: a port that another program has, or an address of another machine, is named with what to do" {
    local port
    serve_contest
    cp -R "$contest" "$BATS_TEST_TMPDIR/other"
    serve
    port=${url##*:}
    run -3 timeout 60 "$build/server" "$BATS_TEST_TMPDIR/other" --port "$port"
    assert_output "server: cannot listen on 127.0.0.1 port $port: Address already in use; use another --port, or \
--port 0 for any free one"
    run -3 timeout 60 "$build/server" "$BATS_TEST_TMPDIR/other" --address 192.0.2.1 --port 0
    assert_output "server: cannot listen on 192.0.2.1 port 0: Cannot assign requested address; use an --address of \
this machine"
}

@test "hand in: by submit.sh, by a form; the verdict, its cases and a compiler's messages; no other team sees them" {
    local ada bob
    serve_contest
    ada=$(token ada) bob=$(token bob)
    serve
    watch
    token_file "$ada"
    run -0 --separate-stderr submit_sh A "$sort/accepted/baseline.c" --watch
    assert_output $'submission 1\nAC'
    printf '#error <b>"no"</b>\n' > "$BATS_TEST_TMPDIR/bad.c"
    run -1 --separate-stderr submit_sh A "$BATS_TEST_TMPDIR/bad.c" --watch
    assert_line --partial 'CE device_user.c:1:2: error: #error <b>"no"</b>'
    assert_equal "$(body_as "$ada" /my/2.json | jq -c '[.device_kind, .device]')" '[null,null]'
    assert_equal "$(body_as "$ada" /my/1.json | jq -c '[.problem, .file, .state, .verdict, .cases[0].case]')" \
        '["A","baseline.c","done","AC","sample/1-ten"]'
    assert_equal "$(get_as "$bob" /my/1.json) $(get_as "$bob" /my/1.html) $(code "$url/my/1.json")" '404 404 404'
    # In the page it is text, all of it.
    run -0 body_as "$ada" /my/2.html
    assert_output --partial '<pre class="log" lang="en" tabindex="0">device_user.c:1:2: error: #error &lt;b&gt;&quot;no&quot;&lt;/b&gt;'
    refute_output --partial "$root"
    run -0 body_as "$ada" /my/index.html
    assert_output --partial '<a href="../my/2.html">2</a>'
    run -0 body_as "$bob" /my/index.html
    refute_output --partial '../my/1.html'
    # The same content under the same name is the same submission.
    run -0 --separate-stderr submit_sh A "$sort/accepted/baseline.c"
    assert_output 'submission 1'
    sound
}

@test "hand in: the lines of docs/PARTICIPANT.md lead from a token to a verdict" {
    local ada lines
    serve_contest
    ada=$(token ada)
    serve
    watch
    lines=$(sed -n '/^## Submit/,/^## /{/^```console$/,/^```$/{/^```/!p}}' "$root/docs/PARTICIPANT.md")
    # What the reader fills in: the contest's address, its problem and the file.
    [[ $lines == *'https://contest.example.org'*'submit.sh sort kernel.cu '* ]]
    lines=${lines/https:\/\/contest.example.org/$url}
    lines=${lines/sort kernel.cu/A $sort/accepted/baseline.c}
    export HOME=$BATS_TEST_TMPDIR/home
    mkdir "$HOME"
    cd "$root"
    run -0 --separate-stderr timeout 60 bash -euc "$lines" <<< "$ada"
    assert_output $'submission 1\nAC'
}

@test "hand in: a session, its cookie and its form; without the form's token nothing is accepted" {
    local ada form part
    serve_contest
    ada=$(token ada)
    serve
    run -0 curl -s -D - -o /dev/null -c "$jar" --data-urlencode "token=$ada" "$url/login"
    assert_output --regexp $'Set-Cookie: session=[0-9]+\.[A-Za-z0-9_-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=86400'
    assert_output --partial 'Location: /my/index.html'
    form=$(curl -s -b "$jar" "$url/my/index.html" | sed -n 's/.*name="form" value="\([^"]*\)".*/\1/p' | head -n 1)
    assert [ ${#form} -ge 40 ]
    assert_equal "$(code -b "$jar" -F problem=A -F "files=@$sort/accepted/baseline.c" "$url/submit")" 403
    assert_equal "$(code -b "$jar" -F form=x"${form#?}" -F problem=A -F "files=@$sort/accepted/baseline.c" \
        "$url/submit")" 403
    assert_equal "$(query 'SELECT count(*) FROM submissions')" 0
    assert_equal "$(code -b "$jar" -F "form=$form" -F problem=A -F "files=@$sort/accepted/baseline.c" \
        "$url/submit")" 303
    assert_equal "$(query 'SELECT team, problem, path FROM submissions')" 'ada|A|baseline.c'
    # The time is the server's.
    assert_equal "$(query 'SELECT abs(submitted - unixepoch()) < 60 FROM submissions')" 1
    assert_equal "$(code -b "$jar" -d "form=$form" "$url/logout")" 303
    assert_equal "$(code -b "$jar" "$url/my/index.html")" 303
    run -0 curl -s -D - -o /dev/null -d token=1.nonsense "$url/login"
    assert_output --partial 'Location: /login.html?wrong=yes'
    refute_output --partial Set-Cookie
}

@test "hand in: odd names, folders, archives, no files, no such problem, too much; one line each" {
    local ada big=$BATS_TEST_TMPDIR/big.c name
    serve_contest 'limits: { megabytes: 1 }'
    ada=$(token ada)
    serve
    upload() { curl -s -w ' %{http_code}' -H "Authorization: Bearer $ada" "$@" "$url/submit"; }
    echo 'void device_user(void) { }' > "$BATS_TEST_TMPDIR/x.c"
    for name in ../x.c x/../y.c .x.c x.txt $'x\ny.c' "x.c;rm"; do
        run -0 upload -F problem=A -F "files=@\"$BATS_TEST_TMPDIR/x.c\";filename=\"$name\""
        assert_output --regexp ' (400|200)$'
    done
    run -0 upload -F problem=B -F "files=@$BATS_TEST_TMPDIR/x.c"
    assert_output $'there is no such problem in this contest\n 400'
    run -0 upload -F problem=A
    assert_output $'it has no file\n 400'
    run -0 upload -F problem=A -F "files=@$BATS_TEST_TMPDIR/x.c" -F "files=@$BATS_TEST_TMPDIR/x.c"
    assert_output $'two files have the same name\n 400'
    run -0 upload -F problem=A -F "files=@$BATS_TEST_TMPDIR/x.c" -F "files=@$BATS_TEST_TMPDIR/x.c;filename=y.h"
    assert_output --regexp '^\{"id":"[0-9]+"\}'
    (cd "$BATS_TEST_TMPDIR" && zip -q x.zip x.c)
    run -0 upload -F problem=A -F "files=@$BATS_TEST_TMPDIR/x.zip"
    assert_output --regexp '^\{"id":"[0-9]+"\}'
    # Larger than the contest allows, and larger than any request may be.
    head -c 1500000 /dev/zero > "$big"
    run -0 upload -F problem=A -F "files=@$big"
    assert_output --regexp '^\{"id":"[0-9]+"\}'
    assert_equal "$(query "SELECT verdict || ' ' || message FROM judgements ORDER BY id DESC LIMIT 1")" \
        "CE 'big.c' makes the submission larger than the contest allows"
    head -c 3000000 /dev/zero > "$big"
    run -0 upload -F problem=A -F "files=@$big"
    assert_output $'the request is larger than this contest allows\n 413'
    # None of their files is outside of its place.
    assert_equal "$(find "$contest" "$BATS_TEST_TMPDIR" -name 'y.c' | wc -l)" 0
    run -1 grep -vxE 'feed-(jury|public|teams)\.ndjson|incoming-server|results\.db(-shm|-wal)?|serve-lock|sources|token' \
        <(ls "$contest/grading")
}

@test "bad requests: broken forms, huge bodies, other methods, slow clients, many at once; it goes on in bounded memory" {
    local ada before after i
    serve_contest
    ada=$(token ada)
    serve
    before=$(memory_of "$server")
    post() { code -H "Authorization: Bearer $ada" "$@"; }
    assert_equal "$(post -H 'Content-Type: multipart/form-data; boundary=x' --data-binary $'--x\r\nno' \
        "$url/submit")" 400
    assert_equal "$(post -H 'Content-Type: multipart/form-data' --data-binary x "$url/submit")" 400
    assert_equal "$(post --data-binary '{"files":' "$url/api/contests/contest/submissions")" 400
    assert_equal "$(post -H 'Content-Type: application/json' --data-binary '[1]' \
        "$url/api/contests/contest/submissions")" 400
    assert_equal "$(code -X DELETE "$url/index.html") $(code -X PUT -d x "$url/submit")" '405 405'
    assert_equal "$(code -d x "$url/submit")" 401
    assert_equal "$(code "$url/%2e%2e/%2e%2e/etc/passwd") $(code --path-as-is "$url/../../etc/passwd")" '404 404'
    assert_equal "$(code "$url/problem/%3Cscript%3E.html")" 404
    # A gigabyte is refused before it is sent.
    run -0 timeout 20 bash -c "head -c 1000000000 /dev/zero | curl -s -o /dev/null -w '%{http_code} %{size_upload}' \
        -H 'Authorization: Bearer $ada' -H 'Content-Length: 1000000000' -H Transfer-Encoding: \
        -T - -X POST '$url/submit' || true"
    assert_output --regexp '^413 '
    # Of unknown length it is cut off.
    run -0 timeout 60 bash -c "head -c 200000000 /dev/zero | curl -s -o /dev/null -w '%{http_code}' \
        -H 'Authorization: Bearer $ada' -H 'Transfer-Encoding: chunked' -T - -X POST '$url/submit' || true"
    assert_output --regexp '413|000'
    for i in {1..300}; do exec {fds[i]}<> "/dev/tcp/127.0.0.1/${url##*:}"; printf 'GET / HT' >&"${fds[i]}"; done
    assert_equal "$(code "$url/index.html")" 200
    for i in {1..300}; do exec {fds[i]}>&-; done
    after=$(memory_of "$server")
    [ $((after - before)) -lt 60000 ] || fail "from $before to $after KiB"
    assert_equal "$(code "$url/index.html")" 200
}

@test "bad requests: a form that comes byte by byte is whole; a part without a name ends nothing" {
    local ada form other part
    serve_contest
    ada=$(token ada)
    serve
    printf -v form -- '----boundary\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' problem A
    part='Content-Disposition: form-data; name="%s"; filename="%s"'
    printf -v form -- "%s----boundary\r\n$part\r\n\r\n%s\r\n----boundary--\r\n" "$form" files slow.c 'int slow;'
    other=${form/slow.c/other.c}
    assert_equal "$(in_pieces 1 /submit "$ada" "$form") $(in_pieces 7 /submit "$ada" "$other")" '200 200'
    assert_equal "$(query 'SELECT path FROM submissions ORDER BY id')" $'slow.c\nother.c'
    assert_equal "$(cat "$contest/grading/sources/1/device_user.c")" 'int slow;'
    # From any client: no account has logged in yet.
    printf -v form -- '----boundary\r\nContent-Disposition: form-data\r\n\r\nx\r\n----boundary--\r\n'
    assert_equal "$(in_pieces 1000 /login '' "$form") $(in_pieces 1 /login '' "$form")" '400 400'
    assert_equal "$(code "$url/index.html")" 200
    kill -0 "$server"
}

@test "bad requests: a question that is not UTF-8 is refused, and the contest's pages still work" {
    local ada api=/api/contests/contest
    serve_contest
    ada=$(token ada)
    serve
    ask() { code -H "Authorization: Bearer $ada" --data-binary "$1" "$url/ask"; }
    assert_equal "$(ask 'text=%ff%fe') $(ask 'text=%ed%a0%80') $(ask 'text=a%00b') $(ask 'text=%e3%81%af')" \
        '400 400 400 303'
    until_true 10 bash -c "curl -s -H 'Authorization: Bearer $ada' '$url$api/clarifications' |
        jq -e '.[0].text == \"は\"' > /dev/null"
    assert_equal "$(cat "$BATS_TEST_TMPDIR/server.log")" ''
}

@test "limits: clients without an account send little; shares of streams per address; two lines of X-Forwarded-For" {
    local ada i codes='' fds=()
    serve_contest
    ada=$(token ada)
    serve 0 --proxy
    # Request bodies without an account take no space from those of teams.
    assert_equal "$(head -c 40000 /dev/zero | code --data-binary @- "$url/login")" 413
    assert_equal "$(head -c 40000 /dev/zero | code -H "Authorization: Bearer $ada" --data-binary @- "$url/ask")" 413
    assert_equal "$(head -c 40000 /dev/zero | code -X GET --data-binary @- "$url/index.html")" 200
    # The web server's entry is last, whatever the client sent before it.
    for i in {1..12}; do
        codes+=" $(code -H "X-Forwarded-For: 10.0.0.$i" -H 'X-Forwarded-For: 10.1.1.1' -u x:1.wrong "$url/api")"
    done
    # One network of IPv6 is one client.
    for i in {1..12}; do codes+=" $(code -H "X-Forwarded-For: 2001:db8::$i" -u x:1.wrong "$url/api")"; done
    assert_equal "$codes" "$(printf ' %s' {,}{401,401,401,401,401,401,401,401,401,401,429,429})"
    assert_equal "$(code -H 'X-Forwarded-For: ::ffff:10.1.1.1' -u x:1.wrong "$url/api")" 401
    for i in {1..256}; do
        exec {fds[i]}<> "/dev/tcp/127.0.0.1/${url##*:}"
        printf 'GET /events HTTP/1.1\r\nHost: x\r\n\r\n' >&"${fds[i]}"
        read -r -t 10 codes <&"${fds[i]}"
    done
    assert_equal "$codes" $'HTTP/1.1 200 OK\r'
    assert_equal "$(code -m 5 "$url/events") $(code "$url/index.html")" '503 200'
    run -28 curl -s -m 1 -o /dev/null -H 'X-Forwarded-For: 10.2.2.2' "$url/events"
    for i in {1..256}; do exec {fds[i]}>&-; done
}

@test "limits: logins of an account; a form of another site; another's session does not end by its number" {
    local ada i codes='' zeros=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    serve_contest
    ada=$(token ada)
    serve
    assert_equal "$(code -H 'Sec-Fetch-Site: cross-site' --data-urlencode "token=$ada" "$url/login")" 403
    assert_equal "$(code -H 'Sec-Fetch-Site: same-origin' -c "$jar" --data-urlencode "token=$ada" "$url/login")" 303
    run -0 code -H "Authorization: Bearer $(token bob)" -H "Cookie: session=1.$zeros" -d x=y "$url/logout"
    assert_equal "$(code -b "$jar" "$url/my/index.html") $(query 'SELECT count(*) FROM sessions')" '200 1'
    for i in {1..24}; do codes+=" $(code --data-urlencode "token=$ada" "$url/login")"; done
    assert_regex "$codes" '^( 303){19,22}( 303| 429)* 429'
    # Too many logins of one account are not wrong tokens: another account can log in from there.
    assert_equal "$(code --data-urlencode "token=$(token bob)" "$url/login")" 303
}

@test "hand in: not before the start, in any way; the same set of files is the same submission" {
    local ada
    serve_contest
    ada=$(token ada)
    sed -i "s/^start: .*/start: $(date -u -d '1 hour' +%FT%TZ)/" "$contest/contest.yaml"
    serve
    upload() { curl -s -w ' %{http_code}' -H "Authorization: Bearer $ada" "$@"; }
    echo 'int x;' > "$BATS_TEST_TMPDIR/x.c"
    (cd "$BATS_TEST_TMPDIR" && zip -q x.zip x.c)
    printf '{"language_id":"c","problem_id":"A","files":[{"data":"%s"}]}' "$(base64 -w 0 "$BATS_TEST_TMPDIR/x.zip")" \
        > "$BATS_TEST_TMPDIR/x.json"
    run -0 upload -F problem=A -F "files=@$BATS_TEST_TMPDIR/x.c" "$url/submit"
    assert_output $'the contest has not begun\n 403'
    run -0 upload --data-binary "@$BATS_TEST_TMPDIR/x.json" "$url/api/contests/contest/submissions"
    assert_output '{"code":403,"message":"the contest has not begun"} 403'
    assert_equal "$(query 'SELECT count(*) FROM submissions')" 0
    serve_stop
    sed -i "s/^start: .*/start: $(date -u -d '1 hour ago' +%FT%TZ)/" "$contest/contest.yaml"
    serve
    run -0 upload --data-binary "@$BATS_TEST_TMPDIR/x.json" "$url/api/contests/contest/submissions"
    assert_output '{"id": "1"} 200'
    for _ in 1 2; do
        run -0 upload -F problem=A -F "files=@$BATS_TEST_TMPDIR/x.c" -F "files=@$BATS_TEST_TMPDIR/x.c;filename=y.h" \
            "$url/submit"
        assert_output $'{"id":"2"}\n 200'
        sleep 1.1
    done
}

@test "limits: a client that reads archives slowly gets no more of them, and blocks no other client" {
    local ada i line codes='' fds=()
    serve_contest 'limits: { megabytes: 16 }'
    ada=$(token ada)
    serve
    head -c 12000000 /dev/urandom > "$BATS_TEST_TMPDIR/big.c"
    run -0 curl -s -H "Authorization: Bearer $ada" -F problem=A -F "files=@$BATS_TEST_TMPDIR/big.c" "$url/submit"
    assert_output '{"id":"1"}'
    for i in {1..14}; do
        exec {fds[i]}<> "/dev/tcp/127.0.0.1/${url##*:}"
        printf 'GET /api/contests/contest/submissions/1/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n' \
            "$ada" >&"${fds[i]}"
        read -r -t 20 line <&"${fds[i]}"
        codes+=" ${line:9:3}"
    done
    assert_regex "$codes" '^( 200){10,}( 503)+$'
    assert_equal "$(code "$url/index.html")" 200
    [ "$(memory_of "$server")" -lt 250000 ] || fail "$(memory_of "$server") KiB"
    for i in {1..14}; do exec {fds[i]}>&-; done
    again() { [ "$(get_as "$ada" /api/contests/contest/submissions/1/files)" = 200 ]; }
    until_true 10 again
}

@test "failures: a failed write is one line in the log, and its result is shown once a write succeeds" {
    local prof shown feed
    serve_contest
    feed=$contest/grading/feed-public.ndjson
    prof=$("$build/grader" token "$contest" --jury prof)
    serve
    until_true 10 test -s "$feed"
    # A link is not written to. Unlike a folder it is replaced in one step, between two tries of the server.
    cp "$feed" "$BATS_TEST_TMPDIR/feed"
    ln -s /dev/full "$BATS_TEST_TMPDIR/full"
    mv -T "$BATS_TEST_TMPDIR/full" "$feed"
    assert_equal "$(code -H "Authorization: Bearer $prof" -d text=hello "$url/ask")" 303
    until_true 10 test -s "$BATS_TEST_TMPDIR/server.log"
    sleep 1
    assert_equal "$(wc -l < "$BATS_TEST_TMPDIR/server.log")" 1
    mv -T "$BATS_TEST_TMPDIR/feed" "$feed"
    shown="curl -s '$url/api/contests/contest/clarifications' | jq -e 'length == 1' > /dev/null"
    until_true 10 bash -c "$shown"
    assert_equal "$(grep -c '"hello"' "$feed")" 1

    # One that was lost is whole again with the next change.
    cp "$feed" "$BATS_TEST_TMPDIR/feed"
    rm "$feed"
    assert_equal "$(code -H "Authorization: Bearer $prof" -d text=again "$url/ask")" 303
    until_true 10 grep -qs '"again"' "$feed"
    head -c "$(stat -c %s "$BATS_TEST_TMPDIR/feed")" "$feed" | cmp - "$BATS_TEST_TMPDIR/feed"
}

@test "Contest API: endpoints, an account, a zip in JSON, and a feed that goes on over a kill -9" {
    local ada prof api name feed
    serve_contest
    ada=$(token ada)
    serve
    api=$url/api/contests/contest
    for name in '' state problems teams languages judgement-types organizations groups submissions judgements runs \
        clarifications awards scoreboard access problems/A; do
        assert_equal "$name $(code "$api/$name")" "$name 200"
    done
    for name in "$api/nothing" "$api/problems/Z" "$url/api/contests/other" "$api/account"; do
        assert_equal "$(code "$name")" 404
    done
    assert_equal "$(body_as "$ada" /api/contests/contest/account | jq -c '[.username, .type, .team_id]')" \
        '["ada","team","ada"]'
    assert_equal "$(body_as "$ada" /api/contests/contest/access | jq -c .capabilities)" '["team_submit","team_clar"]'
    prof=$("$build/grader" token "$contest" --jury prof)
    token bob > /dev/null
    "$build/grader" token "$contest" --program loop > /dev/null
    accounts_for() { body_as "$1" /api/contests/contest/accounts | jq -c 'map([.id, .type, .team_id])'; }
    assert_equal "$(accounts_for "$prof")" '[["ada","team","ada"],["bob","team","bob"],["prof","judge",null]]'
    assert_equal "$(accounts_for "$ada") $(curl -s "$api/accounts")" '[["ada","team","ada"]] []'
    "$build/grader" token "$contest" --revoke bob > /dev/null
    assert_equal "$(accounts_for "$prof" | jq length)" 2
    for name in '' /ja /ja/ /my /ja/my/; do
        assert_equal "$(curl -s -o /dev/null -w '%{http_code} %{redirect_url}' "$url$name")" \
            "303 $url${name%/}/index.html"
    done
    cp "$sort/accepted/baseline.c" "$BATS_TEST_TMPDIR/device_user.c"
    (cd "$BATS_TEST_TMPDIR" && zip -q s.zip device_user.c)
    jq -n --arg data "$(base64 -w 0 "$BATS_TEST_TMPDIR/s.zip")" \
        '{language_id: "c", problem_id: "A", files: [{data: $data, mime: "application/zip"}]}' \
        > "$BATS_TEST_TMPDIR/s.json"
    run -0 curl -s -H "Authorization: Bearer $ada" -H 'Content-Type: application/json' \
        --data-binary "@$BATS_TEST_TMPDIR/s.json" "$api/submissions"
    assert_equal "$(jq -r .id <<< "$output")" 1
    run -0 curl -s -u "ada:$ada" "$api/submissions" \
        --data-binary '{"language_id":"c","problem_id":"A","team_id":"bob","files":[{"data":""}]}'
    assert_equal "$(jq -c . <<< "$output")" '{"code":400,"message":"team_id is another team'"'"'s"}'
    watch
    until_true 60 bash -c "curl -s '$api/judgements' | jq -e '.[0].judgement_type_id == \"AC\"' > /dev/null"
    feed=$(curl -sN -m 1 "$api/event-feed" || true)
    assert_equal "$(jq -r 'select(.type == "judgements" and .data.judgement_type_id).data.judgement_type_id' <<< "$feed")" AC
    kill -9 "$server"
    wait "$server" || true
    serve
    api=$url/api/contests/contest
    assert_equal "$(curl -sN -m 1 "$api/event-feed" || true)" "$feed"
    assert_equal "$(curl -sN -m 1 "$api/event-feed?since_token=$(jq -r .token <<< "$feed" | sed -n 3p)" || true)" \
        "$(sed 1,3d <<< "$feed")"
    assert_equal "$(code "$api/event-feed?since_token=p-77")" 400
}

@test "Contest API: submitted files, for their team and the jury; questions and answers, both ways" {
    local ada bob prof api=/api/contests/contest
    serve_contest
    ada=$(token ada) bob=$(token bob) prof=$("$build/grader" token "$contest" --jury prof)
    serve
    say() { curl -s -H "Authorization: Bearer $1" --data-binary "$2" "$url$api/clarifications"; }
    run -0 curl -s -H "Authorization: Bearer $ada" -F problem=A -F "files=@$sort/accepted/baseline.c" "$url/submit"
    body_as "$ada" $api/submissions/1/files > "$BATS_TEST_TMPDIR/files.zip"
    unzip -p "$BATS_TEST_TMPDIR/files.zip" device_user.c | cmp - "$sort/accepted/baseline.c"
    assert_equal "$(get_as "$prof" $api/submissions/1/files) $(get_as "$bob" $api/submissions/1/files)" '200 404'
    assert_equal "$(code "$url$api/submissions/1/files") $(get_as "$prof" $api/submissions/9/files)" '404 404'
    until_true 10 bash -c "curl -s '$url$api/submissions' | jq -e 'length == 1' > /dev/null"
    assert_equal "$(body_as "$prof" $api/submissions | jq -c '.[0] | [.entry_point, .files[0].href]')" \
        '[null,"contests/contest/submissions/1/files"]'
    assert_equal "$(say "$ada" '{"text": "Is 0 a <key>?", "problem_id": "A"}' | jq -r .id)" 1
    assert_equal "$(say "$prof" '{"text": "It is.", "to_team_id": "ada", "reply_to_id": "1"}' | jq -r .id)" 2
    assert_equal "$(say "$prof" '{"text": "To all."}' | jq -r .id)" 3
    assert_equal "$(say "$bob" '{"text": "x", "to_team_id": "ada"}' | jq -r .code)" 400
    assert_equal "$(say "$prof" '{"text": "x", "to_team_id": "nobody"}' | jq -r .code)" 400
    assert_equal "$(say "$ada" '{"text": "x", "reply_to_id": "77"}' | jq -r .code)" 400
    assert_equal "$(say "$ada" '{"text": ""}' | jq -r .code)" 400
    assert_equal "$(say "$ada" '{"text"' | jq -r .message)" 'the body must be a JSON object'
    # By the page's form an answer goes to the team that asked.
    by_form() { code -H "Authorization: Bearer $prof" -d "text=By the form." -d "reply_to=$1" "$url/ask"; }
    assert_equal "$(by_form 99) $(by_form x) $(by_form 1)" '400 400 303'
    assert_equal "$(query "SELECT to_team, reply_to FROM clarifications WHERE text = 'By the form.'")" 'ada|1'
    seen_by() { body_as "$1" $api/clarifications | jq -c 'map(.id)'; }
    until_true 10 bash -c "curl -s -H 'Authorization: Bearer $prof' '$url$api/clarifications' |
        jq -e 'length == 4' > /dev/null"
    assert_equal "$(seen_by "$ada") $(seen_by "$bob") $(seen_by "$prof")" '["1","2","3","4"] ["3"] ["1","2","3","4"]'
    run -0 body_as "$ada" /my/index.html
    assert_output --partial 'Is 0 a &lt;key&gt;?'
    run -0 body_as "$bob" /my/index.html
    refute_output --partial 'Is 0 a'
    assert_output --partial 'To all.'
    assert_output --partial Announcement
    run -0 body_as "$prof" /my/index.html
    assert_output --partial '<h1>Jury</h1>'
}

@test "Contest API: a team's feed has its own clarifications and those to all, in order, and no others; tokens stay" {
    local ada bob prof api=/api/contests/contest stream
    serve_contest
    ada=$(token ada) bob=$(token bob) prof=$("$build/grader" token "$contest" --jury prof)
    serve
    say() { curl -s -H "Authorization: Bearer $1" --data-binary "$2" "$url$api/clarifications" | jq -r .id; }
    feed() { curl -sN -m 1 -H "Authorization: Bearer $1" "$url$api/event-feed${2:-}" || true; }
    # ID, whom it is to and what it replies to, of each clarification in a feed.
    told() {
        jq -c 'select(.type == "clarifications") | [.id, .data.to_team_id, .data.reply_to_id]' <<< "$1" | paste -sd ' '
    }
    curl -sN -m 20 -H "Authorization: Bearer $ada" "$url$api/event-feed" > "$BATS_TEST_TMPDIR/stream" &
    stream=$!
    say "$ada" '{"text": "Is 0 a key?", "problem_id": "A"}'
    say "$bob" '{"text": "Bob asks."}'
    say "$prof" '{"text": "It is.", "to_team_id": "ada", "reply_to_id": "1"}'
    say "$prof" '{"text": "To all, for Bob asked.", "reply_to_id": "2"}'
    say "$prof" '{"text": "Ada, Bob asked.", "to_team_id": "ada", "reply_to_id": "2"}'
    until_true 10 grep -q 'Ada, Bob asked' "$BATS_TEST_TMPDIR/stream"
    kill "$stream" && wait "$stream" || true
    assert_equal "$(told "$(< "$BATS_TEST_TMPDIR/stream")")" \
        '["1",null,null] ["3","ada","1"] ["4",null,null] ["5","ada",null]'
    run -1 grep -q 'Bob asks' "$BATS_TEST_TMPDIR/stream"
    assert_equal "$(told "$(feed "$bob")")" '["2",null,null] ["4",null,null]'
    assert_equal "$(told "$(feed "$prof")")" \
        '["1",null,null] ["2",null,null] ["3","ada","1"] ["4",null,"2"] ["5","ada","2"]'
    assert_equal "$(told "$(curl -sN -m 1 "$url$api/event-feed" || true)")" '["4",null,null]'
    # The endpoint says the same as the feed.
    assert_equal "$(body_as "$ada" $api/clarifications | jq -c 'map([.id, .reply_to_id])')" \
        '[["1",null],["3","1"],["4",null],["5",null]]'
    # All other lines equal the public ones, except the tokens.
    assert_equal "$(feed "$ada" | jq -c 'select(.type != "clarifications") | del(.token)')" \
        "$(curl -sN -m 1 "$url$api/event-feed" | jq -c 'select(.type != "clarifications") | del(.token)')"
    feed "$ada" > "$BATS_TEST_TMPDIR/before"
    kill -9 "$server" && wait "$server" || true
    serve
    assert_equal "$(feed "$ada")" "$(< "$BATS_TEST_TMPDIR/before")"
    # The token may be of a line that the team sees or not: it gets no other lines.
    assert_equal "$(feed "$ada" "?since_token=$(jq -r 'select(.id == "3").token' "$BATS_TEST_TMPDIR/before")")" \
        "$(sed '1,/"id":"3"/d' "$BATS_TEST_TMPDIR/before")"
    assert_equal "$(told "$(feed "$ada" "?since_token=$(feed "$bob" | jq -r 'select(.id == "2").token')")")" \
        '["3","ada","1"] ["4",null,null] ["5","ada",null]'
    assert_equal "$(get_as "$ada" "$api/event-feed?since_token=$(feed "$prof" | jq -r .token | head -n 1)")" 400
}

@test "programs: a batch is judged after the contest's queue, equal sources once, and is not part of the contest" {
    local program bob
    serve_contest 'scoring: { type: relative, rank_cpu: yes }'
    program=$("$build/grader" token "$contest" --program ada) # called like a team, and none
    bob=$(token bob)
    serve
    token_file "$program"
    cp "$sort/accepted/baseline.c" "$BATS_TEST_TMPDIR/a.c"
    cp "$sort/accepted/baseline.c" "$BATS_TEST_TMPDIR/b.c"
    echo '#error c' > "$BATS_TEST_TMPDIR/c.c"
    post() { curl -s -H "Authorization: Bearer $1" --data-binary "$2" "$url/judge" | head -n 1; }
    assert_equal "$(post "$program" '{"items": []}')" 'the body must be {"items": [...]} with 1 to 100 items'
    assert_equal "$(post "$program" '{"items": [{"problem": "Z", "source": "", "language": "c"}]}')" \
        'items[0]: problem: there is no such problem in this contest'
    assert_equal "$(post "$program" '{"items": [{"problem": "A", "source": "", "language": "java"}]}')" \
        'items[0]: give either source, with language c, cpp or cuda, or files, an object of names and texts'
    assert_equal "$(post "$program" '{"items": [{"problem": "A", "files": {"../x.c": "", "y.c": ""}}]}')" \
        'items[0]: a file'"'"'s name may have letters, digits and _ . + -, not beginning with - or .'
    assert_equal "$(post "$bob" '{"items": []}')" \
        'batches are for programs: grade.sh CONTEST token --program'
    # A team's submission, handed in later, is first.
    (
        until [ "$(query 'SELECT count(*) FROM batch_items')" = 3 ]; do sleep 0.1; done
        code -H "Authorization: Bearer $bob" -F problem=A -F "files=@$BATS_TEST_TMPDIR/c.c" "$url/submit"
        exec "$build/grader" run "$contest" --watch
    ) > "$BATS_TEST_TMPDIR/grader.log" 2>&1 < /dev/null 3>&- &
    grader=$!
    run -0 --separate-stderr timeout 60 "$root/run_scripts/batch.sh" A "$BATS_TEST_TMPDIR"/{a,b,c}.c --times \
        --url "$url" --token "$BATS_TEST_TMPDIR/token"
    assert_equal "$(jq -sc 'sort_by(.file) | map([(.file | split("/") | last), .verdict, .seconds > 0])' \
        <<< "$output")" '[["a.c","AC",true],["b.c","AC",true],["c.c","CE",false]]'
    assert_equal "$(jq -s 'map(.id) | unique | length' <<< "$output")" 2
    assert_equal "$(jq -s 'map(select(.verdict == "AC") | .speedup > 0) | all' <<< "$output")" true
    assert_equal "$(query "SELECT s.team FROM judgements j JOIN submissions s ON s.id = j.submission
        ORDER BY begun LIMIT 1")" bob
    # In no list of the contest, for any account.
    until_true 10 bash -c "curl -s '$url/api/contests/contest/submissions' | jq -e 'length == 1' > /dev/null"
    assert_equal "$(body_as "$("$build/grader" token "$contest" --jury prof)" /api/contests/contest/submissions |
        jq -c 'map(.team_id)')" '["bob"]'
    run -0 "$build/grader" results "$contest" standings --csv
    refute_output --partial program
    assert_equal "$(get_as "$bob" /judge/1) $(code "$url/judge/1") $(get_as "$program" /my/1.json)" '404 404 404'
    assert_equal "$(get_as "$program" /my/index.html) $(get_as "$program" /judge/99)" '303 404'
}

@test "programs: items beyond the queue's limit are refused; judged ones free their place" {
    local program items one='{"problem": "A", "source": "int x;", "language": "c", "again": true}'
    serve_contest 'limits: { batch: 3 }'
    program=$("$build/grader" token "$contest" --program eve)
    serve
    post() {
        curl -s -w '%{http_code}' -D "$BATS_TEST_TMPDIR/head" -H "Authorization: Bearer $program" \
            --data-binary "$1" "$url/judge"
    }
    run -0 post "{\"items\": [$one, $one]}"
    assert_output --regexp '^\{"batch".*200$'
    run -0 post "{\"items\": [$one, $one]}"
    assert_output $'2 items of this account wait for their verdicts, and 3 may (limits.batch)\n429'
    assert_equal "$(grep -ci '^retry-after:' "$BATS_TEST_TMPDIR/head") $(query 'SELECT count(*) FROM batches')" '1 1'
    watch
    until_true 60 bash -c "curl -s -H 'Authorization: Bearer $program' '$url/judge/1' | jq -e '.done == 2' > /dev/null"
    run -0 post "{\"items\": [$one, $one, $one]}"
    assert_output --regexp '200$'
    assert_equal "$(query 'SELECT count(*) FROM submissions')" 5
}

@test "programs: they queue behind all teams, and cannot have a team's name" {
    local ada program items='{"items": [{"problem": "A", "source": "int x;", "language": "c"}]}'
    serve_contest
    ada=$(token ada)
    for role in --program --jury; do
        run -2 --separate-stderr "$build/grader" token "$contest" $role ada
        assert_equal "$stderr" \
            "grader: 'ada' has a token of another role: choose another name, or end that one with --revoke"
    done
    program=$("$build/grader" token "$contest" --program eve)
    serve
    run -0 curl -s -H "Authorization: Bearer $program" --data-binary "$items" "$url/judge"
    assert_equal "$(body_as "$program" /judge/1 | jq -c '.items[0].place_in_queue')" 1
    run -0 curl -s -H "Authorization: Bearer $ada" -F problem=A -F "files=@$sort/accepted/baseline.c" "$url/submit"
    assert_equal "$(body_as "$program" /judge/1 | jq -c '.items[0].place_in_queue')" 2
    assert_equal "$(body_as "$ada" /my/2.json | jq -c .place_in_queue)" 1
}

@test "freeze: others see that something was handed in, the team sees its verdict" {
    local ada
    serve_contest "freeze: $(date -u -d '1 minute ago' +%FT%TZ)"
    ada=$(token ada)
    serve
    watch
    token_file "$ada"
    run -0 --separate-stderr submit_sh A "$sort/accepted/baseline.c" --watch
    sleep 0.6
    assert_equal "$(curl -s "$url/api/contests/contest/submissions" | jq length)" 1
    assert_equal "$(curl -s "$url/api/contests/contest/judgements" | jq length)" 0
    run -0 curl -s "$url/submission/1.html"
    assert_output --partial 'Its result is shown when the standings are thawed.'
    run -0 body_as "$ada" /my/1.html
    assert_output --partial '</span>AC<span class="words">'
    assert_equal "$(body_as "$("$build/grader" token "$contest" --jury prof)" /api/contests/contest/judgements |
        jq length)" 1
}

@test "kill -9 of the server and of the grader while teams submit: nothing is lost or doubled" {
    local team i tokens=()
    serve_contest
    for team in ada bob; do tokens+=("$(token $team)"); done
    serve
    watch
    for i in {1..12}; do
        team=$((i % 2))
        printf '#error %s\n' "$i" > "$BATS_TEST_TMPDIR/$i.c"
        (
            until [ "$(code -m 5 -H "Authorization: Bearer ${tokens[team]}" -F problem=A \
                -F "files=@$BATS_TEST_TMPDIR/$i.c" "$url/submit")" = 200 ]; do sleep 0.2; done
        ) &
        uploads[i]=$!
        sleep 0.$((RANDOM % 4))
        if [ $((i % 4)) -eq 0 ]; then
            kill -9 "$server" && wait "$server" || true
            serve "${url##*:}"
        elif [ $((i % 4)) -eq 2 ]; then
            kill -9 "$grader" && wait "$grader" || true
            watch
        fi
    done
    for i in "${uploads[@]}"; do wait "$i"; done
    until_true 60 bash -c "[ \$(sqlite3 -readonly '$db' \"SELECT count(*) FROM judgements WHERE verdict = 'CE'\") = 12 \
        ]"
    assert_equal "$(query 'SELECT count(*), count(DISTINCT path) FROM submissions')" '12|12'
    sound
}

@test "a full disk: an upload is refused, pages and feed go on, and later nothing is missing or doubled" {
    local ada
    serve_contest
    ada=$(token ada)
    cp -r "$contest" "$BATS_TEST_TMPDIR/source"
    echo '#error full' > "$BATS_TEST_TMPDIR/full.c"
    export contest db build root ada BATS_TEST_TMPDIR
    # A separate disk for the contest.
    run -0 unshare --user --map-root-user --mount bash -euo pipefail <<'SCRIPT'
    mount -t tmpfs -o size=4M none "$contest"
    cp -r "$BATS_TEST_TMPDIR/source/." "$contest"
    "$build/server" "$contest" --port 0 > "$BATS_TEST_TMPDIR/url" 2> "$BATS_TEST_TMPDIR/said" 3>&- &
    server=$!
    until [ -s "$BATS_TEST_TMPDIR/url" ]; do sleep 0.1; done
    url=$(head -n 1 "$BATS_TEST_TMPDIR/url") url=${url%/}
    upload() {
        curl -s -o "$BATS_TEST_TMPDIR/answer" -w '%{http_code}\n' -H "Authorization: Bearer $ada" -F problem=A \
            -F "files=@$BATS_TEST_TMPDIR/$1" "$url/submit"
    }
    cat /dev/zero > "$contest/more" 2> /dev/null || true
    upload full.c
    upload full.c
    curl -s -o /dev/null -w '%{http_code}\n' "$url/index.html"
    rm "$contest/more"
    upload full.c
    upload full.c
    sleep 0.6
    curl -s "$url/api/contests/contest/submissions" | jq length
    kill $server
    wait $server
    sqlite3 "$db" 'PRAGMA integrity_check; SELECT count(*) FROM submissions; SELECT count(*) FROM judgements'
    ls "$contest/grading/sources"
SCRIPT
    assert_output $'503\n503\n200\n200\n200\n1\nok\n1\n1\n1'
    run -0 grep -cE 'No space left|full|disk I/O error' "$BATS_TEST_TMPDIR/said"
}

@test "behind Caddy, by the lines of docs/CONTEST.md: TLS, a cookie for this site only, a live feed" {
    local ada port ca feed
    command -v caddy > /dev/null || { echo "caddy is missing: run_scripts/lib/packages.sh web" >&2; return 1; }
    serve_contest
    ada=$(token ada)
    serve 0 --proxy
    port=$((20000 + RANDOM % 20000))
    {
        printf '{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n'
        sed -n '/^contest\.example\.org {$/,/^}$/p' "$root/docs/CONTEST.md" |
            sed "s|^contest.example.org {|https://localhost:$port {\n\ttls internal|; s|127.0.0.1:8080|${url#http://}|"
    } > "$BATS_TEST_TMPDIR/Caddyfile"
    export XDG_DATA_HOME=$BATS_TEST_TMPDIR/caddy XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/caddy
    caddy run --config "$BATS_TEST_TMPDIR/Caddyfile" --adapter caddyfile > "$BATS_TEST_TMPDIR/caddy.log" 2>&1 3>&- &
    caddy=$!
    ca=$XDG_DATA_HOME/caddy/pki/authorities/local/root.crt
    until_true 30 curl -s -o /dev/null --cacert "$ca" "https://localhost:$port/index.html"
    run -0 curl -s -D - -o /dev/null --cacert "$ca" --data-urlencode "token=$ada" "https://localhost:$port/login"
    assert_output --regexp 'set-cookie: __Host-session=.*; SameSite=Strict; .*; Secure'
    curl -sN -m 5 --cacert "$ca" "https://localhost:$port/api/contests/contest/event-feed" \
        > "$BATS_TEST_TMPDIR/feed" &
    feed=$!
    sleep 1
    code -H "Authorization: Bearer $ada" -F problem=A -F "files=@$sort/accepted/baseline.c" "$url/submit" > /dev/null
    until_true 4 grep -q '"type":"submissions"' "$BATS_TEST_TMPDIR/feed"
    wait "$feed" || true
    # Behind Caddy the limit is per client address, whatever header the client sends.
    for i in {1..11}; do
        code --cacert "$ca" -H "X-Forwarded-For: 10.0.0.$i" -H "Authorization: Bearer $i.x" \
            "https://localhost:$port/api"
    done > "$BATS_TEST_TMPDIR/codes"
    assert_equal "$(< "$BATS_TEST_TMPDIR/codes")" 401401401401401401401401401401429
}

@test "a browser: log in, hand in, the verdict without reloading, the board; no script error, nothing refused" {
    local ada
    load helpers/chromium
    command -v chromium > /dev/null ||
        { echo "chromium is missing: run_scripts/lib/packages.sh browser" >&2; return 1; }
    serve_contest
    ada=$(token ada)
    serve
    watch
    chromium_start "$BATS_TEST_TMPDIR/chromium"
    chromium_open "$url/login.html"
    chromium_text "document.querySelector('[name=token]').value = '$ada'; document.querySelector('form').submit(); ''"
    until_true 20 page_is '/my/index.html'
    chromium_text "(() => { const list = new DataTransfer();
        list.items.add(new File(['#error from a browser'], 'mine.c'));
        document.querySelector('[name=files]').files = list.files;
        document.querySelector('form[action=\"/submit\"]').submit(); return ''; })()"
    until_true 20 page_shows '../my/1.html'
    # The page itself changes, without being loaded again.
    chromium_text "window.same = 'yes'; ''"
    until_true 60 page_shows 'compile error'
    assert_equal "$(chromium_text 'window.same')" yes
    chromium_open "$url/ja/index.html"
    assert_equal "$(chromium_text 'document.querySelector("h1").textContent')" 順位表
}

@test "a browser: a form that is refused leads to a page with the reason and a way back; files that are dropped" {
    local ada
    load helpers/chromium
    command -v chromium > /dev/null ||
        { echo "chromium is missing: run_scripts/lib/packages.sh browser" >&2; return 1; }
    serve_contest
    ada=$(token ada)
    serve
    chromium_start "$BATS_TEST_TMPDIR/chromium"
    chromium_open "$url/login.html"
    chromium_text "document.querySelector('[name=token]').value = 'no'; document.querySelector('form').submit(); ''"
    until_true 20 page_shows 'This token is not valid'
    chromium_text "document.querySelector('[name=token]').value = '$ada'; document.querySelector('form').submit(); ''"
    until_true 20 page_is '/my/index.html'
    chromium_open "$url/ja/my/index.html"
    chromium_text "(() => { const list = new DataTransfer();
        list.items.add(new File(['print(1)'], 'mine.<py'));
        document.querySelector('.drop').dispatchEvent(new DragEvent('drop',
            { dataTransfer: list, bubbles: true, cancelable: true }));
        document.querySelector('form[action=\"/submit\"]').submit(); return ''; })()"
    until_true 20 page_shows 'role="alert"'
    assert_equal "$(chromium_text 'document.documentElement.lang + " " + document.querySelector("h1").textContent')" \
        'ja 受け付けられませんでした'
    assert_equal "$(chromium_text 'document.querySelector("[role=alert]").textContent')" \
        'it is not a .cu, .c or .cc file, an archive, or a folder of files'
    chromium_text 'document.querySelector("a").click(); ""'
    until_true 20 page_is '/ja/my/index.html'
    # A program that is refused gets the text alone.
    run -0 curl -s -H "Authorization: Bearer $ada" -F problem=A "$url/submit"
    assert_output 'it has no file'
    # From the times of a problem to its statement.
    chromium_open "$url/problem/A.html"
    chromium_text 'document.querySelector("main a[href*=statement]").click(); ""'
    until_true 20 page_is '/statement/A.html'
}

@test "API: the server's answers equal the files of clics.sh, for the jury and for everybody, sources too" {
    local jury out=$BATS_TEST_TMPDIR/files name view as
    cd "$BATS_TEST_TMPDIR"
    serve_contest 'limits: { total: 2 }'
    make -s -C "$root" DEV=1 clics-programs >&2
    mkdir -p "$contest/submissions"
    submit ada right.c "$sort/accepted/qsort.c"
    mkdir two && cp "$sort/wrong_answer/unsigned_keys.c" two/main.c && echo '/* x */' > two/x.h
    submit bob two two
    for name in 1 2 3; do echo "#error $name" > e.c; submit ada "e$name.c" e.c; done # the last is over the limit
    run -0 grade
    jury=$("$build/grader" token "$contest" --jury prof)
    serve
    until_true 20 bash -c "curl -sf '$url/api/contests/contest/teams' > /dev/null"
    for view in '' --public; do
        # shellcheck disable=SC2086
        run -0 "$build/clics" "$contest" --out "$out$view" $view
        as=(-H "Authorization: Bearer $jury")
        [ -z "$view" ] || as=()
        for name in "$out$view"/*.json; do
            name=$(basename "$name" .json)
            [[ $name != @(api|access|contest|accounts) ]] || continue # who asks is in them; `api` is above the contest
            curl -sf "${as[@]}" "$url/api/contests/contest/$name" | jq -S . > "$BATS_TEST_TMPDIR/served"
            jq -S . "$out$view/$name.json" | diff - "$BATS_TEST_TMPDIR/served" || fail "$view $name"
        done
        [ "$(find "$out$view" -name '*.json' | wc -l)" -ge 18 ]
    done
    for name in $(jq -r '.[].id' "$out/submissions.json"); do
        assert_equal "$name $(jq --arg id "$name" '.[] | select(.id == $id).files | length' "$out/submissions.json")" \
            "$name $([ -e "$contest/grading/sources/$name" ] && echo 1 || echo 0)"
    done
    for name in $(jq -r '.[] | select(.files != []).id' "$out/submissions.json"); do
        curl -sf -H "Authorization: Bearer $jury" "$url/api/contests/contest/submissions/$name/files" > served.zip
        cmp served.zip "$out/submissions/$name/files"
    done
    name=$(query "SELECT id FROM submissions WHERE team = 'bob'")
    rm -r "$contest/grading/sources/1"
    run -0 "$build/clics" "$contest" --out "$out" # nobody is promised what is not kept
    assert_equal "$(jq -c 'map(.files | length)' "$out/submissions.json")" '[0,1,1,1,1]'
    assert_equal "$(unzip -Z1 "$out/submissions/$name/files" | sort | xargs)" 'folder/main.c folder/x.h'
    [ ! -e "$out--public/submissions" ]
}
