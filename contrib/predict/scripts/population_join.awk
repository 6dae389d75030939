# Makes a line per shape of features (the first file) and times (the second file): the launch with the median time, of
# an even number the lower one. population_join.sh calls it.
BEGIN {
    FS = OFS = ","
    if (card == "") card = "h200"
    gpu["h100"] = "NVIDIA H100 80GB HBM3"
    gpu["h200"] = "NVIDIA H200"
    mem_mhz["h100"] = 2619
    mem_mhz["h200"] = 3201
}

FNR == NR && FNR == 1 {
    for (i = 1; i <= NF; i++) {
        if ($i == "grid_x") at = i
        if ($i == "alpha") alpha_at = i
        if ($i == "l") l_at = i
    }
    sub(/.*,grid_x,/, "grid_x,")
    columns = $0
    next
}
FNR == NR {
    # A kernel without instructions has its return, which `l` does not count; predictors need one.
    if ($l_at == 0) $l_at = 1
    rest = $at
    for (i = at + 1; i <= NF; i++) rest = rest "," $i
    feature[$1, $2] = rest
    # Instructions an access; empty without accesses.
    class[$1, $2] = $alpha_at == "" || $alpha_at >= 10 ? "computation" : "memory"
    next
}
FNR == 1 {
    print "gpu,kernel,class,size,time_us,low_us,high_us,samples,sm_mhz,mem_mhz,alone_us,draw," columns
    next
}
{
    key = $1 SUBSEP $NF SUBSEP $4 SUBSEP $5
    if (!(key in count)) {
        shape[++shapes] = key
        program[key] = $1
        # Functions of one name that differ in their template arguments are numbered.
        if (!(($1, $3, $NF) in variant)) variant[$1, $3, $NF] = ++variants[$1, $3]
        kernel[key] = $1 ":" $3 (variant[$1, $3, $NF] > 1 ? ":" variant[$1, $3, $NF] : "")
    }
    n = ++count[key]
    launch[key, n] = $2
    time[key, n] = $6
    clock[key, n] = $7
}
END {
    for (s = 1; s <= shapes; s++) {
        key = shape[s]
        n = count[key]
        # Insertion sort of at most five.
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && time[key, j] + 0 < time[key, j - 1] + 0; j--) {
                t = time[key, j]; time[key, j] = time[key, j - 1]; time[key, j - 1] = t
                t = launch[key, j]; launch[key, j] = launch[key, j - 1]; launch[key, j - 1] = t
                t = clock[key, j]; clock[key, j] = clock[key, j - 1]; clock[key, j - 1] = t
            }
        m = int((n + 1) / 2)
        p = program[key]; l = launch[key, m]
        print gpu[card], kernel[key], class[p, l], s, time[key, m], time[key, 1], time[key, n], n, clock[key, m],
            mem_mhz[card], "", draw, feature[p, l]
    }
}
