#!/bin/bash
# Finds the faster of two submissions: compare.sh A B [PROBLEM] [--case NAME | --generate LINE] [options]
#
# The script builds both and runs them in turn on one device with the same inputs. It prints one line: A is FASTER than
# B, SLOWER, or the SAME, with the ratio of the times and its interval. Without --case or --generate it runs all
# samples, and the ratio is the geometric mean over the samples.
#
#   --rounds R      number of rounds, 6 to 1000 (default 15). Round r gives both the seed S + r - 1. The order
#                   alternates (A B, B A, A B ...), so that drift cancels
#   --calls C       counted calls of each submission in a round, 1 to 1000 (default 3). One uncounted call comes first
#   --seed S        the seed S of the first round (default 0)
#   --margin P      in percent (default 1). Two submissions differ only if the whole interval is further from 1 than P
#   --json FILE     writes all samples and the result to FILE
#
# Other options go to main_host. Exit codes: 0 comparison made, 1 a submission failed (its verdict is printed), 2 usage,
# 3 the toolkit failed.
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/build_submission.sh"
help_asked "$@"
line='compare.sh A B [PROBLEM] [--case NAME | --generate LINE] [--rounds R] [--calls C] [--seed S] [--margin P]
       [--json FILE] [options for main_host]'
{ [ $# -ge 2 ] && [ -n "$1" ] && [ -n "$2" ] && [[ $1 != -* && $2 != -* ]]; } || usage "$line"
submission_find "$2"
b=$submission
submission_find "$1"
a=$submission
shift 2
if [ $# -gt 0 ] && [[ $1 != -* ]]; then
    problem=$1
    shift
fi
problem_exists "$problem"

# number NAME VALUE LEAST MOST: ends the script if VALUE is not a number in the range.
number() {
    { [[ $2 =~ ^(0|[1-9][0-9]{0,8})$ ]] && [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; } ||
        refuse "$1: '$2' is not a number from $3 to $4"
}
rounds=15 calls=3 seed=0 margin=1 json='' options=()
while [ $# -gt 0 ]; do
    case $1 in
    --rounds | --calls | --seed | --margin | --json)
        [ $# -ge 2 ] || refuse "option '$1' needs a value"
        set -- "$1=$2" "${@:3}"
        continue
        ;;
    --rounds=*) rounds=${1#*=} ;;
    --calls=*) calls=${1#*=} ;;
    --seed=*) seed=${1#*=} ;;
    --margin=*) margin=${1#*=} ;;
    --json=*) json=${1#*=} ;;
    --repeat | --repeat=* | --until | --until=* | --submission | --submission=* | --source | --source=* | \
        --compile-error*)
        refuse "compare.sh does not take ${1%%=*}: use --calls and --rounds, or name the submissions"
        ;;
    *) options+=("$1") ;;
    esac
    shift
done
number --rounds "$rounds" 6 1000
number --calls "$calls" 1 1000
number --seed "$seed" 0 999999999
{ [[ $margin =~ ^[0-9]{1,3}(\.[0-9]+)?$ ]] && [ "${margin%%.*}" -le 100 ]; } ||
    refuse "--margin: '$margin' must be a percentage from 0 to 100"
if [ -n "$json" ]; then
    file_is_writable --json "$json"
    [ ! -f "$json" ] || rm -f "$json" # nobody shall take an earlier comparison's file for this one's
fi

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

# built NAME SUBMISSION: builds it and sets `so`. A submission that does not compile ends the comparison.
built() {
    if ! submission_build "$2" "$problem" "$temporary/log" "${options[@]}"; then
        "$build/main_host" "$problem" --compile-error "$temporary/log" --source "$2" > "$temporary/words" || true
        echo "$1 $(tail -n 1 "$temporary/words")"
        exit 1
    fi
}
built A "$a"
so_a=$so
[ "$a" = "$b" ] || built B "$b"
so_b=$so

# run NAME ROUND SO SOURCE: runs one session. A failure ends the comparison.
run() {
    local status=0
    "$build/main_host" "$problem" "${options[@]}" --submission "$root/$3" --source "$4" --seed $((seed + $2 - 1)) \
        --repeat $((calls + 1)) --json "$temporary/$1$2.json" > "$temporary/words" 2> "$temporary/notes" || status=$?
    [ $status -ne 0 ] || return 0
    shown < "$temporary/notes" >&2
    [ $status -ne 1 ] || echo "$1 $(tail -n 1 "$temporary/words")"
    exit $status
}
files=()
for ((round = 1; round <= rounds; round++)); do
    if ((round % 2)); then
        run A $round "$so_a" "$a"
        run B $round "$so_b" "$b"
    else
        run B $round "$so_b" "$b"
        run A $round "$so_a" "$a"
    fi
    files+=("$temporary/A$round.json" "$temporary/B$round.json")
done
status=0
"$build/compare" --margin "$margin" ${json:+--json "$json"} "${files[@]}" || status=$?
exit $status
