#!/usr/bin/env bats
# The predictor's methods: laws that are known, tables, intervals, refusals, and what it says of bad files.
# bats file_tags=predict

setup_file() {
    make -s -C "$root" DEV=1 predict-tests >&2
    data=$BATS_FILE_TMPDIR/law.csv model=$BATS_FILE_TMPDIR/law.model
    export data model
    "$build/tests/predict_law" 8 6 4 0.005 > "$data"
    "$build/predict/predict" train "$data" "$model" --gpus "$root/contrib/predict/gpus.csv" >&2
}

setup() {
    load helpers/common
    cd "$root" || return
    csv=$BATS_TEST_TMPDIR/data.csv
    cp "$data" "$csv"
}

predict() { timeout 60 "$build/predict/predict" "$@"; }

# cell LINE COLUMN VALUE: changes one cell of $csv.
cell() {
    awk -F, -v OFS=, -v line="$1" -v name="$2" -v value="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
        NR == line { $c = value } { print }' "$csv" > "$csv.new"
    mv "$csv.new" "$csv"
}

# without COLUMN: $csv less that column.
without() {
    awk -F, -v name="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
        {
            line = ""
            for (i = 1; i <= NF; i++) if (i != c) line = line (line == "" ? "" : ",") $i
            print line
        }' "$csv" > "$csv.new"
    mv "$csv.new" "$csv"
}

@test "predict: splits, normalisation, influence, scores, occupancy" {
    run -0 timeout 60 "$build/tests/test_predict_parts"
    assert_output --regexp '[0-9]{3,} checks, 0 failed'
}

@test "predict: each method recovers a law and comes back from its file; intervals hold" {
    run -0 timeout 100 "$build/tests/test_predict_methods"
    assert_output --regexp '[0-9]{2,} checks, 0 failed'
}

@test "predict: evaluate writes every table, twice the same" {
    head -n 97 "$csv" > "$csv.few"
    for out in two three; do
        run -0 predict evaluate "$csv.few" --out "$BATS_TEST_TMPDIR/$out"
    done
    run -0 predict evaluate "$csv" "$csv" --out "$BATS_TEST_TMPDIR/one" --rows "$BATS_TEST_TMPDIR/rows"
    cd "$BATS_TEST_TMPDIR"
    assert_equal "$(echo one/* rows/*)" \
        'one/predict-scores.csv one/predict-tables.md rows/predict-predictions.csv rows/predict.json'
    cmp two/predict-scores.csv three/predict-scores.csv
    cmp two/predict-predictions.csv three/predict-predictions.csv
    # (12 ways at random, 11 in folds) x 3 groups, and 8 x (kernel left out, other GPU).
    [ "$(wc -l < one/predict-scores.csv)" = $((1 + 12 * 3 + 11 * 3 + 8 * 2)) ]
    grep -q '^| computation | elm | 3.42 / 0.97 | [0-9.e+]* / [0-9.e+]* |' one/predict-tables.md
    grep -q '^| merged | svr | 35.62 / 0.31 |' one/predict-tables.md
    for heading in 'Goals' 'A random fifth' 'Ten folds' 'Each kernel left out' 'Trained on' 'Intervals' \
        'Time of training' 'Influence'
    do grep -q "^## $heading" one/predict-tables.md; done
    jq -e '.runs | length == 85' rows/predict.json
    # The law is within reach of the default, so it is found; of the roofline it is not.
    jq -e '.runs | map(select(.test == "folds" and .kernels == "merged")) | map({(.method): .mean}) | add |
        .bounded < 0.02 and .roofline > 5 * .bounded' rows/predict.json
    # Every row of the table has been predicted when its fold, and when its kernel, was left out.
    awk -F, 'NR > 1 && !($7 > 0 && $8 > 0 && $9 > 0) { exit 1 }' rows/predict-predictions.csv
}

