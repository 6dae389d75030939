# tests/scripts/prose.sh: what is hard to read in documents, help texts and messages.
load helpers/common

setup() { cd "$BATS_TEST_TMPDIR"; }

# prose TEXT [FILE]: the report about a file with this text.
prose() {
    printf '%s\n' "$1" > "${2:-page.md}"
    "$root/tests/scripts/prose.sh" "$BATS_TEST_TMPDIR/${2:-page.md}" | sed "s|^$BATS_TEST_TMPDIR/||"
}

# words COUNT: COUNT words of four letters.
words() { printf 'word %.0s' $(seq "$1"); }

@test "prose: every page, help text and message of the project passes" {
    run -0 "$root/tests/scripts/prose.sh"
    assert_output ''
}

@test "prose: each listed phrase is found, at the line where it begins, and similar text is not" {
    run -0 prose $'A line that is fine.\n\nTimes hang on the clock, and a fault\nis told to\nnobody.'
    assert_output "$(printf '%s\n' 'page.md:3: "hang on": depend on' \
        'page.md:4: "is told": is reported, is printed; or: is recognised')"
    run -0 prose 'Refused are all values. It writes one line a launch. It is none of a, b. What cannot be read, leave it away.'
    assert_equal "$(sed -E 's/.*: "([^"]*)".*/\1/' <<< "$output" | sort)" \
        "$(printf '%s\n' 'is none of' 'leave it away' 'one line a launch' 'refused are all' 'what cannot be')"
    # Code is quoted as it is, and words that contain a phrase's letters are others.
    run -0 prose $'`is told` and `a\nline a launch`, this told story, a thesis told once, 20 submissions an hour.\n\n```sh\necho is told\n```'
    assert_output ''
}

@test "prose: a paragraph has six lines of 120 columns at most, however it is broken, and a list item too" {
    run -0 prose "$(words 144)" # 24 words a line
    assert_output ''
    run -0 prose "$(words 145)"
    assert_output 'page.md:1: a paragraph of 7 lines: 6 at most'
    run -0 prose "$(words 145 | tr ' ' '\n')"
    assert_output 'page.md:1: a paragraph of 7 lines: 6 at most'
    run -0 prose "- $(words 140)"$'\n'"- $(words 140)"$'\n'"1. $(words 145)"
    assert_output 'page.md:3: a paragraph of 7 lines: 6 at most'
    # A character of Japanese is two columns wide, and its words have no spaces between.
    run -0 prose "$(printf 'あ%.0s' {1..360})"
    assert_output ''
    run -0 prose "$(printf 'あ%.0s' {1..361})"
    assert_output 'page.md:1: a paragraph of 7 lines: 6 at most'
    run -0 prose "$(words 143)[word](http://a.example/a)"
    assert_output ''
    run -0 prose "$(printf '```\n%s\n```\n\n    %s\n' "$(words 300)" "$(words 300)")"
    assert_output ''
}

@test "prose: a table cell has forty words at most, and a README at the top 120 lines" {
    run -0 prose "| $(words 40)| a \\| b |"
    assert_output ''
    run -0 prose "$(printf '|a|b|\n|---|---|\n| x | %s |' "$(words 41)")"
    assert_output 'page.md:3: a table cell of 41 words: 40 at most'
    run -0 prose "| $(printf 'あ%.0s' {1..84}) |"
    assert_output 'page.md:1: a table cell of 43 words: 40 at most'
    cp -R "$root/run_scripts" "$root/tests" .
    yes 'A line.' | sed = | head -n 240 | sed -n '2~2s/$/\n/p' | head -n 121 > README.md
    run -1 tests/scripts/prose.sh README.md
    assert_output 'README.md:121: the README is longer than 120 lines'
    sed -i '$d' README.md
    run -0 tests/scripts/prose.sh README.md
}

@test "prose: help and messages count in scripts, and messages in C files" {
    run -0 prose $'#!/bin/bash\n# Runs it. What fails\n# is told.\nset -e\n# is told\necho "it is told" it is told' script.sh
    assert_equal "$(cut -d : -f 1,2 <<< "$output")" $'script.sh:3\nscript.sh:6'
    run -0 prose $'/* it is told */\nint is_told;\nsay("of a file it "\n    "is told: \\"%s\\"", name);' file.c
    assert_output 'file.c:4: "is told": is reported, is printed; or: is recognised'
}

@test "prose: comments and names of tests count in tests/, their code does not" {
    cp -R "$root/run_scripts" "$root/tests" .
    printf '%s\n' '@test "it is told" {' '    # It is said.' '    run -0 say "it is told"' '}' > tests/99-told.bats
    printf '%s\n' 'say("it is told");' '/* it is told */' > tests/told.c
    run -1 tests/scripts/prose.sh tests/99-told.bats tests/told.c
    assert_equal "$(cut -d : -f 1,2 <<< "$output")" $'tests/99-told.bats:1\ntests/99-told.bats:2\ntests/told.c:2'
}

@test "prose: a conflict that git left is found in any file" {
    run -0 prose $'int a;\n<<<<<<< HEAD\nint b;\n=======\nint c;\n>>>>>>> 0123456 a commit' file.c
    assert_output "$(printf 'file.c:%s: git left a conflict here\n' 2 6)"
}

@test "prose: a page of docs/ opens with who it is for and what the reader can do after it" {
    mkdir docs docs/results
    run -0 prose $'# Title\n\nThis page is for setters. After it you\ncan set.\n\nMore words.' docs/page.md
    assert_output ''
    run -0 prose $'# Title\n\nIt is for setters. After it you can set.\n\nThis page is for setters. After it you can set.' docs/page.md
    assert_output 'docs/page.md:3: the page does not open with "This page is for ... After it you can ..."'
    run -0 prose $'# Title\n\nIt is for setters.' docs/results/page.md
    assert_output ''
}
