#!/bin/bash
# What cudasim reports about the defective programs of this folder: score.sh PROGRAMS [[--twins] FILE...]
#
# PROGRAMS is the folder with the built programs. FILE names a file of the second or third suite, without its end, and
# after --twins one of the fourth to eighth or the tenth, which have right twins. With no FILE the first suite runs. It
# prints one line per case and then the sums. A defect counts as found if a report is of a kind that the case expects,
# at a marked line if the case has some. The right twin of a defect, or a right program, counts as a false alarm if
# there is any report, or if it fails. Exit code 1 if a defect was missed or there is an alarm.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"

here=$(dirname "$0")
[ $# -ge 1 ] || usage 'score.sh PROGRAMS [[--twins] FILE...]'
programs=$1
shift
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-$build/cudasim} # the simulator, or another build of it

# reports PROGRAM CASE: the simulator's lines, or what else went wrong.
reports() {
    local code=0 lines
    lines=$({ timeout 120 "$programs/$1" "$2" 2>&1 > /dev/null || code=$?; echo "exit $code"; } |
        grep -E '^(cudasim: (warning|error): |exit )')
    code=${lines##*exit }
    grep -v '^exit ' <<< "$lines"
    case $code in 0) ;; 1) [ "$3" = wrong ] || echo 'its result is wrong' ;; *) echo "exit code $code" ;; esac
}

# expected FILE CASE: the kinds that the case expects. A right program expects none.
expected() {
    grep -B 1 "^static void $2(void)" "$here/$1.cu" | sed -n 's|^// expect: ||p'
}

# wrong FILE CASE: found, missed or elsewhere.
wrong() {
    local kinds marks hits said
    kinds=$(expected "$1" "$2")
    [ -n "$kinds" ] || fail "$2: nothing is expected"
    marks=$(grep -nE "// HERE( [a-z0-9_]+)* $2( |\$)" "$here/$1.cu" | cut -d : -f 1 | paste -sd '|')
    said=$(reports "$1" "$2" wrong)
    hits=$(grep -E "^cudasim: (warning|error): ($kinds):" <<< "$said")
    if [ -z "$hits" ]; then
        echo "missed ${said:+(${said%%$'\n'*})}"
    elif [ -n "$marks" ] && ! grep -qE "$1\.cu:($marks)([^0-9]|\$)" <<< "$hits"; then
        echo "elsewhere (${hits%%$'\n'*})"
    else
        echo found
    fi
}

# right PROGRAM CASE: quiet or alarm.
right() {
    local said
    said=$(reports "$1" "$2" right)
    [ -z "$said" ] && echo quiet || echo "alarm (${said%%$'\n'*})"
}

# twins FILE...: each defect and its right twin.
twins() {
    for file in "$@"; do
        for case in $("$programs/$file" --list); do
            echo "$file $case defect $(wrong "$file" "$case")"
            echo "$file $case twin $(right "$file-right" "$case")"
        done
    done
}

# second_suite FILE...: each defect, and each right program.
second_suite() {
    for file in "$@"; do
        for case in $("$programs/$file" --list); do
            if [ -n "$(expected "$file" "$case")" ]; then
                echo "$file $case defect $(wrong "$file" "$case")"
            else
                echo "$file $case right $(right "$file" "$case")"
            fi
        done
    done
}

rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
case ${1:-} in
'') twins kernels host ;;
--twins) twins "${@:2}" ;;
*) second_suite "$@" ;;
esac | tee "$rows"
awk '
    { n[$3]++; ok[$3] += $4 == "found" || $4 == "quiet" }
    END {
        if (n["defect"])
            said = sprintf("defects found %d of %d", ok["defect"], n["defect"])
        if (n["twin"])
            said = said sprintf(", twins with an alarm %d of %d", n["twin"] - ok["twin"], n["twin"])
        if (n["right"])
            said = said sprintf("%sright programs with an alarm %d of %d", said ? ", " : "", n["right"] - ok["right"],
                                n["right"])
        print said
        exit ok["defect"] < n["defect"] || ok["twin"] < n["twin"] || ok["right"] < n["right"]
    }' "$rows"
