#!/bin/bash
# Measures what the predictor learns from: predict.sh collect [OPTION...]
. "$(dirname "$0")/lib.sh"

help() {
    cat << 'END'
usage: predict.sh collect [OPTION...]
Times the kernels of contrib/predict/kernels over sizes and blocks on this machine's GPU (one to three minutes),
counts what each launch does on the simulator (ten minutes on two processors), and appends the rows to a file of
contrib/predict/data, with a line in its README.md.

  --to FILE        append to this file (default: contrib/predict/data/h100.csv, or what the GPU is called)
  --subset K/N     every N-th row of the list from the K-th on: 0/4 is a quarter, and takes a quarter of the time
  --times FILE     do not time: these rows were timed before, by build/predict/collect on another machine
  --driver TEXT    with --times: that machine's driver, for the README
  --features FILE  do not count: the simulator wrote these before
  --sample N       blocks of a launch that the simulator executes; the others are taken to be alike (default: 8)
  --help

exit codes: 2 where arguments or files are wrong, 3 where there is no GPU or something does not build
END
}

to='' subset=0/1 times='' driver='' features='' sample=8
while [ $# -gt 0 ]; do
    case $1 in
    --help) help && exit 0 ;;
    --to | --subset | --times | --driver | --features | --sample)
        [ $# -gt 1 ] || refuse "option '$1' needs a value; see --help"
        printf -v "${1#--}" %s "$2" && shift 2 ;;
    *) refuse "unknown option '$1'; see --help" ;;
    esac
done
[[ $subset =~ ^[0-9]{1,5}/[0-9]{1,5}$ ]] || refuse "'$subset' is no part of the list: K/N, with K from 0 to N - 1"
[[ $sample =~ ^[1-9][0-9]{0,5}$ ]] || refuse "'$sample' is no number of blocks: from 1 to 999999"
for file in "$times" "$features"; do
    [ -z "$file" ] || [ -r "$file" ] || refuse "cannot read '$file'"
done

"$root/run_scripts/packages.sh" build cudasim
work=$build/predict
[ -n "$times" ] && [ -n "$features" ] || {
    nvcc=$(toolkit_make print-nvcc)
    [ -x "$nvcc" ] || fail "nvcc is not found: install the CUDA Toolkit or set CUDA_HOME"
    toolkit_make -j "$(nproc)" "${BUILD:-build}/predict/collect" >&2 || fail "the kernels do not build: see above"
}

if [ -z "$times" ]; then
    [ -e /dev/nvidiactl ] || fail "there is no NVIDIA GPU; rows that were timed elsewhere are given with --times"
    times=$work/times.csv
    LD_LIBRARY_PATH=$(dirname "$(dirname "$(realpath "$nvcc")")")/lib64 "$work/collect" --subset "$subset" > "$times" ||
        fail "timing failed: see above"
    driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)
fi

if [ -z "$features" ]; then
    toolkit_make -j "$(nproc)" cudasim-library >&2 || fail "the simulator does not build: see above"
    features=$work/features.csv
    rm -f "$features"
    echo 'predict.sh: counting on the simulator' >&2
    CUDASIM_CHECK=none CUDASIM_SAMPLE=$sample CUDASIM_FEATURES=$features LD_LIBRARY_PATH=$build/cudasim \
        "$work/collect" --features --subset "$subset" || fail "counting failed: see above"
fi

joined=$(mktemp)
trap 'rm -f "$joined"' EXIT
# span COLUMN: of the joined rows, the least and the largest number in it.
span() {
    cut -d, -f "$1" "$joined" | sed 1d | sort -n | sed -n '1p; $p' | uniq | paste -sd ' ' | sed 's/ / to /'
}

awk -f "$root/contrib/predict/join.awk" "$times" "$features" > "$joined" || refuse "nothing was appended: see above"
gpu=$(sed -n '2s/,.*//p' "$joined")
if [ -z "$to" ]; then
    to=${gpu,,}
    to=$root/contrib/predict/data/${to%%[^a-z0-9]*}.csv
fi
mkdir -p "$(dirname "$to")"
if [ -s "$to" ]; then
    cmp -s <(head -n 1 "$to") <(head -n 1 "$joined") ||
        refuse "$to:1: the header has other columns; nothing was appended"
    sed 1d "$joined" >> "$to"
else
    cp "$joined" "$to"
fi
# Where it comes from, beside it.
rows=$(($(wc -l < "$joined") - 1))
printf '| %s | %d | %s | %s | %s | %s | %s | %s |\n' "$(basename "$to")" "$rows" "$gpu" "${driver:-not said}" \
    "$(span 9)" "$(span 10)" "$(date -u -r "$times" +%F)" "predict.sh collect --subset $subset" >> "$(dirname "$to")/README.md"
echo "$rows rows were appended to $to"
