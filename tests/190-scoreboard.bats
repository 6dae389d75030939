#!/usr/bin/env bats
# The scoreboard: contents, what the freeze hides, hostile names, and the pages as a real Chromium shows them.
# bats file_tags=scoreboard

setup_file() {
    load helpers/scoreboard
    make -s -C "$root" DEV=1 grade-programs "${BUILD:-build}/scoreboard" "${BUILD:-build}/tests/test_grade_page" >&2
    command -v chromium > /dev/null ||
        { echo "chromium is missing: run_scripts/lib/packages.sh browser" >&2; return 1; }
    board_database "$BATS_FILE_TMPDIR/empty.db"
    board_sample "$BATS_FILE_TMPDIR/sample"
}

setup() {
    load helpers/common
    load helpers/chromium
    load helpers/scoreboard
    contest=$BATS_TEST_TMPDIR/contest site=$BATS_TEST_TMPDIR/contest/scoreboard
    cp -R "$BATS_FILE_TMPDIR/sample" "$contest"
}

teardown() { chromium_stop; }

browser() { chromium_start "$BATS_TEST_TMPDIR/chromium" && chromium_script "$BATS_TEST_DIRNAME/helpers/audit.js"; }

# js EXPRESSION: its value in the page.
js() { chromium_text "$1"; }

@test "text: no bytes escape from text into markup; numbers and times" {
    run -0 timeout 60 "$build/tests/test_grade_page"
    assert_output --regexp '^[0-9]+ checks, 0 failed$'
}

@test "contents: standings equal the grader's, links work, both languages are alike" {
    local page link
    run -0 board_write "$contest"
    assert_output "$site/index.html"
    "$build/grader" results "$contest" standings --public --json |
        jq -r '.teams[] | [.rank, .name, (.score * 100 | round / 100)] | @tsv' > "$BATS_TEST_TMPDIR/expected"
    browser
    for page in index ja/index; do
        chromium_open "file://$site/$page.html"
        js 'rows("#standings").map(row => [row.cells[0].textContent, row.cells[1].textContent,
            Number(row.cells[2].textContent)].join("\t")).join("\n")' | diff "$BATS_TEST_TMPDIR/expected" -
        assert_equal "$(js \
            'rows("#standings").flatMap(row => [...row.querySelectorAll(".c")]).map(c => c.className.slice(2)).join(" ")')" 'ok ok ok no wait ok ok wait'
    done
    assert_equal "$(js document.title)" '順位表 – Winter contest'
    chromium_open "file://$site/problem/A.html"
    assert_equal "$(js 'text("h1")')" 'A – Merge sort'
    assert_equal "$(js 'rows("#fastest").map(row =>
        [...row.cells].slice(0, 6).map(cell => cell.textContent).join(" ")).join("\n")')" \
        $'2 Ada & "Co" 2.000\u00a0ms 1.940\u00a0ms – 2.040\u00a0ms ×2.00 8
