#!/usr/bin/env bats
# The scoreboard of many teams: where they are from, rows and frame, the first to solve.
# bats file_tags=scoreboard

setup_file() {
    load helpers/scoreboard
    make -s -C "$root" DEV=1 grade-programs "${BUILD:-build}/scoreboard" >&2
    command -v chromium > /dev/null ||
        { echo "chromium is missing: run_scripts/lib/packages.sh browser" >&2; return 1; }
    board_database "$BATS_FILE_TMPDIR/empty.db"
}

setup() {
    load helpers/common
    load helpers/chromium
    load helpers/scoreboard
    contest=$BATS_TEST_TMPDIR/contest site=$BATS_TEST_TMPDIR/contest/scoreboard
}

teardown() { chromium_stop; }

browser() { chromium_start "$BATS_TEST_TMPDIR/chromium" && chromium_script "$BATS_TEST_DIRNAME/helpers/audit.js"; }

js() { chromium_text "$1"; }

# The two last cells of the team that is called NAME.
from() { js "[...rows('#standings').find(row => row.cells[1].textContent == '$1')
    .cells].slice(-2).map(e => e.textContent).join(', ')"; }

@test "many teams: dense rows in a frame of the screen's height; head row and team names stay visible" {
    local width scheme page expected='true 3000 0 true 0 true'
    board_many "$contest"
    printf 'name: "<b>1</b>"\naffiliation: "<img src=x onerror=pwned=1>"\ncountry: "\\u202eDEU"\n' \
        > "$contest/teams/t001.yaml"
    printf 'name: Nowhere\n' > "$contest/teams/t002.yaml"
    board_write "$contest" > /dev/null
    run -1 grep -c '<img\|<b>1' "$site/index.html"
    browser
    # The head is at the frame's top, the teams at its left, before what is scrolled below them.
    chromium_script <(cat << 'JS'
function scrolled() {
    const frame = document.querySelector(".scroll"), edge = frame.getBoundingClientRect();
    const team = rows("#standings")[90].cells[1], at = e => e.getBoundingClientRect();
    const head = document.querySelector("thead th.team"), before = at(head).left - edge.left;
    frame.scrollTo(40, 3000);
    const x = Math.round(Math.max(before - frame.scrollLeft, 1));
    const top = document.elementFromPoint(at(head).left + 5, at(head).top + 5);
    const heads = [...document.querySelectorAll("thead th")].map(e => Math.abs(Math.floor(at(e).top - edge.top - 1)));
    return [frame.clientHeight < innerHeight, frame.scrollTop, Math.max(...heads),
        Math.abs(at(head).left - edge.left - x) <= 1, Math.round(at(team).left - at(head).left),
        head.contains(top)].join(" ");
}
JS
    )
    for width in 360 390 820 1400; do
        for scheme in light dark; do
            page=index
            [ $scheme = light ] || page=ja/index
            chromium_screen $width 800 $scheme
            chromium_open "file://$site/$page.html"
            assert_equal "$width $scheme: $(js 'audit().join("; ")')" "$width $scheme: "
            assert_equal "$width $scheme: $(js 'scrolled()')" "$width $scheme: $expected"
        done
    done
    assert_equal "$(js 'rows("#standings").length')" 200
    # In the frame 27 px a team; the page does not grow with them.
    assert [ "$(js 'document.querySelector("#standings").closest("table").offsetHeight')" -lt 6000 ]
    assert [ "$(js 'document.documentElement.scrollHeight')" -lt 1600 ]
    assert_equal "$(js '[...document.querySelectorAll("thead th.of")].map(e => e.textContent).join()')" 所属,国
    assert_equal "$(from 'Team 7')" 'University 7, JPN'
    assert_equal "$(from '<b>1</b>')" '<img src=x onerror=pwned=1>, <U+202E>DEU'
    assert_equal "$(from Nowhere)" ', '
    # A server's page has controls. This one has no script for them.
    assert_equal "$(js 'document.querySelectorAll(".tools, [data-sort], [data-key]").length')" 0
}

# firsts: the teams that are marked, in the table's order, once for each mark.
firsts() { js '[...document.querySelectorAll(".first")].map(e => e.closest("tr").cells[1].textContent + " " +
    e.closest("td").cellIndex).join("; ")'; }

set_verdict() { # SUBMISSION VERDICT STATE
    sqlite3 "$contest/grading/results.db" \
        "UPDATE judgements SET verdict = $2, state = '$3' WHERE submission = $1"
    board_write "$contest" "${@:4}" > /dev/null
    chromium_open "file://$site/index.html"
}

@test "first to solve: in words and by a star; nobody while an earlier submission has no verdict; the freeze hides it" {
    local first=$BATS_TEST_TMPDIR/first
    board_sample "$contest"
    browser
    set_verdict 1 "'WA'" done
    assert_equal "$(firsts)" 'Ada & "Co" 3; Ada & "Co" 4'
    assert_equal "$(js 'text(".first")')" $'★\u00a0first to solve'
    chromium_open "file://$site/ja/index.html"
    assert_equal "$(js 'text(".first")')" $'★\u00a0最初に正解'
    # An earlier submission is still being judged. In the end it is the first.
    set_verdict 3 NULL new
    assert_equal "$(firsts)" 'Ada & "Co" 4'
    set_verdict 3 "'AC'" done
    assert_equal "$(firsts)" 'Ada & "Co" 4; 数学研究会 3'
    # The only solver came after the freeze, and the thaw shows it.
    sqlite3 "$contest/grading/results.db" "UPDATE judgements SET verdict = 'WA' WHERE submission IN
        (SELECT id FROM submissions WHERE problem = 'A' AND submitted < 1767225600 + 60 * 45)"
    set_verdict 1 "'WA'" done
    assert_equal "$(firsts)" 'Ada & "Co" 4'
    set_verdict 1 "'WA'" done --final
    assert_equal "$(firsts)" 'cyd 3; Ada & "Co" 4'
}

# table CAPTION: the cells of its rows, one row per line.
table() { js "rows('#$1').map(row => [...row.cells].map(e => e.textContent.trim()).join('|')).join('\n')"; }

@test "statistics: verdicts, quartiles by language and device, submission times; as pictures and as tables" {
    local width scheme
    board_sample "$contest"
    board_write "$contest" > /dev/null
    browser
    chromium_open "file://$site/problem/A.html"
    # Of what came after the freeze, 5 and 11, only that; what came after the end, 6, does not count.
    assert_equal "$(table verdicts)" $'✓ AC accepted|3|43\u00a0%\n✗ WA wrong answer|1|14\u00a0%
– CE compile error|1|14\u00a0%\n? pending|2|29\u00a0%'
    # One that is to be reviewed has no time.
    assert_equal "$(table quartiles)" \
        $'CUDA|NVIDIA H100 80GB HBM3|2|2.000\u00a0ms|2.025\u00a0ms|2.050\u00a0ms|2.075\u00a0ms|2.100\u00a0ms'
    assert_equal "$(js 'text("#over-time")' | cut -d , -f 1,2)" \
        'Submissions over time, one bar per 2 min: filled for accepted'
    assert_equal "$(js 'rows("#bins").length')" 30
    assert_equal "$(table bins | grep -v '|0|0|0$')" '2026-01-01 00:04:00|0|1|0
2026-01-01 00:10:00|0|1|0
2026-01-01 00:30:00|1|0|0
2026-01-01 00:40:00|1|0|0
2026-01-01 00:44:00|1|0|0
2026-01-01 00:46:00|0|0|1
2026-01-01 00:50:00|0|0|1'
    # The pictures have the same: three kinds of bars, which differ by more than their colour.
    assert_equal "$(js '["stack", "outline", "unknown"].map(kind =>
        document.querySelectorAll("svg[aria-labelledby=over-time] rect." + kind).length).join()')" 3,2,2
    assert_equal "$(js '["stack", "outline", "unknown"].map(kind => { const style = getComputedStyle(
        document.querySelector("svg[aria-labelledby=verdicts] rect." + kind));
        return [style.stroke != "none", style.strokeDasharray != "none"].join("-"); }).join()')" \
        'false-false,true-false,true-true'
    assert_equal "$(js '[...document.querySelectorAll("svg[aria-labelledby=verdicts] rect")].map(e =>
        Math.round(parseFloat(e.getAttribute("width")))).join()')" 74,25,25,49
    # Another day's hour, a team that is judged, and no times at all.
    chromium_open "file://$site/problem/B.html"
    assert_equal "$(table verdicts | cut -d '|' -f 1,2)" \
        $'✓ AC accepted|2\n✗ TLE time limit exceeded|1\n? being judged|1'
    sed -i '/^start:/d; /^freeze:/d; /^end:/d' "$contest/contest.yaml"
    board_write "$contest" > /dev/null
    chromium_open "file://$site/ja/problem/A.html"
    assert_equal "$(table verdicts | cut -d '|' -f 1,2)" $'✓ AC 正解|5\n✗ WA 不正解|2\n– CE コンパイルエラー|1'
    assert_equal "$(table bins | sed -n '1p;$p')" $'2026-01-01 00:05:00|0|1|0\n2026-01-01 01:10:00|1|0|0'
    for width in 360 390 820 1400; do
        for scheme in light dark; do
            chromium_screen $width 800 $scheme
            chromium_open "file://$site/problem/A.html"
            chromium_do 'document.querySelector("details").open = true'
            assert_equal "$width $scheme: $(js 'audit().join("; ")')" "$width $scheme: "
        done
    done
    sqlite3 "$contest/grading/results.db" 'DELETE FROM submissions'
    board_write "$contest" > /dev/null
    chromium_open "file://$site/problem/A.html"
    assert_equal "$(js 'text("main").includes("Statistics")')" false
}
