#!/bin/bash
# Trains, evaluates and uses models of kernel times:
#
#   predict.sh train [DATA.csv [MODEL]] [--method NAME]...
#       trains a model (default: build/predict/DATA.model) on measured times
#       (default: contrib/predict/data/work-h100.csv)
#   predict.sh evaluate [DATA.csv [OTHER-GPU.csv]] [--out FOLDER]
#       writes every table of docs/predict/validation.md from the committed data to docs/results, long ones to
#       build/predict/results
#   predict.sh predict FEATURES.csv [--model MODEL] [--gpu NAME] [--json [--all]]
#       predicts the time of each launch in FEATURES.csv, with its interval; trains the model first if it is missing
. "$(dirname "$0")/../../../run_scripts/lib/lib.sh"
. "$(dirname "$0")/predicting.sh"

case " $* " in *' --help '* | *' -h '*) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
command=$1
shift
predict_build

files=() options=() model='' out=''
while [ $# -gt 0 ]; do
    case $1 in
    --model | --out)
        [ $# -ge 2 ] || usage "predict.sh $command ... $1 PATH"
        if [ "$1" = --model ]; then model=$2; else out=$2; fi
        shift 2 ;;
    --json | --all) options+=("$1"); shift ;;
    --*)
        [ $# -ge 2 ] || usage "predict.sh $command ... $1 VALUE"
        options+=("$1" "$2")
        shift 2 ;;
    *) files+=("$1"); shift ;;
    esac
done

# run ARGUMENT...: the program, told where the GPUs are described.
run() { "$predictor" "$@" --gpus "$predict_gpus" "${options[@]}"; }

case $command in
train)
    [ ${#files[@]} -le 2 ] || usage 'predict.sh train [DATA.csv [MODEL]] [--method NAME]'
    csv=${files[0]:-$predict_csv}
    run train "$csv" "${files[1]:-${model:-$(model_of "$csv")}}" ;;
evaluate)
    [ ${#files[@]} -le 2 ] || usage 'predict.sh evaluate [DATA.csv [OTHER-GPU.csv]] [--out FOLDER]'
    if [ ${#files[@]} = 0 ]; then
        files=("$predict_data/h100.csv")
        [ ! -f "$predict_data/h200.csv" ] || files+=("$predict_data/h200.csv")
        [ -n "$out" ] || { out=$root/docs/results && options+=(--rows "$build/predict/results"); }
    fi
    run evaluate "${files[@]}" --out "${out:-$build/predict/results}" ;;
predict)
    [ ${#files[@]} = 1 ] || usage 'predict.sh predict FEATURES.csv [--model MODEL] [--gpu NAME] [--json [--all]]'
    [ -r "${files[0]}" ] || refuse "cannot open '${files[0]}'"
    if [ -z "$model" ]; then
        model=$(model_of "$predict_csv")
        model_ready "$predict_csv" "$model"
    fi
    run predict "$model" "${files[0]}" ;;
esac
