#!/bin/bash
# Submissions beside PyTorch's attention on a GPU: bench_gpu.sh [SHAPES [SEED [SUBMISSION...]]] (40, 1, expert.cu)
#
# In one process, on the same arrays, in turn: the submissions of accepted/, and scaled_dot_product_attention() with the
# cuDNN and the flash backend. SHAPES shapes are drawn by SEED: dim 64 or 128, causal or not, length from 128 to 16,384
# with an evenly spread logarithm, so many heads that there are 2^20 to 2^26 elements. Arrays are normal.
#
# A row: the shape; of each kernel the median of 7 measurements in µs; the rate of the first submission; the largest
# error of the submissions over what the rule of precision.h allows, at 64 rows, in float64, which must be at most 1;
# cuDNN's time over the first submission's. A measurement is what CUDA's events around three calls say, over three. It
# begins with 256 MiB written, so that no data are in the cache for the first call, and with a wait on the GPU, so that
# all calls are in its queue when the first one starts. Exit code 1 where an output is wrong.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
shapes=${1:-40} seed=${2:-1}
[[ $shapes =~ ^[1-9][0-9]{0,3}$ && $seed =~ ^[0-9]{1,9}$ ]] || usage 'bench_gpu.sh [SHAPES [SEED [SUBMISSION...]]]'
[ -e /dev/nvidiactl ] || fail 'there is no GPU'
python3 -c 'import torch' 2> /dev/null || fail 'python3 has no torch'
names=("${@:3}")
[ ${#names[@]} -gt 0 ] || names=(expert.cu)
objects=()
for name in "${names[@]}"; do
    file=problems/attention/submissions/accepted/$name
    [ -e "$root/$file" ] || fail "there is no $file"
    toolkit_make submission PROBLEM=attention SUBMISSION="$file"
    objects+=("$name=$root/$(toolkit_make print-submission PROBLEM=attention SUBMISSION="$file")")
done
exec python3 "$root/problems/attention/bench_gpu.py" "$shapes" "$seed" "${objects[@]}"
