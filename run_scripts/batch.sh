#!/bin/bash
# Has many sources judged by a contest's server: batch.sh PROBLEM FILE... [--times] [--again] [--url URL] [--token FILE]
#
# For programs, such as a loop that rewards kernels: each FILE, a .c or .cu, is judged by itself, behind all that is the
# contest's, and stands in no standings. --times has those that are right timed as well; --again judges a source that
# was judged before. The token is of `grade.sh CONTEST token --program NAME`; where it and the address are read from:
# submit.sh. A line of JSON for each file when its result is there: its name, and what docs/FORMATS.md lists. At most
# 100 files. Exit code: 0 all have a verdict, whatever it is; 2 usage; 3 the server or this machine failed.
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/server.sh"
help_asked "$@"
line='batch.sh PROBLEM FILE... [--times] [--again] [--url URL] [--token FILE]'
want='["verdict"]' again=false
while [ $# -gt 0 ]; do
    if server_option "$@"; then
        shift
    elif [ "$1" = --times ]; then
        want='["verdict", "times"]'
    elif [ "$1" = --again ]; then
        again=true
    else
        [[ $1 != -* ]] || usage "$line"
        words+=("$1")
    fi
    shift
done
[ ${#words[@]} -ge 2 ] && [ ${#words[@]} -le 101 ] || usage "$line"
server_ready
batch_file=$(mktemp)
trap 'rm -f "$batch_file"' EXIT
for file in "${words[@]:1}"; do
    [ -f "$file" ] || refuse "there is no file '$file'"
    [[ $file == *.c || $file == *.cu ]] || refuse "'$file' is no .c or .cu file"
    jq -n --arg problem "${words[0]}" --rawfile source "$file" --argjson want "$want" --argjson again $again \
        --arg language "$([[ $file == *.cu ]] && echo cuda || echo c)" \
        '{$problem, $source, $language, $want, $again}'
done | jq -s '{items: .}' > "$batch_file"
ask_well -H 'Content-Type: application/json' --data-binary "@$batch_file" "$url/judge"
batch=$(jq -r .batch <<< "$body") ids=$(jq -c '[.items[].id]' <<< "$body")
names=$(printf '%s\n' "${words[@]:1}" | jq -R . | jq -sc .)
# Equal sources have one number: each line goes to the names of its number, in turn.
ask -N "$url/judge/$batch/events" | jq -c --unbuffered --argjson ids "$ids" --argjson names "$names" -n '
    foreach inputs as $result ({seen: {}};
        .seen[$result.id] += 1 | .seen[$result.id] as $turn
        | .name = $names[[range($ids | length) | select($ids[.] == $result.id)][$turn - 1]];
        {file: .name} + ($result | del(.file)))'
