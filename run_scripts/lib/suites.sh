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
        echo "$script_name: fetching $name from $url" >&2
        git init -q "$work/$1.new" && git -C "$work/$1.new" fetch -q --depth 1 "$url" "$commit" &&
            git -C "$work/$1.new" checkout -q FETCH_HEAD ||
            fail "cannot fetch '$url': name a folder that has it by --from"
    fi
    mv -T "$work/$1.new" "$work/$1"
}

# limited SECONDS COMMAND LOG: a line of bash, under a limit of processor time. Its output is in LOG.out and LOG.err,
# its times by $TIMEFORMAT in LOG.time. The machine may be shared: by the clock it may take $clock_factor (10) times as
# long.
limited() {
    local code=0
    { time (
        ulimit -t "$1" -c 0
        timeout -k 5 $(($1 * ${clock_factor:-10})) bash -c "$2" < /dev/null > "$3.out" 2> "$3.err"
    ); } 2> "$3.time" || code=$?
    return $code
}

# build_program NAME COMMAND: builds a program in the current folder, unless it is built, or if $rebuild is set.
build_program() {
    local log=$work/log/$1
    [ -n "${rebuild:-}" ] || [ ! -e "$log.built" ] || return 0
    limited "$build_limit" "$2" "$log.build" && touch "$log.built"
}

# verdict EXIT CODE WORDS LOG: what came of a run that was to end with EXIT, and ended with CODE.
verdict() {
    # 124 is of timeout, the others of the two signals by which processor time ends.
    if [[ $2 =~ ^(124|137|152)$ ]]; then
        echo slow
    elif grep -qaE '^cudasim: warning: refused: .* cudaErrorInvalidPtx' "$4.err"; then
        echo refused # one kernel, and the program may not have looked
    elif [ "$2" = "$1" ] && { [ "$3" = - ] || grep -qaE -- "$3" "$4.out" "$4.err"; }; then
        echo right
    elif grep -aE '^cudasim: ' "$4.err" | grep -qvE '^cudasim: (error|warning|note|[0-9]+ places)'; then
        echo refused
    elif [ "$2" -gt 128 ]; then
        echo crashed
    else
        echo wrong
    fi
}
