#!/bin/bash
# Measures two builds of the simulator side by side on public programs: bench_population.sh OLD [OPTION...]
#
# OLD is a folder with another libcudart.so.13, for example of an older commit. The programs are those of
# tests/population/programs.tsv, in an order that a seed draws. Each runs in turn on both simulators, with the default
# settings and the same executable. The first ones that run right on both count.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
. "$root/run_scripts/lib/sim_build.sh"
. "$root/run_scripts/lib/suites.sh"

help() {
    cat << 'END_OF_HELP'
usage: bench_population.sh OLD [OPTION...]
Runs public programs on the simulator of this tree and on the one in the folder OLD, and prints the times of both.

  --programs N        how many programs count (default: 40)
  --seed N            draws the order of the programs (default: 26)
  --repeats N         runs of each program on each simulator; the medians count (default: 3)
  --seconds N         processor time for a run (default: 20), and 100 times as long by the clock
  --new FOLDER        the new simulator (default: the one of this tree)
  --unchecked         the old simulator runs without checks: what checks cost, if OLD is the same simulator. Both have
                      one worker then
  --half odd|even     only the programs at odd or even places of the order: tune on one half, report the other
  --from FOLDER       take a suite from FOLDER/SUITE where that exists, instead of fetching it
  --help

columns: seconds by the clock on the old and on the new simulator, seconds of processor time on both; the program
A simulator that needs longer than the limit counts with the limit, and '>' stands before its time. Programs that
neither simulator finishes, or that do not run right on one of them, are named in a comment and do not count.
END_OF_HELP
}

tables=$root/tests/population from='' unchecked='' programs=40 seed=26 repeats=3 limit=20 half='' new=$build/cudasim
list=$tables/programs.tsv
[[ ${1:-} != --help ]] || { help && exit 0; }
old=$(realpath -e -- "${1:-}" 2> /dev/null) && [ -e "$old/libcudart.so.13" ] ||
    refuse "the first argument must be a folder with libcudart.so.13; see --help"
shift
while [ $# -gt 0 ]; do
    [ "$1" != --unchecked ] || { unchecked=1 CUDASIM_WORKERS=1 && export CUDASIM_WORKERS && shift && continue; }
    case $1 in --programs | --seed | --repeats | --seconds | --from | --half | --new) ;; --help) help && exit 0 ;;
    *) refuse "unknown option '$1'; see --help" ;; esac
    [ $# -gt 1 ] || refuse "option '$1' needs a value; see --help"
    case $1 in
    --from) from=$(realpath -e -- "$2" 2> /dev/null) || refuse "cannot open '$2'" ;;
    --new) new=$(realpath -e -- "$2" 2> /dev/null) || refuse "cannot open '$2'" ;;
    --half) [[ $2 =~ ^(odd|even)$ ]] || refuse "--half must be one of: odd, even" && half=$2 ;;
    *) [[ $2 =~ ^[1-9][0-9]{0,4}$ ]] || refuse "$1: '$2' is not a number from 1 on" ;;
    esac
    case $1 in --programs) programs=$2 ;; --seed) seed=$2 ;; --repeats) repeats=$2 ;; --seconds) limit=$2 ;; esac
    shift 2
done

work=$build/population log=$build/population/beside
mkdir -p "$work/log" "$log" || fail "cannot make the folder '$log'"
[ -e "$new/libcudart.so.13" ] || toolkit_make -j "$(nproc)" cudasim-library >&2 ||
    fail "the simulator does not build: see above"
flags=() explain='' architecture=90
command_environment
export LC_ALL=C
path=${LD_LIBRARY_PATH:-}

