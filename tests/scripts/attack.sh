#!/bin/bash
# Judges the attack corpus and prints a table: attack.sh [--load N] [--container] [--json FOLDER] [FILE...]
#
# The first comment of every file or folder NAME_NAME in tests/exploits says what it tries and what it must get:
#
#   Tries: to read a file of the judge's machine.
#   Expect: CE                  one verdict, or several: RTE|TLE
#   Says: names fork            words of the message, if this layer must stop it
#   Problem: matmul             a problem other than editdistance; it is judged on all samples then, else on the first
#   Options: --repeat 3         options for main_host
#   Imports: any                skips the check of names, for attacks on the layers behind it
#   Needs: gpu                  works only with a GPU
#   Box: namespaces             needs more than a Landlock box, which does not hide the names of files or give programs
#                               other places
#   Sealed: yes                 judged with a seal. Says is then for the public form, which must have no number of the
#                               organiser's messages, answers and outputs
#
# An honest twin, NAME_honest, does the same without the attack and must be accepted. No attack may be accepted, hold
# the host for more than a second beyond its limit, leave anything behind (processes, mounts, files in /tmp and
# /dev/shm, locks, System V memory) or harm the next one. After each family (the part of a name before its first '_') an
# honest submission is judged. Exit code 1 if an attack succeeds. JOBS=N judges N at a time (default: 2).
#
# --load N keeps N other processes busy on the same processors: this must change no verdict.
#
# --container judges as in a container that forbids namespaces: the box is Landlock.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
. "$(dirname "$0")/../../run_scripts/lib/clean_room.sh"
. "$(dirname "$0")/../helpers/exploits.bash"
json=$build/attack load=0 within=() form='attack.sh [--load N] [--container] [--json FOLDER] [FILE...]'
while [[ ${1:-} == --* ]]; do
    if [ "$1" = --container ]; then
        within=("$build/tests/container")
        shift
        continue
    fi
    [ $# -ge 2 ] || usage "$form"
    case $1 in
    --json) json=$2 ;;
    --load) load=$2 ;;
    *) usage "$form" ;;
    esac
    shift 2
