#!/bin/bash
# Times the programs of list.tsv on a GPU under ncu: bash run.sh [SECONDS [PROGRAMS]]. It needs nothing of the toolkit:
# `population.sh pack` copies it beside the programs. The first 40 launches of each program are timed, with clocks and
# caches as they are. After SECONDS (default: 3600) no further program is started. PROGRAMS (default: 1) run at a time;
# ncu itself profiles one kernel at a time. What it measured is in out/NAME.csv: times, or METRICS, separated by commas.
here=$(cd "$(dirname "$0")" && pwd)
end=$((SECONDS + ${1:-3600})) lanes=${2:-1} metrics=${METRICS:-gpu__time_duration.sum,gpc__cycles_elapsed.max}
cd "$here" && mkdir -p out programs && tar -C programs -xJf programs.tar.xz || exit 3
ncu=$(type -P ncu || find /usr/local/cuda*/bin /opt/nvidia/nsight-compute -name ncu 2> /dev/null | sort | tail -n 1)
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/usr/local/cuda/lib64
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader > out/gpu.txt 2>&1

# profile NAME FOLDER COMMAND LAUNCHES SECONDS: ncu ends the program after that many launches.
profile() {
    (cd "programs/$2" && eval "timeout -s INT -k 3 $5 '$ncu' --target-processes application-only --clock-control none \
        --cache-control none --launch-count $4 --kill yes --metrics $metrics \
        --csv --page raw --print-units base --log-file '$here/out/$1.raw' $3") \
        > "out/$1.said" 2>&1 < /dev/null
    slim < "out/$1.raw" > "out/$1.csv"
}

# slim: the columns that are wanted of ncu's 150; every cell is quoted.
slim() {
    awk -v metrics="$metrics" 'BEGIN { many = split(metrics, metric, ","); for (i = 1; i <= many; i++) is[metric[i]] }
        /^"ID"/ {
            n = split(substr($0, 2, length($0) - 2), cell, "\",\"")
            for (i = 1; i <= n; i++)
                if (cell[i] ~ /^(ID|Kernel Name|Block Size|Grid Size)$/ || cell[i] in is)
                    at[++wanted] = i
        }
        /^"/ && wanted {
            split(substr($0, 2, length($0) - 2), cell, "\",\"")
            for (i = 1; i <= wanted; i++) printf "%s\"%s\"", (i > 1 ? "," : ""), cell[at[i]]
            print ""
        }'
}

timed() { grep -q '^"[0-9]' "out/$1.csv" 2> /dev/null; }

# one NAME FOLDER COMMAND
one() {
    local begun
    begun=$(date +%s%N)
    profile "$1" "$2" "$3" 40 10
    # A program that never ends is ended by its first launches.
    timed "$1" || [ "$SECONDS" -ge "$end" ] || profile "$1" "$2" "$3" 8 8
    printf '%s\t%s\t%s ms\n' "$1" "$(grep -c '^"[0-9]' "out/$1.csv" 2> /dev/null)" \
        "$((($(date +%s%N) - begun) / 1000000))" >> out/done.tsv
    timed "$1" || { tail -c 400 "out/$1.said" && tail -c 400 "out/$1.raw"; } > "out/$1.failed"
    rm -f "out/$1.said" "out/$1.raw"
}

while IFS=$'\t' read -r name folder run <&3; do
    while [ "$(jobs -rp | wc -l)" -ge "$lanes" ]; do wait -n; done
    [ "$SECONDS" -lt "$end" ] || break
    one "$name" "$folder" "$run" &
done 3< list.tsv
wait
rm -rf programs
awk -F'\t' '{ n++; any += $2 > 0; all += $2 } END { print n " programs, " any " with times, " all " launches" }' out/done.tsv
