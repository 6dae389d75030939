# Turns the JSON of bench_ladder.sh into the data of plot.sh: a list of series, each {name, kind, rank, points}. A point
# is [x, y, lowest, highest]; points are in the order of x.

def order: ["cpu_simple", "cpu_blocked", "gpu_simple", "gpu_blocked", "gpu_expert", "peer"];

# Rows with x, y, lowest, highest, grouped by submission or library, in the order of their kinds.
def series:
    group_by([.series, .what]) |
    map({name: .[0].series, kind: .[0].kind, rank: ((.[0].kind as $kind | order | index($kind)) // 6),
         points: (map(select(.y > 0) | [.x, .y, .lowest, .highest]) | sort)}) |
    map(select(.points != [])) | sort_by([.rank, .name]);

# One call by the host. A series that only bench_gpu.cu calls, in its own process, is measured differently. Its name
# says so.
def calls:
    (.rows | map(select(.measure == "call" and .n > 0))) as $calls |
    ($calls | map(select(.in_process | not) | .series) | unique) as $by_host |
    $calls | map(select((.in_process | not) or
        (.ladder and .kind != "other" and (.series as $name | $by_host | index($name) | not)))) |
    map(if .in_process then .series += " (in one process)" else . end);
def kernels: .rows | map(select(.measure == "kernel" and .n > 0 and .rate != null and .ladder != false));

def slowest: .high // .median_s;
def fastest: .low // .median_s;

def by_time: map(. + {x: .n, y: .median_s, lowest: fastest, highest: slowest}) | series;
def by_rate:
    map(select(.rate != null) | (.rate * .median_s) as $work |
        . + {x: .n, y: .rate, lowest: ($work / slowest), highest: ($work / fastest)}) | series;

# A row's time against the base's at its size, or against its own base (`base_s`).
def by_speedup($base):
    (map(select(.kind == $base)) | map({key: (.n | tostring), value: .median_s}) | from_entries) as $from |
    map(select(.kind != $base and (.kind != "other" or .base_s) and (.base_s or $from[.n | tostring])) |
        (.base_s // $from[.n | tostring]) as $time |
        . + {x: .n, y: ($time / .median_s), lowest: ($time / slowest), highest: ($time / fastest)}) | series;

def speedups: .base as $base | calls | by_speedup($base);

# Operations per second over operations per byte, from files with measurements on that GPU. It takes kernels, and calls
# in one process with few copies. It leaves out the steps that led to them.
def by_roofline($gpu):
    map(select(.machine.gpu == $gpu) | .problem as $problem | (.rows[] | select(.measure == "kernel" or .in_process)) |
        select(.operations != null and .bytes != null and .median_s > 0 and .kind != "other") |
        . + {series: ($problem + ": " + .series), x: (.operations / .bytes), y: (.operations / .median_s),
             lowest: 0, highest: 0}) | series;

# The variables that the gnuplot scripts get with each list of series.
def same($i): .[$i].rank as $rank | .[:$i] | map(select(.rank == $rank)) | length;
def words: map(tostring) | join(" ");
def definitions:
    . as $all | [range(length)] as $each |
    ([.[].points[][0]] | unique | . as $sizes |
        if length > 12 then [range(0; length; 2) | $sizes[.]] else . end) as $places |
    # Long powers of two are written as such.
    def place: . as $x | (log2 | round) as $k |
        if $x >= 16384 and pow(2; $k) == $x then "2^{\($k)}" else tostring end;
    "count = \(length); styles = \u0027\(map(.rank + 1) | words)\u0027; " +
    # Each kind has a colour and a mark. A further series of the kind has other dashes and another mark.
    "dashes = \u0027\($each | map(. as $i | $all | same($i) | [1, 2, 4, 3, 5][. % 5]) | words)\u0027; " +
    "points = \u0027\($each | map(. as $i | $all | same($i) as $same |
        if $same == 0 then [6, 4, 8, 7, 5, 9, 11][$all[$i].rank]
        else [13, 10, 12, 14, 15, 2][($same - 1) % 6] end) | words)\u0027; " +
    "places = \"\($places | map("\u0027\(place)\u0027 \(.)") | join(", "))\"; " +
    "least = \($places[0] / 1.3); most = \($places[-1] * 1.3); ";

# The problems of the roofline's series, each with the numbers of its own, from 1, and their least and largest values.
def panels:
    to_entries | map(.value.points as $points |
        {name: (.value.name | split(": ")[0]), series: (.key + 1), x: ($points | map(.[0])),
         y: ($points | map(.[1]))}) | group_by(.name) |
    map({name: .[0].name, series: map(.series), least: (map(.x[]) | min), most: (map(.x[]) | max),
         bottom: (map(.y[]) | min)});
def panel_words: panels |
    "panels = \u0027\(map(.name) | join(" "))\u0027; members = \u0027\(map(.series | words) | join("|"))\u0027; " +
    "lows = \u0027\(map(.least) | words)\u0027; highs = \u0027\(map(.most) | words)\u0027; " +
    "bottoms = \u0027\(map(.bottom) | words)\u0027";
