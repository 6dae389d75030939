#!/bin/bash
# Recall and false alarms of cudasim on the kernels of this folder: score.sh PROGRAMS [FILE...]
#
# PROGRAMS is the folder with the built programs. It prints one line per kernel, then the sums. A kernel with a race
# counts as found if a warning names one of its marked lines. A right kernel counts as a false alarm if any warning
# names it. Exit code 1 if a race was missed, or a line without a mark was named.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"

here=$(dirname "$0")
[ $# -ge 1 ] || usage 'score.sh PROGRAMS [FILE...]'
programs=$1
shift
[ $# -gt 0 ] || set -- shared warp global order async

# reports PROGRAM: KERNEL LINE of each warning about a race.
reports() {
    { timeout 120 "$programs/$1" 2>&1 > /dev/null || echo "score.sh: $1 failed" >&2; } |
        sed -nE 's/^cudasim: warning: (shared|global)-race: (.*::)?([a-z_0-9]+)(<[^,]*>)?, [^ ]*cu:([0-9]+),.*/\3 \5/p'
}

for file; do
    reports "$file" > "${TMPDIR:-/tmp}/races.$$"
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
