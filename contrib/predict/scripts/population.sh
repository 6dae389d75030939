#!/bin/bash
# The validation set of public programs: population.sh COMMAND [OPTION...]. See contrib/predict/population/README.md.
#
#   build [--jobs N] [--first N] [--from FOLDER]     fetches, builds and counts programs, in the rule's order
#   count [--jobs N] [--only REGEX]                  counts the features of what is built again
#   pack FOLDER [--first N] [--skip FOLDER/out]      what the GPU's machine needs, without programs timed before
#   rows FOLDER/out...                               matches counts and times, and writes contrib/predict/population
#   recount                                          puts what was counted since into all committed features
#   join [--locked | --DRAW]                         build/predict/population/public.csv: a line per shape
#   errors [--locked | --DRAW] [--model MODEL] [--worst N]
#                                                    compares predictions with times. The default model learns from all
#                                                    public rows: of these, predictions are compared which a model made
#                                                    that had not learned from the row's program
#   overhead [--only REGEX]                          what counting adds to the simulation of what is built
#   instructions FOLDER/out                          counted beside what a GPU executed
#
# --fresh is the second draw: programs that the first has not reached, in an order of their own. --next is the third:
# programs of neither, and --last the fourth: all that are left. --courses is the fifth: programs of courses and books,
# of a list of their own, timed on an H100. --benchmarks is the sixth: programs of three suites of benchmarks, likewise.
# --students is the seventh: programs of students and teachers, of a list of their own. --collections is the eighth, and
# --rest the ninth: what no draw before took of the same suites. --labs is the tenth: of eight other repositories.
# --left is the eleventh: what no list has of HeCBench's folders a to l. --others is the twelfth: programs of 25
# repositories that no list had. They have lists of their own as well. --DRAW is one of these.
#
# The rule's order and halves are digests of names. Exit codes: 0 done, 2 usage, 3 the toolkit failed.

# shellcheck disable=SC2034
. "$(dirname "$0")/../../../run_scripts/lib/lib.sh"
help_asked "$@"
. "$root/run_scripts/lib/sim_build.sh"
. "$root/run_scripts/lib/suites.sh"

here=$root/contrib/predict/population scripts=$root/contrib/predict/scripts
tables=$root/tests/population
top=$build/predict/population work=$build/predict/population/src
command=${1:-} jobs=1 first=9999 from='' only=. skip='' locked='' fresh='' model='' worst=10 words=()
[ $# -eq 0 ] || shift
while [ $# -gt 0 ]; do
    case $1 in
    --locked) locked=1 && shift && continue ;;
    --fresh | --next | --last | --courses | --benchmarks | --students | --collections | --rest | --labs | --left | \
        --others)
        fresh=${1#--} && shift && continue ;;
    --jobs | --first | --worst)
        [[ ${2:-} =~ ^[1-9][0-9]{0,3}$ ]] || refuse "$1: '${2:-}' is not a number from 1 to 9999" ;;
    --from | --only | --skip | --model) [ $# -gt 1 ] || refuse "option '$1' needs a value; see --help" ;;
    -*) refuse "unknown option '$1'; see --help" ;;
    *) words+=("$(realpath -m "$1")") && shift && continue ;;
    esac
    printf -v "${1#--}" %s "$2" && shift 2
done
# The programs of a draw, and what came of them.
table=$here/${fresh:+$fresh-}programs.csv
[ -z "$from" ] || from=$(realpath -e -- "$from" 2> /dev/null) || refuse 'cannot open the folder of --from'

# The programs' list, and the GPU that timed them.
list=$here/list.tsv card=h200
[ ! -e "$here/$fresh-list.tsv" ] || list=$here/$fresh-list.tsv
[[ $fresh != courses && $fresh != benchmarks ]] || card=h100

# Limits of the rule: launches of a program; seconds of processor time and KB of memory for counting.
launches=40 seconds=20 memory=6000000

# digest TEXT: its SHA-256.
digest() { printf %s "$1" | sha256sum | cut -d ' ' -f 1; }

# half NAME: open, locked, or the draw.
half() {
    [ -z "$fresh" ] || { echo "$fresh" && return; }
    [[ $(digest "predict-half $1") == [0-7]* ]] && echo open || echo locked
}

# programs: the lines of the list in the rule's order, the first ones: name, suite, folder, build, run.
programs() {
    local name rest
    while IFS=$'\t' read -r name rest; do
        [[ $name != '#'* && -n $name ]] || continue
        [ -z "$fresh" ] || ! grep -q "^$name," "$here/programs.csv" || continue
        [[ $fresh != next && $fresh != last ]] || ! grep -q "^$name," "$here/fresh-programs.csv" || continue
        [ "$fresh" != last ] || ! grep -q "^$name," "$here/next-programs.csv" || continue
        printf '%s\t%s\t%s\n' "$(digest "predict-${fresh:-population} $name")" "$name" "$rest"
    done < "$list" | LC_ALL=C sort | head -n "$first" | cut -f 2-6
}

# own_run: the arguments that the Makefile of this folder runs its program with; nothing if there is none.
own_run() { make -n run 2> /dev/null | sed -nE 's/^ *(\.\/[^;&|]*[^;&| ]) *$/\1/p' | head -n 1; }

