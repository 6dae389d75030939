# Rows of build/bench/PROBLEM.json (docs/formats/bench.md), for bench_ladder.sh.

# From the host's JSON of one case. $row: {problem, what, series, kind, size, n, unit}; $work in operations of the unit,
# $scale of them.
def from_host($row; $work; $scale):
    .device.name as $device | .ranked as $ranked | .cases[0] |
    $row + {
        measure: "call", median_s: .seconds.median,
        low: (.interval.low // .seconds.min), high: (.interval.high // .seconds.max),
        interval: (if .interval then "median" else "range" end), samples,
        rate: ($work / .seconds.median / $scale), overhead_s: .overhead.median, ranked: $ranked, steady: .steady,
        device: $device,
        clocks: ([.parts[]?.sm_megahertz // empty] | sort | if . == [] then null else .[length / 2 | floor] end)
    };

# From a line of bench_gpu.cu. Some programs name the submission in `peer` and the measure in `what`, some in
# `what` and `measure`.
# $names: of a submission or library without its ending, {kind, series}.
def from_kernels($names; $problem; $device; $unit):
    select(.median_s != null) |
    (if .measure then .what else .peer // .what end) as $what |
    (.measure // (if .what == "device_user" then "call" else .what end)) as $measure |
    ($names[$what | sub("\\.cu$"; "")] // {kind: "other", series: $what}) as $name |
    ([.size | tostring | scan("[0-9]+") | tonumber]) as $numbers |
    {
        problem: $problem, what: $what, series: $name.series, kind: $name.kind,
        measure: (if $measure == "kernels" then "kernel" else $measure end), in_process: true,
        size: ([.size, .kind // empty, if .payloads == 1 then "payloads" else empty end] | map(tostring) | join(" ")),
        n: ($numbers[0] // 0),
        # Of the ladder's own kind: as long as wide, and random.
        ladder: (($numbers | unique | length) == 1 and (.payloads // 0) == 0 and
            (.kind // "random" | . == "random" or . == "bytes" or . == "printable")),
        median_s, low: .q1, high: .q3, interval: "quartiles", samples, rate, unit: (.unit // $unit), device: $device,
        clocks: (.sm_mhz // .clocks), right: (if has("right") then .right else .same end),
        operations: (.operations // .flops), bytes
    };

# $names of the lines "NAME<TAB>KIND<TAB>SERIES".
def names_of: [inputs | split("\t") | {key: .[0], value: {kind: .[1], series: .[2]}}] | from_entries;
