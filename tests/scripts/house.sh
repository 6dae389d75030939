#!/bin/bash
# Compares the rules of tests/house.txt with the code: house.sh [ROOT]
#
# It reads the includes of every C and CUDA file and, with nm, the symbols that the object files in ROOT/build take from
# each other. It prints one line for each of these faults, and exits 1 if there is any:
#   - an arrow from one folder to another that the table does not allow, or allows but no file uses
#   - a folder with code that has no line in the table, or whose README.md is missing, longer than 15 lines, or lacks
#     the lines "May include:" and "Must not know:"
#   - a circle of folders in the table; a circle of files by symbols inside one folder, unless the table names it
# Build the objects first: `make everything`. ROOT is this toolkit by default.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -le 1 ] || usage 'house.sh [ROOT]'
cd "${1:-$root}" || exit 2
export LC_ALL=C
table=tests/house.txt objects=${BUILD:-build}
[ -f "$table" ] || refuse "$PWD has no $table"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck disable=SC2119
root=$PWD tracked_files | tr '\0' '\n' | grep -E '\.(c|h|def|cu|cuh)$' |
    grep -vE '^(problems/[a-z0-9]+|contrib/[a-z]+(/sample)?|tests)/submissions/' > "$work/files"
[ -s "$work/files" ] || refuse "$PWD has no C file"

