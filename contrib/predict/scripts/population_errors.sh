# Sourced by population.sh: errors [--locked | --DRAW] [--model MODEL]. Predicts rows for their GPU and prints
# the errors, the worst ten first. Default: the default model of predict.sh.
# shellcheck shell=bash disable=SC2154
. "$scripts/predicting.sh"
. "$scripts/population_join.sh"
predict_build
if [ -z "$model" ] && [ "$half" = public ]; then
    "$predictor" train "$predict_csv" "$top/public.model" --gpus "$predict_gpus" --also "$top/public.csv" \
        --cross "$top/public.json" --cross-draws "$top/public-draws.json" > "$top/public.said" ||
        fail 'the model cannot be trained: see above'
elif [ -z "$model" ]; then
    model=$(model_of "$predict_csv")
    model_ready "$predict_csv" "$model"
fi
[ -z "$model" ] || "$predictor" predict "$model" "$top/$half.csv" --gpus "$predict_gpus" --gpu "$card" --json --all \
    > "$top/$half.json" ||
    fail 'the rows cannot be predicted: see above'
awk -f "$scripts/population_errors.awk" "$top/$half.json" "$top/$half.csv" > "$top/$half-errors.tsv" ||
    fail 'the predictions cannot be compared'
if [ -z "$model" ] && [ "$half" = public ]; then
    echo 'whole draws left out, with all relatives of their programs; intervals by the other draws:'
    awk -f "$scripts/population_errors.awk" "$top/public-draws.json" "$top/public.csv" | grep '^#' | cut -f 2-
    echo 'families left out:'
fi
echo "$half rows, $(sed -n '2s/,.*//p' "$top/$half.csv"): rows are shapes of kernels; a kernel is the sum of its shapes"
grep '^#' "$top/$half-errors.tsv" | cut -f 2-
echo
echo 'the worst: error, predicted us, its 90 % interval, measured us, kernel, bound or reason of the refusal'
grep -v '^#' "$top/$half-errors.tsv" | sort -t $'\t' -k 1,1gr | head -n "$worst" | cut -f 2-
