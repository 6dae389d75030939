#!/usr/bin/env bats
# The jury's side of the server: balloons, and awards as everybody sees them.
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
    server='' grader='' jar=$BATS_TEST_TMPDIR/jar
}

teardown() {
    chromium_stop
    serve_stop
}

js() { chromium_text "$1"; }

# The balloons in the page: problem, folder of the team, whether it was the first, whether it is delivered.
balloons() {
    js '[...document.querySelectorAll(".balloons tbody tr")].map(row => [0, 5, 4, 3].map(i => {
        const first = row.cells[i].childNodes[0];
        return first && first.tagName != "FORM" ? first.textContent.replace("\u00a0", " ").trim().slice(0, 9) : "";
    })).join("; ")'
}

@test "balloons: only those of the public board, first ones marked; delivered and undone; printed" {
    local prof ada
    board_sample "$contest"
    mkdir -p "$contest/grading/sources/10"
    sed -i 's/^    league: fp32/&\n    color: <i>blue\/i>\n    rgb: "#0000ff"/' "$contest/contest.yaml"
    prof=$("$build/grader" token "$contest" --jury prof) ada=$(token ada)
    serve
    assert_equal "$(code "$url/my/balloons.html") $(get_as "$ada" /my/balloons.html)" '303 404'
    mark() { code -H "Authorization: Bearer $1" -d "team=$2" -d "problem=$3" -d "delivered=$4" "$url/balloon"; }
    assert_equal "$(mark "$ada" ada A yes) $(code -d team=ada "$url/balloon")" '403 401'
    assert_equal "$(mark "$prof" ada A maybe) $(mark "$prof" bob B yes) $(mark "$prof" none A yes)" '400 400 400'
    chromium_start "$BATS_TEST_TMPDIR/chromium"
    chromium_script "$BATS_TEST_DIRNAME/helpers/audit.js"
    chromium_open "$url/login.html"
    js "document.querySelector('[name=token]').value = '$prof'; document.querySelector('form').submit(); ''"
    until_true 20 page_is /my/index.html
    js 'document.querySelector("a[href=\"balloons.html\"]").click(); ""'
    until_true 20 page_is /my/balloons.html
    # Those of the freeze, from minute 45 on, are not there; nor what came after the end.
    assert_equal "$(balloons)" 'B,ada,★ first t,; A,ada,★ first t,; A,bob,,; B,cyd,,; A,dan,,'
    assert_equal "$(js 'document.querySelector(".balloons td:nth-child(2)").textContent.trim()')" '<i>blue/i>'
    assert_equal "$(js 'document.querySelector("circle").getAttribute("fill")')" '#0000ff'
    js 'document.querySelector(".balloons form button").click(); ""'
    until_true 20 bash -c \
        "[ \"\$(sqlite3 -readonly '$db' 'SELECT team, problem, account FROM balloons')\" = 'ada|B|prof' ]"
    # Another member of the jury marks one: the page changes automatically, and balloons to deliver stay on top.
    until_true 20 page_is /my/balloons.html
    chromium_text "window.same = 'yes'; ''"
    assert_equal "$(mark "$prof" bob A yes) $(mark "$prof" bob A yes)" '303 303'
    until_true 20 page_shows '<tr class="done"><td>A</td>'
    assert_equal "$(js 'window.same') $(balloons)" \
        'yes A,ada,★ first t,; B,cyd,,; A,dan,,; B,ada,★ first t,delivered; A,bob,,delivered'
    # On paper: what is to be delivered, without buttons.
    cdp Emulation.setEmulatedMedia '"media": "print"'
    assert_equal "$(js '[...document.querySelectorAll("tbody tr, button, .print")].filter(e =>
        e.checkVisibility()).map(e => e.tagName).join()')" TR,TR,TR
    cdp Emulation.setEmulatedMedia '"media": ""'
    for width in 360 1400; do
        chromium_screen $width 800 light
        chromium_open "$url/ja/my/balloons.html"
        assert_equal "$(js 'audit().filter(e => !/^(active|landmark): /.test(e)).join("; ")')" ''
    done
    run -0 "$build/grader" results "$contest" balloons --csv
    assert_equal "$(cut -d , -f 1-3,5,6 <<< "$output" | sed -E 's/,20[-0-9T:.]+Z$/,yes/')" "$(printf '%s\n' \
        problem,team,submission,first,delivered B,ada,7,1,yes A,ada,2,1, A,bob,4,0,yes B,cyd,9,0, A,dan,12,0, \
        A,cyd,5,0,)"
    run -2 "$build/grader" results "$contest" balloons --team ada
    # A delivery is undone; and a balloon is no longer earned.
    assert_equal "$(mark "$prof" ada B no)" 303
    sqlite3 "$db" "UPDATE judgements SET verdict = 'WA' WHERE submission = 4"
    serve_stop
    sed -i 's/^end:.*/&\nthaw: 2026-01-02T00:00:00Z/' "$contest/contest.yaml"
    serve
    chromium_open "$url/login.html"
    js "document.querySelector('[name=token]').value = '$prof'; document.querySelector('form').submit(); ''"
    until_true 20 page_is /my/index.html
    chromium_open "$url/my/balloons.html"
    assert_equal "$(balloons)" 'B,ada,★ first t,; A,ada,★ first t,; B,cyd,,; A,dan,,; A,cyd,,'
    assert_regex "$(js 'document.querySelector(".wrong").textContent')" \
        'A – bob was delivered but is no longer earned'
    js 'document.querySelector(".wrong button").click(); ""'
    until_true 20 bash -c "[ \"\$(sqlite3 -readonly '$db' 'SELECT count(*) FROM balloons')\" = 0 ]"
}

