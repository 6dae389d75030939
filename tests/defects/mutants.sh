#!/bin/bash
# Small mistakes in public programs, and what cudasim says about them: mutants.sh draw|run|alone ...
#
#   mutants.sh draw SEED COUNT FOLDER [LIST...]   draws mutants, and none of LIST's, and prints them as a list
#   mutants.sh draw-second ...                    the same, by the second list of operators
#   mutants.sh draw-benchmarks ...                the same, by both lists, from the programs of benchmarks.tsv
#   mutants.sh draw-third ...                     the same, by the third list, from all programs
#   mutants.sh draw-all ...                       the same, by all lists; a hash of each operator says which is first
#   mutants.sh run LIST FOLDER [REGEX]            makes, builds and runs those whose program's name matches
#   mutants.sh alone LIST FOLDER [REGEX]          the same for their programs without the mistake
#
# FOLDER holds the suites of tests/population. README.md has the rule of the draw and the operators. A row of `run` is:
# program, operator, file:line, what came of it (right, wrong, refused, crashed, slow: population.sh --help; unbuilt),
# the number of reports, and up to three kinds with their lines. Logs are in build/defect-mutants/log.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
. "$root/run_scripts/lib/sim_build.sh"
. "$root/run_scripts/lib/suites.sh"
help_asked "$@"

results=(.txt -courses.txt) lists=(programs.tsv courses.tsv)
here=$root/tests/defects tables=$root/tests/population work=$build/defect-mutants
operators='barrier barrier-of-loop fence bound guard index zero zero-stored atomic shared-small shuffle-of-half mask
    volatile host-wait copy-async fill upload direction malloc-bytes copy-bytes grid grid-rounded shared-dynamic stream
    free-none free-twice free-early host-reads host-pointer block-large block-odd'
second='leader and-or axis grid-stride block-index from-one barrier-of-some second-index host-wait-shared record
    attribute symbol launch copy-swapped'
third='warp-for-block shared-none async-wait atomic-other alloc-none free-by-host managed-none sizes-swapped stream-none
    destroy-none cooperative-none'
by_hash=''

# lines: the lines of the lists whose program ran right, without a report, in 2 s at most.
lines() {
    awk -F '\t' '
        FILENAME ~ /\.txt$/ {
            if (split($0, f, " ") == 5 && f[1] == "right" && !(f[2] + f[3]) && f[4] <= 2) ok[f[5]]
            next
        }
        $1 in ok && !seen[$1]++' "${results[@]/#/$root/docs/results/population}" "${lists[@]/#/$tables/}"
}

# sources FOLDER BUILD: the files of a program: those .cu that the last command of its build names, else all.
sources() {
    local named
    named=$(grep -oE "[^ *'\"=/]+\.cu\b" <<< "${2##*&&}" | sort -u || true)
    cd "$1" || return
    # shellcheck disable=SC2086,SC2012 # names of sources, in the order of ls
    if [ -n "$named" ]; then ls $named; else ls ./*.cu ./*.cuh ./*.h | sed 's|^./||'; fi 2> /dev/null || true
}

# draw SEED COUNT FOLDER LIST...
draw() {
    local seed=$1 count=$2 from=$3 name suite folder how rest n hash first=
    shift 3
    # Of each program and operator one site, at the place that the hash says. The hash is also the order of the draw.
    while IFS=$'\t' read -r name suite folder how rest; do
        mapfile -t files < <(sources "$from/$suite/$folder" "$how")
        [ ${#files[@]} -gt 0 ] || continue
        (cd "$from/$suite/$folder" && awk -f "$here/mutants_sites.awk" "${files[@]}") > "$work/sites"
        for operator in $operators; do
            grep "^$operator	" "$work/sites" > "$work/of" || continue
            n=$(wc -l < "$work/of")
            hash=$(printf '%s' "$seed $name $operator" | sha256sum | cut -c 1-14)
            printf '%s\t%s\t%s\n' "$hash" "$name" "$(sed -n "$((16#${hash:7} % n + 1))p" "$work/of")"
        done
    done < <(lines) | sort > "$work/pairs"
    # Each operator in turn takes its next one, of a program that has not two yet. The rarest operators begin, or those
    # with the smallest hash where the lot is too small for all operators.
    [ -z "$by_hash" ] || first=$(for operator in $operators; do
        printf '%s %s\n' "$(printf '%s' "$seed $operator" | sha256sum | cut -c 1-14)" "$operator"
    done | sort | cut -d ' ' -f 2 | paste -sd ' ')
    awk -F '\t' -v count="$count" -v first="$first" '
        FILENAME != ARGV[ARGC - 1] { if (!/^#/) taken[$1 FS $4] = 1; next }
        { n[$3]++; row[$3, n[$3]] = $0 }
        END {
            for (o in n) {
                for (i = ++k; i > 1; i--) {
                    other = order[i - 1]
                    if (n[other] < n[o] || n[other] == n[o] && other < o) break
                    order[i] = other
                }
                order[i] = o
            }
            if (first) k = split(first, order, " ")
            for (round = 1; drawn < count && round <= 100; round++)
                for (j = 1; j <= k && drawn < count; j++)
                    while (next_of[order[j]] < n[order[j]]) {
                        split(row[order[j], ++next_of[order[j]]], f, "\t")
                        if (taken[f[2] FS f[3]] || of[f[2]] >= 2) continue
                        of[f[2]]++
                        drawn++
                        print f[2] "\t" f[4] "\t" f[5] "\t" f[3] "\t" f[6]
                        break
                    }
        }' "$@" "$work/pairs" | sort -t "$(printf '\t')" -k 4,4 -k 1,1
}

# said LOG: the kinds of the reports with the first line that each names, each once; four of them at most.
said() {
    grep -aE '^cudasim: (error|warning): ' "$1.err" |
        sed -nE 's/^cudasim: [a-z]+: ([a-z-]+): (.*)$/\1 \2/p' |
        sed -E 's/^([a-z-]+) (.*[^A-Za-z0-9_.-])?([A-Za-z0-9_.-]+\.(cu|cuh|h|cpp|hpp|inl):[0-9]+).*/\1@\3/; s/^([a-z-]+) .*/\1/' |
        awk '!seen[$0]++ && n++ < 4 { printf "%s%s", (n > 1 ? " " : ""), $0 }'
}