# build_one NAME SUITE FOLDER BUILD: builds it, where that is not done.
build_one() {
    local how=$4
    [ ! -e "$top/built/$1" ] || return 0
    how=${how//-DMINI_DATASET /}
    (cd "$work/$2/$3" && ulimit -t 300 && timeout 900 bash -c "$how") > "$top/log/$1.build" 2>&1 < /dev/null ||
        return
    : > "$top/built/$1"
}

# watch PID SECONDS: ends the program after SECONDS of the clock, or if it takes more memory than the rule allows.
watch() {
    local kilobytes end=$((SECONDS + $2))
    while kilobytes=$(awk '/^VmRSS/ { print $2 }' "/proc/$1/status" 2> /dev/null) && [ -n "$kilobytes" ]; do
        [ "$kilobytes" -le "$memory" ] && [ "$SECONDS" -lt "$end" ] || { kill -KILL "$1" && return; }
        sleep 0.2
    done
}

# simulate FILE SAMPLE COMMAND SECONDS LOG: the features of a run's first launches, to FILE: whole lines only.
simulate() {
    local pipe pid reader
    exec {pipe}> >(head -n $((launches + 1)) > "$1.part")
    reader=$!
    (
        ulimit -t "$4" -c 0
        [ "$2" -eq 0 ] || export CUDASIM_SAMPLE=$2
        export CUDASIM_CHECK=none CUDASIM_PROFILE=$card CUDASIM_WORKERS=1 CUDASIM_FEATURES=/dev/fd/$pipe
        export LD_LIBRARY_PATH=$build/cudasim${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        eval "exec $3"
    ) > "$5" 2>&1 < /dev/null &
    pid=$!
    exec {pipe}>&-
    watch "$pid" $(($4 * 15))
    wait "$pid" 2> /dev/null || true
    wait "$reader" || true
    awk -F, 'NR == 1 { n = NF } NF == n' "$1.part" > "$1"
    rm -f "$1.part"
}

# chosen NAME: own or listed, as $table says of a program that has rows.
chosen() { awk -F, -v name="$1" '$1 == name && $NF == "row" { print $4 }' "$table" 2> /dev/null || true; }

# count_one NAME SUITE FOLDER RUN: counts/NAME.csv, by the first arguments with which a launch is counted. What was
# chosen before stays.
count_one() {
    local name=$1 listed=$4 own before='' run kind
    local file=$top/new/$name.csv
    cd "$work/$2/$3"
    own=$([ "$2" != hecbench ] || own_run)
    before=$(cut -f 1 "$top/runs/$name" 2> /dev/null || chosen "$name")
    for kind in own listed; do
        run=$([ $kind = own ] && echo "$own" || echo "$listed")
        [ -n "$run" ] && [[ -z $before || $before == "$kind" ]] || continue
        simulate "$file" 64 "$run" "$seconds" "$top/log/$name.$kind"
        [ "$(wc -l < "$file")" -gt 1 ] || continue
        printf '%s\t%s\n' $kind "$run" > "$top/runs/$name"
        count_whole "$file" "$run" "$name"
        mv "$file" "$top/counts/$name.csv"
        return
    done
    rm -f "$file" "$top/counts/$name.csv"
}

# count_whole FILE RUN NAME: a sample leaves wrong data, which launches after it may read. So a program with sampled
# launches is run again in full. Its launches replace those of the sample as far as it comes.
count_whole() {
    if awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "executed") at = i } NR > 1 && $at < 1 { any = 1 }
            END { exit !any }' "$1"; then
        simulate "$1.whole" 0 "$2" "$seconds" "$top/log/$3.whole"
    else
        : > "$1.whole"
    fi
    awk 'FNR == 1 { if (NR == 1 || !header++) print "sample," $0; if (NR > 1 || FNR != NR) first = 1; next }
        FILENAME == ARGV[1] { print "0," $0; whole = FNR; next }
        FNR > whole { print "64," $0 }' "$1.whole" "$1" | awk '!(/^sample/ && seen++)' > "$1.both"
    mv "$1.both" "$1"
    rm -f "$1.whole"
}

# one NAME SUITE FOLDER BUILD RUN: builds and counts a program, and says what came of it.
one() {
    if ! build_one "$@"; then
        echo "$1: does not build" >&2
        return
    fi
    [ "$command" = count ] || [ ! -e "$top/counts/$1.csv" ] || return 0
    # What this simulator counted still holds.
    [ ! "$top/counts/$1.csv" -nt "$build/cudasim/libcudart.so.13" ] || return 0
    count_one "$1" "$2" "$3" "$5"
    echo "$1: $(wc -l 2> /dev/null < "$top/counts/$1.csv" || echo no) lines" >&2
}

build_and_count() {
    local name suite folder how run
    mkdir -p "$top"/{built,counts,log,new,runs} "$work"
    toolkit_make cudasim-library >&2 || fail 'the simulator does not build: see above'
    flags=() explain=1 architecture=90
    command_environment
    export LC_ALL=C
    while IFS=$'\t' read -r name suite folder how run <&3; do
        [[ $name =~ $only ]] && { [ "$command" = build ] || [ -e "$top/built/$name" ]; } || continue
        suite "$suite"
        while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
        (one "$name" "$suite" "$folder" "$how" "$run") &
    done 3< <(programs)
    wait
}

case $command in
build | count) build_and_count ;;
pack | rows | recount | join | errors | overhead | instructions)
    # shellcheck disable=SC1090 # parts of this script
    . "$scripts/population_$command.sh" ;;
*) usage 'population.sh build|count|pack|rows|recount|join|errors|overhead|instructions [OPTION...]; see --help' ;;
esac
