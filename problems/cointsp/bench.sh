#!/bin/bash
# COIN's tables, ours beside those of the COIN thesis: bench.sh [FOLDER], or make bench PROBLEM=cointsp TABLES=1
#
#   time        the baselines in C on one core and in CUDA, by the host's clock, copies included: medians of RUNS
#   tours       best and mean length of RUNS runs, 200 generations
#   stages      where the time of the baselines in C and in CUDA goes
#   occupancy   how much of the device the kernel that generates tours fills, for P from 500 to 2000
#
# TSPLIB=FOLDER   has gr24, gr48, pr76 and kroA100 (default: ../shared/tsplib); get_tsplib.sh beside this fetches them
# RUNS=N          runs of each, with seeds 1 to N (default: 10)
# SIM=1           without a GPU the CUDA columns come from the simulator, marked as such; otherwise they are '-'
#
# Results stay in FOLDER as JSON (default: build/bench_cointsp).
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -le 1 ] || usage 'bench.sh [FOLDER]'
folder=${1:-$build/bench_cointsp} library=${TSPLIB:-$root/../shared/tsplib} runs=${RUNS:-10}
[[ $runs =~ ^[1-9][0-9]?$ ]] || refuse "RUNS=$runs is not a number from 1 to 99"
instances=(gr24 gr48 pr76 kroA100)
for name in "${instances[@]}"; do
    [ -f "$library/$name.tsp" ] ||
        refuse "'$library/$name.tsp' is missing: set TSPLIB, or see problems/cointsp/get_tsplib.sh"
done
mkdir -p "$folder"
toolkit_make all >&2

# The numbers of the COIN thesis, by instance and P: CPU and GPU seconds, best and mean length.
declare -A theirs=(
    [gr24 500]='2.360 0.333 1272 1283' [gr24 1000]='4.672 0.534 1272 1275'
    [gr48 500]='6.017 0.878 5414 5529' [gr48 1000]='12.815 1.349 5170 5379'
    [pr76 500]='14.121 2.179 137041 143889' [pr76 1000]='29.901 3.835 131592 135548'
    [kroA100 500]='18.776 3.536 36127 37309' [kroA100 1000]='41.662 6.338 33065 34172'
)

device=none
"$build/main_host" --devices 2> /dev/null | grep -q '^gpu' && device=gpu
[ $device != none ] || [ "${SIM:-}" != 1 ] || device=simulator

# built SOURCE: the path of its shared object.
built() {
    toolkit_make submission simulator-if-used PROBLEM=cointsp SUBMISSION="problems/cointsp/submissions/accepted/$1" >&2
    echo "$root/$(toolkit_make print-submission PROBLEM=cointsp SUBMISSION="problems/cointsp/submissions/accepted/$1")"
}
# measure KIND OBJECT NAME P: one JSON a seed, gathered in FOLDER/KIND-NAME-P.json.
measure() {
    local seed file=$folder/$1-$3-$4
    for ((seed = 1; seed <= runs; seed++)); do
        "$build/main_host" cointsp --submission "$2" --time-limit 600 --json "$file.$seed" \
            "$library/$3.tsp" "$4" 200 "$percent" "$k" "$seed" "$cap" > "$file.txt" 2>&1 ||
            { cat "$file.txt"; fail "$1 failed on $3 with P = $4"; }
    done
    jq -s 'map(del(.submission.file))' "$file".[0-9]* > "$file.json"
    rm -f "$file".[0-9]* "$file.txt"
}
seconds() { jq '[.[].cases[0].seconds.median] | sort | .[length / 2 | floor]' "$folder/$1-$2-$3.json"; }
lengths() {
    jq -r '[.[].cases[0].output | split(" ")[0] | tonumber] | "\(min) \(add / length | round)"' "$folder/$1-$2-$3.json"
}
defaults() { sed -n "s/.*COINTSP_$1_DEFAULT = \([0-9]*\).*/\1/p" "$root/problems/cointsp/coin.h"; }
percent=$(defaults PERCENT) k=$(defaults K) cap=$(defaults CAP)

