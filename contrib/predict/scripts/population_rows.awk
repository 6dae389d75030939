# Matches what ncu timed of a program (the first file) with what the simulator counted of it (the second file), and
# appends the kept launches to the files `times` and `features`. population_rows.sh calls it with `program`, and
# `limit`, the number of launches that may be kept. Prints the number of launches kept.

# own NAME: a function's own name, without type, scopes, template arguments and parameters.
function own(full,    i, c, depth, out, n, part) {
    gsub(/\(anonymous namespace\)::|<unnamed>::/, "", full)
    for (i = 1; i <= length(full); i++) {
        c = substr(full, i, 1)
        if (c == "<") depth++
        else if (c == ">") depth--
        else if (depth == 0 && c == "(") break
        else if (depth == 0) out = out c
    }
    sub(/ +$/, "", out)
    n = split(out, part, /[ :*&]+/)
    return part[n]
}

# six_digits TEXT: a number is rounded, other text stays.
function six_digits(text) { return text ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ ? sprintf("%.6g", text) : text }

# triple "(192, 1, 1)": 192x1x1.
function triple(text) {
    gsub(/[() ]/, "", text)
    gsub(/,/, "x", text)
    return text
}

function column(name,    i) {
    for (i = 1; i <= cells; i++)
        if (cell[i] == name) return i
    print "population_rows.awk: " FILENAME ": there is no column " name > "/dev/stderr"
    exit wrong = 1
}

BEGIN { timed = 0 }

# ncu's lines: every cell is quoted. After the header there is a line of units.
FNR == NR {
    sub(/\r$/, "")
    if ($0 !~ /^"/) next
    cells = split(substr($0, 2, length($0) - 2), cell, "\",\"")
    if (cell[1] == "ID") {
        name_at = column("Kernel Name"); grid_at = column("Grid Size"); block_at = column("Block Size")
        time_at = column("gpu__time_duration.sum"); cycles_at = column("gpc__cycles_elapsed.max")
    } else if (cell[1] ~ /^[0-9]+$/) {
        # ncu writes 12,345.
        gsub(/,/, "", cell[time_at])
        gsub(/,/, "", cell[cycles_at])
        if (!(cell[time_at] > 0)) next
        name[timed] = cell[name_at]
        shape[timed] = triple(cell[grid_at]) "," triple(cell[block_at])
        nanoseconds[timed] = cell[time_at]
        megahertz[timed++] = cell[cycles_at] / cell[time_at] * 1000
    }
    next
}

FNR == 1 {
    cells = split($0, cell, ",")
    kernel_at = column("kernel"); x = column("grid_x")
    next
}

# Up to the first difference both sides are the same program.
!differs {
    split($0, cell, ",")
    place = FNR - 2
    counted = cell[x] "x" cell[x + 1] "x" cell[x + 2] "," cell[x + 3] "x" cell[x + 4] "x" cell[x + 5]
    if (place >= timed || place >= limit || own(name[place]) != cell[kernel_at] || shape[place] != counted) {
        differs = 1
        next
    }
    full = name[place]
    if (!((full, counted) in launches) && ++shapes[full] > 4) next
    if (++launches[full, counted] > 5) next
    gsub(/,/, ";", full)
    gsub(/"/, "", full)
    printf "%s,%d,%s,%s,%.3f,%.0f,%s\n", program, place, cell[kernel_at], counted, nanoseconds[place] / 1000,
        megahertz[place], full >> times
    line = program "," place
    for (i = 1; i <= cells; i++) line = line "," six_digits(cell[i])
    print line >> features
    kept++
}

END { if (!wrong) print kept + 0; exit wrong }
