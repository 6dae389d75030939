# Sourced after lib.sh by the scripts that fetch the public programs of tests/population.
# shellcheck shell=bash disable=SC2154

# suite NAME: its sources into $work/NAME, where they are not there yet: a copy of $from/NAME, if $from is not empty and
# that exists, else what $tables/suites.tsv says.
suite() {
    local url commit name
    [ ! -d "$work/$1" ] || return 0
    rm -rf "$work/$1.new"
    if [ -d "$from/$1" ]; then
        cp -r -- "$from/$1" "$work/$1.new"
    else
        read -r name url commit < <(grep -P "^$1\t" "$tables/suites.tsv") ||
            refuse "the suite '$1' is neither in suites.tsv nor in the folder of --from"
        echo "$(basename "$0"): fetching $name from $url" >&2
        git init -q "$work/$1.new" && git -C "$work/$1.new" fetch -q --depth 1 "$url" "$commit" &&
            git -C "$work/$1.new" checkout -q FETCH_HEAD ||
            fail "cannot fetch '$url': name a folder that has it by --from"
    fi
    mv -T "$work/$1.new" "$work/$1"
}
