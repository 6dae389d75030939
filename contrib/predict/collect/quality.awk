# quality.awk - how good the times are: awk -f quality.awk data/h100.csv [AGAIN.csv [NCU.csv]]
#
# By how long a launch took: rows, and how wide the 95 % interval of the median is, in percent of it; where it was
# measured, what a launch from an idle GPU took, in percent of that in a stream. Then the pairs of sizes of a kernel
# with the same block in which the larger took less time, beyond both intervals. With a second file, some of the rows
# timed by another process: how far its times are from the first's. With a third, of ncu_alone.awk: how far ncu's times
# are from those alone.

# Shell's sort, each gap 2.25 times the next.
function sorted(list, count,    gap, i, j, kept)
{
    for (gap = 1; gap < count; gap = int(2.25 * gap) + 1)
        continue
    for (; gap >= 1; gap = int(gap / 2.25))
        for (i = gap + 1; i <= count; i++) {
            kept = list[i]
            for (j = i; j > gap && list[j - gap] > kept; j -= gap)
                list[j] = list[j - gap]
            list[j] = kept
        }
}

function median(name,    i, list)
{
    for (i = 1; i <= count[name]; i++)
        list[i] = band[name, i]
    sorted(list, count[name])
    return list[int((count[name] + 1) / 2)]
}

# A row of the table: quantiles of band[name, 1 .. count[name]].
function quantiles(name, label,    i, n, list)
{
    n = count[name]
    for (i = 1; i <= n; i++)
        list[i] = band[name, i]
    sorted(list, n)
    printf "%-22s %5d %8.2f %8.2f %8.2f %8.2f\n", label, n, list[int((n + 1) / 2)], list[int(n * 0.9 + 0.5)],
        list[int(n * 0.99 + 0.5)], list[n]
}

function put(name, value)
{
    band[name, ++count[name]] = value
}

function heading(first, last)
{
    printf "%-22s %5s %8s %8s %8s %8s   %s\n", first, "rows", "median", "90%", "99%", "largest", last
}

# A table of the classes of length; quantities other than the interval have a prefix.
function table(prefix, what,    i)
{
    heading("launches of", what)
    for (i = 1; i <= 6; i++)
        if (count[prefix names[i]])
            quantiles(prefix names[i], names[i])
}

BEGIN {
    FS = ","
    split("below 5 us,5 to 20 us,20 to 100 us,100 us to 1 ms,above 1 ms,all", names, ",")
}

FNR == 1 {
    files++
    split("", column)
    for (i = 1; i <= NF; i++)
        column[$i] = i
    if (files < 3 && !("time_us" in column && "high_us" in column)) {
        printf "%s:1: the header has no time_us, low_us, high_us\n", FILENAME > "/dev/stderr"
        failed = 1
        exit 1
    }
    next
}

files == 3 {
    key = $column["kernel"] " " $column["size"] " " $column["block"]
    if (key in alones)
        put(times[key] < 20 ? "ncu short" : "ncu long", $column["ncu_us"] - alones[key])
    next
}

{
    time = $column["time_us"]
    block = "block" in column ? $column["block"] : $column["block_x"] "x" $column["block_y"]
    key = $column["kernel"] " " $column["size"] " " block
    alone = "alone_us" in column ? $column["alone_us"] : ""
}

files == 1 {
    name = time < 5 ? names[1] : time < 20 ? names[2] : time < 100 ? names[3] : time < 1000 ? names[4] : names[5]
    wide = 100 * ($column["high_us"] - $column["low_us"]) / time
    put(name, wide)
    put("all", wide)
    if (alone != "") {
        put("alone " name, 100 * alone / time)
        put("alone all", 100 * alone / time)
        alones[key] = alone
    }
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
    put("again", far < 0 ? -far : far)
    if (time < 5) {
        put("again short", far < 0 ? -far : far)
        put("more", time - times[key])
    }
    outside += time < low[key] || time > high[key]
    if (alone != "" && key in alones) {
        far = 100 * (alone / alones[key] - 1)
        put("again alone", far < 0 ? -far : far)
    }
}

END {
    if (failed)
        exit 1
    table("", "width of the interval, % of the time")
    if (count["again"]) {
        quantiles("again", "timed again")
        if (count["again short"])
            quantiles("again short", "again, below 5 us")
        if (count["again alone"])
            quantiles("again alone", "again, alone")
        printf "timed again, %d of %d lie outside of the interval\n", outside, count["again"]
        if (count["more"])
            printf "timed again, below 5 us: %.3f us more in the median\n", median("more")
    }
    if (count["alone all"])
        table("alone ", "alone, % of the time in a stream")
    if (count["ncu short"]) {
        heading("", "ncu's time less that alone, us")
        quantiles("ncu short", "below 20 us")
        quantiles("ncu long", "above 20 us")
    }
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
                        short_falls += times[a] < 5
                        long_falls += times[a] > 20
                    }
                }
            }
    printf "pairs of sizes, else alike: %d; the larger took less in %d: %d below 5 us, %d above 20 us\n", pairs, \
        falls, short_falls, long_falls
    if (falls)
        print "the worst: " worst_what
}
