# Predictions beside measured times: predict_validate.sh. Times are microseconds.

def rows: split("\n")[] | select(. != "") | split(",");
def sum(f): map(f) | add // 0;
def median: sort | if length == 0 then null else (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2 end;
def mean: if length == 0 then null else add / length end;
def shown: if . == null then "-" elif fabs >= 1000 then round elif fabs >= 100 then . * 10 | round / 10
    else . * 100 | round / 100 end;
def percent: if . == null then "-" else "\(. * 1000 | round / 10) %" end;

# One object a measured launch: the launch that was counted at its place, if it is the same one, and its prediction.
def launches($measured; $counted; $predicted):
    [$counted | rows][1:] as $counted |
    [$measured | rows] | to_entries | map(.key as $i | .value as $m | $counted[$i] as $c |
        {problem: $m[0], submission: $m[1], case: $m[2], kernel: $m[4], measured: ($m[7] | tonumber)} +
        if $c == null or $c[0] != $m[4] or ($c[1:4] | join("x")) != $m[5] or ($c[4:7] | join("x")) != $m[6]
        then {unmatched: true}
        else $predicted[$i] | {us, low_us, high_us, bound, regular, refused, refused_us} end);

# One object for each kernel of a submission. Sums of what was predicted stand beside sums of the same launches'
# measured times.
def kernels:
    group_by([.problem, .submission, .kernel]) | map(
        map(select(.us)) as $p | map(select(.refused)) as $r |
        {problem: .[0].problem, submission: .[0].submission, case: .[0].case, kernel: .[0].kernel, launches: length,
         measured: sum(.measured), median: (map(.measured) | median),
         unmatched: (map(select(.unmatched)) | length), irregular: any(.regular == false),
         predicted_launches: ($p | length), measured_of_predicted: ($p | sum(.measured)),
         predicted: ($p | sum(.us)), low: ($p | sum(.low_us)), high: ($p | sum(.high_us)),
         predicted_median: ($p | map(.us) | median),
         bound: ($p | max_by(.us).bound), refused_launches: ($r | length), refused: $r[0].refused,
         measured_of_refused: ($r | sum(.measured)), refused_us: ($r | sum(.refused_us))}) |
    map(if .predicted_launches > 0 then . + {error: (.predicted / .measured_of_predicted - 1),
            held: (.low <= .measured_of_predicted and .measured_of_predicted <= .high)} else . end);

def csv:
    ["problem", "submission", "kernel", "launches", "measured_us", "measured_median_us", "predicted_launches",
     "measured_of_predicted_us", "predicted_us", "low_us", "high_us", "predicted_median_us", "error", "bound",
     "irregular", "unmatched_launches", "refused_launches", "measured_of_refused_us", "refused_guess_us", "refused"],
    (.[] | (.predicted_launches > 0) as $p | def six: if . == null then null else . * 1000 | round / 1000 end;
     [.problem, .submission, .kernel, .launches, (.measured | six), (.median | six), .predicted_launches] +
     (if $p then [.measured_of_predicted, .predicted, .low, .high, .predicted_median, .error]
      else [range(6) | null] end | map(six)) +
     [.bound, (if .irregular then 1 else 0 end), .unmatched, .refused_launches] +
     (if .refused_launches > 0 then [.measured_of_refused, .refused_us] else [null, null] end | map(six)) +
     [.refused]) | @csv;

# Of those whose launches were predicted: how far off.
def scores: map(select(.error)) as $p | ($p | map(.error | fabs)) as $e |
    [($p | length), ($p | sum(.predicted_launches)), ($e | mean, median, max | percent),
     ($p | map(.predicted / .measured_of_predicted | log | fabs) | mean |
         if . then exp * 100 | round / 100 else "-" end),
     ($p | map(select(.held)) | length)] | map(tostring) | join(" | ");

def report($model; $left_out):
    def refusal: if .irregular then "loops depend on data"
        elif (.refused | startswith("outside")) then "outside of the training range"
        else "unlike every kernel trained on" end;
    def part: if .predicted_launches == .launches then ""
        else "; only \(.predicted_launches) launches, measured \(.measured_of_predicted | shown)" end;
    . as $all | map(select(.refused_launches > 0)) as $refused |
    "# Predicted and measured times of the submissions\n",
    "Written by `run_scripts/predict.sh validate` from the times that " +
        "`contrib/predict/scripts/kernel_times.sh` measured below ncu on a",
    "\($model.trained_on): the first 40 launches of every accepted CUDA submission. " +
        "Predicted by \($model.method), for one",
    "\($model.gpu), from counts of the simulator on the same inputs. " +
        "None of these kernels was trained on. How to read it:",
    "[PREDICT.md](../PREDICT.md#validation).\n",
    "## Summary\n",
    "An error is |predicted - measured| / measured of the sum over a kernel's launches that are " +
        "predicted; the factor is the",
    "exponential of the mean |ln(predicted / measured)|.\n",
    "| | kernels | launches | mean error | median error | largest error | factor | in the 90 % interval |",
    "|---|---|---|---|---|---|---|---|",
    "| all that are predicted | \(scores) |",
    ($all | group_by(.problem)[] | "| \(.[0].problem) | \(scores) |"),
    "| at least 10 us a launch, median | \(map(select(.median >= 10)) | scores) |",
    "",
    "| refused, because | kernels | launches | what would have been said, a factor |",
    "|---|---|---|---|",
    ($refused | group_by(refusal)[] | "| \(.[0] | refusal) | \(length) | \(sum(.refused_launches)) | \(
        map(.refused_us / .measured_of_refused | log | fabs) | mean | exp * 100 | round / 100) |"),
    "",
    "Launches that were measured but came otherwise on the simulator: " +
        "\($all | sum(.unmatched)) of \($all | sum(.launches)).",
    ($left_out | if . == "" then "No submission was left out."
        else "Left out: " + (rtrimstr("\n") | gsub("\n"; "; ")) + "." end),
    "\n## Kernels\n",
    "Microseconds; sums over launches, and medians of a launch. " +
        "\"irregular\": a loop's rounds depend on data in memory.\n",
    "| problem | submission | kernel | launches | measured | median | predicted | 90 % | median | error | bounded by |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
    ($all[] | "| \(.problem) | \(.submission) | \(.kernel)\(if .irregular then " (irregular)" else "" end) | " +
        "\(.launches) | \(.measured | shown) | \(.median | shown) | " +
        if .error then "\(.predicted | shown) | \(.low | shown) to \(.high | shown) | \(.predicted_median | shown) | " +
            "\(if .error > 0 then "+" else "" end)\(.error | percent) | \(.bound)\(part) |"
        elif .refused then "refused | - | - | - | \(.refused) |"
        else "- | - | - | - | launches differ on the simulator |" end);

# For the plot: series, mark, measured, predicted, low, high, of a launch on average.
def points:
    ((group_by(.problem) | to_entries[] | (.key + 1) as $mark | .value[] | select(.error) |
        [.problem, $mark] + (.predicted_launches as $n |
            [.measured_of_predicted, .predicted, .low, .high] | map(. / $n))),
     (.[] | select(.refused_launches > 0) | ["refused", 0, .measured_of_refused / .refused_launches] +
        (.refused_us / .refused_launches | [., ., .]))) | @tsv;
