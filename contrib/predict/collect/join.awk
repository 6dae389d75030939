# join.awk - puts what a GPU timed and what the simulator counted side by side:
# awk -f join.awk TIMES.csv FEATURES.csv
#
# TIMES.csv is what build/predict/collect prints, FEATURES.csv what the simulator writes for `collect --features` of the
# same rows, line for line. Prints the rows of contrib/predict/data, numbers to six digits. What is not as it should be
# ends it with code 1 and FILE:LINE on standard error, before a row is printed.

function die(file, line, text)
{
    printf "%s:%d: %s\n", file, line, text > "/dev/stderr"
    failed = 1
    exit 1
}

# The header of a file, and which of its columns are words or may be empty.
function expect_header(wanted, more)
{
    sub(/\r$/, "")
    if ($0 != wanted && $0 != wanted more)
        die(FILENAME, FNR, "the header is not '" wanted more "'")
    width = NF
    for (i = 1; i <= NF; i++)
        head[i] = $i
}

# All columns but the words must be numbers, and none of them below 0; what was not timed alone has nothing there.
function check_numbers(words)
{
    if (NF != width)
        die(FILENAME, FNR, NF " columns instead of " width)
    for (i = 1; i <= NF; i++)
        if (index(words, "," head[i] ","))  {
            if ($i == "")
                die(FILENAME, FNR, "column '" head[i] "' is empty")
        } else if (head[i] == "alone_us" && $i == "")
            continue
        else if ($i !~ /^[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?$/)
            die(FILENAME, FNR, "column '" head[i] "' is no number that could be: '" $i "'")
}

function short(number)
{
    return number ~ /^[0-9]+$/ && length(number) < 7 ? number : sprintf("%.6g", number)
}

BEGIN {
    FS = ","
    times_header = "gpu,kernel,class,size,block,time_us,low_us,high_us,samples,sm_mhz,mem_mhz"
    alone = ",alone_us" # which files of times from before it came do not have
    features_header = "kernel,grid_x,grid_y,grid_z,block_x,block_y,block_z,n,s,alpha,n_b,n_t,w,cpx,l,l_c,l_mr,l_mw," \
        "l_shr,l_shw,l_s,l_dpu,l_sfu,dpc,shared_words,registers,warp_instructions,flops,bytes_read,bytes_written," \
        "footprint,shared_passes,divergence,regular"
    least_samples = 15
    if (ARGC != 3)
        die("join.awk", 0, "usage: awk -f join.awk TIMES.csv FEATURES.csv")
}

FNR == 1 {
    files++
    if (files == 1) {
        expect_header(times_header, alone)
        if (NF < 12)
            alone = ""
    } else
        expect_header(features_header, "")
    next
}

files == 1 {
    sub(/\r$/, "")
    check_numbers(",gpu,kernel,class,block,")
    if ($3 != "memory" && $3 != "computation")
        die(FILENAME, FNR, "the class is '" $3 "', neither memory nor computation")
    if (!($6 > 0 && $7 <= $6 && $6 <= $8))
        die(FILENAME, FNR, "the time " $6 " us is not above 0 and within its interval, " $7 " to " $8)
    if ($9 < least_samples)
        die(FILENAME, FNR, $9 " samples, and " least_samples " are the least")
    if (alone && $12 != "" && !($12 > 0))
        die(FILENAME, FNR, "the time alone, " $12 " us, is not above 0")
    rows++
    kernel[rows] = $2
    size[rows] = $4
    block[rows] = $5
    timed[rows] = $1 "," $2 "," $3 "," $4 "," short($6) "," short($7) "," short($8) "," $9 "," $10 "," $11 \
        (alone ? "," ($12 == "" ? "" : short($12)) : "")
    next
}

{
    sub(/\r$/, "")
    check_numbers(",kernel,")
    counted++
    if (counted > rows)
        next
    if ($1 != kernel[counted] || $9 != size[counted] || $5 "x" $6 != block[counted] || $7 != 1)
        die(FILENAME, FNR, "a launch of " $1 ", size " $9 ", block " $5 "x" $6 "x" $7 "; timed was " \
            kernel[counted] ", size " size[counted] ", block " block[counted])
    line = timed[counted]
    for (i = 2; i <= NF; i++)
        line = line "," short($i)
    joined[counted] = line
}

END {
    if (failed)
        exit 1
    if (files < 2 || rows == 0)
        die(files < 2 ? ARGV[files + 1] : ARGV[1], 1, "there is nothing in it")
    if (counted != rows)
        die(ARGV[2], (counted < rows ? counted : rows) + 2, counted " launches, and " rows " rows in " ARGV[1])
    sub(/,block,/, ",", times_header)
    sub(/^kernel,/, "", features_header)
    print times_header alone "," features_header
    for (i = 1; i <= rows; i++)
        print joined[i]
}
