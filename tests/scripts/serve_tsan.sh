#!/bin/bash
# Runs the contest's server under load with ThreadSanitizer: serve_tsan.sh [SECONDS] (60)
#
# It builds the server in build-tsan. Teams submit, ask and log in, a program sends batches, readers read pages, feeds
# and the Contest API, some close early, and a grader writes at the same time. It prints the number of requests of each
# kind. Exit codes: 0 no fault found, 1 data races or similar faults (reports are printed), 3 it does not build here.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
seconds=${1:-60}
[[ $# -le 1 && $seconds =~ ^[1-9][0-9]{0,4}$ ]] || usage 'serve_tsan.sh [SECONDS]'
"$root/run_scripts/lib/packages.sh" build grade serve >&2
env -u MAKEFLAGS make -s -C "$root" -j "$(nproc)" BUILD=build-tsan SANITIZE=thread serve-programs >&2 &&
    toolkit_make grade-programs >&2 || fail 'the server does not build: see above'
work=$(mktemp -d) contest=$work/contest pids=()
trap 'kill "${pids[@]}" 2> /dev/null; wait; rm -rf "$work"' EXIT
mkdir -p "$contest/teams"
printf '%s\n' 'name: Threads' "start: $(date -u +%FT%TZ)" "end: $(date -u -d tomorrow +%FT%TZ)" 'practice: yes' \
    'require_box: namespaces' 'limits: { batch: 100000 }' 'problems:' '  - id: A' '    problem: mergesort' \
    '    secret: sample' '    ranked: sample' > "$contest/contest.yaml"
for team in {0..9}; do
    echo "name: Team $team" > "$contest/teams/t$team.yaml"
    tokens[team]=$("$build/grader" token "$contest" "t$team")
done
program=$("$build/grader" token "$contest" --program loop) jury=$("$build/grader" token "$contest" --jury prof)
TSAN_OPTIONS="exitcode=66 log_path=$work/tsan" "$root/build-tsan/server" "$contest" --port 0 > "$work/url" \
    2> "$work/server.log" &
server=$!
pids+=("$server")
until [ -s "$work/url" ]; do kill -0 "$server" && sleep 0.1; done
url=$(head -n 1 "$work/url") url=${url%/}
"$build/grader" run "$contest" --watch > /dev/null 2>&1 < /dev/null &
pids+=($!)
end=$((SECONDS + seconds))

# as TOKEN CURL-ARGUMENT...: the status is added to the kind's file.
as() {
    curl -s -m 20 -o /dev/null -w '%{http_code}\n' --config - "${@:2}" <<< "header = \"Authorization: Bearer $1\""
}
# repeat KIND COMMAND...: until the end.
repeat() {
    local n=0
    while [ $SECONDS -lt $end ]; do
        n=$((n + 1))
        "${@:2}" $n >> "$work/codes.$1" || true
    done
}
hand_in() { as "${tokens[$1 % 10]}" -F problem=A -F "files=@-;filename=$1.c" "$url/submit" < <(echo "#error $1"); }
ask() { as "${tokens[$1 % 10]}" --data-urlencode "text=Question $1" "$url/ask"; }
answer() { as "$jury" -d "text=Answer $1" "$url/ask"; }
log_in() { curl -s -o /dev/null -w '%{http_code}\n' --data-urlencode "token=${tokens[$1 % 10]}" "$url/login"; }
batch() {
    as "$program" --data-binary "{\"items\": [{\"problem\": \"A\", \"source\": \"#error $1\", \"language\": \"c\"}]}" \
        "$url/judge"
    as "$program" "$url/judge/$1"
}
pages() {
    local page
    for page in index.html ja/index.html problem/A.html submission/1.html api/contests/contest/scoreboard \
        api/contests/contest/submissions my/index.html my/1.json; do
        as "${tokens[$1 % 10]}" "$url/$page"
    done
}
# Streams that are read for a while and broken off.
feeds() {
    local feed
    for feed in events api/contests/contest/event-feed judge/1/events; do
        as "$program" -N -m "0.$((RANDOM % 9 + 1))" "$url/$feed"
        as "${tokens[$1 % 10]}" -N -m "0.$((RANDOM % 9 + 1))" "$url/$feed"
    done
}
for kind in hand_in ask answer log_in batch pages pages feeds feeds; do
    repeat $kind $kind &
    workers+=($!)
done
wait "${workers[@]}"
kill "$server"
code=0
wait "$server" || code=$?
for file in "$work"/codes.*; do
    printf '%s: %s\n' "${file##*.}" "$(sort "$file" | uniq -c | awk '{ printf "%s%s of %s", sep, $1, $2; sep = ", " }')"
done
[ ! -s "$work/server.log" ] || cat "$work/server.log" >&2
if compgen -G "$work/tsan.*" > /dev/null; then
    cat "$work"/tsan.* >&2
    echo "serve_tsan.sh: $(cat "$work"/tsan.* | grep -c '^WARNING: ThreadSanitizer') reports"
    exit 1
fi
[ $code -eq 0 ] || fail "the server ended with code $code"
echo 'serve_tsan.sh: nothing was found'
