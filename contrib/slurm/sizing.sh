#!/bin/bash
# Computes submissions per hour from the results of contests: sizing.sh [--times] FILE...
#
# It prints a Markdown table with one row per model of GPU or CPU and problem: the number of submissions, the seconds of
# a build, the seconds that a submission uses its GPU or CPU, from its samples to its times (mean, median, most), and
# the submissions per hour of one GPU or CPU. --times prints the times for build/simulate, one line each:
# "DEVICE<tab>PROBLEM<tab>BUILD<tab>RUN". A FILE is a results.db, or such times. The script estimates nothing: problems
# without measurements have no row.
. "$(dirname "${BASH_SOURCE[0]}")/../../run_scripts/lib/lib.sh"
help_asked "$@"
times=no
if [ "${1:-}" = --times ]; then
    times=yes
    shift
fi
[ $# -ge 1 ] || usage 'sizing.sh [--times] FILE...'
"$root/run_scripts/lib/packages.sh" grade
for database; do
    [ -f "$database" ] || refuse "there is no '$database'"
done
# Times between the steps count, as nobody else has the GPU then. What does not compile runs on no device.
for database; do
    if [ "$(head -c 15 "$database" | tr -d '\0')" != 'SQLite format 3' ]; then
        grep -v '^#' "$database" || true
        continue
    fi
    sqlite3 -readonly -separator $'\t' "$database" "SELECT replace(m.name, char(9), ' '), s.problem,
            (SELECT ended - started FROM steps WHERE judgement = j.id AND step = 'build'),
            (SELECT max(ended) FROM steps WHERE judgement = j.id AND step <> 'build') -
            (SELECT min(started) FROM steps WHERE judgement = j.id AND step <> 'build')
        FROM judgements j JOIN submissions s ON s.id = j.submission JOIN machines m ON m.id = j.machine
        WHERE j.state = 'done' AND j.attempts = 0 AND j.verdict <> 'JE' AND
            EXISTS (SELECT 1 FROM steps WHERE judgement = j.id AND step <> 'build') ORDER BY j.id"
done | if [ $times = yes ]; then cat; else
    sort -t $'\t' -k 1,2 -k 4,4g | awk -F '\t' '
        function row(    half) {
            if (!count) return
            half = int((count + 1) / 2)
            printf "| %s | %s | %d | %.1f | %.1f | %.1f | %.1f | %.0f |\n", device, problem, count, built / count,
                sum / count, run[half], run[count], 3600 * count / sum
            count = built = sum = 0
        }
        BEGIN { print "| device | problem | submissions | build s | run s, mean | median | most | an hour |"
                print "|---|---|---|---|---|---|---|---|" }
        $1 != device || $2 != problem { row(); device = $1; problem = $2 }
        { run[++count] = $4; built += $3; sum += $4 }
        END { row() }'
fi
