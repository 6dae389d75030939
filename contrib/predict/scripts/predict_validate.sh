#!/bin/bash
# Compares predictions with measured times of the problems' own submissions:
#
#   predict.sh validate [PROBLEM...] [--times FILE.csv] [--gpu NAME] [--model MODEL] [--out FOLDER]
#
# contrib/predict/scripts/kernel_times.sh wrote FILE.csv on a GPU (default: contrib/predict/data/submissions-h100.csv).
# The script runs each submission of the file on the simulator, in full, on the measured case. A model predicts its
# launches (default: the model of contrib/predict/data/work-h100.csv), for its GPU or for NAME. Predictions and measured
# launches are matched in order by kernel, grid and block. FOLDER gets predict-validation.md and .csv, and the picture
# predict-validation.svg (default: docs/results and docs/plots, with PROBLEMs build/predict/validation). A submission
# that takes longer than PREDICT_SECONDS (60) on the simulator is skipped and named. Exit codes: 0 done, 2 usage, 3 the
# toolkit failed.
. "$(dirname "$0")/../../../run_scripts/lib/lib.sh"
. "$(dirname "$0")/../../../run_scripts/lib/build_submission.sh"
. "$(dirname "$0")/../../../run_scripts/lib/watched.sh"
. "$(dirname "$0")/predicting.sh"
line='predict.sh validate [PROBLEM...] [--times FILE.csv] [--gpu NAME] [--model MODEL] [--out FOLDER]'

times=$predict_data/submissions-h100.csv model='' gpu='' out='' problems=()
while [ $# -gt 0 ]; do
    case $1 in
    --help | -h) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;;
    --gpu) [ $# -gt 1 ] || refuse "option '$1' needs a value"; gpu=$2 && shift 2 ;;
    --times | --model | --out)
        [ $# -gt 1 ] || refuse "option '$1' needs a value"
        printf -v "${1#--}" %s "$(realpath -m "$2")" && shift 2 ;;
    -*) refuse "unknown option '$1'; usage: $line" ;;
    *) problem_exists "$1" && problems+=("$1") && shift ;;
    esac
done
[ -r "$times" ] || refuse "cannot read '$times'"
seconds=${PREDICT_SECONDS:-60}
[[ $seconds =~ ^[1-9][0-9]{0,5}$ ]] || refuse "PREDICT_SECONDS=$seconds is not a number from 1 to 999999"
pictures=${out:-$root/docs/plots}
if [ -z "$out" ]; then
    out=$root/docs/results
    [ ${#problems[@]} = 0 ] || { out=$build/predict/validation && pictures=$out; }
fi
mkdir -p "$out" "$pictures" || refuse "cannot make the folder '$out'"

"$root/run_scripts/lib/packages.sh" cudasim plot
predict_build
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The submissions that were measured: problem, file, case.
"$predictor" submissions "$times" "${problems[@]}" --gpus "$predict_gpus" > "$work/submissions" || exit
if [ -z "$model" ]; then
    model=$(model_of "$predict_csv")
    model_ready "$predict_csv" "$model"
fi
simulate_gpu "$model" ${gpu:+"$gpu"}
counts=$build/predict/counted

: > "$work/left_out"
while IFS=, read -r name source text <&3; do
    path=problems/$name/submissions/accepted/$source
    [ -e "$root/$path" ] || path=${path%.cu} # it was one file when it was measured, and is a folder now
    practice_begin "$line" "$path" "$name" --generate "$text" --device sim
    counted=$counts/$name-$source-$(cksum <<< "$times $text" | cut -d " " -f 1).csv
    mkdir -p "$counts"
    # What was counted of the same program by the same simulator still holds.
    if [ ! "$counted" -nt "${command[1]}" ] || [ ! "$counted" -nt "$runtime/libcudart.so.13" ] ||
        [ ! "$counted" -nt "$times" ]; then
        rm -f "$counted"
        PRACTICE_SECONDS=$seconds count_launches "$work/counted.csv" "$work/said.txt" \
            "$(grep -c "^$name,$source," "$times")"
        if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
            echo "$name, $source: not through after $seconds s on the simulator" | tee -a "$work/left_out" >&2
            continue
        fi
        [ "$(wc -l < "$work/counted.csv")" -gt 1 ] || fail "$source launched nothing: $(tail -n 1 "$work/said.txt")"
        mv "$work/counted.csv" "$counted"
        echo "$name, $source: $(($(wc -l < "$counted") - 1)) launches" >&2
    fi
    printf '%s\t%s\t%s\n' "$name" "$source" "$counted" >> "$work/list"
done 3< "$work/submissions"
[ -s "$work/list" ] || fail "no submission was counted"

mkdir "$work/plot"
"$predictor" validate "$model" "$times" "$work/list" --gpus "$predict_gpus" ${gpu:+--gpu "$gpu"} \
    --out "$out" --plot "$work/plot" \
    --left-out "$work/left_out" || fail "the launches cannot be predicted: see above"
gnuplot -e "here = '$root/contrib/plot'; folder = '$work/plot'; out = '$pictures/predict-validation'; \
heading = 'Time of the submissions'' kernels, predicted and measured'; load '$work/plot/definitions'" \
    "$root/contrib/plot/predicted.gp" 2> "$work/log" || fail "gnuplot: $(grep -m 1 . "$work/log")"
echo "${out#"$root"/}/predict-validation.md, .csv; ${pictures#"$root"/}/predict-validation.svg"
