#!/bin/bash
# The expert beside CUB's DeviceScan on random sizes, for a GPU: bench.sh [SEED [COUNT]]
#
# COUNT sizes (30) are drawn from SEED (1). docs/results/scan-h100.txt is what it printed on an H100.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -le 2 ] || usage 'bench.sh [SEED [COUNT]]'
seed=${1:-1} count=${2:-30}
[[ $seed =~ ^[0-9]{1,9}$ ]] || refuse "SEED: '$seed' is not a whole number from 0 to 999999999"
[[ $count =~ ^[1-9][0-9]{0,2}$ ]] || refuse "COUNT: '$count' is not a whole number from 1 to 999"
if [ ! -e /dev/nvidiactl ]; then
    echo 'the expert beside CUB: skipped, it needs a GPU'
    exit 0
fi
PROBLEM=scan toolkit_make "${BUILD:-build}/benches/scan_gpu" >&2
echo "\$ problems/scan/bench.sh $seed $count"
"$build/benches/scan_gpu" "$seed" "$count"
