#!/bin/bash
# Times the programs of list.tsv on a GPU under ncu: bash run.sh [SECONDS]. It needs nothing of the toolkit:
# `population.sh pack` copies it beside the programs. The first 150 launches of each program are timed, with clocks and
# caches as they are. After SECONDS (default: 3600) no further program is started. ncu writes out/NAME.csv.
here=$(cd "$(dirname "$0")" && pwd)
end=$((SECONDS + ${1:-3600}))
cd "$here" && mkdir -p out programs && tar -C programs -xJf programs.tar.xz || exit 3
ncu=$(type -P ncu || find /usr/local/cuda*/bin /opt/nvidia/nsight-compute -name ncu 2> /dev/null | sort | tail -n 1)
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/usr/local/cuda/lib64
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader > out/gpu.txt 2>&1

# kill_option: how this ncu ends a program after its last launch.
kill_option() {
    local word
    for word in yes on true 1; do
        ! "$ncu" --kill "$word" --launch-count 1 /bin/true 2>&1 | grep -qi "kill" || continue
        echo "--kill $word" && return
    done
}
kill=$(kill_option)

# profile NAME FOLDER COMMAND LAUNCHES SECONDS: ncu ends the program after that many launches.
profile() {
    (cd "programs/$2" && eval "timeout -s INT -k 3 $5 '$ncu' --target-processes application-only --clock-control none \
        --cache-control none --launch-count $4 $kill --metrics gpu__time_duration.sum,gpc__cycles_elapsed.max \
        --csv --page raw --print-units base --log-file '$here/out/$1.csv' $3") \
        > "out/$1.said" 2>&1 < /dev/null
}

timed() { grep -q '^"[0-9]' "out/$1.csv" 2> /dev/null; }

while IFS=$'\t' read -r name folder run <&3; do
    [ "$SECONDS" -lt "$end" ] || break
    begun=$(date +%s%N)
    profile "$name" "$folder" "$run" 150 10
    # A program that never ends is ended by its first launches.
    timed "$name" || [ "$SECONDS" -ge "$end" ] || profile "$name" "$folder" "$run" 8 8
    printf '%s\t%s\t%s\n' "$name" "$(grep -c '^"[0-9]' "out/$name.csv" 2> /dev/null)" \
        "$((($(date +%s%N) - begun) / 1000000)) ms" >> out/done.tsv
    timed "$name" && rm -f "out/$name.said" || tail -c 600 "out/$name.said" > "out/$name.failed"
    rm -f "out/$name.said"
done 3< list.tsv
rm -rf programs
awk -F'\t' '{ n++; any += $2 > 0; all += $2 } END { print n " programs, " any " with times, " all " launches" }' out/done.tsv