4 数学研究会 2.100\u00a0ms 2.037\u00a0ms – 2.142\u00a0ms ×4.00 8.4'
    assert_equal "$(js '[...document.querySelector("svg").querySelectorAll("text.base, text.floor, text.row")].map(e =>
        e.textContent).join()')" \
        'Physical floor,Baseline,Ada & "Co",数学研究会'
    # Left to right: floor, the two medians, the baselines of both.
    assert_equal "$(js '["line.floor", "line.median", ".row ~ line.median:last-of-type", "line.base"].map(s =>
        parseFloat(document.querySelector(s).getAttribute("x1"))).every((x, i, all) => i == 0 ||
            x >= all[i - 1])')" true
    assert_equal "$(js 'rows("#submissions").length')" 8
    chromium_open "file://$site/ja/submission/2.html"
    assert_equal "$(js 'text(".result")')" $'✓ AC 正解 2.000\u00a0ms 速度比 ×2.00'
    assert_equal "$(js 'rows("#calls-0").length')" 11
    assert_equal "$(js 'text("table.calls tbody tr:last-child")')" $'112.060\u00a0ms4.120\u00a0ms1830 MHzpower cap'
    assert_equal "$(js 'rows("#clocks").map(row => row.textContent).join(";")')" \
        '実行前1980 MHz2619 MHz41 °Cなし;実行後1755 MHz2619 MHz63 °Cpower cap'
    chromium_open "file://$site/submission/1.html"
    assert_equal "$(js 'text(".message bdi")')" 'device_user() answered 3 where 4 is right in case sample/3'
    chromium_open "file://$site/submission/10.html"
    assert_equal "$(js 'text("main").includes("It is being judged") && !document.querySelector("table")')" true
    # A page in each language for each; every link leads to a file.
    assert_equal "$(cd "$site" && find . -name '*.html' ! -path './ja/*' | sort)" \
        "$(cd "$site/ja" && find . -name '*.html' | sort)"
    while IFS= read -r page; do
        while IFS= read -r link; do
            [ -f "$(dirname "$page")/$link" ] || { echo "$page: $link"; return 1; }
        done < <(grep -o ' href="[^"#]*"' "$page" | cut -d '"' -f 2 | sort -u)
    done < <(find "$site" -name '*.html')
    # The cases that times are measured on, also if the contest leaves them to the problem.
    grep -qF '<dd><code>secret/1</code></dd>' "$site/problem/B.html"
    sed -i '$d' "$contest/contest.yaml"
    board_write "$contest" > /dev/null
    grep -qF '<dd>the cases that the problem names</dd>' "$site/problem/B.html"
    grep -qF '<dd>問題が指定するケース</dd>' "$site/ja/problem/B.html"
    # A team that is no longer listed is on no page.
    mv "$contest/teams/cyd.yaml" "$BATS_TEST_TMPDIR"
    board_write "$contest" --final > /dev/null
    run -1 grep -rl cyd "$site"
    [ ! -e "$site/submission/5.html" ]
    mv "$BATS_TEST_TMPDIR/cyd.yaml" "$contest/teams"
    # Other ways of scoring have other columns.
    for page in pass-fail fastest groups; do
        sed -i "s/type: [a-z-]*/type: $page/" "$contest/contest.yaml"
        board_write "$contest" --final > /dev/null
        chromium_open "file://$site/index.html"
        js 'rows("#standings").map(row => row.cells[1].textContent).join()' >> "$BATS_TEST_TMPDIR/orders"
        assert_equal "$("$build/grader" results "$contest" standings --json | jq -r '[.teams[].name] | join(",")')" \
            "$(tail -n 1 "$BATS_TEST_TMPDIR/orders")"
        assert_equal "$(js 'audit().join("; ")')" ''
    done
}

@test "freeze: the pages do not differ by a byte for later verdicts; --final shows them" {
    local other=$BATS_TEST_TMPDIR/other
    cp -R "$contest" "$other"
    # The results after minute 45 reversed; one is not even judged. The rest stays.
    sqlite3 "$other/grading/results.db" "UPDATE judgements SET verdict = 'WA', message = 'wrong', language = 'C',
            machine = 2, review = 1 WHERE submission = 5;
        UPDATE judgements SET verdict = 'AC', message = '' WHERE submission = 11;
        UPDATE judgements SET verdict = NULL, state = 'new' WHERE submission = 6;
        UPDATE runs SET median = 0.0001, low = 0.0001, high = 0.0001 WHERE judgement IN (5, 6, 11);
        DELETE FROM samples WHERE run IN (SELECT id FROM runs WHERE judgement IN (5, 6, 11));
        UPDATE steps SET record = NULL WHERE judgement IN (5, 6, 11); $all_public"
    board_write "$contest" > /dev/null
    board_write "$other" > /dev/null
    diff -r "$site" "$other/scoreboard"
    # ... so that there is something to hide:
    board_write "$contest" --final --out "$BATS_TEST_TMPDIR/all" > /dev/null
    board_write "$other" --final > /dev/null
    run -1 diff -rq "$BATS_TEST_TMPDIR/all" "$other/scoreboard"
    [ "${#lines[@]}" -ge 10 ]
    # While it is frozen the pages say so, and count what is hidden.
    run -0 grep -o 'The standings are frozen\|[0-9] pending' "$site/index.html"
    assert_output $'The standings are frozen\n2 pending\n1 pending'
    run -0 grep -o 'class="v [a-z]*"\|shown when the standings are thawed\|<table' "$site/submission/5.html"
    assert_output $'class="v wait"\nshown when the standings are thawed'
    run -1 grep -q '2 pending\|are frozen' "$BATS_TEST_TMPDIR/all/index.html"
    # Before the freeze there is nothing to hide, and it is announced.
    moment=1767225700 board_write "$contest" > /dev/null
    grep -q 'The standings will be frozen later' "$site/index.html"
    moment=1767225599 board_write "$contest" > /dev/null
    grep -q 'The contest has not begun' "$site/index.html"
}

