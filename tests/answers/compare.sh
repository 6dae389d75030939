#!/bin/bash
# What the simulator answers to the calls of this folder, beside what an H200 answered: compare.sh
#
# Prints each answer that differs and is not in apart.txt, and then the sums. Exit code 1 if there is one.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"

here=$(cd "$(dirname "$0")" && pwd)
card=$root/docs/results/answers-h200.txt
mkdir -p "$build/answers"
program=$build/answers/answers
if [ ! -x "$program" ] || [ -n "$(find "$here" -newer "$program" -name '*.[ci]*')" ]; then
    "$root/run_scripts/sim.sh" --nvcc '-std=c++17 -w -lcuda' -o "$program" "$here/answers.cu" ||
        fail 'answers.cu did not build'
fi
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-$build/cudasim} # the simulator, or another build of it
JOBS=$(nproc) CUDASIM_CHECK=none CUDASIM_PROFILE=h200 "$program" > "$build/answers/here.txt" ||
    fail 'answers did not run'

# An answer is a line that begins with its list and number, and those behind it that begin with a space.
awk '
    FNR == 1 { file++ }
    file == 1 && /^[a-z]/ { apart[$1 " " $2] = 1 }
    file == 1 { next }
    /^[a-z]+ [0-9]+:/ { at = $1 " " $2 }
    file == 2 { card[at] = card[at] $0 "\n"; next }
    { here[at] = here[at] $0 "\n"; order[at] || (order[at] = ++count) && (names[count] = at) }
    END {
        for (n = 1; n <= count; n++) {
            at = names[n]
            if (here[at] == card[at])
                same++
            else if (at in apart)
                known++
            else {
                different++
                printf "here:    %sthe card: %s", here[at], card[at]
            }
        }
        for (at in card)
            if (!(at in here)) {
                printf "missing: %s", card[at]
                different++
            }
        printf "%d answers: %d as on the card, %d apart for a reason, %d different\n", count, same, known, different
        exit different > 0
    }' "$here/apart.txt" "$card" "$build/answers/here.txt"
