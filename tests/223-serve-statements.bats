#!/usr/bin/env bats
# Statements as a server sends them: Markdown with formulas, in both languages, in a real Chromium.
# bats file_tags=serve

load helpers/contest
load helpers/serve

setup_file() {
    load helpers/common
    make -s -C "$root" DEV=1 grade-programs serve-programs "${BUILD:-build}/tests/test_formula" >&2
    command -v chromium > /dev/null ||
        { echo "chromium is missing: run_scripts/lib/packages.sh browser" >&2; return 1; }
}

setup() {
    load helpers/common
    load helpers/chromium
    contest_places
    server='' grader=''
}

teardown() {
    chromium_stop
    serve_stop
}

# all_problems: a contest of every problem in the tree.
all_problems() {
    local problem
    serve_contest
    sed -i '/^problems:/,$d' "$contest/contest.yaml"
    echo problems: >> "$contest/contest.yaml"
    for problem in "$root"/problems/*/; do
        problem=$(basename "$problem")
        echo "  - { id: $problem, problem: $problem }" >> "$contest/contest.yaml"
    done
}

@test "formulas: TeX as MathML; what is unknown stays TeX; no bytes break the markup" {
    run -0 timeout 60 "$build/tests/test_formula"
    assert_output --regexp '^[0-9]+ checks, 0 failed$'
}

@test "statements: no TeX is left in any of them, no page is wider than a phone, what scrolls has the focus" {
    local folder language problem outside
    all_problems
    serve
    chromium_start "$BATS_TEST_TMPDIR/chromium"
    chromium_screen 390 800 light
    # Outside of code: dollar signs, marks of formulas, formulas.
    outside='(() => {
        const main = document.querySelector(".statement").cloneNode(true);
        main.querySelectorAll("code").forEach(code => code.remove());
        const marks = [...main.textContent].filter(c => c == "$" || c == "\uE000" || c == "\uE001").length;
        return [marks, main.querySelectorAll("math").length > 0, main.querySelectorAll("math math").length,
            document.documentElement.scrollWidth, [...document.querySelectorAll(".statement pre, .formula")].filter(e =>
                e.scrollWidth > e.clientWidth && e.tabIndex != 0).length].join(" "); })()'
    for folder in "$root"/problems/*/; do
        problem=$(basename "$folder")
        for language in '' ja/; do
            chromium_open "$url/${language}statement/$problem.html"
            assert_equal "$problem $language $(chromium_text "$outside")" "$problem $language 0 true 0 390 0"
        done
    done
    chromium_open "$url/statement/attention.html"
    assert_equal "$(chromium_text 'document.querySelector(".formula").textContent')" 'O=softmax(QKT√dim)V'
    # The fraction's parts stand one above the other: the formula is no line of text.
    assert_equal "$(chromium_text '(() => { const [a, b] = [...document.querySelector("mfrac").children].map(e =>
        e.getBoundingClientRect()); return String(a.bottom <= b.top + 1 && b.height > 0); })()')" true
}
