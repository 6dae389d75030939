# ncu_alone.awk - what ncu says of rows launched alone, beside CUPTI: awk -f ncu_alone.awk LIST LAUNCHES
#
# LIST is `collect --list --subset K/N`, LAUNCHES what ncu_times.awk made of `ncu ... collect --alone --subset K/N`: six
# launches a row, in the list's order, behind those that fill memory. Prints a line a row: the first launch, which finds
# its data where the row before left it, and the median of the others, which is to be held against alone_us.

function die(text)
{
    print "ncu_alone: " text > "/dev/stderr"
    failed = 1
    exit 1
}

BEGIN { FS = "," }

FNR == NR {
    split($0, part, " ")
    kernel[++rows] = part[1]
    size[rows] = part[2]
    block[rows] = part[3]
    next
}

$5 == "fill" { next }

{
    row = int(launches / 6) + 1
    if ($5 != kernel[row] || $7 != block[row] "x1")
        die(FILENAME ":" FNR ": a launch of " $5 ", block " $7 "; the list has " kernel[row] ", block " block[row])
    us[row, launches++ % 6] = $8
}

END {
    if (failed)
        exit 1
    if (launches != 6 * rows)
        die(launches + 0 " launches; the list has " rows " rows of six")
    print "kernel,size,block,first_us,ncu_us"
    for (row = 1; row <= rows; row++) {
        # The third of five.
        for (i = 1; i < 6; i++) {
            below = 0
            for (j = 1; j < 6; j++)
                below += us[row, j] < us[row, i] || (us[row, j] == us[row, i] && j < i)
            if (below == 2)
                median = us[row, i]
        }
        printf "%s,%s,%s,%s,%s\n", kernel[row], size[row], block[row], us[row, 0], median
    }
}