@test "freeze: it ends with the thaw on all pages at once, by the board's own time" {
    local frozen=$BATS_TEST_TMPDIR/frozen all=$BATS_TEST_TMPDIR/all thaw
    thaw=$(date -d 2026-01-01T02:00:00Z +%s)
    moment=$((thaw - 1)) board_write "$contest" --out "$frozen" > /dev/null
    moment=$thaw board_write "$contest" --final --out "$all" > /dev/null
    sed -i 's/^end: .*/&\nthaw: 2026-01-01T02:00:00Z/' "$contest/contest.yaml"
    moment=$((thaw - 1)) board_write "$contest" > /dev/null
    diff -r "$frozen" "$site"
    grep -q 'are frozen' "$site/index.html"
    moment=$thaw board_write "$contest" > /dev/null
    diff -r "$all" "$site"
    grep -q 'All results are shown' "$site/index.html"
    run -1 grep -rl 'are frozen\|will be frozen\|are thawed' "$site"
}

@test "audit: roles, names, tables, contrast, widths 360, 820 and 1400, light and dark; and it finds what is broken" {
    local page width scheme rule change broken
    board_write "$contest" --final > /dev/null
    browser
    for width in 360 820 1400; do
        for scheme in light dark; do
            chromium_screen $width 800 $scheme
            for page in index ja/problem/A submission/2; do
                chromium_open "file://$site/$page.html"
                [ $page != submission/2 ] || chromium_do 'document.querySelector("details").open = true'
                assert_equal "$page $width $scheme: $(js 'audit().join("; ")')" "$page $width $scheme: "
                [ $page = submission/2 ] || continue
                chromium_shot "$BATS_TEST_TMPDIR/shot.png" $width 800
                chromium_open about:blank
                chromium_js "picture('$(base64 -w 0 "$BATS_TEST_TMPDIR/shot.png")')" > "$BATS_TEST_TMPDIR/picture.json"
                jq -e --argjson width $width --arg scheme $scheme \
                    '.width == $width and .height == 800 and .colours > 40 and
                    (.corner[0] > 250) == ($scheme == "light") and (.corner[0] < 40) == ($scheme == "dark")' \
                    "$BATS_TEST_TMPDIR/picture.json"
            done
        done
    done
    # The names that Chromium gives a screen reader.
    chromium_open "file://$site/index.html"
    cdp Accessibility.getFullAXTree
    jq -r '.result.nodes[] | select(.ignored | not) | .role.value + " " + (.name.value // "")' <<< "$cdp_answer" \
        > "$BATS_TEST_TMPDIR/tree"
    for rule in 'banner ' 'navigation Contest' 'main ' 'contentinfo ' 'heading Standings' 'region Standings' \
        'table Standings' 'columnheader Team' 'rowheader Ada & "Co"' 'link Skip to the content' 'link 日本語' \
        'link Problem A' 'link accepted 60.00 first to solve ×2.00 2 tries'; do
        grep -qFx "$rule" "$BATS_TEST_TMPDIR/tree" || { echo "no '$rule'"; cat "$BATS_TEST_TMPDIR/tree"; return 1; }
    done
    # One thing broken at a time, each found by its rule.
    chromium_screen 360 800 light
    chromium_open "file://$site/problem/A.html"
    broken='const found = audit().join(); document.replaceChild(whole, document.documentElement); return found'
    while IFS='|' read -r rule change; do
        run js "(() => { const whole = document.documentElement.cloneNode(true); $change; $broken; })()"
        [[ $output == *"$rule: "* ]] || { echo "not found: $rule, $change: $output"; return 1; }
    done <<'BROKEN'
contrast|document.querySelector("h1").style.color = "#949494"
contrast|document.querySelector("figcaption").style.opacity = "0.6"
contrast|document.querySelector("svg text.row").style.fill = "#8a8a8a"
contrast|document.querySelector(".v.ok").style.backgroundColor = "#4f8fa0"
mark|document.querySelector("svg line.base").style.stroke = "#f0c8a0"
landmark|document.querySelector("main").outerHTML = "<div>" + document.querySelector("main").innerHTML + "</div>"
landmark|document.querySelector("footer").remove()
heading|document.querySelector("h2").outerHTML = "<h4>Times</h4>"
lang|document.documentElement.lang = ""
title|document.title = ""
skip|document.querySelector(".skip").remove()
tabindex|document.querySelector("nav a").tabIndex = 3
id|document.querySelector("h1").id = "main"
label|document.querySelector("#distribution").remove()
name|document.querySelector("nav a").textContent = ""
svg|document.querySelector("svg").removeAttribute("role")
caption|document.querySelector("caption").remove()
scope|document.querySelector("tbody th").removeAttribute("scope")
scope|document.querySelector("tbody th").outerHTML = "<td>1</td>"
columns|document.querySelector("tbody td").remove()
scrolls|document.querySelector(".scroll").removeAttribute("tabindex")
overflow|document.querySelector("h1").style.width = "400px"
target|document.querySelector("nav a").style.cssText = "padding: 0; line-height: 1"
size|document.querySelector("footer p").style.fontSize = "8px"
active|document.body.append(document.createElement("script"))
active|document.querySelector("h1").setAttribute("onclick", "1")
active|document.querySelector("nav a").href = "javascript:1"
BROKEN
    assert_equal "$(js 'audit().join("; ")')" ''
}

