# Replaces the features of a draw by newer counts: population_recount.sh calls it with `folder`, where counts/NAME.csv
# are, and `header`, the first line of those of this simulator. Rows of programs that were not counted, or whose launch
# is another now, stay. Cells are empty where a column is new.

# six_digits TEXT: a number is rounded, other text stays.
function six_digits(text) { return text ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ ? sprintf("%.6g", text) : text }

# read_counts PROGRAM: its lines into counted[program, launch], and the places of its columns into place[program, name].
function read_counts(program,    file, line, n, i, count, title) {
    file = folder "/" program ".csv"
    n = -1
    while ((getline line < file) > 0) {
        if (n < 0) {
            count = split(line, title, ",")
            for (i = 1; i <= count; i++) place[program, title[i]] = i
        } else
            counted[program, n] = line
        n++
    }
    close(file)
    asked[program] = 1
}

BEGIN {
    FS = OFS = ","
    columns = split(header, name, ",")
    for (i = 1; i <= columns; i++)
        if (name[i] == "kernel") first = i
}

FNR == 1 {
    for (i = 1; i <= NF; i++) at[$i] = i
    print "program,launch," header
    next
}

{
    if (!($1 in asked)) read_counts($1)
    same = split(counted[$1, $2], cell, ",") > columns / 2
    # The kernel and the launch's shape.
    for (i = first; same && i < first + 7; i++) same = cell[place[$1, name[i]]] == $(at[name[i]])
    line = $1 "," $2
    for (i = 1; i <= columns; i++)
        if (same) line = line "," (($1, name[i]) in place ? six_digits(cell[place[$1, name[i]]]) : "")
        else line = line "," (name[i] in at ? $(at[name[i]]) : "")
    print line
    replaced += same
}

END { print FILENAME ": " replaced + 0 " of " NR - 1 " rows counted again" > "/dev/stderr" }
