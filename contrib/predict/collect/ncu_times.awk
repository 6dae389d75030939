# Launches of one program from ncu's raw CSV (--metrics gpu__time_duration.sum --csv --page raw --print-units base), a
# line each: PROBLEM,SUBMISSION,CASE,LAUNCH,KERNEL,GRID,BLOCK,MICROSECONDS. Given are problem, submission and text (the
# case). A field of ncu's is quoted and may hold commas; a kernel's name has its parameters, which are left out.
function fields(line, out,   n, i, c, open, text) {
    n = 0; open = 0; text = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\"") open = !open
        else if (c == "," && !open) { out[++n] = text; text = "" }
        else text = text c
    }
    out[++n] = text
    return n
}
function place(name,   i) {
    for (i = 1; i <= columns; i++) if (header[i] == name) return i
    print "ncu_times: there is no column " name > "/dev/stderr"; failed = 1; exit 1
}
function triple(text) { gsub(/[() ]/, "", text); gsub(/,/, "x", text); return text }
/^"ID"/ {
    columns = fields($0, header)
    kernel = place("Kernel Name"); block = place("Block Size"); grid = place("Grid Size")
    duration = place("gpu__time_duration.sum")
    next
}
/^"[0-9]/ && columns > 0 {
    fields($0, row)
    name = row[kernel]
    sub(/\(.*/, "", name); sub(/<.*/, "", name); sub(/^.*[ :]/, "", name)
    time = row[duration]
    gsub(/,/, "", time)
    if (time !~ /^[0-9.]+$/ || time <= 0) {
        print "ncu_times: line " FNR ": no time: " row[duration] > "/dev/stderr"; failed = 1; exit 1
    }
    printf "%s,%s,%s,%d,%s,%s,%s,%.3f\n", problem, submission, text, launches++, name,
        triple(row[grid]), triple(row[block]), time / 1000
}
END {
    if (!failed && launches == 0) { print "ncu_times: no launch was measured" > "/dev/stderr"; exit 1 }
    exit failed
}
