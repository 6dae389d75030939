#!/bin/bash
# Kills a contest's server and its grader at random while teams submit: serve_soak.sh [--seconds N] [--seed S]
#
# 8 teams submit sources one after the other with curl. If the server was killed and does not answer, they submit again.
# Meanwhile kill -9 ends server and grader, which start again; another program locks the database now and then; and a
# reader follows the event feed from its last token. At the end every answered source must be one submission with one
# verdict, the expected one, under the number that the client got. The reader's feed must have every line once, and lead
# to the same submissions. Exit code 1 if not. Default: 60 s, seed 1. Needs curl and jq.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
seconds=60 seed=1 line='serve_soak.sh [--seconds N] [--seed S]'
while [ $# -gt 0 ]; do
    [ $# -ge 2 ] && [[ $2 =~ ^[0-9]{1,6}$ ]] || usage "$line"
    case $1 in
    --seconds) seconds=$2 ;;
    --seed) seed=$2 ;;
    *) usage "$line" ;;
    esac
    shift 2
done
toolkit_make grade-programs serve-programs >&2 || fail 'the server does not build: see above'
build_toolkit
work=$(mktemp -d) contest=$work/contest db=$work/contest/grading/results.db
RANDOM=$seed
# shellcheck disable=SC2046
trap 'kill $(jobs -p) 2> /dev/null; wait 2> /dev/null; rm -rf "$work"' EXIT
mkdir -p "$contest/teams"
printf '%s\n' 'name: Soak' "start: $(date -u +%FT%TZ)" "end: $(date -u -d tomorrow +%FT%TZ)" 'practice: yes' \
    'require_box: namespaces' 'scoring: { type: pass-fail }' 'problems:' '  - id: A' '    problem: mergesort' \
    '    secret: sample' '    ranked: sample' > "$contest/contest.yaml"
for team in {0..7}; do
    echo "name: Team $team" > "$contest/teams/t$team.yaml"
    "$build/grader" token "$contest" "t$team" > "$work/token.$team"
done
start_server() { # PORT
    : > "$work/url"
    "$build/server" "$contest" --port "$1" > "$work/url" 2>> "$work/server.log" &
    server=$!
    for ((i = 0; i < 100; i++)); do
        [ ! -s "$work/url" ] || return 0
        sleep 0.1
    done
    fail "the server does not start: $(tail -n 1 "$work/server.log")"
}
start_grader() {
    "$build/grader" run "$contest" --watch >> "$work/grader.log" 2>&1 < /dev/null &
    grader=$!
}
start_server 0
url=$(head -n 1 "$work/url") url=${url%/} port=${url##*:}
start_grader
# The verdicts that sources must get, so that something runs and most of it is quick.
right=$root/problems/mergesort/submissions/accepted/qsort.c
hand_in() { # TEAM
    local number=0 source code token
    token=$(< "$work/token.$1")
    while [ ! -e "$work/stop" ]; do
        number=$((number + 1)) source=$work/$1-$number.c
        if [ $((number % 8)) -eq 0 ]; then
            { cat "$right"; echo "/* $1 $number */"; } > "$source"
            echo AC > "$source.must"
        else
            echo "#error $1 $number" > "$source"
            echo CE > "$source.must"
        fi
        until code=$(curl -s -m 20 -o "$source.answer" -w '%{http_code}' -F problem=A -F "files=@$source" --config \
            <(printf 'header = "Authorization: Bearer %s"\n' "$token") "$url/submit") && [ "$code" = 200 ]; do
            echo "$code" >> "$work/codes"
            sleep 0.3
        done
        echo "$source $(sed -n 's/.*"id":"\([0-9]*\)".*/\1/p' "$source.answer") t$1 $(< "$source.must")" \
            >> "$work/told.$1"
    done
}
follow() {
    local since=''
    while [ ! -e "$work/over" ]; do
        curl -sN -m 5 "$url/api/contests/contest/event-feed${since:+?since_token=$since}" > "$work/part" || true
        # A line that broke off with its connection is asked for again.
        head -n "$(wc -l < "$work/part")" "$work/part" | grep . >> "$work/feed" || true
        since=$(tail -n 1 "$work/feed" 2> /dev/null | jq -r .token)
        sleep 0.2
    done
}
for team in {0..7}; do hand_in "$team" & clients[team]=$!; done
follow &
reader=$!
kills=0 end=$((SECONDS + seconds))
while [ $SECONDS -lt $end ]; do
    sleep "$((RANDOM % 3)).$((RANDOM % 10))"
    case $((RANDOM % 5)) in
    0 | 1)
        kill -9 "$server"
        wait "$server" 2> /dev/null || true
        start_server "$port" ;;
    2 | 3)
        kill -9 "$grader"
        wait "$grader" 2> /dev/null || true
        start_grader ;;
    4) # another program has the database for a while
        { echo 'BEGIN IMMEDIATE;'; sleep 1; echo 'COMMIT;'; } |
            sqlite3 -cmd '.timeout 5000' "$db" > /dev/null 2>&1 || true ;;
    esac
    kills=$((kills + 1))
done
touch "$work/stop"
for pid in "${clients[@]}"; do wait "$pid"; done
cat "$work"/told.* > "$work/told"
told=$(wc -l < "$work/told")
for ((i = 0; i < 600; i++)); do
    [ "$(sqlite3 -readonly "$db" "SELECT count(*) FROM judgements WHERE state = 'done'")" -lt "$told" ] || break
    sleep 0.5
done
sleep 6
touch "$work/over"
wait "$reader"
# The reader's answers, and the database: number, team, verdict.
sqlite3 -readonly -separator ' ' "$db" "SELECT s.id, s.team, group_concat(j.verdict) FROM submissions s
    JOIN judgements j ON j.submission = s.id AND j.valid GROUP BY s.id ORDER BY s.id" > "$work/there"
awk '{ print $2, $3, $4 }' "$work/told" | sort -n > "$work/must"
bad=0
diff "$work/must" "$work/there" > "$work/difference" || { bad=1; head -n 5 "$work/difference"; }
[ "$(sqlite3 -readonly "$db" 'PRAGMA integrity_check')" = ok ] || { bad=1; echo 'the database is damaged'; }
[ "$(jq -r .token "$work/feed" | sort | uniq -d | wc -l)" = 0 ] || { bad=1; echo 'a line of the feed came twice'; }
[ "$(jq -r .token "$work/feed" | sed 's/.*-//' | sort -n | awk '$1 != NR { print; exit }')" = '' ] ||
    { bad=1; echo 'a line of the feed is missing'; }
[ "$(jq -r 'select(.type == "judgements" and .data.judgement_type_id).id' "$work/feed" | sort -u |
    wc -l)" = "$told" ] ||
    { bad=1; echo 'the feed has not every verdict'; }
echo "$seconds s, seed $seed: $kills kills and locks; $told submissions told to 8 teams," \
    "$(wc -l < "$work/there") there, $(wc -l < "$work/feed") lines of the feed;" \
    "refused or not answered: $(sort "$work/codes" 2> /dev/null |
        uniq -c | awk '{ printf "%s%s times %s", sep, $1, $2; sep = ", " }')"
[ $bad -eq 0 ] && echo 'every submission has its verdict, once'
exit $bad