# run_on SIDE NAME RUN EXIT WORDS: prints the seconds by the clock and of processor time. False if it does not run
# right. 'slow' stands before the seconds if it did not end within the limit.
run_on() {
    local code=0 TIMEFORMAT='%R %U %S' LD_LIBRARY_PATH=${!1}${path:+:$path} run=$3
    [ "$1$unchecked" != old1 ] || run="export CUDASIM_CHECK=none; $3"
    export LD_LIBRARY_PATH
    limited "$limit" "$run" "$log/$2" || code=$?
    if [[ $code =~ ^(124|137|152)$ ]]; then
        echo "slow $limit $limit"
    else
        [ "$code" = "$4" ] && { [ "$5" = - ] || grep -qaE -- "$5" "$log/$2.out" "$log/$2.err"; } || return
        awk 'NF == 3 { print "right", $1, $2 + $3 }' "$log/$2.time"
    fi
}

# median FILE COLUMN: '>' before it if a run was slow.
median() {
    sort -k"$2,$2g" "$1" | awk -v c="$2" '{ t[NR] = $c; slow = slow || $1 == "slow" }
        END { printf "%s%.3f", slow ? ">" : "", t[int((NR + 1) / 2)] }'
}

# beside NAME FOLDER BUILD RUN EXIT WORDS: a program's row. False, with a comment, if it does not count.
beside() {
    local n side place=$log/$1
    cd "$work/$2" 2> /dev/null && build_program "$1" "$3" || { echo "# $1: does not build" && return 1; }
    rm -f "$place".{old,new}
    for ((n = 0; n < repeats; n++)); do
        for side in old new; do
            # What was too slow once is not run again.
            [ "$n" = 0 ] || ! grep -q slow "$place.$side" || continue
            run_on "$side" "$1" "$4" "$5" "$6" >> "$place.$side" ||
                { echo "# $1: not right on the $side simulator" && return 1; }
        done
        grep -qv slow "$place.old" "$place.new" || { echo "# $1: longer than $limit s on both" && return 1; }
    done
    printf '%9s %9s %9s %9s  %s\n' "$(median "$place.old" 2)" "$(median "$place.new" 2)" "$(median "$place.old" 3)" \
        "$(median "$place.new" 3)" "$1"
}

echo "# bench_population.sh: seed $seed, medians of $repeats runs, at most $limit s of processor time each"
grep -m 1 'model name' /proc/cpuinfo | sed "s/.*: /# $(nproc) processors: /"
echo '# clock: old, new; processor time: old, new; program'
build_limit=600 clock_factor=100 count=0 place=0
: > "$log/table"
while read -r _ name; do
    [ "$count" -lt "$programs" ] || break
    place=$((place + 1))
    [[ $half != odd || $((place % 2)) = 1 ]] && [[ $half != even || $((place % 2)) = 0 ]] || continue
    IFS=$'\t' read -r name suite folder how run exit words _ < <(grep -P "^\Q$name\E\t" "$list")
    suite "$suite"
    if beside "$name" "$suite/$folder" "$how" "$run" "$exit" "$words" > "$log/row"; then
        count=$((count + 1))
        awk -v place="$place" '{ print $0, place % 2 ? "odd" : "even" }' "$log/row" >> "$log/table"
    fi
    cat "$log/row"
done < <(grep -v '^#' "$list" | cut -f1 | while read -r name; do
    printf '%s %s\n' "$(sha256sum <<< "$seed $name" | head -c 16)" "$name"
done | sort)

awk '{ gsub(">", ""); for (k = 1; k <= 4; k++) if ($k < 0.001) $k = 0.001
       set[1] = 1; set[2] = $1 >= 0.1 || $2 >= 0.1; set[3] = $6 == "odd"; set[4] = $6 == "even"
       for (s = 1; s <= 4; s++) if (set[s]) { n[s]++; wall[s] += log($2 / $1); cpu[s] += log($4 / $3) } }
    END { split("all,from 0.1 s on,odd places,even places", name, ",")
          for (s = 1; s <= 4; s++) if (n[s])
              printf "# geometric mean of new / old, %d programs, %s: %.3f by the clock, %.3f processor time\n", n[s],
                  name[s], exp(wall[s] / n[s]), exp(cpu[s] / n[s]) }' "$log/table"
