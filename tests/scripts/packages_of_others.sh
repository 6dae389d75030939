#!/bin/bash
# Imports the example packages of problemtools and BAPCtools and judges their jury's submissions: packages_of_others.sh
#
# It fetches both repositories with git, or takes PROBLEMTOOLS=FOLDER and BAPCTOOLS=FOLDER. It imports each package into
# a copy of the toolkit. An adapted package must be sound (make check-problem). This script lists the known exceptions
# with reasons. It prints one line per package. Exit code 1 if a package fails. It takes minutes.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -eq 0 ] || usage packages_of_others.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fetched() { # FOLDER REPOSITORY
    [ -n "$1" ] || git clone -q --depth 1 "https://github.com/$2" "$work/${2##*/}" >&2 ||
        fail "cannot fetch $2: name a folder of it"
    echo "${1:-$work/${2##*/}}"
}
problemtools=$(fetched "${PROBLEMTOOLS:-}" Kattis/problemtools)
bapctools=$(fetched "${BAPCTOOLS:-}" RagnarGrootKoerkamp/BAPCtools)

# Submissions that get another verdict here, as PACKAGE/FOLDER/NAME: two name functions that are refused before they run
# (SV), one prints more than a file may have (RTE), and one asks for more memory than it uses.
known='hello/run_time_error/test-readtestdata.cc hello/wrong_answer/test-fill-syslog.c
    hello/time_limit_exceeded/test-fill-stdout.cc hellounix/run_time_error/test-memsize_512.cc'
known=${known//$'\n'/ }
mkdir "$work/copy"
# shellcheck disable=SC2119
tracked_files | tar -C "$root" --null -T - -cf - | tar -C "$work/copy" -xf -
mkdir -p "$work/copy/build" && cp -a "$build"/{obj,plain,flags} "$work/copy/build/" 2> /dev/null || true
cd "$work/copy"
unset BUILD PROBLEM
failures=0

# judged PACKAGE: its line.
judged() {
    local package=$1 name words bad
    name=p$(basename "$package" | tr -cd a-z0-9)
    if ! run_scripts/package.sh import "$package" "$name" > "$work/import" 2>&1; then
        words="refused: $(tail -n 1 "$work/import")"
    elif [ ! -f "problems/$name/problem.c" ]; then
        words="to be written: $(sed -n 's/^type: //p' "problems/$name/problem.yaml")"
        words+="$(sed -n 's/^- \(imported.output_validator: .*\)/ (\1)/p' "problems/$name/IMPORTED.md")"
    elif [ ! -d "problems/$name/submissions" ] || [ -z "$(find "problems/$name/data" -name '*.ans')" ]; then
        words='judged; it has no cases here, or no submission in C or C++'
    else
        run_scripts/check_problem.sh "$name" > "$work/check" 2>&1 || true
        bad=$(sed -n 's/^FAILED submission: \([^:]*\): .*/\1/p' "$work/check" | while read -r one; do
            [[ " $known " == *" $(basename "$package")/$one "* ]] || echo "$one"
        done)$(grep '^FAILED ' "$work/check" | grep -v '^FAILED submission: ' || true)
        grep -q "^check-problem: ${name}[: ]" "$work/check" || bad+=$(tail -n 1 "$work/check")
        words="judged: $(grep -c '^ok  *submission: ' "$work/check" || true) submissions as they are filed"
        [ -z "$bad" ] || { words="FAILED: $bad"; failures=$((failures + 1)); }
    fi
    printf '%-24s %s\n' "$(basename "$package")" "$words"
    rm -rf "problems/$name"
    touch problems
}
for package in "$problemtools"/examples/*/ "$bapctools"/test/problems/*/; do
    [ ! -f "$package/problem.yaml" ] || judged "${package%/}"
done
[ $failures -eq 0 ]
