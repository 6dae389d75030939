#!/bin/bash
# Measures a contest's server under load: bench_serve.sh [SECONDS [SUBMISSIONS-A-MINUTE [READS-A-MINUTE]]] (600 20 2000)
#
# 200 teams submit with curl on this machine. Each time another team submits another file that does not compile, so that
# this measures the server and not the compiler. Readers ask for the standings, problems, submissions, a team's own
# pages and the Contest API. A grader runs at the same time. It prints the times of requests, the kinds of answers, the
# server's memory, and whether every answered submission has one verdict. Exit code 1 if one has not, or if a page was
# refused.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
seconds=${1:-600} submissions=${2:-20} reads=${3:-2000}
[[ $# -le 3 && $seconds$submissions$reads =~ ^[0-9]+$ ]] ||
    usage 'bench_serve.sh [SECONDS [SUBMISSIONS-A-MINUTE [READS-A-MINUTE]]]'
toolkit_make grade-programs serve-programs >&2 || fail 'the server does not build: see above'
work=$(mktemp -d) contest=$work/contest teams=200 pids=()
trap 'kill "${pids[@]}" 2> /dev/null; wait; rm -rf "$work"' EXIT
mkdir -p "$contest/teams"
printf '%s\n' 'name: Load' "start: $(date -u +%FT%TZ)" "end: $(date -u -d tomorrow +%FT%TZ)" 'practice: yes' \
    'require_box: namespaces' 'scoring: { type: pass-fail }' 'problems:' > "$contest/contest.yaml"
for id in A B C D; do
    printf '%s\n' "  - id: $id" '    problem: mergesort' '    secret: sample' '    ranked: sample'
done >> "$contest/contest.yaml"
for ((i = 0; i < teams; i++)); do
    echo "name: Team $i" > "$contest/teams/t$i.yaml"
    token[i]=$("$build/grader" token "$contest" "t$i")
done
"$build/server" "$contest" --port 0 > "$work/url" 2> "$work/server.log" &
server=$!
pids+=("$server")
until [ -s "$work/url" ]; do sleep 0.1; done
url=$(head -n 1 "$work/url") url=${url%/}
"$build/grader" run "$contest" --watch > /dev/null 2>&1 < /dev/null &
pids+=($!)
memory() { awk '/^VmRSS/ { print $2 }' "/proc/$server/status"; }
before=$(memory) end=$((SECONDS + seconds))

# hand_in: one submission after another, at a rate per minute; each answer's number or status in submitted.
hand_in() {
    local number=0 started=$EPOCHREALTIME
    while [ $SECONDS -lt $end ]; do
        number=$((number + 1))
        echo "#error $number" > "$work/file.c"
        curl -s -o "$work/answer" -w 'submit %{http_code} %{time_total}\n' -F problem=A \
            -F "files=@$work/file.c" \
            --config - "$url/submit" <<< "header = \"Authorization: Bearer ${token[number % teams]}\"" \
            >> "$work/times.submit"
        sed -n 's/.*"id":"\([0-9]*\)".*/\1/p' "$work/answer" >> "$work/submitted"
        sleep "$(awk -v s="$started" -v n=$number -v a="$submissions" -v now="$EPOCHREALTIME" \
            'BEGIN { left = s + n * 60 / a - now; print (left > 0 ? left : 0) }')"
    done
}
# read_pages READER READERS: its part of the reads, by one curl a second, which keeps its connection.
read_pages() {
    local i page pages=(/index.html /ja/index.html /problem/A.html /submission/1.html /my/index.html
        /api/contests/contest/scoreboard /api/contests/contest/submissions /statement/A.html)
    while [ $SECONDS -lt $end ]; do
        for ((i = 0; i < reads / 60 / $2; i++)); do
            page=${pages[(i + RANDOM) % ${#pages[@]}]}
            [ $i -eq 0 ] || echo next
            printf '%s\n' "url = \"$url$page\"" 'output = /dev/null' \
                "write-out = \"${page//[0-9]/N} %{http_code} %{time_total}\\n\""
            [ "$page" != /my/index.html ] || echo "header = \"Authorization: Bearer ${token[RANDOM % teams]}\""
        done | curl -s --config - >> "$work/times.$1"
        sleep 0.9
    done
}
hand_in &
loads=($!)
until [ -s "$work/submitted" ]; do sleep 0.1; done
sleep 1 # until it is published
for ((i = 0; i < 4; i++)); do read_pages $i 4 & loads+=($!); done
for pid in "${loads[@]}"; do wait "$pid"; done
echo "$seconds s, $teams teams, $(nproc) processors: $submissions submissions and $reads reads a minute asked for"
cat "$work"/times.[0-9] "$work"/times.submit | sort -k 1,1 -k 3,3g | awk '
    function show() { printf "%-36s %6d %10.2f %10.2f %10.2f\n", name, n, t[int((n + 1) / 2)] * 1e3,
        t[int(n * 0.99 + 0.999)] * 1e3, t[n] * 1e3 }
    BEGIN { printf "%-36s %6s %10s %10s %10s\n", "ms", "count", "median", "99 %", "most" }
    $1 != name { if (n) show(); name = $1; n = 0 }
    { t[++n] = $3; codes[$2]++ }
    END { show(); printf "status:"; for (c in codes) printf " %s %d", c, codes[c]; print "" }'
cat "$work"/times.[0-9] | awk '{ print $3 }' | sort -g | awk '{ t[NR] = $1 }
    END { printf "99 %% of %d page requests below %.1f ms\n", NR, t[int(NR * 0.99 + 0.999)] * 1e3 }'
echo "server: $before KiB before, $(memory) KiB after"
handed=$(sort -u "$work/submitted" | wc -l)
for ((i = 0; i < 300; i++)); do
    judged=$(sqlite3 -readonly "$contest/grading/results.db" "SELECT count(*) FROM submissions s WHERE (SELECT count(*)
        FROM judgements j WHERE j.submission = s.id AND j.valid AND j.state = 'done') = 1")
    [ "$judged" -lt "$handed" ] || break
    sleep 1
done
echo "handed in: $handed; with one verdict: $judged"
[ "$judged" = "$handed" ] && ! awk '$2 != 200 { found = 1 } END { exit !found }' "$work"/times.*
