# From the raw page of ncu, as CSV, to a line a kernel for profile.sh: its numbers and what holds it up, in words.

# [{column: text}...], one a launch. The line below the names has the units.
def launches:
    def fields: ltrimstr("\"") | rtrimstr("\"") | split("\",\"");
    [inputs | select(startswith("\""))] as $lines | ($lines[0] | fields) as $names |
    [$lines[2:][] | fields as $f | reduce range($names | length) as $i ({}; .[$names[$i]] = $f[$i])];

def number: if . == null or . == "" then null else gsub(","; "") | tonumber? end;
def median: map(select(. != null)) | sort | if . == [] then null else .[length / 2 | floor] end;
def column($name): map(.[$name] | number) | median;
def show: if . == null then "-" else . * 10 | round / 10 end;

# Percent of peaks, medians of launches; those of memory are told together, and by the level that is nearest to its own.
def peaks: {
    arithmetic: column("sm__throughput.avg.pct_of_peak_sustained_elapsed"),
    memory: column("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"),
    L1: column("l1tex__throughput.avg.pct_of_peak_sustained_active"),
    L2: column("lts__throughput.avg.pct_of_peak_sustained_elapsed"),
    DRAM: (column("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed") //
        column("dram__throughput.avg.pct_of_peak_sustained_elapsed"))
};
def level: . as $peaks | ["L1", "L2", "DRAM"] | max_by($peaks[.] // 0);

# 60 %: above, NVIDIA's guides call a unit the limit; below, a kernel waits.
def limit($achieved; $waves):
    . as $peaks |
    ([{key: "arithmetic", value: .arithmetic}, {key: "memory (\(level))", value: .memory}] |
        map(select(.value != null)) | max_by(.value)) as $top |
    if $top == null then "nothing was counted"
    elif $top.value >= 60 then "limited by \($top.key), at \($top.value | show) % of its peak"
    elif $waves != null and $waves < 1 then
        "limited by its grid, \($waves * 100 | . * 10 | round / 10) % of what the GPU can hold at once"
    elif $achieved != null and $achieved < 30 then
        "limited by latency, with too few warps (\($achieved | show) %) to hide it"
    else "limited by latency: no unit is above \($top.value | show) % of its peak" end;

def kernels:
    map(. + {time: (."gpu__time_duration.sum" | number // 0)}) | group_by(."Kernel Name") |
    sort_by(-(map(.time) | add))[] | peaks as $peaks |
    column("sm__warps_active.avg.pct_of_peak_sustained_active") as $achieved |
    column("sm__maximum_warps_per_active_cycle_pct") as $fit |
    column("launch__waves_per_multiprocessor") as $waves |
    ([(map(.time) | add) / 1000, length, $peaks.arithmetic, $peaks.L1, $peaks.L2, $peaks.DRAM, $achieved, $fit] |
        map(show)) + [.[0]."Kernel Name", ($peaks | limit($achieved; $waves))] | @tsv;
