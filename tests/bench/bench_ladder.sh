#!/bin/bash
# Times a problem's submissions over a ladder of sizes and writes JSON: bench_ladder.sh PROBLEM [cpu|gpu|all] [SIZE...]
#
# problems/PROBLEM/bench.txt, or the file BENCH_LIST, lists what to time. The script judges every submission that this
# machine can run natively, never on the simulator, at each size, by the host's clock (--ranked). It makes 11 calls with
# fresh inputs after one uncounted call, or 3 calls if 12, with their inputs and answers, would take more than 10 s. It
# skips a size that would take longer than BENCH_SECONDS (2) per call, and all larger sizes. With a GPU and nvcc it also
# builds and runs problems/PROBLEM/bench_gpu.cu: times of kernels, beside other libraries in the same process. With
# SIZE... it measures only these sizes of the ladder, and does not run bench_gpu.cu.
#
# It prints a table. All samples go to build/bench/PROBLEM.json (docs/formats/bench.md), the rows without samples to
# PROBLEM.csv. Exit codes: 0 done, 1 an answer was wrong, 2 usage, 3 the toolkit failed.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
line='bench_ladder.sh PROBLEM [cpu|gpu|all] [SIZE...]'
[ $# -ge 1 ] || usage "$line"
export PROBLEM=$1
device=${2:-all} only=("${@:3}")
problem_exists "$PROBLEM"
[[ $device =~ ^(cpu|gpu|all)$ ]] || refuse "DEVICE: '$device' must be one of: cpu, gpu, all"
has_gpu=
[ ! -e /dev/nvidiactl ] || has_gpu=1
[ "$device" != gpu ] || [ -n "$has_gpu" ] || refuse "DEVICE=gpu: this machine has no NVIDIA GPU"
seconds=${BENCH_SECONDS:-2}
[[ $seconds =~ ^[0-9]{1,4}(\.[0-9]+)?$ ]] || refuse "BENCH_SECONDS=$seconds is not a number of seconds"
list=${BENCH_LIST:-$root/problems/$PROBLEM/bench.txt}
[ -f "$list" ] || refuse "there is no $list, which says what to time"
cd "$root"
accepted=problems/$PROBLEM/submissions/accepted folder=$build/bench/$PROBLEM
folder_made "$folder"
rows=$folder/rows.jsonl
: > "$rows"

# The lines of bench.txt: of the key KEY, without it.
of() { sed -n "s/^$1 //p" "$list"; }
resident=false
! grep -q '^resident: true' "problems/$PROBLEM/gpu.yaml" || resident=true # the data are on the GPU
read -r unit scale <<< "$(of unit)"
mapfile -t sizes < <(of size)
for size in "${only[@]}"; do
    [[ $size =~ ^[0-9]+$ ]] && grep -q "^size $size " "$list" ||
        refuse "SIZES: '$size' is not a size of the ladder: $(of size | cut -d ' ' -f 1 | paste -sd ' ')"
done
wanted() { [ ${#only[@]} -eq 0 ] || [[ " ${only[*]} " == *" $1 "* ]]; }

# rows_by PROGRAM OPTION... FILE...: jq with the definitions of rows.jq.
rows_by() { jq -c -L tests/bench "include \"rows\"; $1" "${@:2}"; }

gpu_query() { nvidia-smi --query-gpu="$1" --format=csv,noheader,nounits 2> /dev/null | head -n 1 || true; }
cpu=$(sed -n 's/^model name\t*: //p' /proc/cpuinfo | head -n 1)
gpu='' driver='' mhz_before=''
if [ -n "$has_gpu" ]; then
    gpu=$(gpu_query name) driver=$(gpu_query driver_version) mhz_before=$(gpu_query clocks.sm)
fi

# time_call KIND NAME LABEL SO SIZE WORK LINE...: a row, and `median` and `wall`, seconds of a call and of all
# that one needs. It reports a failure, and sets `failed`.
time_call() {
    local kind=$1 name=$2 label=$3 so=$4 n=$5 work=$6 text=${*:7} file league row started calls=(--ranked)
    file=$folder/${name//\//_}-$n.json
    league=$(league_of "$accepted/$name")
    awk -v e="$expected_wall" 'BEGIN { exit !(12 * e > 10) }' && calls=(--repeat 3)
    median=
    started=$EPOCHREALTIME
    if ! "$build/main_host" "$PROBLEM" --submission "$so" --source "$accepted/$name" ${league:+--league "$league"} \
        "${calls[@]}" --generate "$text" --json "$file" > "$file.log" 2>&1; then
        grep -q '^FAILED. TLE' "$file.log" || { failed=1 && echo "$name, $text: $(tail -n 1 "$file.log")" >&2; }
        return 0
    fi
    # shellcheck disable=SC2016
    row=$(jq -n --arg problem "$PROBLEM" --arg what "$name" --arg series "$label" --arg kind "$kind" \
        --arg size "$text" --argjson n "$n" --arg unit "$unit" '$ARGS.named')
    # shellcheck disable=SC2016
    rows_by 'from_host($row; $work; $scale)' --argjson row "$row" --argjson work "$work" --argjson scale "$scale" \
        "$file" >> "$rows"
    median=$(jq '.cases[0].seconds.median' "$file")
    # A call with what belongs to it: input, answer and check; the start of the processes is about half a second.
    wall=$(awk -v a="$started" -v b="$EPOCHREALTIME" -v c="${#calls[@]}" \
        'BEGIN { w = (b - a - 0.5) / (c == 1 ? 12 : 3); print (w > 0 ? w : 0) }')
}

# Of the kernels and of other libraries: bench_gpu.cu's rows, in the words of ours.
time_kernels() {
    local program=${BUILD:-build}/benches/${PROBLEM}_gpu arguments=() said=$folder/bench_gpu.jsonl names
    if [ ! -f "problems/$PROBLEM/bench_gpu.cu" ] || ! toolkit_make have-nvcc 2> /dev/null; then
        echo "no problems/$PROBLEM/bench_gpu.cu, or no nvcc: kernels are not timed alone"
        return
    fi
    toolkit_make "$program" >&2 || fail "bench_gpu.cu does not build: see above"
    if [ "$PROBLEM" = cointsp ]; then
        arguments=("${TSPLIB:-$root/../shared/tsplib}")
        if [ ! -f "${arguments[0]}/gr24.tsp" ]; then
            echo "no TSPLIB files: set TSPLIB, or see problems/cointsp/get_tsplib.sh"
            return
        fi
    fi
    "$program" "${arguments[@]}" > "$said" 2> "$said.log" ||
        { failed=1 && echo "bench_gpu: $(tail -n 1 "$said.log")" >&2; }
    names=$({
        of submission | sed -E 's/^([a-z_]+) ([^ .]+)(\.cu?)? (.*)/\2\t\1\t\4/'
        of peer | sed -E 's/^([^ ]+) (.*)/\1\tpeer\t\2/'
    } | rows_by names_of -Rn)
    # shellcheck disable=SC2016
    rows_by 'from_kernels($names; $problem; $device; $unit)' --argjson names "$names" --arg problem "$PROBLEM" \
        --arg device "$gpu" --arg unit "$unit" "$said" > "$said.rows" ||
        fail "bench_gpu.cu printed what is not a row: $said"
    add_work "$said.rows" >> "$rows"
    echo "$(wc -l < "$said.rows") rows of bench_gpu.cu"
}

# Operations and bytes of kernels, for a roofline: by the problem's formulas if a row does not give its own.
add_work() {
    local operations bytes
    operations=$(of operations) bytes=$(of bytes)
    jq -c "if .measure == \"kernel\" and .ladder then .n as \$n |
        .operations = (.operations // (${operations:-null})) | .bytes = (.bytes // (${bytes:-null})) else . end |
        if .operations == null then del(.operations, .bytes) else . end" "$1"
}

build_toolkit
declare -A wall_of=()
failed=0
echo "$PROBLEM: $(of title)"
echo "CPU: $cpu"
[ -z "$gpu" ] || echo "GPU: $gpu, driver $driver"
printf '%-28s %12s %12s %12s %12s %12s\n' 'end to end' "$(of axis | cut -d , -f 1)" 'median ms' 'low ms' \
    'high ms' "$unit"
while read -r kind name label; do
    case $kind in gpu*) on=gpu ;; *) on=cpu ;; esac
    [ "$device" = all ] || [ "$device" = $on ] || continue
    if [ $on = gpu ] && [ -z "$has_gpu" ]; then
        [ "$device" = cpu ] || echo "$name: no GPU here, and the simulator's times say nothing about one: left out"
        continue
    fi
    [ -e "$accepted/$name" ] || { echo "$name: there is none: left out"; continue; }
    toolkit_make submission SUBMISSION="$accepted/$name" >&2 || fail "$name does not build"
    so=$root/$(toolkit_make print-submission SUBMISSION="$accepted/$name")
    median='' wall=0 before=''
    for entry in "${sizes[@]}"; do
        read -r n work text <<< "$entry"
        wanted "$n" || continue
        expected=0 expected_wall=0
        [ -z "$before" ] || expected=$(awk -v m="$median" -v w="$work" -v b="$before" 'BEGIN { print m * w / b }')
        [ -z "$before" ] || expected_wall=$(awk -v m="$wall" -v w="$work" -v b="$before" 'BEGIN { print m * w / b }')
        # Inputs and answers take the same time for all submissions: the value of the previous one at this size.
        expected_wall=$(printf "%s\n" "$expected_wall" "${wall_of[$n]:-0}" | sort -g | tail -n 1)
        if awk -v e="$expected" -v s="$seconds" 'BEGIN { exit !(e > s) }'; then
            printf '%-28s %12s %12s\n' "$label" "$n" '-'
            break
        fi
        time_call "$kind" "$name" "$label" "$so" "$n" "$work" "$text"
        [ -n "$median" ] || { printf '%-28s %12s %12s\n' "$label" "$n" '-'; break; }
        wall_of[$n]=$wall
        before=$work
        tail -n 1 "$rows" | jq -r '[.n, .median_s * 1e3, .low * 1e3, .high * 1e3, .rate] | @tsv' |
            while read -r a b c d e; do
                printf '%-28s %12d %12.4f %12.4f %12.4f %12.4g\n' "$label" "$a" "$b" "$c" "$d" "$e"
            done
    done
done < <(of submission)
[ "$device" = cpu ] || [ -z "$has_gpu" ] || [ ${#only[@]} -gt 0 ] || time_kernels

# One row per line, so that two files can be compared.
jq -s -r --arg problem "$PROBLEM" --arg title "$(of title)" --arg axis "$(of axis)" --arg base "$(of base)" \
    --arg cpu "$cpu" --argjson resident "$resident" \
    --arg gpu "$gpu" --arg driver "$driver" --arg before "$mhz_before" \
    --arg after "$([ -z "$gpu" ] || gpu_query clocks.sm)" \
    --arg version "$(cat VERSION)" --arg date "$(date -u +%FT%TZ)" '
    def text: if . == "" then null else . end;
    {format: 1, problem: $problem, title: $title, axis: $axis, base: ($base | text), resident: $resident,
     toolkit: $version, date: $date,
     machine: {cpu: $cpu, gpu: ($gpu | text), driver: ($driver | text),
               sm_megahertz: {before: ($before | text), after: ($after | text)}}, source: "make bench"} as $head |
    ($head | tojson | .[:-1]) + ",\"rows\":[\n" + (map(tojson) | join(",\n")) + "\n]}"' \
    "$rows" > "$build/bench/$PROBLEM.json"
jq -r '["problem", "what", "series", "measure", "size", "n", "median_s", "low", "high", "rate", "unit", "device"],
    (.problem as $problem | .rows[] |
        [$problem, .what, .series, .measure, .size, .n, .median_s, .low, .high, .rate, .unit, .device]) | @csv' \
    "$build/bench/$PROBLEM.json" > "$build/bench/$PROBLEM.csv"
echo "all samples: ${BUILD:-build}/bench/$PROBLEM.json, and a line for each row: ${BUILD:-build}/bench/$PROBLEM.csv"
exit $failed
