# score.awk - holds reports of races against the marks of the suite.
#
# First file: a source, whose kernels and marked lines it reads. Second: what a tool printed, a line a report of the
# form KERNEL LINE. Prints a line a kernel: NAME racy|right found|missed|quiet|alarm LINES. LINES are the
# reported lines that have no mark.

FNR == NR {
    if (match($0, /__global__.*[ *]([a-z_0-9]+)\(/)) {
        kernel = substr($0, RSTART, RLENGTH - 1)
        sub(/.*[ *]/, "", kernel)
        order[++kernels] = kernel
    }
    if (/\/\/ RACE$/) {
        mark[kernel, FNR] = 1
        racy[kernel] = 1
    }
    next
}

{
    if (($1, $2) in mark)
        found[$1] = 1
    else if (!(($1, $2) in said)) {
        said[$1, $2] = 1
        wrong[$1] = wrong[$1] (wrong[$1] == "" ? "" : ",") $2
    }
}

END {
    for (n = 1; n <= kernels; n++) {
        k = order[n]
        print k, k in racy ? "racy" : "right", \
            k in racy ? (k in found ? "found" : "missed") : (k in wrong ? "alarm" : "quiet"), \
            k in wrong ? wrong[k] : "-"
    }
}