# from to, by includes: a file of the same folder, else from the root. Others are the compiler's or the problem's.
xargs grep -HE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"' < "$work/files" | awk -v files="$work/files" '
    BEGIN { while ((getline line < files) > 0) known[line] = 1 }
    {
        at = index($0, ":"); from = substr($0, 1, at - 1); name = substr($0, at + 1)
        sub(/^[^"]*"/, "", name); sub(/".*$/, "", name)
        folder = from; if (!sub(/\/[^\/]*$/, "/", folder)) folder = ""
        to = folder name
        while (sub(/[^\/]+\/\.\.\//, "", to)) ;
        if (!(to in known)) to = name
        if (to in known) print from, to, "include"
    }' > "$work/arrows"

# from to symbol. No arrow: a symbol that the C library or the runner defines too, and one that two files define for
# different programs.
library=$(gcc -print-file-name=libc.so.6)
find "$objects" \( -path "$objects/tests" -o -path "$objects/obj/tests" \) -prune -o -name "*.o" -print 2> /dev/null |
    grep -E "^$objects/(obj|plain|cudasim|predict/obj)/" > "$work/objects" ||
    refuse "there are no objects in $PWD/$objects: run 'make everything' first"
xargs nm -A -P < "$work/objects" 2> /dev/null > "$work/symbols"
nm -D --defined-only -P "$library" | sed 's/[@ ].*//' > "$work/library"
awk -v objects="$objects/" -v files="$work/files" -v library="$work/library" '
    # The source of an object: build/obj/X.o, build/plain/X.o, build/cudasim/X.v3.o, build/predict/obj/X.o
    function source(object) {
        object = substr(object, length(objects) + 1)
        sub(/:$/, "", object)
        if (!sub(/^(obj|plain)\//, "", object) && !sub(/^cudasim\//, "contrib/cudasim/", object))
            sub(/^predict\/obj\//, "contrib/predict/", object)
        sub(/(\.v[0-9])?\.o$/, "", object)
        return object ".c" in known ? object ".c" : object ".cu" in known ? object ".cu" : ""
    }
    BEGIN {
        while ((getline line < files) > 0) known[line] = 1
        while ((getline line < library) > 0) ours[line] = 1
    }
    {
        if (!($1 in sources)) sources[$1] = source($1)
        from = sources[$1]
        if (from == "" || $2 in ours) next
        if ($3 == "U") takes[from " " $2] = 1
        else if ($3 ~ /^[A-TV-Zuvw]$/) {
            if ($2 in defined && defined[$2] != from) twice[$2] = 1
            defined[$2] = from
        }
    }
    END {
        for (pair in takes) {
            split(pair, part, " ")
            to = defined[part[2]]
            if (to != "" && to != part[1] && !(part[2] in twice)) print part[1], to, part[2]
        }
    }' "$work/symbols" >> "$work/arrows"

status=0
sort "$work/arrows" | awk -v table="$table" -v files="$work/files" -v work="$work" '
    # The room that a file is in: a problem, its skeleton or adapter, and a folder of tests are one room each.
    function room(file) {
        if (!sub(/\/[^\/]*$/, "", file)) return "."
        if (match(file, /^(problems|tests)\/[^\/]+/) || match(file, /^contrib\/(skeleton|kattis\/adapter)/))
            file = substr(file, 1, RLENGTH)
        return file
    }
    # Its line in the table: all problems have one.
    function line_of(place) { return place ~ /^problems\// ? "problems/NAME" : place }
    function wrong(text) { print "house: " text; bad = 1 }
    # circles(graph): names what is left of a graph, "from to" pairs, without the nodes that end or start every path.
    function circles(graph, what,    pair, part, from, to, again, text, node) {
        do {
            again = 0
            delete from
            delete to
            for (pair in graph) { split(pair, part, SUBSEP); from[part[1]]; to[part[2]] }
            for (pair in graph) {
                split(pair, part, SUBSEP)
                if (!(part[1] in to) || !(part[2] in from)) { delete graph[pair]; again = 1 }
            }
        } while (again)
        for (pair in graph) {
            split(pair, part, SUBSEP)
            wrong("a circle of " what ": " part[1] " takes " graph[pair] part[2])
        }
    }
    BEGIN {
        while ((getline line < table) > 0) {
            number++
            if (line ~ /^(#.*)?$/) continue
            at = index(line, ":")
            if (!at) { wrong(table ":" number ": is not FOLDER: FOLDER..."); continue }
            from = substr(line, 1, at - 1); rest = substr(line, at + 1)
            if (sub(/^circle /, "", from)) {
                if (rest !~ /: *[^ ]/) wrong(table ":" number ": names no reason for the circle")
                sub(/:.*/, "", rest)
                count = split(rest, name, " ")
                for (i = 1; i <= count; i++) circle[from "/" name[i]] = number
                continue
            }
            if (from in listed) wrong(table ":" number ": " from " has two lines")
            listed[from] = number
            count = split(rest, name, " ")
            for (i = 1; i <= count; i++) {
                if (name[i] == "*") { any[from] = 1; continue }
                allowed[from, name[i]] = number
                graph[from, name[i]] = ""
            }
        }
        while ((getline line < files) > 0) {
            here[room(line)] = 1
            have[line_of(room(line))] = 1
        }
        for (one in have) if (!(one in listed)) wrong(one " has code and no line in " table)
        for (one in listed) if (!(one in have)) wrong(table ":" listed[one] ": " one " has no code")
    }
    {
        # What nvcc makes asks for CUDA, which the simulator has too.
        if ($1 ~ /\.cu$/ && $3 ~ /^(__)?cuda/) next
        a = room($1); b = room($2)
        if (a == b) {
            if ($3 != "include" && !($1 in circle && circle[$1] == circle[$2])) inside[$1, $2] = $3 " from "
            next
        }
        if (!((a, b) in seen)) how[a, b] = $1 " takes " ($3 == "include" ? "" : $3 " from ") $2
        seen[a, b] = 1
        used[line_of(a), line_of(b)] = 1
        if (a == line_of(a) || b !~ /^problems\//) b = line_of(b)
        if (!((line_of(a), b) in allowed) && !(line_of(a) in any) && !told[a, b]++)
            wrong(a " may not use " b ": " how[room($1), room($2)])
    }
    END {
        for (pair in allowed)
            if (!(pair in used)) {
                split(pair, part, SUBSEP)
                wrong(table ":" allowed[pair] ": " part[1] " does not use " part[2])
            }
        circles(graph, "folders")
        circles(inside, "files by symbols")
        for (one in here) {
            if (one == ".") continue
            rooms++
            page = one "/README.md"; count = may = must = 0
            while ((getline line < page) > 0) {
                count++
                may += line ~ /^May include:/
                must += line ~ /^Must not know:/
            }
            if (!count) wrong(one " has no README.md")
            else if (count > 15) wrong(page " is longer than 15 lines")
            else if (!may || !must) wrong(page " lacks the line \"May include:\" or \"Must not know:\"")
        }
        for (pair in allowed) arrows++
        if (!bad) print "house: " rooms " folders, " arrows " arrows, as in " table
        exit bad
    }' > "$work/words" || status=1
sort "$work/words"
exit $status