@test "keyboard: the skip link first, links in order and visible, tables that scroll, the other language" {
    local i last=-1 kinds='' expected
    board_write "$contest" --final > /dev/null
    browser
    chromium_screen 360 640 light
    chromium_open "file://$site/index.html"
    for i in {1..14}; do
        chromium_key Tab 9
        chromium_js 'focused()' > "$BATS_TEST_TMPDIR/focus"
        jq -e --argjson last "$last" '.seen and .index > $last' "$BATS_TEST_TMPDIR/focus" > /dev/null ||
            { cat "$BATS_TEST_TMPDIR/focus"; return 1; }
        last=$(jq .index "$BATS_TEST_TMPDIR/focus")
        kinds+="$(jq -r '.href // .tag' "$BATS_TEST_TMPDIR/focus") "
    done
    expected="#main ja/index.html index.html problem/A.html problem/B.html DIV problem/A.html problem/B.html submission/2.html submission/7.html "
    expected+="submission/4.html submission/8.html submission/5.html submission/9.html "
    assert_equal "$kinds" "$expected"
    # Without a ring it would not be seen.
    chromium_do 'document.activeElement.style.outline = "none"'
    assert_equal "$(js 'focused().seen')" false
    # Enter on the first link leads past the navigation: the next stop is the table, which arrows move.
    chromium_open "file://$site/index.html"
    chromium_do 'document.querySelector(".scroll").style.maxWidth = "200px"'
    chromium_key Tab 9
    chromium_key Enter 13 '\r'
    assert_equal "$(js 'document.activeElement.id')" main
    chromium_key Tab 9
    assert_equal "$(js 'document.activeElement.className')" scroll
    chromium_key ArrowRight 39
    [ "$(js 'new Promise(done => setTimeout(() => done(Math.ceil(document.querySelector(".scroll").scrollLeft)), 300))')" -gt 0 ]
    # The other language, and the calls of a submission, by keys alone.
    chromium_open "file://$site/submission/2.html"
    chromium_key Tab 9
    chromium_key Tab 9
    chromium_key Enter 13 '\r'
    for i in {1..50}; do [ "$(js 'document.documentElement.lang')" != ja ] || break; done
    assert_equal "$(js 'document.documentElement.lang + " " + location.pathname.split("/").slice(-3).join("/")')" \
        'ja ja/submission/2.html'
    chromium_do 'document.querySelector("summary").focus()'
    chromium_key Enter 13 '\r'
    assert_equal "$(js 'document.querySelector("details").open')" true
}

