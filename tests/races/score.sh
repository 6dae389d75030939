#!/bin/bash
# Recall and false alarms of cudasim on the kernels of this folder: score.sh [--racecheck] PROGRAMS [FILE...]
#
# PROGRAMS is the folder with the built programs. With --racecheck it is NVIDIA's compute-sanitizer that looks for
# races, on a GPU: it needs programs that were built for that GPU.
#
# It prints one line per kernel, then the sums. A kernel with a race counts as found if a warning names one of its
# marked lines. A right kernel counts as a false alarm if any warning names it. Exit code 1 if a race was missed, or a
# line without a mark was named.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"

here=$(dirname "$0")
look=reports
[ "${1:-}" != --racecheck ] || { look=racecheck && shift; }
[ $# -ge 1 ] || usage 'score.sh [--racecheck] PROGRAMS [FILE...]'
programs=$1
shift
[ $# -gt 0 ] || set -- shared warp global origins order async

# reports PROGRAM: KERNEL LINE of each warning about a race.
reports() {
    { timeout 120 "$programs/$1" 2>&1 > /dev/null || echo "score.sh: $1 failed" >&2; } |
        sed -nE 's/^cudasim: warning: (shared|global)-race: (.*::)?([a-z_0-9]+)(<[^,]*>)?, [^ ]*cu:([0-9]+),.*/\3 \5/p'
}

# racecheck PROGRAM: the same by compute-sanitizer, which knows no kernels that ran: each runs in a process of its own.
racecheck() {
    local kernel
    while read -r kernel; do
        { timeout 120 compute-sanitizer --tool racecheck "$programs/$1" "$kernel" 2>&1 || true; } |
            sed -nE "s/.*\b$1\.cu:([0-9]+).*/$kernel \1/p" | sort -u
    done < <(grep -oE 'RUN\([a-z_0-9]+|suite_begin\("[a-z_0-9]+' "$here/$1.cu" | sed 's/.*[("]//' | sort -u)
}

for file; do
    $look "$file" > "${TMPDIR:-/tmp}/races.$$"
    awk -f "$here/score.awk" "$here/$file.cu" "${TMPDIR:-/tmp}/races.$$" | sed "s/^/$file /"
done | awk '
    { print; if ($3 == "racy") { racy++; found += $4 == "found" } else { right++; alarms += $4 == "alarm" } }
    $5 != "-" { lines += split($5, unused, ",") }
    END {
        printf "races found %d of %d, false alarms %d of %d", found, racy, alarms, right
        printf ", lines without a mark %d\n", lines
        exit found < racy || lines > 0
    }'
rm -f "${TMPDIR:-/tmp}/races.$$"
