#!/bin/bash
# Judges the attack corpus and prints a table: attack.sh [--json FOLDER] [FILE...]
#
# Every file or folder of tests/exploits tells in its first comment what it tries and what it must get:
#
#   Tries: to read a file of the judge's machine.
#   Expect: CE                  one verdict, or several: RTE|TLE
#   Problem: matmul             where it is not editdistance; it is judged on all samples then, else on the first one
#   Options: --repeat 3         for main_host
#   Needs: gpu                  where it does not work without one
#
# An honest twin, NAME_honest, does the same without the attack and must be accepted. No attack may be accepted, take longer
# than its limits, or leave anything behind. Exit code 1 if one does.
. "$(dirname "$0")/lib.sh"
json=$build/attack
if [ "${1:-}" = --json ]; then
    [ $# -ge 2 ] || usage 'attack.sh [--json FOLDER] [FILE...]'
    json=$2
    shift 2
fi
files=("$@")
[ ${#files[@]} -gt 0 ] || files=("$root"/tests/exploits/*)
mkdir -p "$json"
PROBLEM=editdistance build_toolkit

# field NAME FILE: what the first comment says of it, or nothing.
field() {
    local text=$2
    [ ! -d "$text" ] || text=$(find "$text" -maxdepth 1 \( -name '*.c' -o -name '*.cu' \) | sort | head -n 1)
    sed -n "1,/\*\//s/^ \* $1: \(.*\)$/\1/p" "$text" | head -n 1
}

failures=0 count=0
row='%-26s %-5s %-12s %7s  %s\n'
# shellcheck disable=SC2059
printf "$row" attack got must 'time s' message
for file in "${files[@]}"; do
    name=$(basename "$file")
    must=$(field Expect "$file") problem=$(field Problem "$file") options=$(field Options "$file")
    [ -n "$must" ] || fail "$file does not say what it must get"
    if [ "$(field Needs "$file")" = gpu ] && [ ! -e /dev/nvidiactl ]; then
        # shellcheck disable=SC2059
        printf "$row" "$name" - "$must" - 'needs a GPU'
        continue
    fi
    cases=(--case sample/1-small)
    [ -z "$problem" ] || cases=(--group sample)
    start=$EPOCHREALTIME status=ok
    # shellcheck disable=SC2086
    COMPILE_SECONDS=${COMPILE_SECONDS:-20} timeout -k 5 300 "$root/run_scripts/judge.sh" "$file" "${problem:-editdistance}" \
        "${cases[@]}" --time-limit 2 --json "$json/$name.json" $options > "$json/$name.log" 2>&1 || true
    seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
    got=$(jq -r .verdict "$json/$name.json" 2> /dev/null || echo none)
    [[ "|$must|" == *"|$got|"* ]] || status=FAILED
    [ $status = ok ] || failures=$((failures + 1))
    count=$((count + 1))
    # shellcheck disable=SC2059
    printf "$row" "$name" "$got" "$must" "$seconds" \
        "$([ $status = ok ] || echo 'FAILED: ')$(jq -r '.message[0:120]' "$json/$name.json" 2> /dev/null || true)"
done
echo "$count attacks, $failures of them not as they must be"
[ $failures -eq 0 ]
