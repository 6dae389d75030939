# Reports text that is hard to read. Run by prose.sh, which says what is reported, under LC_ALL=C:
#   awk -v phrases=FILE -v comments='REGEX of the C files and scripts whose comments are read' -f prose.awk FILE...
# mawk knows bytes only. So a column is a byte that begins a character, and two columns if that is a wide one.

function report(line, text) { print name ":" line ": " text; bad = 1 }

function columns(text,    wide) {
    gsub(/\]\([^)]*\)/, "", text) # a reader sees no address of a link
    gsub(/[\200-\277]/, "", text)
    wide = gsub(/[\343-\355\357]/, "&", text)
    return length(text) + wide
}

# How many lines of 120 columns the words of a block fill. A longer word, as in Japanese, is broken.
function filled(    i, lines, at, width) {
    lines = 1; at = 0
    for (i = 1; i <= count; i++) {
        width = columns(word[i])
        if (at > 0 && at + 1 + width > 120 && width <= 120) { lines++; at = 0 }
        else if (at > 0) at++
        at += width
        while (at > 120) { lines++; at -= 120 }
    }
    return lines
}

# The words of the block in lower case, in one line; code in backquotes is hidden. begins[i] is where word i stands.
function block_text(    i, text, code) {
    text = "~. "
    for (i = 1; i <= count; i++) { begins[i] = length(text); text = text word[i] " " }
    text = tolower(text)
    while (match(text, /`[^`]*`/)) {
        code = substr(text, RSTART, RLENGTH)
        gsub(/./, "~", code)
        text = substr(text, 1, RSTART - 1) code substr(text, RSTART + RLENGTH)
    }
    return text
}

# Reports the listed phrases in the block, each at the line where it begins.
function look(    i, p, rest, at, found, text) {
    text = block_text()
    for (p = 1; p <= listed; p++) {
        rest = text; at = 0
        while (match(rest, pattern[p])) {
            found = substr(rest, RSTART, RLENGTH)
            for (i = count; i > 1 && begins[i] > at + RSTART; i--) ;
            sub(/^[^a-z,]+/, "", found); sub(/[^a-z]+$/, "", found)
            if (allowed == "" || found !~ allowed) report(where[i], "\"" found "\": " instead[p])
            at += RSTART + RLENGTH - 2
            rest = substr(rest, RSTART + RLENGTH - 1)
        }
    }
}

function add(text, line,    part, n, i) {
    n = split(text, part, /[ \t]+/)
    for (i = 1; i <= n; i++) if (part[i] != "") { word[++count] = part[i]; where[count] = line }
}

# The first paragraph of a page of docs/ says who the page is for and what the reader can do after it.
function check_opening() {
    if (block_text() !~ /^~\. this page is for .* after it you /)
        report(where[1], "the page does not open with \"This page is for ... After it you can ...\"")
    opening = 0
}

function end_block() {
    if (count) {
        if (opening && paragraph) check_opening()
        look()
        if (paragraph && filled() > 6) report(where[1], "a paragraph of " filled() " lines: 6 at most")
    }
    count = 0; paragraph = 0
}

function row(text,    cell, n, i, words, part, wide) {
    gsub(/\\\|/, "/", text)
    n = split(text, cell, "|")
    for (i = 1; i <= n; i++) {
        wide = cell[i]
        gsub(/[\200-\277]/, "", wide)
        words = split(cell[i], part, /[ \t]+/) - (cell[i] ~ /^[ \t]/) - (cell[i] ~ /[ \t]$/)
        words += int(gsub(/[\343-\355\357]/, "", wide) / 2) # two characters of Japanese count as a word
        if (words > 40) report(FNR, "a table cell of " words " words: 40 at most")
        add(cell[i], FNR)
        end_block()
    }
}

# All strings of a line of code.
function strings(line,    text, all) {
    all = ""
    gsub(/\\"/, "'", line)
    while (match(line, /"[^"]*"/)) {
        text = substr(line, RSTART + 1, RLENGTH - 2)
        line = substr(line, RSTART + RLENGTH)
        gsub(/\\n/, " ", text)
        all = all text " "
    }
    return all
}

# A line of a comment, without its marks. An empty one ends the block.
function comment(text) {
    if (text ~ /^[ \t]*$/) end_block()
    else if (commented) add(text, FNR)
}

# A line of C: its strings, which go on in the next line where one ends this line; then what stands in its comment.
function c_line(line,    text, at) {
    if (remark == "" && line !~ /^[ \t]*\/[*\/]/) {
        text = tested ? "" : strings(line)
        if (text == "") end_block()
        else add(text, FNR)
        if (line !~ /"[ \t]*\\?$/) end_block()
        gsub(/"[^"]*"/, "", line)
    } else if (remark == "") end_block()
    if (remark == "") {
        if (!match(line, /\/[*\/]/)) return
        remark = substr(line, RSTART, 2)
        line = substr(line, RSTART + 2)
    }
    if (remark == "/*" && (at = index(line, "*/"))) { line = substr(line, 1, at - 1); remark = "" }
    sub(/^[ \t]*[*\/]*/, "", line)
    comment(line)
    if (remark == "//") remark = ""
    if (remark == "") end_block()
}

# A line of a script: what a here document holds, a comment, of which the first one is the help, or strings.
function script_line(line) {
    if (here != "") {
        sub(/^\t+/, "", line)
        if (line == here) here = ""
        if (here == "" || tested || line ~ /^[ \t]*$/) end_block()
        else add(line, FNR)
    } else if (line ~ /^[ \t]*#/) {
        if (FNR == 1 && line ~ /^#!/) return
        if (helping) commented = 1
        sub(/^[ \t]*#+[ ]?/, "", line)
        comment(line)
        commented = tested || name ~ comments
    } else {
        end_block()
        helping = 0
        if (!tested || line ~ /^@test "/) add(strings(line), FNR)
        end_block()
        if (match(line, /<<-? ?["']?[A-Z]+["']?/)) {
            here = substr(line, RSTART, RLENGTH)
            gsub(/[^A-Z]/, "", here)
        }
    }
}

function markdown_line(line) {
    if (line ~ /^[ ]*```/) { end_block(); fenced = !fenced; return }
    if (fenced) return
    if (line ~ /^[ \t]*$/) { end_block(); blank = 1; return }
    if (blank && line ~ /^(    |\t)/) return
    blank = 0
    if (line ~ /^[ ]*\|/) { end_block(); row(line); return }
    if (line ~ /^#/ || line ~ /^[ ]*([-*+]|[0-9]+\.) /) end_block()
    add(line, FNR)
    if (line ~ /^#/) end_block()
    else paragraph = 1
}

function start_file() {
    end_block()
    name = FILENAME
    fenced = 0; blank = 1; here = ""; remark = ""; helping = 1
    tested = name ~ /^tests\/.*\.(bats|bash|sh|[ch]|cuh?|cl)$/
    commented = tested || name ~ comments
    opening = name ~ /(^|\/)docs\/.*\.md$/ && name !~ /docs\/results\//
}

BEGIN {
    while ((getline line < phrases) > 0) {
        if (line ~ /^#/ || line ~ /^[ \t]*$/) continue
        at = index(line, " -> ")
        if (line ~ /^! /) { allowed = substr(line, 3); continue }
        instead[++listed] = substr(line, at + 4)
        line = substr(line, 1, at - 1)
        pattern[listed] = (line ~ /^\[/ ? "" : "[^a-z0-9_<-]") "(" line ")[^a-z0-9_>-]"
    }
    if (!listed) { print "prose.awk: " phrases " lists nothing" > "/dev/stderr"; bad = 2; exit }
}
FNR == 1 { start_file() }
/^(<<<<<<<|>>>>>>>) / { report(FNR, "git left a conflict here") }
FILENAME ~ /^README(\.ja)?\.md$/ && FNR == 121 { report(FNR, "the README is longer than 120 lines") }
FILENAME ~ /\.md$/ { markdown_line($0); next }
FILENAME ~ /\.(sh|bash|bats)$/ { script_line($0); next }
FILENAME ~ /Makefile$|\.mk$/ { if (match($0, /##+ /)) { add(substr($0, RSTART + RLENGTH), FNR); end_block() } next }
{ c_line($0) }
END {
    if (bad < 2) end_block()
    exit bad
}
