# What predict_submission.sh says, and profile.sh: kernels of a submission from the predictor's JSON, a launch each.

def sum(f): map(f) | add // 0;
def shown: if fabs >= 1000 then round elif fabs >= 100 then . * 10 | round / 10 else . * 100 | round / 100 end;
def block: "\(.block_x)x\(.block_y)x\(.block_z)";

# The kernels, the costliest first. Launches of a kernel err alike, and so may kernels: ends of intervals are added up.
def by_kernel:
    map(.kernel) as $order | group_by(.kernel) | map(
        map(select(.us)) as $p | map(select(.refused)) as $r |
        {kernel: .[0].kernel, launches: length, predicted: ($p | length), regular: all(.regular)} +
        (if $p == [] then {} else {us: ($p | sum(.us)), low_us: ($p | sum(.low_us)), high_us: ($p | sum(.high_us)),
            launch_us: ($p | sum(.us * .launch_share)),
            bound: ($p | group_by(.bound) | max_by(sum(.us)) | .[0].bound),
            bound_share: ($p | group_by(.bound) | max_by(sum(.us)) | sum(.us * .bound_share) / sum(.us))} end) +
        (if $r == [] then {} else {refused: $r[0].refused} end)) |
    sort_by(-(.us // infinite), (.kernel as $k | $order | index($k)));

# Of a kernel of the simulator's report, its total in microseconds, "refused" where a launch was, "-" where it is not
# known.
def predicted_of($predicted):
    (.name | sub("\\(.*"; "") | sub("<.*"; "") | sub("^.*[ :]"; "")) as $plain | .launches as $launches |
    ($predicted.kernels | map(select(.kernel == $plain)) | by_kernel[0]) as $k |
    if $k == null or $k.launches != $launches then "-" elif $k.refused then "refused" else $k.us | shown end;

# The block sizes that were tried, of the first launch of each kernel; that of the program comes first.
def tried: group_by(.kernel) | map({kernel: .[0].kernel, given: (.[0] | block),
    tried: map({block: block, us, low_us, high_us, refused} | with_entries(select(.value != null)))} |
    . + (.tried | map(select(.us)) | if . == [] then {} else {best: min_by(.us).block} end));

def summary($submission; $problem; $tuned):
    (.kernels | by_kernel) as $k | ($k | map(select(.us))) as $p |
    {format: 1, submission: $submission, problem: $problem, gpu, trained_on, method, level, kernels: $k,
     launches: ($k | sum(.launches)), predicted: ($k | sum(.predicted)), us: ($p | sum(.us)),
     low_us: ($p | sum(.low_us)), high_us: ($p | sum(.high_us)), launch_us: ($p | sum(.launch_us))} +
    if $tuned then {tuned: ($tuned.kernels | tried)} else {} end;

def lines: .kernels[] |
    [(if .us then (.us | shown) else "-" end), (if .us then "\(.low_us | shown) to \(.high_us | shown)" else "-" end),
     (if .predicted == .launches or .predicted == 0 then .launches else "\(.predicted) of \(.launches)" end),
     (if .us then "\(.bound) (\(.bound_share * 100 | round) %)" else "not predicted" end), .kernel,
     (if .refused then (if .regular then "" else "irregular: " end) + .refused else "" end)] | @tsv;

def closing:
    def of(n): if n == 1 then "1 launch" else "\(n) launches" end;
    (if .predicted == 0 then "sum: none of \(of(.launches)) is predicted"
     else "sum: \(.us | shown) us, \(.low_us | shown) to \(.high_us | shown), of " +
        (if .predicted == .launches then of(.launches)
         else "\(.predicted) of \(of(.launches)): the others come to it" end) +
        "; launching is about \(.launch_us | shown) us of it" end),
    "a launch is taken to be alone and warm; copies and the host are not in it";

def tuning:
    "block sizes that leave the number of threads as it is, us for the first launch of each kernel;" +
        " whether the result is still right is not known:",
    (if .tuned then .tuned[] else empty end |
        "\(.kernel): " + (if .best == null then "none is predicted: \(.tried[0].refused)"
            else (.given as $g | .best as $b | (.tried | map(select(.us))) as $p |
                (if $b == $g then "best as it is" else "best \($b)" end) + "; " +
                ($p | sort_by(.us) |
                    map("\(.block)\(if .block == $g then " (as it is)" else "" end) \(.us | shown)") | join(", ")) +
                ((.tried | length) - ($p | length) | if . > 0 then "; \(.) not predicted" else "" end)) end)),
    (if .tuned then empty else "no kernel was tried" end);
