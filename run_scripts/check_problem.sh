#!/bin/bash
# Proves that a problem is sound: check_problem.sh [--answers] PROBLEM
#
# --answers only writes the reference's answers of all cases to data/GROUP/NAME.ans. Without it, the script checks:
#
#   1. build/check_problem: the generator is deterministic; both references agree; the cases are as committed; the
#      checker rejects spoiled outputs, and accepts 1,000 right ones made by other methods if outputs.c has such methods
#   2. the input validator accepts every case's line, and rejects every line in data/invalid_input
#   3. there is a statement in each language that problem.yaml has a name in
#   4. every jury submission gets the verdict of its folder, in the league that its first comment names
#      (`league: NAME`) or in the first league. Without a GPU, CUDA submissions run on the simulator and OpenCL
#      submissions on the CPU, on the samples only. The cases that `fails in: NAME, NAME` names must exist
#
# CHECK_CASE=NAME: the simulator judges this one case instead of the samples. Large samples take minutes there.
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
answers=
[ "${1:-}" != --answers ] || { answers=yes; shift; }
[ $# -eq 1 ] || usage 'check_problem.sh [--answers] PROBLEM'
problem=$1
problem_exists "$problem"
folder=$root/problems/$problem
for baseline in baseline.c baseline.cu; do
    [ -d "$folder/imported" ] || [ -e "$folder/submissions/accepted/$baseline" ] ||
        refuse "problems/$problem/submissions/accepted has no $baseline: both baselines must be there, in C and in CUDA"
done
PROBLEM=$problem build_toolkit
if [ -n "$answers" ]; then
    (cd "$root" && "$build/check_problem" --answers "$problem")
    echo "next: make check-problem PROBLEM=$problem, then make freeze"
    exit 0
fi
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
failures=0
report() { # STATUS TEXT
    printf '%-6s %s\n' "$1" "$2"
    [ "$1" != FAILED ] || failures=$((failures + 1))
}

# check_cases OPTION...: runs build/check_problem and counts its FAILED lines.
check_cases() {
    local status=0 found
    (cd "$root" && "$build/check_problem" "$@" "$problem") | tee "$temporary/cases" || status=$?
    found=$(grep -c '^FAILED' "$temporary/cases" || true)
    [ "$found" -gt 0 ] || [ $status -eq 0 ] || found=1
    failures=$((failures + found))
}
all=()
[ ! -e /dev/nvidiactl ] || all=(--all)
check_cases "${all[@]}"
if grep -qs '\.honest = ' "$folder/outputs.c"; then
    check_cases --honest=1000
fi

validators=("$folder"/input_validators/*.c)
[ -f "${validators[0]}" ] || refuse "problems/$problem/input_validators has no validator in C"
for source in "${validators[@]}"; do
    gcc -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -o "$temporary/validator" "$source" || fail "cannot build '$source'"
    while read -r input; do
        want=42
        [[ $input == */invalid_input/* ]] && want=43
        got=0
        "$temporary/validator" < "$input" > "$temporary/words" 2>&1 || got=$?
        status=ok
        [ "$got" = "$want" ] || status=FAILED
        report "$status" "validator: ${input#"$folder"/}: exit $got, expected $want"
    done < <(find "$folder/data" -name '*.in' | sort)
done

# An imported package may have its statement in another format.
languages=()
[ -d "$folder/imported" ] ||
    mapfile -t languages < <(awk '/^[^ #]/ { named = 0 } named { gsub(/^ +|:.*/, ""); print }
        /^name:/ { if ($2 == "") named = 1; else print "en" }' "$folder/problem.yaml")
for language in "${languages[@]}"; do
    if [ -s "$folder/statement/problem.$language.md" ]; then
        report ok "statement: problem.$language.md"
    else
        report FAILED "statement: problem.$language.md is missing or empty: problem.yaml has a name in this language"
    fi
done

# fails_in SUBMISSION: the cases that its comments name, one per line.
fails_in() {
    grep -rhE '^[ /*]*fails in: ' "$1" | sed 's/^[ /*]*fails in: \([^*]*[^* ]\) *\(\*\/\)\?$/\1/; s/, */\n/g' || true
}