@test "awards: none before the thaw; then medals beside the places, group winners, first solvers; in words too" {
    local found
    board_sample "$contest"
    mkdir -p "$contest/grading/sources/10"
    sed -i 's/^name: Winter.*/&\nawards: { gold: 1, silver: 1, bronze: 1 }\ngroups: [{ id: g, name: "<b>G<\/b>" }]/' \
        "$contest/contest.yaml"
    for team in bob cyd; do echo 'group: g' >> "$contest/teams/$team.yaml"; done
    serve
    chromium_start "$BATS_TEST_TMPDIR/chromium"
    chromium_script "$BATS_TEST_DIRNAME/helpers/audit.js"
    chromium_open "$url/index.html"
    awards() { js '[...document.querySelectorAll(".awards tbody tr")].map(row => row.innerText.trim()).join("; ")'; }
    assert_equal "$(awards)$(js 'document.querySelectorAll(".medal").length + ""')" 0
    serve_stop
    sed -i 's/^end:.*/&\nthaw: 2026-01-02T00:00:00Z/' "$contest/contest.yaml"
    # One submission has no verdict.
    serve
    chromium_open "$url/index.html"
    assert_equal "$(awards)" ''
    sqlite3 "$db" "UPDATE judgements SET state = 'done', verdict = 'WA', ended = created WHERE verdict IS NULL"
    # The page updates automatically.
    until_true 20 page_shows 'class="medal gold"'
    assert_equal "$(awards | tr '\t' ' ')" 'Winner Ada & "Co"; Gold medal Ada & "Co"; Silver medal 数学研究会; '$(
        )'Bronze medal cyd; Winner of <b>G</b> 数学研究会; First to solve A Ada & "Co"; First to solve B Ada & "Co"'
    assert_equal "$(js '[...document.querySelectorAll("td.place")].map(e => e.textContent).slice(0, 4).join()')" \
        '1 Gold medal,2 Silver medal,3 Bronze medal,4'
    # They stay with their teams, however the standings are sorted.
    js 'document.querySelector("th[data-sort=team] button").click(); ""'
    assert_equal "$(js 'document.querySelector(".medal.gold").closest("tr").cells[1].textContent')" 'Ada & "Co"'
    for width in 360 1400; do
        for scheme in light dark; do
            chromium_screen $width 800 $scheme
            chromium_open "$url/ja/index.html"
            found=$(js 'audit().filter(e => !/^(active|landmark): script/.test(e)).join("; ")')
            assert_equal "$width $scheme: $found" "$width $scheme: "
        done
    done
    moment=1767400000 board_write "$contest" > /dev/null
    run -0 grep -c 'Gold medal' "$contest/scoreboard/index.html"
}
