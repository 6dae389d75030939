#!/usr/bin/env bats
# The scoreboard as a server sends it, in a real Chromium: search, filters, sorting, verdicts that come; code.
# bats file_tags=serve

load helpers/contest
load helpers/serve

setup_file() {
    load helpers/scoreboard
    make -s -C "$root" DEV=1 grade-programs serve-programs >&2
    command -v chromium > /dev/null ||
        { echo "chromium is missing: run_scripts/lib/packages.sh browser" >&2; return 1; }
    board_database "$BATS_FILE_TMPDIR/empty.db"
}

setup() {
    load helpers/common
    load helpers/chromium
    load helpers/scoreboard
    contest_places
    server='' grader=''
}

teardown() {
    chromium_stop
    serve_stop
}

js() { chromium_text "$1"; }

# 200 teams, and the server's page of them.
standings() {
    board_many "$contest"
    sed -i 's/^start:.*/&\nend: 2026-02-01T00:00:00Z/' "$contest/contest.yaml"
    sed -i 's/^scoring:.*/&\ngroups: [{ id: y1, name: First <year> }, { id: y2, name: Second }]/' "$contest/contest.yaml"
    printf 'name: "<b>Gauß</b>"\naffiliation: "ＴＵ <i>Göttingen</i>"\ncountry: DEU\ngroup: y1\n' \
        > "$contest/teams/t001.yaml"
    printf 'name: Nowhere\n' > "$contest/teams/t002.yaml"
    serve
    chromium_start "$BATS_TEST_TMPDIR/chromium"
    chromium_script "$BATS_TEST_DIRNAME/helpers/audit.js"
    chromium_script "$BATS_TEST_DIRNAME/helpers/standings.js"
    chromium_screen 390 800 light
    chromium_open "$url/${1:-index.html}"
}

page_says() { [ "$(chromium_text "String($1)")" = true ]; }

# type TEXT: into what has the focus, as a keyboard does.
type() { cdp Input.insertText "\"text\": $(json_string "$1")"; }

@test "search and filters: by keyboard alone, with names for screen readers; text stays text" {
    standings
    assert_equal "$(js 'status()')" '200 of 200 teams'
    chromium_do 'document.querySelector("#main").focus()'
    chromium_key Tab 9
    type 'tu <I>gött'
    assert_equal "$(js 'shown()') $(js 'status()')" '<b>Gauß</b> 1 of 200 teams'
    chromium_do 'document.querySelector("input").select()'
    type 'team 19'
    assert_equal "$(js 'shown().split(",").length + " " + status()')" '11 11 of 200 teams'
    # Both filters, one of them by keys: what is typed in a list chooses from it.
    chromium_key Tab 9
    chromium_key U 85 U
    assert_equal "$(js 'document.activeElement.value + ": " + status()')" 'University 0: 1 of 200 teams'
    chromium_do 'put("select[data-column=country]", "KEN")'
    assert_equal "$(js 'status()')" '0 of 200 teams'
    chromium_do 'put("select[data-column=affiliation]", ""); put("input", "")'
    assert_equal "$(js 'status() + " " + new Set(column("country")).size')" '66 of 200 teams 1'
    assert_equal "$(js '[...document.querySelectorAll("select")].map(e => e.length).join()')" '14,4,2'
    assert_equal "$(js '[...document.querySelector("select").options].pop().text')" 'University 11'
    chromium_do 'put("select[data-column=country]", ""); put("select[data-column=group]", "First <year>")'
    assert_equal "$(js 'shown() + " " + status() + " " + location.hash')" \
        '<b>Gauß</b> 1 of 200 teams #group=First+%3Cyear%3E'
    cdp Accessibility.getFullAXTree
    jq -r '.result.nodes[] | select(.ignored | not) | .role.value + " " + (.name.value // "")' <<< "$cdp_answer" \
        > "$BATS_TEST_TMPDIR/tree"
    for name in 'search Search and filter' 'searchbox Team or affiliation' 'combobox Affiliation' \
        'combobox Country' 'combobox Group' 'button Team' 'button Sort by A' 'status '; do
        grep -qFx "$name" "$BATS_TEST_TMPDIR/tree" || { echo "no '$name'"; cat "$BATS_TEST_TMPDIR/tree"; return 1; }
    done
    # In every width and colour; the audit for pages without a script reports the script and nothing else.
    for width in 360 390 820 1400; do
        for scheme in light dark; do
            chromium_screen $width 800 $scheme
            chromium_open "$url/ja/index.html"
            found=$(js 'audit().filter(e => !/^(active|landmark): script/.test(e)).join("; ")')
            assert_equal "$width $scheme: $found" "$width $scheme: "
            assert_equal "$(js 'small().join("; ")')" ''
        done
    done
    assert_equal "$(js 'status()')" '200 / 200 チーム'
}

