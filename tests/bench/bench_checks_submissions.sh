#!/bin/bash
# Measures what the simulator's checks cost in submissions of the problems: bench_checks_submissions.sh [REPEATS]
#
# Each submission runs REPEATS times (default 5) without checks and with all of them, in turn, on one worker. A row has
# the medians of the time that the host measures, seconds, and their ratio.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -le 1 ] && [[ "${1:-5}" =~ ^[1-9][0-9]?$ ]] || usage 'bench_checks_submissions.sh [REPEATS]'
repeats=${1:-5}
build_toolkit
toolkit_make cudasim-library
export LC_ALL=C

# measured PROBLEM CHECKS LINE: the seconds of one run of the submission that was built last.
measured() {
    "$build/main_host" "$1" --submission "$so" --generate "$3" --device sim --sim-workers 1 --checks "$2" \
        --time-limit 600 2>&1 | sed -n 's/^GPU eclock : \([0-9.]*\) .*/\1/p' | grep . || fail "$1: it did not run"
}

echo "# bench_checks_submissions.sh $repeats: no checks, s; all checks, s; ratio; submission; input"
while read -r problem submission line; do
    export PROBLEM=$problem SUBMISSION=problems/$problem/submissions/accepted/$submission
    toolkit_make submission >&2 || fail "$SUBMISSION does not build: see above"
    so=$root/$(toolkit_make print-submission)
    for ((n = 0; n < repeats; n++)); do
        none=$(measured "$problem" none "$line") all=$(measured "$problem" all "$line")
        printf 'none %s\nall %s\n' "$none" "$all"
    done | sort -k1,1 -k2,2g | awk -v name="$problem/$submission" -v line="$line" -v middle=$((repeats / 2 + 1)) '
        ++n[$1] == middle { time[$1] = $2 }
        END {
            if (n["all"])
                printf "%8.4f %8.4f %6.2f  %-36s %s\n", time["none"], time["all"], time["all"] / time["none"],
                       name, line
        }'
done << 'END' | awk '{ print; fflush(); sum += log($3) } END { printf "# geometric mean of the ratios: %.2f\n", exp(sum / NR) }'
editdistance baseline.cu random 8192 8192 seed=3
editdistance 1_words.cu random 16384 16384 seed=3
editdistance 2_strips.cu random 16384 16384 seed=3
editdistance 3_pipeline.cu random 16384 16384 seed=3
matmul simple.cu uniform 512 512 512 seed=3
matmul 1_register_tiles.cu uniform 512 512 512 seed=3
matmul 2_asynchronous_copies.cu uniform 512 512 512 seed=3
mergesort radix.cu random 300000
mergesort merge_path.cu random 300000
mergesort 1_two_way.cu random 300000
scan 1_two_passes.cu positive uint32 2000000 seed=2
scan 2_look_back.cu positive uint32 2000000 seed=2
softmax 2_registers.cu normal 512 1024 float32
attention 1_register_tiles.cu normal 2 256 64 seed=1
END