@test "predict: a model predicts what it was trained on, with an interval and what bounds it" {
    run -0 predict predict "$model" "$csv"
    assert_equal "${#lines[@]}" 192
    assert_line --index 0 --regexp \
        '^kernel0, [0-9]+ blocks of 32 threads: [0-9.]+ us, 90 % between [0-9.]+ and [0-9.]+; bounded by [a-zA-Z0-9 ]+ \([0-9]+ %\)$'
    predict predict "$model" "$csv" --json > "$BATS_TEST_TMPDIR/json"
    # Nine in ten intervals of 90 % hold the measured time, or more: these rows were learned from.
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_us") c = i } NR > 1 { print $c }' "$csv" |
        jq -s --slurpfile p "$BATS_TEST_TMPDIR/json" -e '[., $p[0].kernels] | transpose |
            map(select(.[0] >= .[1].low_us and .[0] <= .[1].high_us)) | length >= 173'
    jq -e '.format == 1 and .level == 0.9 and (.kernels | all(.us > 0 and .utilisation > 0 and .utilisation <= 1))' \
        "$BATS_TEST_TMPDIR/json"
}

@test "predict: n and s need not be given; a model that uses them says so" {
    cell 2 n ''
    run -0 predict predict "$model" "$csv"
    assert_equal "${#lines[@]}" 192
    run -0 predict train "$data" "$BATS_TEST_TMPDIR/m" --method mlp --inputs source --time raw
    run -2 predict predict "$BATS_TEST_TMPDIR/m" "$csv"
    assert_output --partial "data.csv:2: column 'n' is empty, and this model needs it"
}

@test "predict: it does not guess outside of the training range, and names the feature" {
    cell 3 registers 255
    cell 4 regular 0
    run -0 predict predict "$model" "$csv"
    assert_line --index 1 --regexp \
        'not predicted: outside of the training range: registers is 255, trained from 1[0-9.]* to [0-9.]+$'
    assert_line --index 2 --partial 'not predicted: its loops depend on data'
    predict predict "$model" "$csv" --json | jq -e '.kernels[1] | has("refused") and (has("us") | not)'
}

@test "predict: a bad row is named by file, line and column" {
    cell 5 time_us nan
    run -2 predict train "$csv" "$BATS_TEST_TMPDIR/m"
    assert_output --partial "data.csv:5: column 'time_us' holds 'nan'; it must be finite"
    cp "$data" "$csv"; cell 7 alpha 1.5x
    run -2 predict train "$csv" "$BATS_TEST_TMPDIR/m"
    assert_output --partial "data.csv:7: column 'alpha' holds '1.5x', which is not a number"
    cp "$data" "$csv"; cell 7 l ''
    run -2 predict train "$csv" "$BATS_TEST_TMPDIR/m"
    assert_output --partial "data.csv:7: column 'l' is empty"
    cp "$data" "$csv"; sed -i '9s/$/,1/' "$csv"
    run -2 predict train "$csv" "$BATS_TEST_TMPDIR/m"
    assert_output --partial 'data.csv:9: 45 cells, but the header has 44 columns'
    cp "$data" "$csv"; sed -i '1s/n_b/blocks/' "$csv"
    run -2 predict train "$csv" "$BATS_TEST_TMPDIR/m"
    assert_output --partial "data.csv:1: the header has no column 'n_b'"
    cp "$data" "$csv"; sed -i '1s/n_b/n_t/' "$csv"
    run -2 predict train "$csv" "$BATS_TEST_TMPDIR/m"
    assert_output --partial "data.csv:1: two columns are called 'n_t'"
    cp "$data" "$csv"; cell 4 class both
    run -2 predict train "$csv" "$BATS_TEST_TMPDIR/m"
    assert_output --partial "data.csv:4: class 'both'; it is memory or computation"
    cp "$data" "$csv"; cell 4 gpu 'NVIDIA Unknown'
    run -2 predict train "$csv" "$BATS_TEST_TMPDIR/m"
    assert_output --partial "data.csv:4: gpu 'NVIDIA Unknown' is not in contrib/predict/gpus.csv"
    cp "$data" "$csv"; cell 4 n_t 2048
    run -2 predict train "$csv" "$BATS_TEST_TMPDIR/m"
    assert_output --partial 'data.csv:4: 2048 threads a block; CUDA allows 1024'
    head -n 1 "$data" > "$csv"
    run -2 predict train "$csv" "$BATS_TEST_TMPDIR/m"
    assert_output --partial 'data.csv: no row below the header'
    run -2 predict train /nonexistent "$BATS_TEST_TMPDIR/m"
    assert_output --partial "cannot open '/nonexistent'"
    assert [ ! -e "$BATS_TEST_TMPDIR/m" ]
}

