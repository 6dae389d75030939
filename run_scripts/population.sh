#!/bin/bash
# Builds and runs public CUDA programs on the simulator, and says which of them run right: population.sh [OPTION...]
#
# The programs are those of tests/population/programs.tsv, of the suites in suites.tsv. Their sources are fetched into
# build/population (git clone of one commit), or copied there from a folder. They are never part of the toolkit.
# Each is built by its own Makefile, or as its line says, with the nvcc of contrib/cudasim/toolchain.
. "$(dirname "$0")/lib/lib.sh"
. "$root/run_scripts/lib/sim_build.sh"
. "$root/run_scripts/lib/suites.sh"

help() {
    cat << 'END'
usage: population.sh [OPTION...]
Builds and runs public CUDA programs on the simulator, and prints a table and a summary.

  --from FOLDER       take a suite from FOLDER/SUITE where that exists, instead of fetching it
  --only REGEX        only programs whose name matches
  --seconds N         processor time for a run (default: 20), and 10 times as long by the clock
  --build-seconds N   the same for a build (default: 300)
  --jobs N            programs at a time (default: 1)
  --rebuild           build again what is built
  --list FILE         another list of programs
  --help

columns: what came of it; alarms that the list says are true, and others; processor time of the run; the program
  right      its words came, and its exit code
  wrong      other words or another exit code
  refused    the simulator said what it does not support
  crashed    a signal ended it
  slow       it took longer than the limit
  unbuilt    it does not build within the limit
exit code: 0 where all programs are right, 1 where some are not
END
}

tables=$root/tests/population list='' from='' only=. limit=20 build_limit=300 jobs=1 rebuild=''
list=$tables/programs.tsv
while [ $# -gt 0 ]; do
    case $1 in
    --help) help && exit 0 ;;
    --rebuild) rebuild=1 && shift && continue ;;
    --from | --only | --seconds | --build-seconds | --jobs | --list)
        [ $# -gt 1 ] || refuse "option '$1' needs a value; see --help" ;;
    *) refuse "unknown option '$1'; see --help" ;;
    esac
    case $1 in
    --from) from=$(realpath -e -- "$2" 2> /dev/null) || refuse "cannot open '$2'" ;;
    --only)
        only=$2
        [[ x =~ $only ]] || [ $? = 1 ] || refuse "--only: '$2' is not a regular expression" ;;
    --list) list=$(realpath -e -- "$2" 2> /dev/null) || refuse "cannot open '$2'" ;;
    *)
        [[ $2 =~ ^[1-9][0-9]{0,4}$ ]] || refuse "$1: '$2' is not a number from 1 on"
        case $1 in --seconds) limit=$2 ;; --build-seconds) build_limit=$2 ;; --jobs) jobs=$2 ;; esac ;;
    esac
    shift 2
done

work=$build/population
[ -e "$build/cudasim/libcudart.so.13" ] || echo 'population.sh: building the simulator' >&2
toolkit_make -j "$(nproc)" cudasim-library >&2 || fail "the simulator does not build: see above"
flags=() explain='' architecture=90
command_environment
export LD_LIBRARY_PATH=$build/cudasim${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} LC_ALL=C
mkdir -p "$work/log" "$work/rows" || fail "cannot make the folder '$work'"

# alarms KINDS LOG: how many of the reported places are of a kind that the list says is true, and how many are not. What
# a program never freed is true, whatever the list says.
alarms() {
    local kind true=0 false=0
    while read -r kind; do
        if [[ ,$1,leak, == *,"$kind",* ]]; then true=$((true + 1)); else false=$((false + 1)); fi
    done < <(sed -nE 's/^cudasim: (error|warning): ([a-z-]+): .*/\2/p' "$2.err")
    echo "$true $false"
}

# one NAME FOLDER BUILD RUN EXIT WORDS KINDS: a program's row, into $work/rows/NAME.
one() {
    local log=$work/log/$1 code=0 came
    cd "$work/$2" 2> /dev/null || { printf '%-8s %5s %5s %8s  %s\n' unbuilt - - - "$1" > "$work/rows/$1"; return; }
    build_program "$1" "$3" ||
        { printf '%-8s %5s %5s %8s  %s\n' unbuilt - - - "$1" > "$work/rows/$1"; return; }
    limited "$limit" "$4" "$log" || code=$?
    came=$(verdict "$5" "$code" "$6" "$log")
    # shellcheck disable=SC2046,SC2183 # the two numbers of alarms
    printf '%-8s %5s %5s %8s  %s\n' "$came" $(alarms "$7" "$log") \
        "$(awk 'NF == 2 { t = $1 + $2 } END { printf "%.2f", t }' "$log.time")" "$1" > "$work/rows/$1"
}

TIMEFORMAT='%U %S' # seconds of processor time, of limited()
names=()
while IFS=$'\t' read -r name suite folder how run exit words kinds said; do
    [[ $name != '#'* && -n $name && $name =~ $only ]] || continue
    [ -n "$said" ] || refuse "$list: the line of '$name' has not nine columns"
    suite "$suite"
    names+=("$name")
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
    echo "population.sh: $name" >&2
    one "$name" "$suite/$folder" "$how" "$run" "$exit" "$words" "$kinds" &
done < "$list"
wait
[ ${#names[@]} -gt 0 ] || refuse "no program's name matches '$only'"

echo "# population.sh: a run has $limit s of processor time, a build $build_limit s"
echo '# what      true other  seconds  program'
for name in "${names[@]}"; do cat "$work/rows/$name"; done | tee "$work/table"
awk '{ came[$1]++ }
    $1 != "unbuilt" { true += $2; other += $3; time += $4; loud += $3 > 0; false += $1 == "right" && $3 > 0 }
    END { printf "# %d programs:", NR
          n = split("right wrong refused crashed slow unbuilt", kind, " ")
          for (i = 1; i <= n; i++) printf("%s %d %s", (i > 1 ? "," : ""), came[kind[i]], kind[i])
          printf "\n# alarms: %d true, %d others in %d programs, %d of them right; %.0f s of runs\n", true, other, loud,
              false, time
          exit came["right"] != NR }' "$work/table"
