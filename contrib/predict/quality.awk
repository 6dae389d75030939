# quality.awk - how good the times of a file of contrib/predict/data are: awk -f quality.awk data/h100.csv [AGAIN.csv]
#
# By how long a launch took: rows, and how wide the 95 % interval of the median is, in percent of it. Then pairs of neighbouring
# sizes of a kernel with the same block in which the larger took less time, beyond both intervals. With a second file, of
# the same rows timed by another process: how far its times are from the first's.

function sorted(list, count,    i, j, kept)
{
    for (i = 2; i <= count; i++) {
        kept = list[i]
        for (j = i - 1; j > 0 && list[j] > kept; j--)
            list[j + 1] = list[j]
        list[j + 1] = kept
    }
}

# quantiles(NAME): prints a row of the table, of band[NAME, 1 ..].
function quantiles(name,    i, n, list)
{
    n = count[name]
    for (i = 1; i <= n; i++)
        list[i] = band[name, i]
    sorted(list, n)
    printf "%-22s %5d %8.2f %8.2f %8.2f %8.2f\n", name, n, list[int((n + 1) / 2)], list[int(n * 0.9 + 0.5)],
        list[int(n * 0.99 + 0.5)], list[n]
}

function put(name, value)
{
    band[name, ++count[name]] = value
}

BEGIN { FS = "," }

FNR == 1 {
    files++
    for (i = 1; i <= NF; i++)
        column[$i] = i
    if (!("time_us" in column) || !("high_us" in column)) {
        printf "%s:1: the header has no time_us, low_us, high_us\n", FILENAME > "/dev/stderr"
        failed = 1
        exit 1
    }
    next
}

{
    time = $column["time_us"]
    block = "block" in column ? $column["block"] : $column["block_x"] "x" $column["block_y"]
    key = $column["kernel"] " " $column["size"] " " block
}

files == 1 {
    put(time < 5 ? "below 5 us" : time < 20 ? "5 to 20 us" : time < 100 ? "20 to 100 us" : time < 1000 ? "100 us to 1 ms" : \
        "above 1 ms", 100 * ($column["high_us"] - $column["low_us"]) / time)
    put("all", 100 * ($column["high_us"] - $column["low_us"]) / time)
    times[key] = time
    low[key] = $column["low_us"]
    high[key] = $column["high_us"]
    series = $column["kernel"] " " block
    place[series, ++length_of[series]] = key
    size[key] = $column["size"]
    if (!least || time < least)
        least = time
    next
}

key in times {
    far = 100 * (time / times[key] - 1)
    put("timed again", far < 0 ? -far : far)
}

END {
    if (failed)
        exit 1
    print "launches of              rows   median      90%      99%  largest   width of the interval, % of the time"
    split("below 5 us,5 to 20 us,20 to 100 us,100 us to 1 ms,above 1 ms,all", names, ",")
    for (i = 1; i <= 6; i++)
        if (count[names[i]])
            quantiles(names[i])
    if (count["timed again"])
        quantiles("timed again")
    printf "the shortest launch: %s us\n", least
    for (series in length_of)
        for (i = 1; i <= length_of[series]; i++)
            for (j = 1; j <= length_of[series]; j++) {
                a = place[series, i]
                b = place[series, j]
                if (size[a] < size[b]) {
                    pairs++
                    if (high[b] < low[a]) {
                        falls++
                        if (times[b] / times[a] < worst || !worst) {
                            worst = times[b] / times[a]
                            worst_what = a ": " times[a] " us, " b ": " times[b] " us"
                        }
                        if (times[a] > 20)
                            long_falls++
                    }
                }
            }
    printf "pairs of sizes, else alike: %d; the larger took less in %d, of them %d above 20 us\n", pairs, falls, long_falls
    if (falls)
        print "the worst: " worst_what
}