# without_gpu SUBMISSION SUFFIX: true if the submission has such files and this machine has no GPU.
without_gpu() { [ ! -e /dev/nvidiactl ] && [ -n "$(find "$1" -name "*$2" -print -quit)" ]; }
# simulated WANT GOT: prints what the simulator's verdict GOT means. The simulator may detect a deadlock and end with an
# error before the time limit. It must report nothing for an accepted submission.
simulated() {
    if [ "$1 $2" = 'TLE RTE' ] && grep -q '^  | cudasim: error: deadlock: ' "$temporary/words"; then
        echo TLE
    elif [ "$1 $2" = 'AC AC' ] && grep -q '^  | cudasim: ' "$temporary/words"; then
        echo 'AC, with errors from the simulator'
    else
        echo "$2"
    fi
}

declare -A verdict_of=([accepted]=AC [wrong_answer]=WA [time_limit_exceeded]=TLE [run_time_error]=RTE [rejected]=SV)
unjudged=0 simulations=0 on_cpu=0
for submission in "$folder"/submissions/*/*; do
    kind=$(basename "$(dirname "$submission")")
    want=${verdict_of[$kind]:-}
    name=$kind/$(basename "$submission")
    [ -n "$want" ] || { report FAILED "submission: $name: unknown folder '$kind'"; continue; }
    options=() ok=ok league=$(league_of "$submission")
    while read -r case; do
        [ -z "$case" ] || [ -f "$folder/data/$case.in" ] ||
            report FAILED "submission: $name: 'fails in: $case': there is no such case"
    done < <(fails_in "$submission")
    if without_gpu "$submission" .cl; then
        on_cpu=$((on_cpu + 1)) options=(--group sample) ok=pocl
    fi
    if without_gpu "$submission" .cu; then
        if ! toolkit_make have-nvcc; then
            report gpu "submission: $name: CUDA, not judged: this machine has no nvcc"
            unjudged=$((unjudged + 1))
            continue
        fi
        simulations=$((simulations + 1))
        options=(--group sample)
        [ -z "${CHECK_CASE:-}" ] || options=(--case "$CHECK_CASE")
        [ "$want" != TLE ] || options+=(--time-limit 10)
        ok=sim
    fi
    [ -z "$league" ] || options+=(--league "$league")
    "$root/run_scripts/judge.sh" "$submission" "$problem" --json "$temporary/result.json" "${options[@]}" \
        > "$temporary/words" 2>&1 || true
    got=$(sed -n 's/^  "verdict": "\(.*\)",$/\1/p' "$temporary/result.json" 2> /dev/null || true)
    message=$(sed -n 's/^  "message": "\(.*\)",$/\1/p' "$temporary/result.json" 2> /dev/null || true)
    rm -f "$temporary/result.json"
    [ $ok != sim ] || got=$(simulated "$want" "$got")
    # Other judges have no separate verdicts for too much memory and too much output.
    [ ! -d "$folder/imported" ] || [[ "$want $got" != 'RTE '[MO]LE ]] || got=RTE
    if [ "$got" = "$want" ]; then
        report $ok "submission: $name: $got${message:+ ($message)}"
    else
        report FAILED "submission: $name: ${got:-no verdict}, expected $want${message:+ ($message)}"
        tail -n 5 "$temporary/words"
    fi
done
if [ $failures -gt 0 ]; then
    echo "check-problem: $problem: $failures check$([ $failures -eq 1 ] || echo s) failed"
    exit 1
fi
echo "check-problem: $problem is sound$(
    [ $simulations -eq 0 ] ||
        printf '; CUDA submissions judged on the simulator, on %s: %s' "${CHECK_CASE:-the samples}" "$simulations"
    [ $on_cpu -eq 0 ] || printf '; %s' "$on_cpu in OpenCL on the CPU, on the samples"
    [ $unjudged -eq 0 ] || printf '; %s' "$unjudged CUDA submissions need a GPU or nvcc to be judged")"
