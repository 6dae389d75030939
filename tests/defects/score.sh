#!/bin/bash
# What cudasim reports about the defective programs of this folder: score.sh PROGRAMS
#
# PROGRAMS is the folder with the built programs. It prints one line per case and then the sums. A defect counts as
# found if a report is of a kind that the case expects, at a marked line if the case has some. The right twin of a
# defect counts as a false alarm if there is any report, or if it fails. Exit code 1 if a defect was missed or a twin
# has an alarm.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"

here=$(dirname "$0")
[ $# -eq 1 ] || usage 'score.sh PROGRAMS'
programs=$1

# reports PROGRAM CASE: the simulator's lines, or what else went wrong.
reports() {
    local code=0 lines
    lines=$({ timeout 120 "$programs/$1" "$2" 2>&1 > /dev/null || code=$?; echo "exit $code"; } |
        grep -E '^(cudasim: (warning|error): |exit )')
    code=${lines##*exit }
    grep -v '^exit ' <<< "$lines"
    case $code in 0) ;; 1) [ "$3" = wrong ] || echo 'its result is wrong' ;; *) echo "exit code $code" ;; esac
}

# wrong FILE CASE: found, missed or elsewhere.
wrong() {
    local kinds marks hits said
    kinds=$(grep -B 1 "^static void $2(void)" "$here/$1.cu" | sed -n 's|^// expect: ||p')
    [ -n "$kinds" ] || fail "$2: nothing is expected"
    marks=$(grep -nE "// HERE $2\$" "$here/$1.cu" | cut -d : -f 1 | paste -sd '|')
    said=$(reports "$1" "$2" wrong)
    hits=$(grep -E "^cudasim: (warning|error): ($kinds):" <<< "$said")
    if [ -z "$hits" ]; then
        echo "missed ${said:+(${said%%$'\n'*})}"
    elif [ -n "$marks" ] && ! grep -qE "$1\.cu:($marks)," <<< "$hits"; then
        echo "elsewhere (${hits%%$'\n'*})"
    else
        echo found
    fi
}

right() {
    local said
    said=$(reports "$1" "$2" right)
    [ -z "$said" ] && echo quiet || echo "alarm (${said%%$'\n'*})"
}

for file in kernels host; do
    for case in $("$programs/$file" --list); do
        echo "$file $case defect $(wrong "$file" "$case")"
        echo "$file $case twin $(right "$file-right" "$case")"
    done
done | tee "${TMPDIR:-/tmp}/defects.$$"
awk '
    { n[$3]++; ok[$3] += $4 == "found" || $4 == "quiet" }
    END {
        printf "defects found %d of %d, twins with an alarm %d of %d\n", \
            ok["defect"], n["defect"], n["twin"] - ok["twin"], n["twin"]
        exit ok["defect"] < n["defect"] || ok["twin"] < n["twin"]
    }' "${TMPDIR:-/tmp}/defects.$$" && code=0 || code=1
rm -f "${TMPDIR:-/tmp}/defects.$$"
exit "$code"
