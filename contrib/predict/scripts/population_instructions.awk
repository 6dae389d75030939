# Compares instructions that a GPU's warps executed, as ncu counted them (each program's first file), with those that
# the simulator counted by machine code (its second file). population_instructions.sh calls it with FOLDER/NAME.csv and
# counts/NAME.csv in turn. Of each kernel, grid and block the first launch is taken. A line each: the logarithm of
# counted over executed, program, kernel, blocks, threads, executed, counted, and clocks of the mean warp: those that it
# stalled for a fixed time or issued, and those of its path without waits.
BEGIN { FS = "," }

function number(text) { gsub(/[",]/, "", text); return text + 0 }

function cells_of(line) {
    sub(/\r$/, "", line)
    return split(substr(line, 2, length(line) - 2), cell, "\",\"")
}

FNR == 1 {
    file++
    program = FILENAME
    sub(/.*\//, "", program)
    sub(/\.csv$/, "", program)
    if (file % 2) launches = 0
    else ended = 0
}

file % 2 {
    if ($0 !~ /^"/) next
    n = cells_of($0)
    if (cell[1] == "ID")
        for (i = 1; i <= n; i++) at[cell[i]] = i
    else if (cell[1] ~ /^[0-9]+$/ && ("smsp__inst_executed.sum" in at)) {
        launches++
        grid[launches] = cell[at["Grid Size"]]
        block[launches] = cell[at["Block Size"]]
        gsub(/[() ]/, "", grid[launches])
        gsub(/[() ]/, "", block[launches])
        executed[launches] = number(cell[at["smsp__inst_executed.sum"]])
        issued[launches] = number(cell[at["smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"]]) + \
            number(cell[at["smsp__average_warps_issue_stalled_selected_per_issue_active.ratio"]])
    }
    next
}

FNR == 1 {
    for (i = 1; i <= NF; i++) column[$i] = i
    next
}

!ended && FNR - 1 <= launches {
    if (grid[FNR - 1] != $column["grid_x"] "," $column["grid_y"] "," $column["grid_z"] ||
        block[FNR - 1] != $column["block_x"] "," $column["block_y"] "," $column["block_z"]) {
        ended = 1
        next
    }
    key = program SUBSEP $column["kernel"] SUBSEP grid[FNR - 1] SUBSEP block[FNR - 1]
    if (key in seen || $column["machine"] != 1 || !executed[FNR - 1]) next
    seen[key] = 1
    warps = $column["n_b"] * ($column["w"] < 1 ? 1 : $column["w"])
    printf "%.4f\t%s\t%s\t%d\t%d\t%.0f\t%.0f\t%.0f\t%.0f\n", log($column["issue"] / executed[FNR - 1]), program,
        $column["kernel"], $column["n_b"], $column["n_t"], executed[FNR - 1], $column["issue"],
        issued[FNR - 1] * executed[FNR - 1] / warps, $column["chain"]
}