@test "sorting: by a click on a head and by keyboard, numbers and texts both ways, empty last; aria-sort is set" {
    standings
    assert_equal "$(js 'sorted()')" 'place ascending'
    chromium_do 'head("team").click()'
    assert_equal "$(js 'sorted() + ": " + column("team").slice(0, 3)')" 'team ascending: <b>Gauß</b>,Nowhere,Team 3'
    chromium_do 'head("team").click()'
    assert_equal "$(js 'sorted() + ": " + column("team").slice(-2)')" 'team descending: Nowhere,<b>Gauß</b>'
    # Points: the best first. Teams without a time in A are last in both orders.
    chromium_do 'head("problem-A").querySelector("button").focus()'
    chromium_key Enter 13 '\r'
    assert_equal "$(js 'sorted() + " " + ordered("problem-A", -1)')" 'problem-A descending true'
    chromium_key Enter 13 '\r'
    assert_equal "$(js 'sorted() + " " + ordered("problem-A", 1)')" 'problem-A ascending true'
    assert_equal "$(js 'document.activeElement.getAttribute("aria-label")')" 'Sort by A'
    chromium_do 'head("affiliation").click()'
    assert_equal "$(js 'column("affiliation").at(-1) + column("affiliation")[0]')" 'ＴＵ <i>Göttingen</i>'
    # The link in a head leads where it says, and does not sort.
    chromium_do 'head("problem-B").querySelector("a").click()'
    until_true 10 page_is /problem/B.html
}

@test "live: search, filters, sorting, focus and scroll position stay while verdicts come" {
    standings
    chromium_do 'put("select[data-column=country]", "JPN"); put("input", "team")'
    chromium_do 'head("score").click(); head("score").click()'
    chromium_do 'document.querySelector("#main .scroll").scrollTo(30, 500)'
    chromium_do 'head("team").querySelector("button").focus({ preventScroll: true })'
    state='status() + sorted() + document.querySelector(".scroll").scrollTop + document.activeElement.textContent'
    before=$(js "$state")
    assert_equal "$before" '66 of 200 teamsscore ascending500Team↕'
    team4='cellOf(shownRows().find(row => row.cells[1].textContent == "Team 4"), "problem-B").className'
    assert_equal "$(js "$team4")" 'c ok'
    chromium_do 'window.same = "yes"; window.old = document.querySelector("table")'
    # Another judgement of one that was accepted.
    sqlite3 "$db" "UPDATE judgements SET verdict = 'WA' WHERE submission = 3"
    until_true 20 page_says 'document.querySelector("table") !== old'
    assert_equal "$(js "same + $state")" "yes$before"
    assert_equal "$(js "$team4")" 'c no'
    assert_equal "$(js 'ordered("score", 1)')" true
}

