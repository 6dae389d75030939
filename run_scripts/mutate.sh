#!/bin/bash
# Makes mutants of a problem's accepted submissions and shows those that no case catches: mutate.sh PROBLEM [options]
#
#   --count N     number of mutants of C sources, 1 to 100000 (default: 180)
#   --cuda N      number of mutants of CUDA sources, 0 to 100000 (default: 64); they run on the simulator
#   --seed S      the seed of the random choice (default: 1)
#   --calls N     calls of device_user() per case, in one process and with new inputs, 1 to 9 (default: 1)
#   --least N     fail if fewer than N mutants compile (default: 0)
#   --source NAME change only this source, a path below submissions/accepted
#   --sources FOLDER, --list FILE   another folder of accepted submissions, another list
#   --phase draw|judge|report   run one step. draw makes the mutants. judge judges those not judged before; it needs no
#                 libclang. report compares the judged ones with the list
#   --id N        judge only mutant N, and print the host's output
#
# A mutant is a source with one place changed (contrib/mutate). Each mutant is built and judged case by case until one
# case fails, cheap cases first. JOBS=N judges N at a time (default: one per processor). A mutant that survives shows a
# missing case, or does the same as its original. tests/mutants/PROBLEM.txt lists the equivalent ones with reasons:
#
#   leave SOURCE: REASON          make no mutants of that source
#
#   SOURCE FUNCTION OPERATOR      the key of one mutant: three lines as this script prints them. Several keys may come
#   - CODE                        before one reason
#   + CODE
#   = REASON
#
# In a key, * matches every source, function or operator. A line of code that ends with ... matches all lines with that
# beginning. A key also matches its twins (OPERATOR#2).
#
# A source is judged in the league that it names (league: NAME), in every league if it says "both leagues", else in the
# first. On the simulator, a report of a race or of unwritten memory is a failure too. A mutant with the machine code or
# PTX of its original is no survivor. A case counts only if the original takes at most CASE_SECONDS (2), on the
# simulator SIM_SECONDS (0.5). The results go to build/mutate/PROBLEM/results.{tsv,json}.
# Exit code 1: a survivor is not in the list, or a list entry matches no mutant.

# shellcheck disable=SC2317
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
line='mutate.sh PROBLEM [--count N] [--cuda N] [--seed S] [--calls N] [--least N] [--source NAME] [--sources FOLDER]
       [--list FILE] [--phase draw|judge|report] [--id N]'
[ $# -ge 1 ] || usage "$line"
problem=$1
shift
problem_exists "$problem"
count=180 cuda=64 seed=1 calls=1 least=0 only='' id='' phase=both
accepted=problems/$problem/submissions/accepted list=tests/mutants/$problem.txt
# number NAME VALUE MOST
number() {
    [[ $2 =~ ^(0|[1-9][0-9]{0,18})$ ]] && [ "$2" -le "$3" ] || refuse "$1 '$2': use a number up to $3"
}
while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || usage "$line"
    case $1 in
    --count) number "$1" "$2" 100000; count=$2 ;;
    --cuda) number "$1" "$2" 100000; cuda=$2 ;;
    --seed) number "$1" "$2" 9223372036854775807; seed=$2 ;;
    --calls) number "$1" "$2" 9; calls=$2; [ "$calls" -gt 0 ] || refuse '--calls 0: use a number from 1 to 9' ;;
    --least) number "$1" "$2" 100000; least=$2 ;;
    --source) only=$2 ;;
    --sources) [ -d "$2" ] || refuse "--sources: there is no folder '$2'"; accepted=$(realpath "$2") ;;
    --list) [ -f "$2" ] || refuse "--list: there is no file '$2'"; list=$(realpath "$2") ;;
    --phase) [[ $2 =~ ^(draw|judge|report)$ ]] || refuse "--phase '$2': use draw, judge or report"; phase=$2 ;;
    --id) number "$1" "$2" 200000; id=$2 ;;
    *) usage "$line" ;;
    esac
    shift 2
