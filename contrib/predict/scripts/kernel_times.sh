#!/bin/bash
# Times every launch of the jury's accepted CUDA submissions on a GPU, under ncu: kernel_times.sh FILE.csv [PROBLEM...]
#
# Each submission makes one call of device_user(), on the case that contrib/predict/cases.txt names. The script times
# the first KERNEL_LAUNCHES (40) launches, and leaves clocks and caches as they are. FILE gets one line per launch:
# problem, submission, case, number of the launch, kernel, grid, block, microseconds. Predictions are compared with
# these times (docs/predict/validation.md). FILE is written after the last measurement. Exit codes: 0 done,
# 2 usage, 3 the toolkit failed.
. "$(dirname "$0")/../../../run_scripts/lib/lib.sh"
help_asked "$@"
. "$(dirname "$0")/../../../run_scripts/lib/build_submission.sh"
. "$(dirname "$0")/../../../run_scripts/lib/watched.sh"
. "$(dirname "$0")/predicting.sh"
line='kernel_times.sh FILE.csv [PROBLEM...]'
[ $# -ge 1 ] && [[ $1 == *.csv ]] || usage "$line"
[ -e /dev/nvidiactl ] || refuse "this machine has no NVIDIA GPU"
[ ! -e "$1" ] || refuse "'$1' exists and is not replaced: choose another name"
file=$(realpath -m "$1")
shift
ncu=$(tool_of_cuda ncu) || fail "ncu is not found: it comes with the CUDA Toolkit (Nsight Compute)"
cases=$root/contrib/predict/cases.txt
problems=("$@")
[ ${#problems[@]} -gt 0 ] || mapfile -t problems < <(sed -n 's/^\([a-z][a-z0-9]*\) .*/\1/p' "$cases")
predict_build
part=$(mktemp "$file.XXXXXX")
trap 'rm -f "$part"' EXIT
echo problem,submission,case,launch,kernel,grid,block,time_us > "$part"
for name in "${problems[@]}"; do
    problem_exists "$name"
    text=$(sed -n "s/^$name //p" "$cases")
    [ -n "$text" ] || refuse "$cases has no line of '$name'"
    # Files, and folders that hold one without OpenCL.
    for source in "$root/problems/$name"/submissions/accepted/{*.cu,*/device_user.cu}; do
        [[ $source == *.cu && $source != */device_user.cu ]] || source=${source%/*}
        [ -e "$source" ] || continue
        practice_begin "$line" "problems/$name/submissions/accepted/${source##*/}" "$name" --generate "$text"
        csv=$report-times.csv
        rm -f "$csv"
        practice_run "$report-times-said.txt" "$ncu" --target-processes application-only --clock-control none \
            --cache-control none --launch-count "${KERNEL_LAUNCHES:-40}" --metrics gpu__time_duration.sum \
            --csv --page raw --print-units base --log-file "$csv"
        # A submission of another league launches nothing: the case is not for it.
        if ! grep -q '^"[0-9]' "$csv" 2> /dev/null; then
            echo "${source##*/}: no launch: $(tail -n 1 "$report-times-said.txt")" >&2
            continue
        fi
        "$predictor" ncu-times "$csv" --problem "$name" --submission "${source##*/}" --case "$text" >> "$part" ||
            fail "cannot read ncu's output: $csv"
        echo "${source##*/}: $(practice_answer "$report-times-said.txt")"
    done
done
chmod 644 "$part"
mv "$part" "$file"
trap - EXIT
echo "$(($(wc -l < "$file") - 1)) launches: $file"
