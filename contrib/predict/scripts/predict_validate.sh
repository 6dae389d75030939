#!/bin/bash
# Holds predictions against times that were measured of the problems' own submissions:
#
#   predict.sh validate [PROBLEM...] [--times FILE.csv] [--model MODEL] [--out FOLDER]
#
# FILE.csv is what contrib/predict/scripts/kernel_times.sh wrote on a GPU (default:
# contrib/predict/data/submissions-h100.csv). Each submission in it is run on the simulator, in full, on the case that
# it was measured on, and its launches are predicted by a model (default: of contrib/predict/data/h100.csv) and
# matched in their order by kernel, grid and block. FOLDER
# gets predict-validation.md and .csv, and the picture predict-validation.svg (default: docs/results and docs/plots,
# with PROBLEMs build/predict/validation). A submission that is not through after PREDICT_SECONDS (60) on the simulator
# is left out by name. Exit codes: 0, 2 usage, 3 the toolkit failed.
. "$(dirname "$0")/../../../run_scripts/lib/lib.sh"
. "$(dirname "$0")/../../../run_scripts/lib/build_submission.sh"
. "$(dirname "$0")/../../../run_scripts/lib/watched.sh"
. "$(dirname "$0")/predicting.sh"
line='predict.sh validate [PROBLEM...] [--times FILE.csv] [--model MODEL] [--out FOLDER]'

times=$predict_data/submissions-h100.csv model='' out='' problems=()
while [ $# -gt 0 ]; do
    case $1 in
    --help | -h) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;;
    --times | --model | --out)
        [ $# -gt 1 ] || refuse "option '$1' needs a value"
        printf -v "${1#--}" %s "$(realpath -m "$2")" && shift 2 ;;
    -*) refuse "unknown option '$1'; usage: $line" ;;
    *) problem_exists "$1" && problems+=("$1") && shift ;;
    esac
done
[ -r "$times" ] || refuse "cannot read '$times'"
header=problem,submission,case,launch,kernel,grid,block,time_us
[ "$(head -n 1 "$times")" = $header ] || refuse "$times:1: the header must be $header, as kernel_times.sh writes it"
bad=$(awk -F, 'NR > 1 && (NF != 8 || $4 !~ /^[0-9]+$/ ||
    $8 !~ /^[0-9]+(\.[0-9]+)?$/ || $8 <= 0) { print NR; exit }' "$times")
[ -z "$bad" ] ||
    refuse "$times:$bad: not 8 cells with a launch's number and its microseconds, as kernel_times.sh writes them"
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
if [ -z "$model" ]; then
    model=$(model_of "$predict_csv")
    model_ready "$predict_csv" "$model"
fi
simulate_gpu "$model"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
counts=$build/predict/counted

# The submissions that were measured: problem, file, case.
sed 1d "$times" | cut -d, -f1-3 | uniq | grep -E "^($(IFS='|' && echo "${problems[*]:-.*}"))," > "$work/submissions" ||
    refuse "$times has no launch of ${problems[*]:-any problem}"
: > "$work/left_out"
while IFS=, read -r name source text <&3; do
    practice_begin "$line" "problems/$name/submissions/accepted/$source" "$name" --generate "$text" --device sim
    measured=$work/measured.csv counted=$counts/$name-$source-$(cksum <<< "$times $text" | cut -d " " -f 1).csv
    awk -F, -v p="$name" -v s="$source" 'NR > 1 && $1 == p && $2 == s' "$times" > "$measured"
    mkdir -p "$counts"
    # What was counted of the same program by the same simulator still holds.
    if [ ! "$counted" -nt "${command[1]}" ] || [ ! "$counted" -nt "$runtime/libcudart.so.13" ] ||
        [ ! "$counted" -nt "$times" ]; then
        rm -f "$counted"
        PRACTICE_SECONDS=$seconds count_launches "$work/counted.csv" "$work/said.txt" "$(wc -l < "$measured")"
        if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
            echo "$name, $source: not through after $seconds s on the simulator" | tee -a "$work/left_out" >&2
            continue
        fi
        [ "$(wc -l < "$work/counted.csv")" -gt 1 ] || fail "$source launched nothing: $(tail -n 1 "$work/said.txt")"
        mv "$work/counted.csv" "$counted"
        echo "$name, $source: $(($(wc -l < "$counted") - 1)) launches" >&2
    fi
    "$predictor" predict "$model" "$counted" --json --all --gpus "$predict_gpus" > "$work/predicted.json" ||
        fail "$source cannot be predicted: see above"
    jq -L contrib/predict -n --rawfile measured "$measured" --rawfile counted "$counted" \
        --slurpfile predicted "$work/predicted.json" \
        'include "validate"; launches($measured; $counted; $predicted[0].kernels)' >> "$work/launches.json"
    jq '{gpu, method, trained_on}' "$work/predicted.json" > "$work/model.json"
done 3< "$work/submissions"
[ -s "$work/launches.json" ] || fail "no submission was counted"

jq -L contrib/predict -s 'include "validate"; add | kernels' "$work/launches.json" > "$work/kernels.json"
jq -L contrib/predict -r 'include "validate"; csv' "$work/kernels.json" > "$out/predict-validation.csv"
jq -L contrib/predict -r --rawfile left_out "$work/left_out" --slurpfile model "$work/model.json" \
    'include "validate"; report($model[0]; $left_out)' "$work/kernels.json" > "$out/predict-validation.md"

mkdir "$work/plot"
jq -L contrib/predict -r 'include "validate"; points' "$work/kernels.json" |
    awk -F '\t' -v folder="$work/plot" '
        !($1 in number) { number[$1] = ++count; print $1 > (folder "/names"); print $2 > (folder "/points") }
        { print $3, $4, $5, $6 > (folder "/" number[$1] ".tsv") }'
gnuplot -e "here = '$root/contrib/plot'; folder = '$work/plot'; out = '$pictures/predict-validation'; \
count = $(wc -l < "$work/plot/names"); points = '$(paste -sd ' ' "$work/plot/points")'; \
heading = 'Time of the submissions'' kernels, predicted and measured'; note = '$(jq -r .gpu "$work/model.json")'" \
    "$root/contrib/plot/predicted.gp" 2> "$work/log" || fail "gnuplot: $(grep -m 1 . "$work/log")"
sed -n '/^## Summary/,/^## /p' "$out/predict-validation.md" | sed '1d; /^## /d; /^$/d'
echo "${out#"$root"/}/predict-validation.md, .csv; ${pictures#"$root"/}/predict-validation.svg"
