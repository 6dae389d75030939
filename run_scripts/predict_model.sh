#!/bin/bash
# Models of kernels' execution times:
#
#   predict.sh train [DATA.csv [MODEL]] [--method NAME]...   from measured times (default: contrib/predict/data/h100.csv) to a model
#                                                            (default: build/predict/DATA.model)
#   predict.sh evaluate [DATA.csv [OTHER-GPU.csv]] [--out FOLDER]
#                                                            every table of docs/PREDICT.md, from the committed data to docs/results
#   predict.sh predict FEATURES.csv [--model MODEL] [--gpu NAME] [--json]
#                                                            times of the launches in FEATURES.csv, each with its interval;
#                                                            the model is trained first where there is none
. "$(dirname "$0")/lib.sh"
program=$build/predict/predict
data=$root/contrib/predict/data

case " $* " in *' --help '* | *' -h '*) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
command=$1
shift
# Evaluating runs one job a processor; a matrix product alone may take all.
export OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-$(nproc)}
"$root/run_scripts/packages.sh" build predict
toolkit_make predict-program >&2 || fail "the predictor does not build: see above"

files=() options=() model='' out=''
while [ $# -gt 0 ]; do
    case $1 in
    --model | --out)
        [ $# -ge 2 ] || usage "predict.sh $command ... $1 PATH"
        if [ "$1" = --model ]; then model=$2; else out=$2; fi
        shift 2 ;;
    --json) options+=("$1"); shift ;;
    --*)
        [ $# -ge 2 ] || usage "predict.sh $command ... $1 VALUE"
        options+=("$1" "$2")
        shift 2 ;;
    *) files+=("$1"); shift ;;
    esac
done

# run ARGUMENT...: the program, told where the GPUs are described.
run() { "$program" "$@" --gpus "$root/contrib/predict/gpus.csv" "${options[@]}"; }

# model_of CSV: the path of its model.
model_of() { local name=${1##*/}; echo "$build/predict/${name%.csv}.model"; }

case $command in
train)
    [ ${#files[@]} -le 2 ] || usage 'predict.sh train [DATA.csv [MODEL]] [--method NAME]'
    csv=${files[0]:-$data/h100.csv}
    run train "$csv" "${files[1]:-${model:-$(model_of "$csv")}}" ;;
evaluate)
    [ ${#files[@]} -le 2 ] || usage 'predict.sh evaluate [DATA.csv [OTHER-GPU.csv]] [--out FOLDER]'
    if [ ${#files[@]} = 0 ]; then
        files=("$data/h100.csv")
        [ ! -f "$data/h200.csv" ] || files+=("$data/h200.csv")
        out=${out:-$root/docs/results}
    fi
    run evaluate "${files[@]}" --out "${out:-$build/predict/results}" ;;
predict)
    [ ${#files[@]} = 1 ] || usage 'predict.sh predict FEATURES.csv [--model MODEL] [--gpu NAME] [--json]'
    if [ -z "$model" ]; then
        model=$(model_of "$data/h100.csv")
        [ "$model" -nt "$data/h100.csv" ] ||
            "$program" train "$data/h100.csv" "$model" --gpus "$root/contrib/predict/gpus.csv" >&2
    fi
    run predict "$model" "${files[0]}" ;;
esac
