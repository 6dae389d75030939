#!/bin/bash
# How long the kernels of a submission would take on a GPU, without one:
#
#   predict.sh submission SUBMISSION [PROBLEM] [--case NAME | --generate LINE] [--seed N] [--league NAME] [--sample N]
#       [--data FILE.csv | --model MODEL] [--gpu NAME] [--tune] [--json]
#
# Calls device_user() once on the simulator, on the problem's first sample unless another input is asked for, and
# predicts each launch from what was counted. Every block is executed; with --sample N of a launch with more blocks
# about N, which is fast, but what later launches get to see is wrong then: it is for programs whose launches do not
# depend on results. The model is of contrib/predict/data/h100.csv, or another FILE.csv that `predict.sh collect` wrote,
# and is trained first where it is older. --tune tries other block sizes for the first launch of each kernel. A run that
# takes more than PREDICT_SECONDS (600) is ended, and nothing is predicted. Exit codes: 0, 1 the submission failed, 2
# usage, 3 the toolkit failed.
. "$(dirname "$0")/../../../run_scripts/lib/lib.sh"
. "$(dirname "$0")/../../../run_scripts/lib/build_submission.sh"
. "$(dirname "$0")/../../../run_scripts/lib/watched.sh"
. "$(dirname "$0")/predicting.sh"
line='predict.sh submission SUBMISSION [PROBLEM] [--case NAME | --generate LINE] [--seed N] [--league NAME] [--sample N]'
line+=' [--data FILE.csv | --model MODEL] [--gpu NAME] [--tune] [--json]'

model='' data='' gpu='' sample='' tune='' json='' words=()
while [ $# -gt 0 ]; do
    case $1 in
    --help | -h) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;;
    --tune | --json) printf -v "${1#--}" 1 && shift ;;
    --model | --data | --gpu | --sample)
        [ $# -gt 1 ] || refuse "option '$1' needs a value"
        printf -v "${1#--}" %s "$2" && shift 2 ;;
    --device) refuse '--device: a prediction is always made on the simulator' ;;
    *) words+=("$1") && shift ;;
    esac
done
[ -z "$model" ] || [ -z "$data" ] || refuse '--model and --data exclude each other: a model is trained on data already'
[ -z "$sample" ] || [[ $sample =~ ^[1-9][0-9]{0,8}$ ]] || refuse "--sample $sample: must be a number of blocks"
[ -z "$model" ] || [ -r "$model" ] || refuse "cannot open the model '$model'; predict.sh train makes one"
seconds=${PREDICT_SECONDS:-600}
[[ $seconds =~ ^[1-9][0-9]{0,5}$ ]] || refuse "PREDICT_SECONDS=$seconds is not a number from 1 to 999999"
data=$(realpath -m "${data:-$predict_csv}") model=${model:+$(realpath -m "$model")}
# Before anything is built.
[ -n "$model" ] || [ -r "$data" ] || no_times "$data"

"$root/run_scripts/lib/packages.sh" build cudasim
practice_begin "$line" "${words[@]}" --device sim
predict_build
if [ -z "$model" ]; then
    model=$(model_of "$data")
    model_ready "$data" "$model"
fi
simulate_gpu "$model" "$gpu"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -z "$sample" ] || export CUDASIM_SAMPLE=$sample
[ -z "$tune" ] || export CUDASIM_FEATURES_TUNE=$work/tuned.csv
PRACTICE_SECONDS=$seconds count_launches "$work/counted.csv" "$work/said.txt"
said=$(tail -n 1 "$work/said.txt")
if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
    echo "predict.sh: the submission is not through after $seconds s on the simulator;" \
        'try a smaller input, --sample 64 or PREDICT_SECONDS' >&2
    exit 1
fi
if [ "$status" -gt 1 ] || { [ "$status" -eq 1 ] && [ -z "$sample" ]; }; then
    echo "predict.sh: nothing is predicted: $(practice_answer "$work/said.txt"); $said" >&2
    exit 1
fi
[ "$(wc -l < "$work/counted.csv")" -gt 1 ] ||
    { echo "predict.sh: the submission launched no kernel: $said" >&2 && exit 1; }

# predict_of CSV JSON
predict_of() {
    "$predictor" predict "$model" "$1" --json --gpus "$predict_gpus" ${gpu:+--gpu "$gpu"} > "$2" ||
        fail "the launches cannot be predicted: see above"
}
predict_of "$work/counted.csv" "$work/predicted.json"
echo null > "$work/tuned.json"
[ -z "$tune" ] || [ "$(wc -l < "$work/tuned.csv")" -lt 2 ] || predict_of "$work/tuned.csv" "$work/tuned.json"
jq -L contrib/predict --slurpfile tuned "$work/tuned.json" --arg submission "$submission" --arg problem "$problem" \
    'include "submission"; summary($submission; $problem; $tuned[0])' "$work/predicted.json" > "$work/summary.json"
if [ -n "$json" ]; then
    cat "$work/summary.json"
    exit
fi

if [ -n "$sample" ]; then
    how="of larger launches only about $sample block(s) were executed"
else
    how=$(practice_answer "$work/said.txt")
fi
jq -r --arg how "$how" '"predicted for one \(.gpu), by a model of launches on \(.trained_on); on the simulator: \($how)"' \
    "$work/summary.json"
printf '%10s  %-22s %10s  %-24s %s\n' 'total us' '90 % between' launches 'bounded by' kernel
jq -L contrib/predict -r 'include "submission"; lines' "$work/summary.json" |
    while IFS=$'\t' read -r a b c d e f; do
        printf '%10s  %-22s %10s  %-24s %s\n' "$a" "$b" "$c" "$d" "$e"
        [ -z "$f" ] || printf '%10s  %s\n' '' "$f"
    done
sed -n 's/^cudasim: \(.*: its blocks may wait for each other\): .*/\1: all were executed, and how long they wait is not known/p' \
    "$work/said.txt" | sort -u
jq -L contrib/predict -r 'include "submission"; closing' "$work/summary.json"
[ -z "$tune" ] || jq -L contrib/predict -r 'include "submission"; tuning' "$work/summary.json"