cpu=$(built baseline.c)
[ $device = none ] || cuda=$(built baseline.cu)
[ $device = none ] || warp=$(built warp.cu)
for name in "${instances[@]}"; do
    for population in 500 1000; do
        measure cpu "$cpu" "$name" $population
        [ $device = none ] || measure cuda "$cuda" "$name" $population
        [ $device = none ] || measure warp "$warp" "$name" $population
    done
done

echo "COIN, 200 generations, c = $percent %, k = $k/1000, cap = $cap/1000"
sed -n 's/^model name.*: /CPU: /p' /proc/cpuinfo | head -n 1
"$build/main_host" --devices 2> /dev/null | sed -n 's/^gpu\t/GPU: /p'
case $device in
none) echo "no GPU: the CUDA columns are left out; SIM=1 fills them from the simulator" ;;
simulator) echo "no GPU: the CUDA columns are the simulator's, and say nothing about a GPU" ;;
esac
printf '\n%-8s %5s | %9s %9s %9s | %9s %9s %8s | %9s %9s\n' seconds P 'our CPU' 'our CUDA' \
    speed-up 'their CPU' 'their GPU' speed-up 'warp.cu' speed-up
for name in "${instances[@]}"; do
    for population in 500 1000; do
        read -r their_cpu their_gpu _ <<< "${theirs[$name $population]}"
        ours=$(seconds cpu "$name" $population) gpu=- expert=-
        [ $device = none ] || gpu=$(seconds cuda "$name" $population)
        [ $device = none ] || expert=$(seconds warp "$name" $population)
        awk -v name="$name" -v p=$population -v cpu="$ours" -v gpu="$gpu" -v expert="$expert" \
            -v their_cpu="$their_cpu" -v their_gpu="$their_gpu" '
            function ratio(x) { return x == "-" ? "-" : sprintf("%.1f", cpu / x) }
            function time(x) { return x == "-" ? "-" : sprintf("%.4f", x) }
            BEGIN { printf "%-8s %5d | %9.4f %9s %9s | %9.3f %9.3f %8.1f | %9s %9s\n", name, p, cpu, time(gpu), \
                ratio(gpu), their_cpu, their_gpu, their_cpu / their_gpu, time(expert), ratio(expert) }'
    done
done
printf '\n%-8s %5s | %9s %9s | %10s %10s\n' "lengths" P 'our best' 'our mean' 'their best' 'their mean'
for name in "${instances[@]}"; do
    for population in 500 1000; do
        read -r _ _ their_best their_mean <<< "${theirs[$name $population]}"
        read -r best mean <<< "$(lengths cpu "$name" $population)"
        printf '%-8s %5d | %9d %9d | %10d %10d\n' "$name" $population "$best" "$mean" "$their_best" "$their_mean"
    done
done
toolkit_make "${BUILD:-build}/benches/cointsp_stages_cpu" >&2
stages() { # PROGRAM: its table
    for name in "${instances[@]}"; do
        for population in 500 1000; do
            "$1" "$library/$name.tsp" $population 200
        done
    done
}
printf '\n%-8s %6s %6s %9s %14s %14s %14s %14s %9s\n' 'cities' P G length 'generate s' 'evaluate s' \
    'sort s' 'update s' 'CPU total'
stages "$build/benches/cointsp_stages_cpu"
if [ $device != none ]; then
    toolkit_make "${BUILD:-build}/benches/cointsp_stages" >&2
    [ $device = gpu ] || export LD_LIBRARY_PATH=$build/cudasim${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    printf '\n%-8s %6s %6s %9s %14s %14s %14s %14s %9s\n' cities P G length 'generate s' 'evaluate s' \
        'sort s' 'update s' 'CUDA total'
    stages "$build/benches/cointsp_stages"
    printf '\n%6s %7s %7s %10s %10s %13s\n' P blocks threads 'blocks/SM' occupancy 'device filled'
    "$build/benches/cointsp_stages" --occupancy 500 1000 1500 2000
else
    printf '\nstages in CUDA, occupancy: -\n'
fi