@test "address: the fragment keeps search, filters and sorting, and restores them; nonsense is ignored" {
    local here=() chosen='#find=team+1&country=JPN&sort=team&way=down'
    standings
    assert_equal "$(js location.hash)" ''
    chromium_do 'put("input", "team 1")'
    chromium_do 'put("select[data-column=country]", "JPN"); head("team").click(); head("team").click()'
    assert_equal "$(js location.hash)" "$chosen"
    here=("$(js 'status() + " " + sorted() + " " + column("team")[0]')")
    assert_equal "${here[0]}" '38 of 200 teams team descending Team 199'
    # In another window, in the other language, and after verdicts have come.
    chromium_open about:blank
    chromium_open "$url/index.html$chosen"
    assert_equal "$(js 'status() + " " + sorted() + " " + column("team")[0]')" "${here[0]}"
    chromium_do 'window.old = document.querySelector("table")'
    sqlite3 "$db" "UPDATE judgements SET verdict = 'WA' WHERE submission = 3"
    until_true 20 page_says 'document.querySelector("table") !== old'
    assert_equal "$(js 'status() + " " + sorted() + " " + column("team")[0]') $(js location.hash)" "${here[0]} $chosen"
    chromium_do 'document.querySelector("a.language").click()'
    until_true 10 page_is /ja/index.html
    until_true 10 page_says 'document.readyState === "complete"'
    assert_equal "$(js 'status() + " " + location.hash + " " + document.querySelector("input").value')" \
        "38 / 200 チーム $chosen team 1"
    # Another fragment is another choice; a link within the page is not.
    chromium_do 'location.hash = "sort=country"'
    until_true 10 page_says 'sorted() === "country ascending"'
    assert_equal "$(js 'status()')" '200 / 200 チーム'
    chromium_do 'document.querySelector(".skip").click()'
    assert_equal "$(js 'sorted() + location.hash')" 'country ascending#main'
    for nonsense in 'sort=none&way=up' 'country=Nowhere&find=' 'sort=%22%5D&way=%00' '%' 'sort=__proto__'; do
        chromium_open about:blank
        chromium_open "$url/index.html#$nonsense"
        assert_equal "$nonsense $(js 'status() + " " + sorted()')" "$nonsense 200 of 200 teams place ascending"
    done
    chromium_do 'head("place").click(); head("place").click()'
    assert_equal "$(js location.hash)" ''
}

# code_of N: the public code of submission N, one file per line; nothing if there is none.
code_of() {
    chromium_open "$url/submission/$1.html"
    js '[...document.querySelectorAll(".code")].map(e => document.getElementById(e.getAttribute("aria-labelledby"))
        .textContent + ": " + e.textContent).join("\n") + (document.querySelector("main").textContent.match(
        /This file is not text|Its files were not kept/g) || []).join()'
}

# again LINE...: the server anew, with these lines in contest.yaml.
again() {
    serve_stop
    board_contest "$contest" 'start: 2026-01-01T00:00:00Z' 'freeze: 2026-01-01T00:45:00Z' 'end: 2026-01-01T01:00:00Z' "$@"
    serve
}

@test "code: public after the contest if contest.yaml says so; as text; no frozen and no later code" {
    local folder=$contest/grading/sources hostile='<script>pwned=1</script></pre>'
    board_sample "$contest"
    mkdir -p "$folder"/{2,5,6,10}/inner
    printf '%s\n\tint x; // \e[31m' "$hostile" > "$folder/2/a.cu"
    head -c 300 /dev/zero > "$folder/2/b.bin"
    : > "$folder/2/inner/c.h"
    printf 'int five;' > "$folder/5/a.c"
    printf 'int six;' > "$folder/6/a.c"
    serve
    chromium_start "$BATS_TEST_TMPDIR/chromium"
    chromium_script "$BATS_TEST_DIRNAME/helpers/audit.js"
    assert_equal "$(code_of 2)" ''
    again 'show_code: yes' 'final: 2099-01-01T00:00:00Z'
    assert_equal "$(code_of 2)" ''
    again 'show_code: yes'
    assert_equal "$(code_of 2)" "a.cu: $hostile
    int x; // <U+001B>[31m
inner/c.h: This file is not text"
    assert_equal "$(js 'typeof pwned')" undefined
    for width in 360 1400; do
        chromium_screen $width 800 dark
        chromium_open "$url/submission/2.html"
        assert_equal "$(js 'audit().filter(e => !/^(active|landmark): script/.test(e)).join("; ")')" ''
    done
    assert_equal "$(code_of 4)" 'Its files were not kept'
    assert_equal "$(code_of 5)$(code_of 6)" ''
    again 'show_code: yes' 'thaw: 2026-01-02T00:00:00Z' 'final: 2026-01-03T00:00:00Z'
    assert_equal "$(code_of 5)$(code_of 6)" 'a.c: int five;'
    # Pages that are written to files have none.
    board_write "$contest" > /dev/null
    run -1 grep -rl 'int x;\|int five' "$contest/scoreboard"
    sed -i '/^freeze:/d; /^thaw:/d; /^end:/d; /^final:/d' "$contest/contest.yaml"
    run -2 board_write "$contest"
    assert_output --partial "'show_code' needs an 'end'"
}
