#!/bin/bash
# Measures how long a participant waits at an idle server: bench_upload.sh [--count N] PROBLEM SOURCE
#
# It serves a contest whose secret cases are PROBLEM's samples, with a grader that watches. It submits SOURCE N (10)
# times, one after the other, each time with another comment, so that nothing is known of it. It prints seconds
# (least, median, most): from the upload to the end of building, of the samples and of the secret cases, and to the
# verdict that the command line shows. Exit codes: 0 done, 1 a submission was not accepted, 2 usage, 3 the machine.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
words='bench_upload.sh [--count N] PROBLEM SOURCE'
count=10
if [[ ${1:-} == --count ]]; then
    count=${2:-}
    shift 2 || usage "$words"
fi
[[ $# -eq 2 && $count =~ ^[1-9][0-9]{0,2}$ ]] || usage "$words"
problem_exists "$1"
[ -f "$2" ] || refuse "there is no file '$2'"
toolkit_make grade-programs serve-programs >&2 || fail 'the server does not build: see above'
build_toolkit
work=$(mktemp -d) contest=$work/contest pids=()
trap 'kill "${pids[@]}" 2> /dev/null; wait; rm -rf "$work"' EXIT
mkdir -p "$contest/teams"
printf '%s\n' 'name: Upload' "start: $(date -u +%FT%TZ)" "end: $(date -u -d tomorrow +%FT%TZ)" \
    'practice: yes' 'require_box: namespaces' 'scoring: { type: pass-fail }' 'problems:' '  - id: A' "    problem: $1" \
    '    secret: sample' > "$contest/contest.yaml"
echo 'name: Team' > "$contest/teams/t.yaml"
(umask 077 && "$build/grader" token "$contest" t > "$work/token")
"$build/server" "$contest" --port 0 > "$work/url" 2> "$work/server.log" &
pids+=($!)
until [ -s "$work/url" ]; do sleep 0.1; done
url=$(head -n 1 "$work/url")
"$build/grader" run "$contest" --watch > "$work/grader.log" 2>&1 < /dev/null &
pids+=($!)
source=$work/device_user.${2##*.}
for ((i = 0; i < count; i++)); do
    { cat "$2" && echo "/* $i $RANDOM */"; } > "$source"
    started=$EPOCHREALTIME
    timeout 120 "$root/run_scripts/submit.sh" A "$source" --watch --url "${url%/}" --token "$work/token" \
        > "$work/said" 2>&1 || {
        echo "${0##*/}: submission $i was not accepted: $(tail -qn 1 "$work/said" "$work/grader.log")" >&2
        exit 1
    }
    awk -v a="$started" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }' >> "$work/shown"
done
for step in build samples secret; do
    sqlite3 -readonly "$contest/grading/results.db" "SELECT s.ended - b.submitted FROM steps s JOIN judgements j
        ON s.judgement = j.id JOIN submissions b ON b.id = j.submission WHERE s.step = '$step'" > "$work/$step"
done
for each in build samples secret shown; do
    sort -g "$work/$each" | awk -v what="$each" '{ t[NR] = $1 }
        END { printf "%-7s %2d: least %.2f, median %.2f, most %.2f s\n", what, NR, t[1], t[int((NR + 1) / 2)], t[NR] }'
done
