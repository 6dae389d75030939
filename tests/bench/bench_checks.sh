#!/bin/bash
# Measures what the simulator's check for races costs: bench_checks.sh [REPEATS [NAME...]]
#
# For each kernel of tests/bench/main_checks.cu, or those NAMEd: seconds of processor time on one worker without checks,
# with the check for races, with all checks, and the quotients. Runs without and with checks alternate. Each time is the
# least of REPEATS runs (default 5), since other work on the machine only makes them longer.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
[[ "${1:-5}" =~ ^[1-9][0-9]?$ ]] || usage 'bench_checks.sh [REPEATS [NAME...]]'
repeats=${1:-5}
shift || true
toolkit_make cudasim "${build#"$root/"}/cudasim_checks" all
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for ((n = 0; n < repeats; n++)); do
    for checks in none races all; do
        CUDASIM_WORKERS=1 CUDASIM_CHECK=$checks LD_LIBRARY_PATH="$build/cudasim" "$build/cudasim_checks" "$@" \
            >> "$work/$checks" 2> "$work/errors" || fail "cudasim_checks failed: $(tail -n 1 "$work/errors")"
    done
done
[ -s "$work/none" ] || refuse "no kernel has one of the names: $*"

grep -m 1 'model name' /proc/cpuinfo | sed 's/.*: //'
printf '%-12s %8s %8s %8s %8s %8s\n' kernel none races all races/ all/
awk 'FNR == 1 { file++ }
    !((file, $1) in least) || $2 < least[file, $1] { least[file, $1] = $2 }
    file == 1 && !($1 in seen) { seen[$1] = 1; order[++kernels] = $1 }
    END {
        for (n = 1; n <= kernels; n++) {
            k = order[n]
            none = least[1, k]
            printf "%-12s %8.4f %8.4f %8.4f %8.2f %8.2f\n", k, none, least[2, k], least[3, k], least[2, k] / none,
                least[3, k] / none
            races += log(least[2, k] / none)
            all += log(least[3, k] / none)
        }
        printf "%-12s %35.2f %8.2f\n", "mean", exp(races / kernels), exp(all / kernels)
    }' "$work/none" "$work/races" "$work/all"
