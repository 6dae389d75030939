# A contest's server on a free port, for tests that ask it.
# shellcheck shell=bash disable=SC2154

# serve_contest [EXTRA LINE...]: a contest of one quick problem and two teams, which began an hour ago.
serve_contest() {
    local scoring=('scoring: { type: pass-fail }')
    [[ "$*" != *scoring:* ]] || scoring=()
    contest "start: $(date -u -d '1 hour ago' +%FT%TZ)" "end: $(date -u -d 'tomorrow' +%FT%TZ)" 'practice: yes' \
        "${scoring[@]}" "$@"
    rm -r "$contest/submissions" # the server makes it
    mkdir -p "$contest/teams"
    echo 'name: Team <Ada>' > "$contest/teams/ada.yaml"
    echo 'name: Bob' > "$contest/teams/bob.yaml"
    jar=$BATS_TEST_TMPDIR/jar
}

token() { "$build/grader" token "$contest" "$1"; }

# serve [PORT [OPTION...]]: starts it; $server and $url.
serve() {
    local out=$BATS_TEST_TMPDIR/server.out
    : > "$out"
    "$build/server" "$contest" --port "${1:-0}" "${@:2}" > "$out" 2>> "$BATS_TEST_TMPDIR/server.log" 3>&- &
    server=$!
    until_true 20 test -s "$out" || { cat "$BATS_TEST_TMPDIR/server.log" >&2; return 1; }
    url=$(head -n 1 "$out")
    url=${url%/}
}

# watch: a grader beside it; $grader.
watch() {
    "$build/grader" run "$contest" --watch >> "$BATS_TEST_TMPDIR/grader.log" 2>&1 < /dev/null 3>&- &
    grader=$!
}

serve_stop() {
    local pid
    for pid in $server ${grader:-} ${caddy:-}; do
        if kill "$pid" 2> /dev/null; then wait "$pid" 2> /dev/null || true; fi
    done
}

code() { curl -s -o /dev/null -w '%{http_code}' "$@"; }
get_as() { code -H "Authorization: Bearer $1" "$url$2"; }
body_as() { curl -s -H "Authorization: Bearer $1" "$url$2"; }
# allow ARGUMENT...: the status of curl's request, and what the address takes instead.
allow() { curl -s -o /dev/null -w '%{http_code} %header{allow}' "$@"; }
# raw TEXT: the status of a request as printf makes it.
raw() {
    local to status
    exec {to}<> "/dev/tcp/127.0.0.1/${url##*:}"
    # shellcheck disable=SC2059 # the caller's text is the format
    printf "$1" >&"$to"
    read -r -t 10 _ status _ <&"$to"
    exec {to}>&-
    echo "$status"
}
has_ended() { ! kill -0 "$1" 2> /dev/null; }
# in_pieces BYTES PATH TOKEN BODY: a form with the boundary "--boundary", sent in packets of BYTES bytes; no login
# if TOKEN is empty. The status.
in_pieces() {
    local to i status
    exec {to}<> "/dev/tcp/127.0.0.1/${url##*:}"
    printf 'POST %s HTTP/1.1\r\nHost: x\r\n%sConnection: close\r\n' "$2" "${3:+Authorization: Bearer $3$'\r\n'}" >&"$to"
    printf 'Content-Type: multipart/form-data; boundary=--boundary\r\nContent-Length: %d\r\n\r\n' ${#4} >&"$to"
    for ((i = 0; i < ${#4}; i += $1)); do
        printf '%s' "${4:i:$1}" >&"$to"
        sleep 0.002
    done
    read -r -t 10 _ status _ <&"$to"
    exec {to}>&-
    echo "$status"
}
memory_of() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status"; }

token_file() {
    echo "$1" > "$BATS_TEST_TMPDIR/token"
    chmod 600 "$BATS_TEST_TMPDIR/token"
}
submit_sh() { timeout 60 "$root/run_scripts/submit.sh" "$@" --url "$url" --token "$BATS_TEST_TMPDIR/token"; }

page_is() { [ "$(chromium_text location.pathname)" = "$1" ]; }
page_shows() { [[ $(chromium_text document.documentElement.outerHTML) == *"$1"* ]]; }

# refute_kept TEXT FILE...: no file, and none of a folder, holds the text. The server's own files may go away meanwhile.
refute_kept() {
    local text=$1 each
    shift
    for each; do [ -e "$each" ]; done
    run grep -rqF -- "$text" "$@"
    [ "$status" -eq 1 ] || { [ "$status" -eq 2 ] && ! grep -v ': No such file or directory$' <<< "$output"; }
}
