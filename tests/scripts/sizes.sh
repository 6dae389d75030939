#!/bin/bash
# Lists lines, functions and files of the project's sources that are too long: sizes.sh. Called by `make lint`.
#
# A line has at most 120 columns in C, CUDA, OpenCL, make, shell, Bats, awk, jq and gnuplot. A line of a script may be
# longer if a word or a string in it has 80 columns or more: a message, a pattern, a row of data. A function in C has at
# most 80 lines, a C file 800. Tables of instructions, user code and tests may be longer. A file of any kind has at most
# 1 MiB, but for the times of contrib/predict/data: programs leave large files behind. Exit code 1 if anything is too
# long.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -eq 0 ] || usage 'sizes.sh'
cd "$root"
export LC_ALL=C.UTF-8 # columns, not bytes
kinds='\.(c|h|def|cu|cuh|cl|mk|sh|bats|bash|awk|jq|gp)$|^Makefile$'
status=0

mapfile -t long < <(tracked_files build | grep -zE "$kinds" |
    xargs -0 grep -nHE '^.{121,}$' |
    grep -vE '^[^:]*\.(sh|bats|bash):.*("[^"]{80,}"|'"'[^']{80,}'"'|[^ ]{80,})' | cut -d : -f 1,2)
[ ${#long[@]} -eq 0 ] || { printf '%s: longer than 120 columns\n' "${long[@]}"; status=1; }

mapfile -t large < <(tracked_files build | tr '\0' '\n' | grep -v '^contrib/predict/data/' | tr '\n' '\0' |
    xargs -0 -I {} find {} -maxdepth 0 -size +1024k)
[ ${#large[@]} -eq 0 ] || { printf '%s: larger than 1 MiB\n' "${large[@]}"; status=1; }

# A function is the text between a '{' and a '}' at the start of a line.
tracked_files build tests | grep -zE '\.[ch]$' | grep -zvE '/submissions/|^contrib/cudasim/table/' | xargs -0 awk '
    FNR == 1 { start = 0 }
    /^\{/ { start = FNR }
    /^\}/ {
        lines = start ? FNR - start - 1 : 0
        if (lines > 80) { print FILENAME ":" start ": a function of " lines " lines"; bad = 1 }
        start = 0
    }
    FNR == 801 { print FILENAME ": longer than 800 lines"; bad = 1 }
    END { exit bad }' || status=1
exit $status
