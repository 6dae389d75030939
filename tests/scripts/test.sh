#!/bin/bash
# Runs the tests: test.sh [--gpu|--long] [FILE...]; ends with "N passed, N failed, N skipped"
#
# Without an option it runs every test that is not tagged gpu or long; those tests are absent, not skipped. --gpu runs
# the tests tagged gpu. --long runs the tests tagged long and not gpu, one by one.
#
# TEST_JOBS=N runs N files at a time (default: one per processor, 4 at most), each in its own copy of the toolkit, so
# that no two write to one build folder. The toolkit is built and copied, and each copy takes the next file when it is
# free. The output of a file appears when the file ends. At the end the tests tagged `alone` run one by one: those that
# measure times or look at the machine's processes.
#
# A test that failed beside others may have failed for want of time. Up to ten failed tests run again, alone, after all
# others; what passes then counts as passed, and is named at the end, as is what failed twice.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
export BATS_LIB_PATH=${BATS_LIB_PATH:-/usr/lib/bats}
tags='!gpu,!long' jobs=${TEST_JOBS:-$(($(nproc) < 4 ? $(nproc) : 4))}
[[ $jobs =~ ^[1-9][0-9]?$ ]] || refuse "TEST_JOBS=$jobs is not a number of files to run at a time"
case ${1:-} in
--gpu) tags=gpu jobs=1; shift ;;
--long) tags='long,!gpu' jobs=1; shift ;;
esac
files=("$@")
[ ${#files[@]} -gt 0 ] || files=("$root"/tests/*.bats)
for i in "${!files[@]}"; do
    [ -f "${files[i]}" ] || refuse "there is no file of tests '${files[i]}'"
    files[i]=$(realpath "${files[i]}")
done
[ "$jobs" -le ${#files[@]} ] || jobs=${#files[@]}
# TSPLIB's files, which are not the toolkit's, are looked for beside it: a copy stands elsewhere.
[ ! -d "$root/../shared/tsplib" ] || export TSPLIB=${TSPLIB:-$(realpath "$root/../shared/tsplib")}
folder=$(mktemp -d)
workers=()
# Each worker is a process group, so that the end of this script ends it too.
leave() {
    local worker
    for worker in "${workers[@]}"; do kill -- "-$worker" 2> /dev/null || true; done
    rm -rf "$folder"
}
trap leave EXIT
trap 'exit 130' INT TERM HUP

run_bats() { env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS bats --timing --formatter tap "$@" 2>&1; }

# renumber: TAP of one run of Bats on standard input, numbered on behind the runs before; the plan is taken out. What
# broke off has fewer results than its plan says: one more line that tells so.
renumber() { # NAME STATUS-FILE
    local seen=0
    [ ! -e "$folder/seen" ] || seen=$(cat "$folder/seen")
    awk -v seen="$seen" -v name="$1" -v state="$2" -v count="$folder/seen" '
        /^1\.\.[0-9]+$/ { planned = substr($0, 4); plans++; next }
        /^(not )?ok [0-9]+/ {
            failed += /^not /
            ran++
            sub(/ok [0-9]+/, "ok " ++seen)
        }
        { print; fflush() }
        END {
            getline status < state
            if (!plans || ran + 0 != planned + 0 || (status != 0 && !failed))
                print "not ok " ++seen " " name ": broke off after " ran + 0 " of " planned + 0 " tests," \
                    " exit code " status
            print seen > count
        }' | tee -a "$folder/tap"
}

# next_file: takes the first file off the queue and prints it; false if there is none.
next_file() {
    local file=''
    {
        flock 9
        read -r file < "$folder/queue" || true
        sed -i 1d "$folder/queue"
    } 9> "$folder/queue.lock"
    [ -n "$file" ] && echo "$file"
}

# work COPY: runs files in that copy of the toolkit until none is left.
work() {
    local file start name TIMEFORMAT='%0U %0S'
    while file=$(next_file); do
        name=$(basename "$file") start=$SECONDS
        [[ $file != "$root"/* ]] || file=$1/${file#"$root"/}
        { time run_bats --filter-tags "$tags,!alone" "$file" > "$folder/$name.out" < /dev/null; } \
            2> "$folder/$name.times"
        echo $? > "$folder/$name.status"
        {
            flock 8
            awk -v name="$name" -v spent=$((SECONDS - start)) \
                '{ printf "# %s: %d s, of processors %d s\n", name, spent, $1 + $2 }' "$folder/$name.times"
            renumber "$name" "$folder/$name.status" < "$folder/$name.out"
        } 8> "$folder/shown.lock"
    done
    return 0
}

# alone TAGS FILE...: one by one, in the toolkit itself, shown as it goes.
alone() {
    { run_bats --filter-tags "$@" < /dev/null || echo $? > "$folder/status"; } | renumber 'the tests' "$folder/status"
}
echo 0 > "$folder/status"

if [ "$jobs" -eq 1 ]; then
    alone "$tags" "${files[@]}"
else
    # As Bats would do before the first test, once for all: the copies are made of what was built.
    BATS_TEST_DIRNAME=$root/tests bash -c '. "$BATS_TEST_DIRNAME/setup_suite.bash" && setup_suite' 3>&1 ||
        fail 'no test was run: see above'
    # What several files of tests build, once and on all processors, before the copies are made.
    toolkit_make -j "$(nproc)" DEV=1 everything >&2 || fail 'no test was run: see above'
    export TOOLKIT_BUILT=yes
    # The longest first: a long test at the end leaves the other workers idle.
    longest='/(110-cudasim|112-instructions|145-problems|160-diffevo|170-bench|182-contest|215-predict-use|60-make|87-leagues)\.bats$'
    {
        printf '%s\n' "${files[@]}" | grep -E "$longest" || true
        printf '%s\n' "${files[@]}" | grep -vE "$longest" || true
    } > "$folder/queue"
    copies=("$root")
    for ((i = 2; i <= jobs; i++)); do
        cp -a "$root" "$folder/copy$i"
        copies+=("$folder/copy$i")
    done
    set -m
    for copy in "${copies[@]}"; do
        (set +e && work "$copy") < /dev/null &
        workers+=($!)
    done
    for worker in "${workers[@]}"; do
        # One that was killed leaves its file untold.
        wait "$worker" || echo "not ok 0 what ran a share of the files ended early, with exit code $?" |
            tee -a "$folder/tap"
    done
    set +m
    workers=()
    alone "$tags,alone" "${files[@]}"
fi

# results PATTERN FILE: the names of the tests there whose line begins so.
results() { sed -nE "s/^$1 [0-9]+ (.*) in [0-9]+ms( # skip.*)?$/\1/p" "$2"; }

# again: the failed tests once more; the names of those that pass now are left in the file "unsteady".
again() {
    local pattern
    pattern=$(results 'not ok' "$folder/tap" | sed 's/[][\.*^$+?(){}|]/\\&/g' | paste -sd '|')
    run_bats --filter-tags "$tags" --filter "^($pattern)\$" "${files[@]}" < /dev/null | tee "$folder/again" |
        sed 's/^/# again: /'
    results ok "$folder/again" > "$folder/unsteady"
}
: > "$folder/unsteady"
count=$(results 'not ok' "$folder/tap" | wc -l)
if [ "$count" -gt 0 ] && [ "$count" -le 10 ]; then again || true; fi

skipped=$(grep -cE '^ok .* # skip' "$folder/tap" || true)
unsteady=$(wc -l < "$folder/unsteady")
passed=$(($(grep -cE '^ok ' "$folder/tap" || true) - skipped + unsteady))
failed=$(($(grep -cE '^not ok ' "$folder/tap" || true) - unsteady))
echo "1..$(cat "$folder/seen")"
sed 's/^/# passed only when it ran again: /' "$folder/unsteady"
sed -nE 's/^not ok [0-9]+ (.*)$/\1/p' "$folder/tap" | sed -E 's/ in [0-9]+ms$//' |
    grep -vxFf "$folder/unsteady" | sed 's/^/# failed: /' || true
[ $((passed + failed)) -gt 0 ] || failed=1
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
