#!/bin/bash
# Reports text that is hard to read: prose.sh [--todo | FILE...]. Called by `make lint`.
#
# In Markdown it reports a phrase that tests/scripts/prose.phrases lists, a paragraph or list item of more than six
# lines (120 columns each), a table cell of more than forty words, and a top README of more than 120 lines. In scripts
# and C it reports listed phrases only: in the comment at the top of a script, which is its --help, and in strings,
# which are messages. Without FILE it reads all files except those that tests/scripts/prose.todo lists. --todo reads
# the listed ones. Exit code 1 if it reports anything. It knows no grammar: text that passes may still be hard to read.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
cd "$root"
here=tests/scripts
todo() {
    sed "s/#.*//; s/[[:space:]]*$//" "$here/prose.todo" 2> /dev/null |
        while read -r file; do [ ! -e "$file" ] || echo "$file"; done
}
case ${1:-} in
--todo) mapfile -t files < <(todo) ;;
-*) usage 'prose.sh [--todo | FILE...]' ;;
'')
    mapfile -t files < <(tracked_files build | tr '\0' '\n' |
        grep -E '\.md$|^(run_scripts|contrib)/.*\.sh$|^(main_host\.c|getrndstr\.c)$|^(verify|contrib)/.*\.[ch]$' |
        grep -vE '^contrib/cudasim/.*\.[ch]$|/submissions/' | grep -vxFf <(todo; echo //))
    ;;
*) files=("$@") ;;
esac
[ ${#files[@]} -gt 0 ] || exit 0

# Bytes, as mawk has no other characters: a column is a byte that begins a character, two where that is a wide one.
LC_ALL=C exec awk -v phrases="$here/prose.phrases" '
    function report(line, text) { print FILENAME_ ":" line ": " text; bad = 1 }

    function columns(word,    wide) {
        gsub(/[\200-\277]/, "", word)
        wide = gsub(/[\343-\355\357]/, "&", word)
        return length(word) + wide
    }

    # How many lines of 120 columns the words of a block fill; a word that is longer, as Japanese has them, is broken.
    function filled(    i, lines, at, width) {
        lines = 1; at = 0
        for (i = 1; i <= count; i++) {
            width = columns(word[i])
            if (at > 0 && at + 1 + width > 120) {
                if (width <= 120) { lines++; at = 0 }
                else at++
            } else if (at > 0) at++
            at += width
            while (at > 120) { lines++; at -= 120 }
        }
        return lines
    }

    # The listed phrases in the words of the block, each at the line where it begins.
    function look(    i, p, text, rest, at, gone) {
        text = ". "
        for (i = 1; i <= count; i++) { begins[i] = length(text); text = text word[i] " " }
        text = tolower(text)
        while (match(text, /`[^`]*`/)) {
            gone = substr(text, RSTART, RLENGTH); gsub(/./, "~", gone)
            text = substr(text, 1, RSTART - 1) gone substr(text, RSTART + RLENGTH)
        }
        for (p = 1; p <= listed; p++) {
            rest = text; at = 0
            while (match(rest, pattern[p])) {
                gone = substr(rest, RSTART, RLENGTH)
                for (i = count; i > 1 && begins[i] > at + RSTART; i--) ;
                sub(/^[^a-z,]+/, "", gone); sub(/[^a-z]+$/, "", gone)
                report(where[i], "\"" gone "\": " instead[p])
                at += RSTART + RLENGTH - 2
                rest = substr(rest, RSTART + RLENGTH - 1)
            }
        }
    }

    function add(text, line,    part, n, i) {
        n = split(text, part, /[ \t]+/)
        for (i = 1; i <= n; i++) if (part[i] != "") { word[++count] = part[i]; where[count] = line }
    }

    function end_block() {
        if (count) {
            look()
            if (kind == "paragraph" && filled() > 6)
                report(where[1], "a paragraph of " filled() " lines: 6 at most")
        }
        count = 0; kind = ""
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
            add(cell[i], FNR); end_block()
        }
    }

    function start_file() {
        end_block()
        FILENAME_ = FILENAME; fenced = 0; top = 1; blank = 1
        markdown = FILENAME ~ /\.md$/; script = FILENAME ~ /\.sh$/
    }

    # The strings of a line, without what printf or a variable puts in.
    function strings(line,    text, all) {
        all = ""
        gsub(/\\"/, "'\''", line)
        while (match(line, /"[^"]*"/)) {
            text = substr(line, RSTART + 1, RLENGTH - 2)
            line = substr(line, RSTART + RLENGTH)
            gsub(/\\n/, " ", text)
            all = all text " "
        }
        return all
    }

    BEGIN {
        while ((getline line < phrases) > 0) {
            if (line ~ /^#/ || line !~ / -> /) continue
            at = index(line, " -> ")
            instead[++listed] = substr(line, at + 4)
            line = substr(line, 1, at - 1)
            pattern[listed] = (line ~ /^\[/ ? "" : "[^a-z0-9_<-]") "(" line ")[^a-z0-9_>-]"
        }
        if (!listed) { print "prose.sh: " phrases " lists nothing" > "/dev/stderr"; status = 2; exit }
    }
    FNR == 1 { start_file() }
    FILENAME ~ /^README(\.ja)?\.md$/ && FNR == 121 { report(FNR, "the README is longer than 120 lines") }
    markdown && /^[ ]*```/ { end_block(); fenced = !fenced; next }
    markdown && fenced { next }
    markdown && /^[ \t]*$/ { end_block(); blank = 1; next }
    markdown && blank && /^(    |\t)/ { next }
    markdown { blank = 0 }
    markdown && /^[ ]*\|/ { end_block(); row($0); next }
    markdown && /^#/ { end_block(); add($0, FNR); end_block(); next }
    markdown && /^[ ]*([-*+]|[0-9]+\.) / { end_block() }
    markdown { kind = "paragraph"; add($0, FNR); next }
    script && top && (FNR == 1 || /^#/) {
        if (FNR == 1) next
        sub(/^#[ ]?/, "")
        if (/^[ \t]*$/) end_block()
        else add($0, FNR)
        next
    }
    script && top { top = 0; end_block() }
    {
        text = strings($0)
        if (text == "") end_block()
        else add(text, FNR)
        if ($0 !~ /"[ \t]*\\?$/) end_block() # a string goes on in the next line where it ends this one
    }
    END {
        if (status) exit status
        end_block()
        exit bad
    }' "${files[@]}"