done
[[ $load =~ ^[0-9]{1,3}$ ]] || usage "attack.sh --load N, with N from 0 to 999, not '$load'"
mkdir -p "$json"
json=$(realpath "$json")
files=("$@")
for file; do [ -e "$file" ] || refuse "there is no attack '$file'"; done
[ ${#files[@]} -gt 0 ] || files=("$root"/tests/exploits/*_*)

if [ "${CLEAN_ROOM:-}" != yes ]; then
    # Builds all shared parts first, and copies the given files to where the room can see them.
    rm -rf "$json/given" "$json/seal" && mkdir -p "$json/given"
    for i in "${!files[@]}"; do
        [[ $(realpath "${files[i]}") == "$root"/* ]] && files[i]=$(realpath "${files[i]}") && continue
        cp -R "${files[i]}" "$json/given/" && files[i]=$json/given/$(basename "${files[i]}")
    done
    read_fields "${files[@]}"
    mapfile -t problems < <({ for i in "${files[@]}"; do echo "${field[$i Problem]:-}"; done; echo editdistance; } |
        grep . | sort -u)
    for i in "${problems[@]}"; do PROBLEM=$i build_toolkit; done
    # Some attack the simulator, even if there is a GPU.
    ! toolkit_make have-nvcc || toolkit_make -j "$(nproc)" cudasim-library >&2 ||
        fail "the simulator does not build: see above"
    toolkit_make submission SUBMISSION=problems/editdistance/submissions/accepted/bitparallel.c >&2 || fail 'see above'
    toolkit_make "${build#"$root"/}/tests/container" >&2 || fail 'see above'
    toolkit_make "${build#"$root"/}/seal" >&2 || fail 'see above'
    "$build/seal" make "$json/seal" --name attack > /dev/null
    # Outside of the room, so that they do not count as leftovers.
    trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
    for ((i = 0; i < load; i++)); do (while :; do :; done) & done
fi
clean_room_enter "$json" --json "$json" ${within:+--container} "${files[@]}"
read_fields "${files[@]}"

# judged FILE: its verdict and what else is to be known, in $json/NAME.json and NAME.seconds.
judged() {
    local file=$1 name problem options cases seconds start=$EPOCHREALTIME
    name=$(basename "$file")
    problem=${field[$file Problem]:-} options=${field[$file Options]:-}
    [ "${field[$file Imports]:-}" != any ] || options="$options --any-imports"
    rm -f "$json/$name.json"
    if [[ " $options " != *' --group '* && " $options " != *' --case '* ]]; then
        cases=${problem:+--group sample}
        cases=${cases:---case sample/1-small}
    fi
    if [ "${field[$file Sealed]:-}" = yes ]; then
        options+=" --seal $json/seal/seal-secret.json --judgement $((1 + $(cksum <<< "$name" | cut -d ' ' -f 1)))"
        options+=" --show-secret --public-json $json/$name.public"
    fi
    # What attacks the compiler is waited for no longer than must be.
    [[ $name == compile_* ]] && seconds=${COMPILE_SECONDS:-20} || seconds=120
    # shellcheck disable=SC2086
    COMPILE_SECONDS=$seconds timeout -k 5 300 "${within[@]}" "$root/run_scripts/judge.sh" "$file" \
        "${problem:-editdistance}" ${cases:-} --time-limit 2 --json "$json/$name.json" $options \
        > "$json/$name.log" 2>&1 || true
    awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f\n", b - a }' > "$json/$name.seconds"
}

# complaints FILE: the differences from the expected result, in words; nothing if there are none.
complaints() {
    local file=$1 result must got says open
    result=$json/$(basename "$file").json must=${field[$file Expect]} says=${field[$file Says]:-}
    got=$(jq -r .verdict "$result" 2> /dev/null || echo none)
    [[ "|$must|" == *"|$got|"* ]] || echo "verdict $got; "
    [ "$got" != AC ] || [[ $file == *_honest* ]] || echo 'an attack is accepted; '
    [ "$got" != none ] || return 0
    # Where every case is judged, every case must be as the whole.
    if [[ ${field[$file Options]:-} == *--keep-going* ]]; then
        jq -r '.cases[].verdict' "$result" | while read -r got; do
            [[ "|$must|" == *"|$got|"* ]] || echo "verdict $got of a case; "
        done
    fi
    open=$result
    if [ "${field[$file Sealed]:-}" = yes ]; then
        open=${result%.json}.public
        jq -r '.cases[] | .message, .answer, .output | strings | scan("[0-9]{3,}")' "$result" |
            grep -wFf - <(jq '.cases[] | del(.inputs)' "$open") | sed 's/.*/its public form tells &; /' || true
    fi
    [ -z "$says" ] || jq -e --arg says "$says" '.message | contains($says)' "$open" > /dev/null ||
        echo "it does not say '$says'; "
    jq -r '.cases[] | select(.end_seconds > 1) | "its processes took \(.end_seconds) s to end; "' "$result"
    jq -r '.message | capture("the limit of (?<limit>[0-9.]+) s and was stopped after (?<held>[0-9.]+) s") |
        select((.held | tonumber) > (.limit | tonumber) + 1) | "held the host for \(.held) s; "' "$result"
}

# honest_is_accepted FAMILY: a submission of the kind that its attacks are.
honest_is_accepted() {
    local so=$build/submissions/editdistance/problems/editdistance/submissions/accepted/bitparallel.c/device_user.so
    [ "$1" != cuda ] || so=$build/submissions/editdistance.so
    timeout 60 "${within[@]}" "$build/main_host" editdistance --submission "$so" --case sample/1-small \
        > "$json/honest.log" 2>&1
}

row='%-33s %-5s %-12s %7s  %s\n'
failures=0 count=0 family=''
# end_family: all of $family are judged by now.
end_family() {
    local left
    [ -n "$family" ] || return 0
    left=$(clean_room_left)
    if [ -n "$left" ]; then
        echo "FAILED: the family '$family' left behind:"$'\n'"$left"
        failures=$((failures + 1))
    fi
    if ! honest_is_accepted "$family"; then
        echo "FAILED: after the family '$family' an honest submission is not accepted:"
        cat "$json/honest.log"
        failures=$((failures + 1))
    fi
}

# tell FILE: its row.
tell() {
    local name words message
    name=$(basename "$1") words=$(complaints "$1" | tr -d '\n')
    message=$(jq -r .message "$json/$name.json" 2> /dev/null || true)
    message=${message//"$root/"/} # a table is the same wherever the toolkit lies
    count=$((count + 1))
    [ -z "$words" ] || failures=$((failures + 1))
    # shellcheck disable=SC2059
    printf "$row" "$name" "$(jq -r .verdict "$json/$name.json" 2> /dev/null || echo none)" "${field[$1 Expect]:-}" \
        "$(cat "$json/$name.seconds")" \
        "${words:+FAILED: $words}${message:0:120}"
}

# shellcheck disable=SC2059
printf "$row" attack got must 'time s' message
jobs=${JOBS:-$(($(nproc) < 2 ? 1 : 2))}
declare -a batch=()
# flush: judges the gathered exploits, and reports the results.
flush() {
    local file running=0
    for file in "${batch[@]}"; do
        [ $running -lt "$jobs" ] || { wait -n || true; running=$((running - 1)); }
        judged "$file" &
        running=$((running + 1))
    done
    wait
    for file in "${batch[@]}"; do tell "$file"; done
    end_family
    batch=()
}
for file in "${files[@]}"; do
    name=$(basename "$file")
    [ -n "${field[$file Expect]:-}" ] || fail "$file does not say what it must get"
    if [ "${field[$file Needs]:-}" = gpu ] && [ ! -e /dev/nvidiactl ]; then
        # shellcheck disable=SC2059
        printf "$row" "$name" - "${field[$file Expect]:-}" - 'needs a GPU'
        continue
    fi
    [ -z "${within[*]}" ] || [ -z "${field[$file Box]:-}" ] || continue
    [ "${name%%_*}" = "$family" ] || flush
    family=${name%%_*}
    batch+=("$file")
done
flush
echo "$count attacks and honest twins, $failures of them not as they must be"
[ $failures -eq 0 ]
