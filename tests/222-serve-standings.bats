#!/usr/bin/env bats
# The standings as a server sends them, in a real Chromium: search, filters, sorting, and verdicts that come meanwhile.
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
    printf 'name: "<b>Gauß</b>"\naffiliation: "ＴＵ <i>Göttingen</i>"\ncountry: DEU\n' > "$contest/teams/t001.yaml"
    printf 'name: Nowhere\n' > "$contest/teams/t002.yaml"
    serve
    chromium_start "$BATS_TEST_TMPDIR/chromium"
    chromium_script "$BATS_TEST_DIRNAME/helpers/audit.js"
    chromium_script "$BATS_TEST_DIRNAME/helpers/standings.js"
    chromium_screen 390 800 light
    chromium_open "$url/${1:-index.html}"
}

# type TEXT: into what has the focus, as a keyboard does.
type() { cdp Input.insertText "\"text\": $(json_string "$1")"; }

@test "search and filters: by keys alone, with names that a screen reader tells; text stays text" {
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
    assert_equal "$(js '[...document.querySelectorAll("select")].map(e => e.length).join()')" '14,4'
    assert_equal "$(js '[...document.querySelector("select").options].pop().text')" 'University 9'
    cdp Accessibility.getFullAXTree
    jq -r '.result.nodes[] | select(.ignored | not) | .role.value + " " + (.name.value // "")' <<< "$cdp_answer" \
        > "$BATS_TEST_TMPDIR/tree"
    for name in 'search Search and filter' 'searchbox Team or affiliation' 'combobox Affiliation' 'combobox Country' \
        'button Team' 'button Sort by A' 'status '; do
        grep -qFx "$name" "$BATS_TEST_TMPDIR/tree" || { echo "no '$name'"; cat "$BATS_TEST_TMPDIR/tree"; return 1; }
    done
    # In every width and colour; what the audit refuses in a page without a script is there: the script alone.
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

@test "sorting: by a click on a head and by keys, numbers and texts both ways, none last; aria-sort tells it" {
    standings
    assert_equal "$(js 'sorted()')" 'place ascending'
    chromium_do 'head("team").click()'
    assert_equal "$(js 'sorted() + ": " + column("team").slice(0, 3)')" 'team ascending: <b>Gauß</b>,Nowhere,Team 10'
    chromium_do 'head("team").click()'
    assert_equal "$(js 'sorted() + ": " + column("team").slice(-2)')" 'team descending: Nowhere,<b>Gauß</b>'
    # Points: the best first. Who has no time in A is last either way.
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

@test "live: what was searched, chosen and sorted, the focus and the scrolling stay while verdicts come" {
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

page_says() { [ "$(chromium_text "String($1)")" = true ]; }
