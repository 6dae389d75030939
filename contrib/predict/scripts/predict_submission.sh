#!/bin/bash
# Predicts how long the kernels of a submission take on a GPU, without a GPU:
#
#   predict.sh submission SUBMISSION [PROBLEM] [--case NAME | --generate LINE] [--seed N] [--league NAME] [--sample N]
#       [--data FILE.csv | --model MODEL] [--gpu NAME] [--tune] [--what-if] [--roofline FILE.svg] [--json]
#
# The script calls device_user() once on the simulator, on the given input or on the problem's first sample. It predicts
# each launch from the simulator's counts. The simulator executes every block. --sample N executes only about N blocks
# of a larger launch. That is fast, but later launches then see wrong data: use it for programs whose launches do not
# depend on results. The model comes from contrib/predict/data/work-h100.csv, or from a FILE.csv of `predict.sh
# collect`. An outdated model is trained again first. --tune tries other block sizes for the first launch of each
# kernel. --what-if prints what the first launch of each kernel would take with another occupancy, and with accesses
# whose lanes lie side by side. --roofline prints each kernel below its roofs, and draws it. After PREDICT_SECONDS (600)
# the run is ended and nothing is predicted. Exit codes: 0 predicted, 1 the submission failed, 2 usage, 3 the toolkit
# failed.
. "$(dirname "$0")/../../../run_scripts/lib/lib.sh"
. "$(dirname "$0")/../../../run_scripts/lib/build_submission.sh"
. "$(dirname "$0")/../../../run_scripts/lib/watched.sh"
. "$(dirname "$0")/predicting.sh"
line='predict.sh submission SUBMISSION [PROBLEM] [--case NAME | --generate LINE] [--seed N] [--league NAME] [--sample N]'
line+=' [--data FILE.csv | --model MODEL] [--gpu NAME] [--tune] [--what-if] [--roofline FILE.svg] [--json]'

model='' data='' gpu='' sample='' tune='' json='' what_if='' roofline='' words=()
while [ $# -gt 0 ]; do
    case $1 in
    --help | -h) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;;
    --tune | --json) printf -v "${1#--}" 1 && shift ;;
    --what-if) what_if=1 && shift ;;
    --roofline)
        [[ ${2:-} == *.svg ]] || refuse "--roofline '${2:-}' is not the name of an .svg file"
        file_is_writable --roofline "$2"
        roofline=$(realpath -m "$2") && shift 2 ;;
    --model | --data | --gpu | --sample)
        [ $# -gt 1 ] || refuse "option '$1' needs a value"
        printf -v "${1#--}" %s "$2" && shift 2 ;;
    --device) refuse 'omit --device: a prediction always uses the simulator' ;;
    *) words+=("$1") && shift ;;
    esac
done
[ -z "$model" ] || [ -z "$data" ] || refuse '--model and --data exclude each other: a model is trained on data already'
[ -z "$sample" ] || [[ $sample =~ ^[1-9][0-9]{0,8}$ ]] || refuse "--sample $sample: must be a number of blocks"
[ -z "$roofline" ] || command -v gnuplot > /dev/null ||
    fail "gnuplot is not installed: run_scripts/lib/packages.sh plot"
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
[ -z "$tune" ] || { : > "$work/tuned.csv" && export CUDASIM_FEATURES_TUNE=$work/tuned.csv; }
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

if [ -n "$sample" ]; then
    how="of larger launches only about $sample block(s) were executed"
else
    how=$(practice_answer "$work/said.txt")
fi
[ -z "$roofline" ] || mkdir "$work/plot"
"$predictor" submission "$model" "$work/counted.csv" --gpus "$predict_gpus" ${gpu:+--gpu "$gpu"} \
    --submission "$submission" --problem "$problem" --how "$how" --said "$work/said.txt" \
    ${tune:+--tuned "$work/tuned.csv"} ${what_if:+--what-if} ${roofline:+--roofline "$work/plot"} ${json:+--json} ||
    fail "the launches cannot be predicted: see above"
[ -z "$roofline" ] || gnuplot -e "here = '$root/contrib/plot'; folder = '$work/plot'; out = '$roofline'; \
heading = 'Roofline of the kernels of $(basename "$submission")'; load '$work/plot/definitions'" \
    "$root/contrib/plot/kernels_roofline.gp" 2> "$work/log" || fail "gnuplot: $(grep -m 1 . "$work/log")"