@test "predict: the file of features needs no times, and is read by name" {
    without time_us; without gpu; without class
    run -0 predict predict "$model" "$csv"
    assert_equal "${#lines[@]}" 192
    run -2 predict train "$csv" "$BATS_TEST_TMPDIR/m"
    assert_output --partial "the header has no column 'gpu'"
}

@test "predict: a truncated, edited or foreign model file is refused by line" {
    head -n 12 "$model" > "$BATS_TEST_TMPDIR/m"
    run -2 predict predict "$BATS_TEST_TMPDIR/m" "$csv"
    assert_output --regexp 'm:13: the file ends early; train the model again$'
    sed '1s/[0-9]*$/99/' "$model" > "$BATS_TEST_TMPDIR/m"
    run -2 predict predict "$BATS_TEST_TMPDIR/m" "$csv"
    assert_output --partial "m:1: the model's format is not the one that this program reads"
    sed 's/^law \([0-9]*\) [^ ]*/law \1 nan/' "$model" > "$BATS_TEST_TMPDIR/m"
    run -2 predict predict "$BATS_TEST_TMPDIR/m" "$csv"
    assert_output --regexp "m:[0-9]+: number 1 of 'law' is missing or not finite"
    sed 's/^method bounded/method elm/' "$model" > "$BATS_TEST_TMPDIR/m"
    run -2 predict predict "$BATS_TEST_TMPDIR/m" "$csv"
    assert_output --regexp "m:[0-9]+: a line 'hidden' is expected here"
    sed '$d' "$model" > "$BATS_TEST_TMPDIR/m"
    run -2 predict predict "$BATS_TEST_TMPDIR/m" "$csv"
    assert_output --partial "'end' is missing"
}

@test "predict: arguments that make no sense end with code 2" {
    run -2 predict
    assert_output 'predict: name a command; see build/predict/predict --help'
    run -2 predict guess "$csv"
    assert_output "predict: there is no command 'guess'; see build/predict/predict --help"
    run -2 predict train "$csv"
    assert_output 'predict: train: wrong number of files (1); see build/predict/predict --help'
    run -2 predict train "$csv" "$BATS_TEST_TMPDIR/m" --frob
    assert_output "predict: unknown option '--frob'; see build/predict/predict --help"
    run -2 predict train "$csv" "$BATS_TEST_TMPDIR/m" --method
    assert_output "predict: option '--method' needs a value; see build/predict/predict --help"
    run -2 run_scripts/predict.sh predict "$BATS_TEST_TMPDIR/none.csv"
    assert_output "predict.sh: cannot open '$BATS_TEST_TMPDIR/none.csv'"
    run -2 predict train "$csv" "$BATS_TEST_TMPDIR/m" --method magic
    assert_output --partial "there is no method 'magic'"
    run -2 predict train "$csv" "$BATS_TEST_TMPDIR/m" --time raw
    assert_output --partial 'method bounded learns the logarithm of the time'
    run -2 predict predict "$model" "$csv" --gpu abacus
    assert_output --partial "gpu 'abacus' is not in"
    run -2 run_scripts/predict.sh nonsense
}

@test "predict: the script trains a model in one command and uses it" {
    run -0 timeout 100 run_scripts/predict.sh train "$csv" "$BATS_TEST_TMPDIR/m" --method limits
    assert_output --partial 'calibrated limits, trained on 192 rows of NVIDIA H100'
    run -0 timeout 60 run_scripts/predict.sh predict "$csv" --model "$BATS_TEST_TMPDIR/m"
    assert_equal "${#lines[@]}" 192
}
