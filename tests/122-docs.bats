#!/usr/bin/env bats
# The documents' pictures are drawn from text in the tree, and that text names what exists.

setup() {
    load helpers/common
    cd "$root"
}

@test "pictures: every picture matches its current text, and a page shows it" {
    local text svg label
    for text in docs/pictures/*.dot; do
        svg=${text%.dot}.svg
        [ -s "$svg" ] || fail "$svg is missing: make pictures"
        assert_equal "$(tail -n 1 "$svg")" \
            "<!-- drawn from $(basename "$text") $(sha256sum < "$text" | cut -d ' ' -f 1) -->"
        grep -qF "${svg#docs/})" docs/*.md docs/*/*.md || fail "no page shows $svg"
    done
    for svg in docs/pictures/*.svg; do [ -e "${svg%.svg}.dot" ] || fail "$svg has no text"; done
}

@test "pictures: the folders and files that they name exist" {
    local text paths path
    for text in docs/pictures/*.dot; do
        paths=$(grep -v '^//' "$text" | grep -oE '\[[a-z][a-z_]*[/.][a-z_/.]*\]' | tr -d '[]')
        [ "$(wc -l <<< "$paths")" -ge 8 ] || fail "$text names too few paths"
        for path in $paths; do
            [ -e "$path" ] || fail "$text names $path, which does not exist"
            grep -qF "[$path]" "${text%.dot}.svg" || fail "${text%.dot}.svg does not show $path"
        done
    done
}

@test "pictures: pictures.sh draws a text, and reports a bad one" {
    command -v dot > /dev/null || run -0 run_scripts/lib/packages.sh diagrams
    mkdir "$BATS_TEST_TMPDIR/good" "$BATS_TEST_TMPDIR/bad" "$BATS_TEST_TMPDIR/empty"
    echo 'digraph d { first -> second }' > "$BATS_TEST_TMPDIR/good/small.dot"
    run -0 timeout 60 run_scripts/pictures.sh "$BATS_TEST_TMPDIR/good"
    assert_output "small: $BATS_TEST_TMPDIR/good/small.svg"
    xmllint --noout "$BATS_TEST_TMPDIR/good/small.svg"
    [ "$(grep -c '<g id="node' "$BATS_TEST_TMPDIR/good/small.svg")" -eq 2 ]
    grep -q '^<!-- drawn from small.dot [0-9a-f]\{64\} -->$' "$BATS_TEST_TMPDIR/good/small.svg"
    echo 'digraph d { first -> ' > "$BATS_TEST_TMPDIR/bad/broken.dot"
    run -3 timeout 60 run_scripts/pictures.sh "$BATS_TEST_TMPDIR/bad"
    assert_line "pictures.sh: dot cannot draw '$BATS_TEST_TMPDIR/bad/broken.dot'"
    [ ! -e "$BATS_TEST_TMPDIR/bad/broken.svg" ]
    run -2 run_scripts/pictures.sh "$BATS_TEST_TMPDIR/empty"
    assert_output "pictures.sh: '$BATS_TEST_TMPDIR/empty' has no .dot file"
}

# slugs FILE: the anchors of a page's headings, as GitHub makes them, one per line.
slugs() {
    awk '/^```/ { code = !code } !code && /^#+ /' "$1" |
        sed -E 's/^#+ +//; s/\[([^]]*)\]\([^)]*\)/\1/g' | tr 'A-Z' 'a-z' |
        LC_ALL=C sed -E 's/[]!-,./:-@[^`{-~\\]//g; s/ /-/g' | awk '{ print seen[$0]++ ? $0 "-" seen[$0] - 1 : $0 }'
}

# links FILE: the page's links into the tree, one per line.
links() {
    awk '/^ *```/ { code = !code } !code' "$1" | sed -E 's/`[^`]*`//g' |
        grep -oE '\]\([^()]+\)' | sed -E 's/^\]\(//; s/\)$//' | grep -vE '^[a-z]+:'
}

@test "docs: every link leads to a file, and to a heading in it" {
    local page target file folder anchor count=0 bad=''
    local -A known
    while IFS= read -r page; do
        while IFS= read -r target; do
            count=$((count + 1))
            file=${target%%#*} anchor='' folder=''
            [[ $page != */* ]] || folder=${page%/*}/
            [[ $target != *\#* ]] || anchor=${target#*#}
            file=${file:+$folder$file} file=${file:-$page}
            if [ ! -e "$file" ]; then
                bad+="$page: $target: no such file"$'\n'
                continue
            fi
            [ -n "$anchor" ] && [[ $file == *.md ]] || continue
            [ -n "${known[$file]:-}" ] || known[$file]=$'\n'$(slugs "$file")$'\n'
            [[ ${known[$file]} == *$'\n'"$anchor"$'\n'* ]] || bad+="$page: $target: no such heading"$'\n'
        done < <(links "$page")
    done < <(find README.md README.ja.md docs problems contrib verify tests run_scripts -name '*.md' \
        ! -path '*/fixtures/*')
    [ -z "$bad" ] || fail "$bad"
    [ "$count" -gt 200 ] || fail "only $count links were found"
}

@test "docs: the pages that list folders and results list them all" {
    local folder file name problem bad=''
    for folder in contrib/*/ tests/*/; do
        name=$(basename "$folder")
        grep -qF "\`$name/" "${folder%%/*}/README.md" || bad+="${folder%%/*}/README.md does not name $name/"$'\n'
        [[ $folder == tests/* ]] || grep -qF "${folder%/}" docs/ARCHITECTURE.md ||
            bad+="docs/ARCHITECTURE.md does not name $folder"$'\n'
    done
    # A result is named by a page, a test or a script, or with NAME in place of its problem.
    find docs contrib tests run_scripts problems verify -path docs/results -prune -o -type f \
        -regex '.*\.\(md\|sh\|bats\|tsv\|conf\|[ch]\|cu\)' -exec cat {} + > "$BATS_TEST_TMPDIR/words"
    for file in docs/results/*; do
        name=$(basename "${file%.*}") problem=NAME
        for folder in problems/*/; do
            [[ $name-h != *-"$(basename "$folder")"-* ]] || problem=$(basename "$folder")
        done
        grep -qF -e "$name" -e "${name/-$problem/-NAME}" "$BATS_TEST_TMPDIR/words" || bad+="nothing names $file"$'\n'
    done
    [ -z "$bad" ] || fail "$bad"
}
