# Sourced after lib.sh by the scripts that predict: the program, and its models.
# shellcheck shell=bash disable=SC2034,SC2154
predictor=$build/predict/predict
predict_data=$root/contrib/predict/data
# The default training data. PREDICT_CSV may name a CSV of your own GPU.
predict_csv=$(realpath -m "${PREDICT_CSV:-$root/contrib/predict/data/work-h100.csv}")
# The default model learns from these public kernels too: both halves of contrib/predict/population. Its intervals are
# as wide as it is off on them while their program is left out.
predict_public=$predict_data/public.csv
predict_gpus=$root/contrib/predict/gpus.csv

# predict_build: the program, with the packages that it needs.
predict_build() {
    # Evaluating runs one job a processor; a matrix product alone may take all.
    export OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-$(nproc)}
    "$root/run_scripts/lib/packages.sh" build predict
    toolkit_make predict-program >&2 || fail "the predictor does not build: see above"
}

# no_times CSV: there is nothing to train on.
no_times() { refuse "there are no measured times in '$1': run_scripts/predict.sh collect makes them on a GPU"; }

# model_of CSV: the path of its model.
model_of() { local name=${1##*/}; echo "$build/predict/${name%.csv}.model"; }

# model_is_ready CSV MODEL: whether it is there, and newer than what it was made of and by.
model_is_ready() {
    [ -x "$predictor" ] && [ "$2" -nt "$1" ] && [ "$2" -nt "$predictor" ] && [ "$2" -nt "$predict_public" ]
}

# model_ready CSV MODEL: trains it where it is not there, or older than the CSV or the program. A model is only ever
# there whole.
model_ready() {
    [ -r "$1" ] || no_times "$1"
    ! model_is_ready "$@" || return 0
    echo "$script_name: training on $1, which takes some seconds" >&2
    local options=()
    [ "$1" != "$predict_data/work-h100.csv" ] || options=(--also "$predict_public" --cross "${2%.model}.cross.json")
    "$predictor" train "$1" "$2.part" --gpus "$predict_gpus" "${options[@]}" > "$2.said" ||
        refuse "no model of '$1': see above"
    rm -f "$2.said"
    mv "$2.part" "$2"
}

# count_launches FILE LOG [LIMIT]: after practice_begin. Runs the submission on the simulator and leaves the features of
# its launches, or of the first LIMIT, in FILE, its words in LOG. `status` is how it ended, 124 where that was not
# within PRACTICE_SECONDS; after LIMIT launches it is ended.
count_launches() {
    local pipe reader
    exec {pipe}> >(if [ -n "${3:-}" ]; then head -n $(($3 + 1)); else cat; fi > "$1")
    reader=$!
    CUDASIM_CHECK=none CUDASIM_FEATURES=/dev/fd/$pipe practice_run "$2"
    exec {pipe}>&-
    wait "$reader"
}

# simulate_gpu MODEL [NAME]: the simulator's device from here on has the multiprocessors of the GPU that is predicted
# for, which some programs ask for before they choose a grid: the model's, or the one named.
simulate_gpu() {
    local settings setting
    settings=$("$predictor" settings "$1" --gpus "$predict_gpus" ${2:+--gpu "$2"} 2>&1) || {
        settings=${settings#predict: }
        refuse "${settings//"$root"\//}"
    }
    while read -r setting; do export "${setting?}"; done <<< "$settings"
}
