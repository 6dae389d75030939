#!/usr/bin/env bats
# docs/SIMULATOR.md, docs/simulator/ and docs/formats/simulator.md agree with the sources of cudasim.

setup() {
    load helpers/common
    cd "$root"
    sources=contrib/cudasim
    code=("$sources"/*.c "$sources"/*/*.c)
    pages=docs/simulator
    manual=(docs/SIMULATOR.md "$pages"/*.md)
}

# between BEGIN END FILE: the lines between two that match.
between() { sed -n "\\%$1%,\\%$2%{\\%$1%d;\\%$2%d;p}" "$3"; }

# cells: the `code` words in the first column of the Markdown tables on standard input, one per line.
cells() { sed -n 's/^| *\([^|]*\)|.*/\1/p' | grep -o '`[^`]*`' | tr -d '`'; }

@test "docs: lists the instructions of the table" {
    requires nvcc
    requires x86-64
    make -s -C "$root" "${BUILD:-build}/cudasim_instructions" >&2
    run -0 timeout 60 "$build/cudasim_instructions"
    # The text that belongs between the two lines of the manual.
    diff -u <(between '<!-- instructions begin -->' '<!-- instructions end -->' "$pages/instructions.md") - \
        <<< "$output"
}

@test "docs: every environment variable is described, with its default and limits, and no other" {
    read_by=$(grep -ohE '"CUDASIM_[A-Z_]+"' "${code[@]}" | tr -d '"' | sort -u)
    assert_equal "$(between '^## Environment' '^## ' docs/SIMULATOR.md | cells | sort -u)" "$read_by"
    # {"CUDASIM_NAME", KIND, FIELD, DEFAULT, …}: the plain numbers among the defaults
    while read -r name value; do
        grep -qE "^\| \`$name\` \| $value \|" docs/SIMULATOR.md || fail "$name: the default is $value"
    done < <(sed -nE 's/^ *\{"(CUDASIM_[A-Z_]+)", SETTING_UNSIGNED, .*\), ([0-9]+),.*/\1 \2/p' "${code[@]}")
}

@test "docs: every kind of fault is described, and no other" {
    kinds=$(sed -nE 's/^ *\[FAULT_[A-Z_]+\] = "([a-z-]+)",$/\1/p' "$sources/machine/fault.c" | grep -vx none | sort)
    assert_equal "$(between '^| kind | severity' '^## Races' "$pages/checks.md" | cells | sort)" "$kinds"
    names=$(sed -n "/--checks LIST/,/--seed/p" "$root/run_scripts/sim.sh")
    for check in $(between '^| check | default' '^| kind | severity' "$pages/checks.md" | cells); do
        grep -q "[ ,(]$check[,| )]" <<< "$names" || fail "$check is not in the help of sim.sh: $names"
    done
}

@test "docs: every finding of the report is described, and no other" {
    kinds=$(sed -nE 's/^ *\{ "([a-z-]+)", [a-z_]+ \},$/\1/p' "$sources/report/explain_advice.c" | sort)
    assert_equal "$(between '^| finding | when |' '^## ' "$pages/report.md" | cells | sort)" "$kinds"
}

@test "docs: the number of stubs is right" {
    stubs=$(grep -o 'row([A-Za-z0-9_]*)' "$sources/runtime/runtime_stub.c" | wc -l)
    grep -qE "(^|[ .])$stubs of( |\$)" "$pages/api.md" || fail "there are $stubs"
    sum=0
    while read -r count; do sum=$((sum + count)); done \
        < <(between '^| stubs | |' '^The simulator also refuses' "$pages/api.md" | sed -nE 's/^\| ([0-9]+) .*/\1/p')
    assert_equal "$sum" "$stubs"
}

@test "docs: all files that the documents name exist" {
    for name in $(grep -ohE '`[a-z_0-9/.-]+\.(c|h|cu|sh|bats|txt|md)`' "${manual[@]}" | tr -d '`' | sort -u); do
        found=$(find "$name" "$sources/$name" "$sources"/*/"$name" "tests/instructions/$name" 2> /dev/null || true)
        [ -n "$found" ] || fail "there is no $name"
    done
}

@test "docs: the keys of the report's JSON are those that explain.h lists" {
    keys() { grep '^|' | grep -o '`[^`]*`' | grep -vx '`CLASS`' | sort -u; }
    diff -u <(sed -n 's/^ \* |/|/p' "$sources/report/explain.h" | keys) \
        <(between '^# The JSON' '^## ' docs/formats/simulator.md | keys)
}