# one PROGRAM FILE LINE OPERATOR SED: its row.
one() {
    local suite folder how run exit words rest log code=0 came row place
    row=$(lines | awk -F '\t' -v name="$1" '$1 == name')
    IFS=$'\t' read -r _ suite folder how run exit words rest <<< "$row"
    suite "$suite"
    place=$(realpath -m "$work/$suite/$folder") log=$work/log/$1.$4.$3
    rm -rf "$place"
    cp -rT -- "$from/$suite/$folder" "$place"
    cd "$place" || fail "cannot enter '$place'"
    if [ -z "$alone" ]; then
        sed -i "$5" "$2"
        cmp -s "$2" "$from/$suite/$folder/$2" && fail "$1: nothing at $2:$3 that '$5' changes"
    fi
    if limited "$build_limit" "$how" "$log.build"; then
        limited "$limit" "$run" "$log" || code=$?
        came=$(verdict "$exit" "$code" "$words" "$log")
        printf '%s\t%s\t%s:%s\t%s\t%s\t%s\n' "$1" "$4" "$2" "$3" "$came" \
            "$(grep -caE '^cudasim: (error|warning): ' "$log.err")" "$(said "$log")"
    else
        printf '%s\t%s\t%s:%s\tunbuilt\t0\t\n' "$1" "$4" "$2" "$3"
    fi
}

mkdir -p "$work/log" || fail "cannot make the folder '$work'"
[ $# -ge 3 ] || usage 'mutants.sh draw SEED COUNT FOLDER [LIST...] | run LIST FOLDER [REGEX] | alone LIST FOLDER [REGEX]'
case $1 in
draw) shift && draw "$@" ;;
draw-second) shift && operators=$second && draw "$@" ;;
draw-benchmarks)
    operators+=" $second" results=(-benchmarks.txt) lists=(benchmarks.tsv)
    shift && draw "$@" ;;
draw-third)
    operators=$third results+=(-benchmarks.txt) lists+=(benchmarks.tsv)
    shift && draw "$@" ;;
draw-all)
    operators+=" $second $third" by_hash=1
    shift && draw "$@" ;;
run | alone)
    alone='' limit=20 build_limit=100 clock_factor=3 flags=() explain='' architecture=90
    results+=(-benchmarks.txt) lists+=(benchmarks.tsv)
    [ "$1" = run ] || alone=1
    list=$(realpath -e -- "$2") from=$(realpath -e -- "$3") only=${4:-.}
    toolkit_make -j "$(nproc)" cudasim-library >&2 || fail "the simulator does not build: see above"
    command_environment
    export LD_LIBRARY_PATH=$build/cudasim${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} LC_ALL=C
    TIMEFORMAT='%U %S'
    while IFS=$'\t' read -r name file line operator made; do
        [[ $name != '#'* && -n $name && "$name.$operator" =~ $only ]] || continue
        one "$name" "$file" "$line" "$operator" "$made"
    done < "$list" ;;
*) usage 'mutants.sh draw|run|alone ...; see the head of this script' ;;
esac