@test "requests: a page loads only itself, and its policy forbids all other requests" {
    local page
    board_write "$contest" > /dev/null
    browser
    for page in index problem/A ja/submission/2; do
        chromium_open "file://$site/$page.html"
        assert_equal "$(jq -r 'select(.method == "Network.requestWillBeSent").params.request.url' \
            "$BATS_TEST_TMPDIR/chromium/events")" "file://$site/$page.html"
    done
    # Text that got in would find no way out, and no script would run.
    refused='new Promise(done => { addEventListener("securitypolicyviolation", e => done(e.effectiveDirective)); '
    assert_equal "$(js "$refused const i = new Image(); i.src = 'https://example.org/x.png'; })")" img-src
    assert_equal "$(js "$refused const s = document.createElement('script'); s.textContent = 'pwned = 1'; document.body.append(s); })")" \
        script-src-elem
    assert_equal "$(js "$refused document.body.insertAdjacentHTML('beforeend', '<p style=color:red>'); })")" \
        style-src-attr
    assert_equal "$(js "$refused document.body.insertAdjacentHTML('beforeend', '<b onclick=1>'); })")" script-src-attr
    # Control: a page with a request is detected.
    sed -e '/Content-Security-Policy/d' -e 's|</main>|<img src="https://example.org/x.png">&|' "$site/index.html" \
        > "$site/asks.html"
    chromium_open "file://$site/asks.html"
    run -0 jq -r 'select(.method == "Network.requestWillBeSent").params.request.url' "$BATS_TEST_TMPDIR/chromium/events"
    assert_line https://example.org/x.png
}