done
[ $((count + cuda)) -gt 0 ] || refuse 'there are no mutants to make: --count and --cuda are 0'
jobs=${JOBS:-$(nproc)}
[[ $jobs =~ ^[1-9][0-9]?$ ]] || refuse "JOBS=$jobs must be a number from 1 to 99: how many mutants to judge at a time"
cd "$root"
folder_made "$build"
out=$build/mutate/$problem
[ -e "$list" ] || list=/dev/null

# left_out NAME: the list's reason not to change that source.
left_out() { awk -v start="leave $1: " 'index($0, start) == 1 { print substr($0, length(start) + 1) }' "$list"; }

# named LANGUAGE: prints the sources below $accepted, and the headers with code of CUDA submissions.
named() {
    local suffix='cuh?'
    [ "$1" = cu ] || suffix=c
    (cd "$accepted" && find . -regex ".*\\.$suffix" -printf '%P\n' | LC_ALL=C sort)
}

# language NAME: c or cu, by which a source is compiled, linked and run.
language() { [[ $1 == *.c ]] && echo c || echo cu; }

# sources LANGUAGE: prints the jury's sources that are changed. OpenCL sources are not: their kernels are built when
# they run, and their host code does nothing else.
sources() {
    local name
    named "$1" | while read -r name; do
        [ -z "$only" ] || [ "$name" = "$only" ] || continue
        [[ $name != */* ]] || ! compgen -G "$accepted/${name%%/*}/*.cl" > /dev/null || continue
        [ -n "$(left_out "$name")" ] || echo "$name"
    done
}
mapfile -t c_sources < <(sources c)
mapfile -t cu_sources < <(sources cu)
[ "$cuda" -gt 0 ] || cu_sources=()
[ "$count" -gt 0 ] || c_sources=()
[ $((${#c_sources[@]} + ${#cu_sources[@]})) -gt 0 ] || refuse "$accepted has no source ${only:+$only }to change"

# ---- what is built once ----

export PROBLEM=$problem
build_toolkit
[[ $phase =~ ^(judge|report)$ ]] || toolkit_make mutate-program >&2 ||
    fail 'the program that makes mutants does not build: see above'
if [ ${#cu_sources[@]} -gt 0 ]; then
    toolkit_make have-nvcc || refuse 'mutants of CUDA sources need nvcc: omit them with --cuda 0'
    toolkit_make -j "$(nproc)" cudasim-library >&2 || fail 'the simulator does not build: see above'
fi
declare -A command=()
while read -r name words; do command[$name]=$words; done < <(toolkit_make print-mutate)

# compile LANGUAGE SOURCE OBJECT ORIGINAL: compiles as 30-submission.mk does, but only for the simulator. The object
# does not contain the file's folder, so that equal code makes equal objects.
compile() {
    local map=()
    [ "$1" != c ] || map=("-fmacro-prefix-map=$(dirname "$2")/=")
    # shellcheck disable=SC2086
    timeout 300 ${command[$1]} "${map[@]}" -I"$(dirname "$accepted/$4")" -c -o "$3" "$2"
}

# link LANGUAGE SO OBJECT...
link() {
    # shellcheck disable=SC2086
    timeout 60 ${command[link-$1]} -o "$2" "${@:3}" -lm
}

# leagues_for NAME: prints the league that a source names, or all leagues if it says "both leagues", as leagues may have
# different cases. Otherwise prints - for the first league.
leagues_for() {
    local file=$accepted/${1%%/*} league
    league=$(league_of "$file")
    if grep -rqi 'both leagues' "$file"; then
        league=$(sed -n '/^leagues:/,/^[^ #]/s/^  \([a-z0-9_]*\):.*/\1/p' "problems/$problem/gpu.yaml")
    fi
    echo "${league:--}"
}

# host LEAGUE SO NAME-OF-ORIGINAL OPTION...
host() {
    local device=(--device cpu)
    [[ $3 == *.c ]] || device=(--device sim --sim-workers 1)
    [ "$1" = - ] || device+=(--league "$1")
    "$build/main_host" "$problem" --submission "$2" "${device[@]}" --repeat "$calls" --memory-limit 4096 \
        "${@:4}"
}

# original NAME: builds it and writes $out/original/NAME/cases: seconds, name and league of each case to judge on, in
# the order of judging.
original() {
    local name=$1 folder=$out/original/$1 file suffix league objects=() limit=${CASE_SECONDS:-2}
    suffix=$(language "$name")
    mkdir -p "$folder"
    for file in "$accepted/${name%%/*}" "$accepted/${name%%/*}"/*."$suffix"; do
        [ -f "$file" ] || continue
        compile "$suffix" "$file" "$folder/$(basename "$file").o" "$name" || return 1
        objects+=("$folder/$(basename "$file").o")
    done
    link "$suffix" "$folder/device_user.so" "${objects[@]}" || return 1
    [ "$suffix" = c ] || limit=${SIM_SECONDS:-0.5}
    : > "$folder/all"
    for league in $(leagues_for "$name"); do
        rm -f "$folder/result.json"
        host "$league" "$folder/device_user.so" "$name" --group all --keep-going --time-limit "$limit" \
            --json "$folder/result.json" > "$folder/log" 2>&1 || true
        if ! jq -e 'all(.cases[].verdict; . == "AC" or . == "TLE")' "$folder/result.json" > "$folder/sound"; then
            tail -n 5 "$folder/log"
            return 1
        fi
        ! grep '^  | cudasim: ' "$folder/log" || return 1
        jq -r --arg league "$league" '.cases[] | select(.verdict == "AC") |
            [(.name | startswith("sample/") | not), .seconds.max, .name, $league] | @tsv' "$folder/result.json" \
            >> "$folder/all"
    done
    LC_ALL=C sort -k1,1 -k2,2g "$folder/all" | cut -f 2- > "$folder/cases"
    [ -s "$folder/cases" ] || { echo "$1: no case was judged: see $folder/log"; return 1; }
}

# ---- one mutant ----

# judge ID: builds $out/ID and writes its verdict and the case to $out/ID/result: CE, SAME, AC if it survives.
judge() {
    local folder=$out/$1 name suffix changed file same=yes objects=() object seconds case league verdict=AC status
    [ "$phase" != judge ] || [ ! -s "$folder/result" ] || return 0
    name=$(sed -n '1s/ .*//p' "$folder/key") suffix=$(language "$name")
    changed=("$folder/$(basename "$name")")
    if [[ $name == *.cuh ]]; then
        # A header: every source of its folder may include it, from beside itself.
        cp -r "$accepted/${name%/*}" "$folder/copy"
        mv "${changed[0]}" "$folder/copy/"
        changed=("$folder/copy"/*.cu)
    fi
    for file in "${changed[@]}"; do
        object=$folder/$(basename "$file").o
        if ! compile "$suffix" "$file" "$object" "$name" > "$folder/log" 2>&1; then
            echo CE > "$folder/result"
            return
        fi
        cmp -s "$object" "$out/original/$name/$(basename "$object")" || same=no
        objects+=("$object")
    done
    if [ $same = yes ]; then
        echo SAME > "$folder/result"
        rm -f "$folder"/*.o
        return
    fi
    for object in "$out/original/$name"/*.o; do
        [ -e "$folder/$(basename "$object")" ] || objects+=("$object")
    done
    if ! link "$suffix" "$folder/device_user.so" "${objects[@]}" > "$folder/log" 2>&1; then
        echo CE > "$folder/result"
        return
    fi
    case=-
    while read -r seconds case league; do
        rm -f "$folder/result.json"
        status=0
        host "$league" "$folder/device_user.so" "$name" --case "$case" --json "$folder/result.json" \
            --time-limit "$(limit "$seconds" "$suffix")" > "$folder/log" 2>&1 || status=$?
        if [ $status -eq 0 ]; then
            # A race or unwritten memory: the answer is right only by chance.
            ! grep -q '^  | cudasim: ' "$folder/log" || { verdict=SIM; break; }
            continue
        fi
        verdict=$(sed -n 's/^  "verdict": "\(.*\)",$/\1/p' "$folder/result.json" 2> /dev/null || true)
        break
    done < "$out/original/$name/cases"
    [ "$verdict" != AC ] || case=-
    echo "${verdict:-JE} $case" > "$folder/result"
    rm -f "$folder"/*.o "$folder/device_user.so" "$folder/result.json"
}

# limit SECONDS LANGUAGE: prints the time limit of a mutant whose original took SECONDS.
limit() { awk -v s="$1" -v least="$([ "$2" = c ] && echo 1 || echo 2)" 'BEGIN { print least + 5 * s }'; }

# pool FUNCTION ARGUMENT...: calls it with each argument, $jobs at a time; false if one failed.
pool() {
    local function=$1 running=0 failed=0 argument
    shift
    for argument; do
        [ $running -lt "$jobs" ] || { wait -n || failed=1; running=$((running - 1)); }
        "$function" "$argument" < /dev/null &
        running=$((running + 1))
    done
    while [ $running -gt 0 ]; do
        wait -n || failed=1
        running=$((running - 1))
    done
    return $failed
}

# ---- keys ----

# keys FILE...: three lines of a key as one, with tabs between.
keys() { awk '/^- / { b = $0; next } /^\+ / { print k "\t" b "\t" $0; next } { k = $0 }' "$@"; }
# listed: prints the keys in the list.
listed() { grep -vE '^(#|leave |=|$)' "$list" | keys || true; }
# matched LISTED KEYS: prints the number of each line of KEYS that an entry of LISTED matches, and the entry's number.
matched() {
    awk -F '\t' '
        function is(entry, line) { # a line of code
            if (substr(entry, length(entry) - 2) == "...") {
                open = 1
                return index(line, substr(entry, 1, length(entry) - 3)) == 1
            }
            return entry == line
        }
        FNR == NR { head[++n] = $1; before[n] = $2; after[n] = $3; next }
        {
            split($1, key, " ")
            for (i = 1; i <= n; i++) {
                split(head[i], want, " ")
                open = want[1] == "*" || want[2] == "*" || want[3] == "*"
                if ((want[1] != "*" && want[1] != key[1]) || (want[2] != "*" && want[2] != key[2]) ||
                    !is(before[i], $2) || !is(after[i], $3))
                    continue
                twinless = substr(key[3], 1, index(key[3] "#", "#") - 1)
                if (want[3] == key[3] || want[3] == "*" || (open && want[3] == twinless))
                    print FNR "\t" i "\t" (open ? "open" : "exact")
            }
        }' "$1" "$2"
}

# draw LANGUAGE COUNT FIRST SOURCE...: draws equally many mutants of each source, of any length, numbered from FIRST.
draw() {
    local words i=0 source start end sources=$(($# - 3))
    read -ra words <<< "${command[parse-$1]}"
    for source in "${@:4}"; do
        start=$(($2 * i / sources)) i=$((i + 1))
        end=$(($2 * i / sources))
        [ $end -gt $start ] || continue
        "$build/mutants" --out "$out" --root "$accepted" --count $((end - start)) --first $(($3 + start)) \
            --seed "$seed" "$accepted/$source" -- "${words[@]}" || fail 'no mutants were made: see above'
    done
}
possible() { # LANGUAGE
    local words all=()
    mapfile -t all < <(named "$1" | sed "s|^|$accepted/|")
    read -ra words <<< "${command[parse-$1]}"
    [ ${#all[@]} -eq 0 ] || "$build/mutants" --list --root "$accepted" "${all[@]}" -- "${words[@]}"
}

if [ -n "$id" ]; then
    id=$(printf '%05d' "$id")
    [ -d "$out/$id" ] || refuse "there is no mutant $id in $out: make them first, without --id"
    judge "$id"
    cat "$out/$id/key" "$out/$id/result" "$out/$id/log"
    exit 0
fi
if [[ $phase =~ ^(draw|both)$ ]]; then
    rm -rf "$out"
    mkdir -p "$out"
    echo "mutants of $problem, seed $seed:"
    [ ${#c_sources[@]} -eq 0 ] || draw c "$count" 1 "${c_sources[@]}"
    [ ${#cu_sources[@]} -eq 0 ] || draw cu "$cuda" $((count + 1)) "${cu_sources[@]}"
    {
        possible c
        ! toolkit_make have-nvcc || possible cu
    } | keys > "$out/possible"
fi
[ -e "$out/possible" ] || refuse "nothing was drawn in $out: run it without --phase judge"
[ "$phase" != draw ] || exit 0
mapfile -t ids < <(cd "$out" && echo [0-9]* | tr ' ' '\n')
if [ "$phase" != report ]; then
    pool original "${c_sources[@]}" "${cu_sources[@]}" || fail 'an original is not accepted: see above'
    pool judge "${ids[@]}" || fail 'a mutant could not be judged: see above'
fi

# ---- the report ----

listed > "$out/listed"
for id in "${ids[@]}"; do keys "$out/$id/key"; done > "$out/keys"
matched "$out/listed" "$out/keys" | LC_ALL=C sort -k1,1n -k3,3 |
    awk '!seen[$1]++ { print $1 "\t" $3 }' > "$out/matched"
for id in "${ids[@]}"; do
    read -r verdict case < "$out/$id/result" || fail "mutant $id was not judged: run it without --phase"
    printf '%s\t%s\t%s\n' "$id" "$verdict" "${case:--}"
done | paste - "$out/keys" | awk -F '\t' -v OFS='\t' -v file="$out/matched" '
    BEGIN { while ((getline line < file) > 0) { split(line, part, "\t"); entry[part[1]] = part[2] } }
    {
        on = NR in entry ? entry[NR] : "no"
        if ($2 == "AC")
            $2 = on == "no" ? "SURVIVED" : "EQUIVALENT"
        print $1, $2, $3, on, $4, $5, $6
    }' > "$out/results.tsv"
jq -R -s --arg problem "$problem" --argjson seed "$seed" '{problem: $problem, seed: $seed, mutants: [split("\n")[] |
    select(. != "") | split("\t") | {id: .[0], result: .[1], case: .[2], key: .[4:7]}]}' "$out/results.tsv" \
    > "$out/results.json"

figures() { awk -F '\t' -v want="$1" '$2 ~ want { n++ } END { print n + 0 }' "$out/results.tsv"; }
failures=0
compiled=$((${#ids[@]} - $(figures '^CE$')))
killed=$(figures '^(WA|RTE|TLE|MLE|SV|SIM)$')
printf '%s: %d made, %d compiled, %d killed (' "$problem" ${#ids[@]} $compiled "$killed"
for verdict in WA RTE TLE MLE; do printf '%s %d, ' $verdict "$(figures "^$verdict\$")"; done
printf 'SV %d, errors from the simulator %d), %d with the same machine code, %d listed as equivalent, %d survive\n' \
    "$(figures '^SV$')" "$(figures '^SIM$')" "$(figures '^SAME$')" "$(figures '^EQUIVALENT$')" "$(figures '^SURVIVED$')"
if [ "$(figures '^SURVIVED$')" -gt 0 ]; then
    failures=1
    echo 'these survive: add a case that fails them, or a list entry with the reason why no case can:'
    awk -F '\t' '$2 == "SURVIVED" { print "\n# " $1 "\n" $5 "\n" $6 "\n" $7 }' "$out/results.tsv"
fi
if [ "$(figures '^JE$')" -gt 0 ]; then
    failures=1
    echo 'the judge itself failed on these:'
    awk -F '\t' '$2 == "JE" { print $1 }' "$out/results.tsv"
fi
stale=$(awk -F '\t' 'FILENAME == ARGV[1] { found[$2] = 1; next } !(FNR in found)' \
    <(matched "$out/listed" "$out/possible") "$out/listed")
if [ -n "$stale" ]; then
    failures=1
    echo "$list has entries that match no mutant; remove them:"
    tr '\t' '\n' <<< "$stale"
fi
wrong=$(awk -F '\t' '
    $4 == "exact" && $2 != "EQUIVALENT" && $2 != "CE" && $2 != "TLE" {
        print "# " $1 " " $2 " " $3 "\n" $5 "\n" $6 "\n" $7
    }' "$out/results.tsv")
if [ -n "$wrong" ]; then
    failures=1
    echo "$list calls these equivalent, but they are not accepted or have the same machine code; remove them:"
    echo "$wrong"
fi
if [ "$compiled" -lt "$least" ]; then
    failures=1
    echo "fewer than $least mutants compiled: raise --count or --cuda"
fi
if [ "$killed" -eq 0 ]; then
    failures=1
    echo 'no mutant was killed: the cases catch nothing, or nothing was judged'
fi
exit $failures
