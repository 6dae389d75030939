#!/bin/bash
# Measures the data that the predictor learns from: predict.sh collect [OPTION...]
. "$(dirname "$0")/../../../run_scripts/lib/lib.sh"
. "$(dirname "$0")/predicting.sh"

help() {
    cat << 'END'
usage: predict.sh collect [OPTION...]
Measures the kernels of contrib/predict/kernels for many sizes and blocks. It times them on this machine's GPU (some
minutes) and counts on the simulator what each launch does (some minutes). It appends the rows to a file of
contrib/predict/data, with a line in the README.md there. A file elsewhere gets FILE.provenance.md beside it.

  --to FILE        append to this file (default: contrib/predict/data/h100.csv, or the GPU's name)
  --subset K/N     only every N-th row of the list, from the K-th on: 0/3 takes a third of the time
  --times FILE     do not time: use rows that build/predict/collect printed before, on this or another machine
  --driver TEXT    with --times: that machine's driver, for the README
  --features FILE  do not count: use rows that the simulator wrote before
  --recount FILE   do not time or append: count the rows of this file of contrib/predict/data again and replace the
                   counts; for use after a change of the simulator or a kernel
  --sample N       blocks of a launch that the simulator executes; the others count as equal to them (default: 16)
  --help

exit codes: 0 done, 2 arguments or files are wrong, 3 there is no GPU or something does not build
END
}

to='' subset=0/1 times='' driver='' features='' recount='' sample=16
while [ $# -gt 0 ]; do
    case $1 in
    --help) help && exit 0 ;;
    --to | --subset | --times | --driver | --features | --recount | --sample)
        [ $# -gt 1 ] || refuse "option '$1' needs a value; see --help"
        printf -v "${1#--}" %s "$2" && shift 2 ;;
    *) refuse "unknown option '$1'; see --help" ;;
    esac
done
[[ $subset =~ ^[0-9]{1,5}/[0-9]{1,5}$ ]] || refuse "'$subset' is not a part of the list: K/N, with K from 0 to N - 1"
[[ $sample =~ ^[1-9][0-9]{0,5}$ ]] || refuse "'$sample' is not a number of blocks: from 1 to 999999"
for file in "$times" "$features" "$recount"; do
    [ -z "$file" ] || [ -r "$file" ] || refuse "cannot read '$file'"
done
[ -z "$recount" ] || [ -z "$times$to" ] ||
    refuse "--recount replaces a file's own rows: omit --times and --to"

"$root/run_scripts/lib/packages.sh" build cudasim
predict_build
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
collect=$build/predict/collect
[ -n "$times" ] && [ -n "$features" ] || {
    nvcc=$(toolkit_make print-nvcc)
    [ -x "$nvcc" ] || fail "nvcc is not found: install the CUDA Toolkit or set CUDA_HOME"
    toolkit_make -j "$(nproc)" "${BUILD:-build}/predict/collect" >&2 || fail "the kernels do not build: see above"
}

if [ -n "$recount" ]; then
    # Takes the rows that collect printed out of the joined rows.
    times=$work/times.csv
    "$predictor" times "$recount" > "$times" || refuse "'$recount' has no rows to count again: see above"
elif [ -z "$times" ]; then
    [ -e /dev/nvidiactl ] || fail "there is no NVIDIA GPU; use --times for rows timed on another machine"
    times=$build/predict/times.csv
    cuda=$(dirname "$(dirname "$(realpath "$nvcc")")")
    LD_LIBRARY_PATH=$cuda/lib64:$cuda/extras/CUPTI/lib64 "$collect" --subset "$subset" > "$times" ||
        fail "timing failed: see above; '$times' has the rows timed so far"
    driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)
fi

if [ -z "$features" ]; then
    toolkit_make -j "$(nproc)" cudasim-library >&2 || fail "the simulator does not build: see above"
    features=$build/predict/features.csv
    rm -f "$features"
    echo 'predict.sh: counting on the simulator' >&2
    # Counts the rows that were timed: the list may have changed since, or several parts of it were appended.
    CUDASIM_CHECK=none CUDASIM_SAMPLE=$sample CUDASIM_FEATURES=$features LD_LIBRARY_PATH=$build/cudasim \
        "$collect" --features --rows "$times" || fail "counting failed: see above"
fi

joined=$work/joined.csv
"$predictor" join "$times" "$features" > "$joined" || refuse "no row was written: see above"
if [ -n "$recount" ]; then
    cp "$joined" "$recount"
    echo "$(($(wc -l < "$joined") - 1)) rows of $recount were counted again"
    exit
fi
"$predictor" append "$joined" --data "$predict_data" ${to:+--to "$to"} ${driver:+--driver "$driver"} \
    --date "$(date -u -r "$times" +%F)" --subset "$subset" || exit 2
