#!/bin/bash
# Names the lines of the project's sources that are longer than 120 columns: long_lines.sh. Called by `make lint`.
#
# Sources are C, CUDA, OpenCL, make, shell, Bats, awk, jq and gnuplot. A line of a script may be longer where a word or
# a string in it has 80 columns or more: a message, a pattern, a row of data. Exit code 1 if there are such lines.
. "$(dirname "$0")/lib.sh"
[ $# -eq 0 ] || usage 'long_lines.sh'
cd "$root"
export LC_ALL=C.UTF-8 # columns, not bytes
kinds='\.(c|h|def|cu|cuh|cl|mk|sh|bats|bash|awk|jq|gp)$|^Makefile$'

mapfile -t long < <(tracked_files build | grep -zE "$kinds" |
    xargs -0 grep -nHE '^.{121,}$' |
    grep -vE '^[^:]*\.(sh|bats|bash):.*("[^"]{80,}"|'"'[^']{80,}'"'|[^ ]{80,})' | cut -d : -f 1,2)
[ ${#long[@]} -eq 0 ] || { printf '%s: longer than 120 columns\n' "${long[@]}"; exit 1; }