@test "hostile: names, files and messages are shown unchanged and do nothing, also without the policy" {
    local page hostile=$'<script>pwned=1</script>"\'><img src=x onerror=pwned=1>&lt;</title></style></svg>'
    local acting=$'\u202ecod.exe\u2066\u009b31m\u001b[0m\u200b\u2028\ufeff\ue000end'
    board_contest "$contest" 'scoring: { type: relative }'
    sqlite3 "$contest/grading/results.db" \
        "DELETE FROM samples; DELETE FROM runs; DELETE FROM steps; DELETE FROM judgements;
        DELETE FROM submissions; DELETE FROM machines"
    sed -i "s/name: Winter contest/name: '<b onmouseover=pwned=1>Winter \"contest\"<\/b><\/title>'/" \
        "$contest/contest.yaml"
    # Teams without a file have their folder's name.
    rm -f "$contest"/teams/*
    board_fill "$contest" \
        "VALUES (1, '${hostile//\'/\'\'}', 'A', 1, 'AC', 2.0, 4.0, 1.0, 1, 0, '${hostile//\'/\'\'}',
            '${hostile//\'/\'\'}'),
        (2, 'a' || '$acting', 'A', 1, 'AC', 2.0, 4.0, 1.0, 1, 0, '$acting', '$acting'),
        (3, 'b' || CAST(x'ff80c0' AS TEXT), 'A', 1, 'WA', NULL, NULL, NULL, 1, 0, CAST(x'eda08041' AS TEXT),
            CAST(x'f5' AS TEXT)),
        (4, 'z' || replace(hex(zeroblob(200)), '0', x'cc81'), 'B', 1, 'WA', NULL, NULL, NULL, 1, 0,
            replace(hex(zeroblob(4000)), '0', 'w'), 'm')"
    sqlite3 "$contest/grading/results.db" "UPDATE machines SET name = '${hostile//\'/\'\'}', driver = '$acting';
        UPDATE runs SET name = '${hostile//\'/\'\'}', message = '${hostile//\'/\'\'}';
        UPDATE steps SET record = replace(replace(record, 'power cap', '<img src=x onerror=pwned=1>'), 'cgroup',
            '<script>pwned=1</script>'); $all_public"
    board_write "$contest" > /dev/null
    # Characters that change the text around them are numbers in brackets; no page has their raw bytes.
    run -1 grep -rlP '[\x{80}-\x{9f}\x{202a}-\x{202e}\x{2066}-\x{2069}\x{200b}\x{2028}\x{feff}\x1b]' "$site"
    find "$site" -name '*.html' -exec iconv -f UTF-8 -t UTF-8 {} + > /dev/null
    # The policy stops what escaping may miss. Here it is off, so escaping alone must suffice.
    find "$site" -name '*.html' -exec sed -i '/Content-Security-Policy/d' {} +
    browser
    chromium_screen 360 800 light
    for page in index problem/A ja/problem/B submission/1 submission/2 submission/3 ja/submission/4; do
        chromium_open "file://$site/$page.html"
        assert_equal "$page: $(js 'audit().concat(typeof pwned).join("; ")')" "$page: undefined"
    done
    chromium_open "file://$site/submission/1.html"
    assert_equal "$(js 'text(".facts dd")')" "$hostile"
    assert_equal "$(js 'text(".message bdi")')" "$hostile"
    chromium_open "file://$site/submission/2.html"
    assert_equal "$(js 'text(".message bdi")')" \
        $'<U+202E>cod.exe<U+2066><U+009B>31m<U+001B>[0m<U+200B><U+2028><U+FEFF>\ue000end'
    # The same with Chromium's --dump-dom.
    HOME=$BATS_TEST_TMPDIR timeout 60 chromium \
        --headless --no-sandbox --disable-gpu --user-data-dir="$BATS_TEST_TMPDIR/dump" \
        --host-resolver-rules='MAP * ~NOTFOUND' --dump-dom "file://$site/index.html" > "$BATS_TEST_TMPDIR/dom" \
        2> /dev/null
    run -1 grep -c '<script\|<img\|<b onmouse' "$BATS_TEST_TMPDIR/dom"
    grep -qF '&lt;script&gt;pwned=1&lt;/script&gt;' "$BATS_TEST_TMPDIR/dom"
}

@test "files: all or nothing; other folders stay unchanged; leftovers of a killed run are removed" {
    requires box
    local i seen=0 missing=0
    board_write "$contest" > /dev/null
    find "$site" -type f -exec sha256sum {} + | sort > "$BATS_TEST_TMPDIR/before"
    # A reader polls it while it is rewritten.
    for i in {1..12}; do board_write "$contest" > /dev/null; done & local writer=$!
    while kill -0 $writer 2> /dev/null; do
        [ -s "$site/index.html" ] && [ -s "$site/ja/submission/11.html" ] || missing=$((missing + 1))
        seen=$((seen + 1))
    done
    wait $writer
    assert_equal "$missing missing" '0 missing'
    [ $seen -ge 10 ]
    find "$site" -type f -exec sha256sum {} + | sort | diff "$BATS_TEST_TMPDIR/before" -
    # No room: a message, and the one before stays.
    mkdir "$BATS_TEST_TMPDIR/disk"
    run -3 bwrap --dev-bind / / --size 65536 --tmpfs "$BATS_TEST_TMPDIR/disk" \
        "$build/scoreboard" "$contest" --out "$BATS_TEST_TMPDIR/disk/board"
    assert_output --partial 'No space left on device'
    run -3 bwrap --dev-bind / / --ro-bind "$contest" "$contest" "$build/scoreboard" "$contest"
    assert_output --partial 'Read-only file system'
    find "$site" -type f -exec sha256sum {} + | sort | diff "$BATS_TEST_TMPDIR/before" -
    # A kill -9 leaves it, and the next run removes it.
    mkdir "$site.new-AbCdEf" && touch "$site.new-AbCdEf/index.html"
    board_write "$contest" > /dev/null
    assert_equal "$(cd "$contest" && echo scoreboard*)" scoreboard
    # Not ours.
    mkdir "$BATS_TEST_TMPDIR/home" && touch "$BATS_TEST_TMPDIR/home/thesis.tex"
    run -2 board_write "$contest" --out "$BATS_TEST_TMPDIR/home"
    assert_output "scoreboard: '$BATS_TEST_TMPDIR/home' holds other files, and would be replaced as a whole: choose another --out"
    run -2 board_write "$contest" --out "$BATS_TEST_TMPDIR/home/thesis.tex"
    [ -f "$BATS_TEST_TMPDIR/home/thesis.tex" ]
    # The database is only read: by another's rights it works as well.
    sha256sum "$contest/grading/results.db" > "$BATS_TEST_TMPDIR/sum"
    board_write "$contest" > /dev/null
    sha256sum -c --quiet "$BATS_TEST_TMPDIR/sum"
}

@test "usage: a missing or wrong argument gives one line and an exit code" {
    run -2 "$build/scoreboard"
    assert_output "scoreboard: give one contest's folder; see build/scoreboard --help"
    run -2 "$build/scoreboard" "$contest" --frob
    assert_output "scoreboard: unknown option '--frob'; see build/scoreboard --help"
    run -2 "$build/scoreboard" "$contest" --out
    assert_output "scoreboard: option '--out' needs a value; see build/scoreboard --help"
    run -2 "$build/scoreboard" "$contest" --public --final
    assert_output 'scoreboard: --public excludes --final and --show-secret'
    run -2 "$build/scoreboard" "$BATS_TEST_TMPDIR/nowhere"
    assert_output --partial 'nowhere/contest.yaml'
    run -2 env SOURCE_DATE_EPOCH=soon "$build/scoreboard" "$contest"
    assert_output "scoreboard: SOURCE_DATE_EPOCH is not a number of seconds: 'soon'"
    run -2 "$build/scoreboard" "$contest" --out ''
    assert_output "scoreboard: the path of the scoreboard's folder is empty"
    sqlite3 "$contest/grading/results.db" 'PRAGMA user_version = 99'
    run -2 "$build/scoreboard" "$contest"
    assert_output --partial 'its schema has version 99, newer'
    echo junk > "$contest/grading/results.db"
    run -3 "$build/scoreboard" "$contest"
    assert_output --partial 'file is not a database'
    rm "$contest/grading/results.db"
    run -2 "$build/scoreboard" "$contest"
    assert_output --partial 'was not graded yet'
    [ ! -e "$site" ]
    run -2 "$root/run_scripts/scoreboard.sh"
    assert_output 'usage: scoreboard.sh CONTEST [--out DIR] [--public|--final]'
    run -2 "$root/run_scripts/scoreboard.sh" "$BATS_TEST_TMPDIR/nowhere"
    assert_output "scoreboard.sh: there is no folder '$BATS_TEST_TMPDIR/nowhere'"
    # Nothing submitted is a scoreboard too.
    cp "$BATS_FILE_TMPDIR/empty.db" "$contest/grading/results.db"
    run -0 "$root/run_scripts/scoreboard.sh" "$contest" --final
    assert_output "$site/index.html"
    grep -q 'Nothing has been submitted yet' "$site/index.html" "$site/problem/A.html"
}

# bats test_tags=long
@test "scoreboard: 1,000 submissions have a page each, in both languages" {
    board_contest "$contest" 'start: 2026-01-01T00:00:00Z' 'scoring: { type: relative }'
    cp "$BATS_FILE_TMPDIR/empty.db" "$contest/grading/results.db"
    rm -f "$contest"/teams/*
    board_fill "$contest" "WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < 1000)
        SELECT n, 'team' || (n % 100), CASE n % 2 WHEN 0 THEN 'A' ELSE 'B' END, n,
            CASE n % 5 WHEN 0 THEN 'WA' WHEN 1 THEN 'CE' ELSE 'AC' END,
        CASE WHEN n % 5 > 1 THEN 1 + n * 0.01 END, CASE WHEN n % 5 > 1 THEN 4.0 END, 0.1, 1, 0, n || '.cu', 'told'
            FROM up"
    TIMEFORMAT='# 1,000 submissions: %R s, of a processor %U + %S s'
    { time board_write "$contest" > /dev/null 2>&1; } 2>&3
    assert_equal "$(find "$site" -path '*submission/*' -name '*.html' | wc -l)" 2000
}

@test "contents: a problem without times says why, and whether times may still come" {
    local kind verdict minute review words
    while IFS='|' read -r end kind verdict minute review words; do
        rm -rf "$contest"
        board_contest "$contest" 'start: 2026-01-01T00:00:00Z' "end: $end-01-01T01:00:00Z"
        board_fill "$contest" "VALUES (1, 'ada', 'A', $minute, $verdict, NULL, NULL, NULL, $kind, $review, 'a.cu', 'x')"
        run -0 "$build/scoreboard" "$contest"
        run -0 grep -o '<p>No times[^<]*' "$site/problem/A.html"
        assert_output "<p>$words"
    done <<'ROWS'
2099|1|'WA'|10|0|No times yet.
2026|1|NULL|10|0|No times yet.
2026|1|'WA'|10|0|No times: no submission was accepted.
2026|1|'AC'|10|1|No times: the accepted submissions wait for review.
2099|3|'AC'|10|0|No times: the accepted submissions ran on the simulator, whose times do not rank.
2026|2|'AC'|10|0|No times: the accepted submissions ran on a CPU, and this contest ranks no CPU times.
2026|1|'AC'|70|0|No times: the accepted submissions were made outside the contest's time.
2026|1|'AC'|10|0|No times: the accepted submissions were not timed.
ROWS
    rm -rf "$contest"
    board_contest "$contest" 'start: 2026-01-01T00:00:00Z' 'freeze: 2026-01-01T00:05:00Z' 'end: 2026-01-01T01:00:00Z'
    board_fill "$contest" "VALUES (1, 'ada', 'A', 10, 'AC', 1.0, NULL, NULL, 1, 0, 'a.cu', NULL)"
    run -0 "$build/scoreboard" "$contest"
    grep -q '<p>No times are shown before the standings are thawed' "$site/problem/A.html"
    grep -q '順位表の凍結が解除されるまで' "$site/ja/problem/A.html"
}

@test "contents: a problem's page shows the limits that the contest sets for it, and no others" {
    sed -i 's/^  - id: B/    time_limit: 2.5\n    memory: 512\n&/' "$contest/contest.yaml"
    run -0 "$build/scoreboard" "$contest"
    run -0 grep -oE '<dt>(Time limit of a call|Memory limit)</dt><dd>[^<]*' "$site/problem/A.html"
    assert_output $'<dt>Time limit of a call</dt><dd>2.5\xc2\xa0s\n<dt>Memory limit</dt><dd>512\xc2\xa0MiB'
    run -1 grep -E 'Time limit|Memory limit' "$site/problem/B.html"
    grep -q '制限時間' "$site/ja/problem/A.html"
}
