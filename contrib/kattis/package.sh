#!/bin/bash
# Writes a problem as a package for other judges: package.sh PROBLEM [--limit BYTES] [--league NAME]
#
# build/packages/PROBLEM.zip is in the Kattis Problem Package Format 2025-09: real inputs and outputs of the cases up to
# BYTES (262144), an input and an output validator that need a C compiler alone, and a driver which a judge compiles
# with a submission in C. What such a judge cannot run is left out, and said: larger cases, other leagues,
# CUDA and OpenCL; and jury submissions that fail in cases alone that are left out (`fails in:`, lib.sh).
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
line='package.sh PROBLEM [--limit BYTES] [--league NAME]'
[ $# -ge 1 ] || usage "$line"
problem=$1 limit=262144 league=''
shift
problem_exists "$problem"
while [ $# -gt 0 ]; do
    case $1 in
    --limit) [[ ${2:-} =~ ^[1-9][0-9]{0,7}$ ]] || usage "$line"; limit=$2; shift 2 ;;
    --league) [[ ${2:-} =~ ^[a-z0-9_]+$ ]] || usage "$line"; league=$2; shift 2 ;;
    *) usage "$line" ;;
    esac
done
cd "$root"
run_scripts/lib/packages.sh build formats
toolkit_make format-programs >&2 || fail "the toolkit does not build: see above"

source=problems/$problem kattis=contrib/kattis
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
package=$stage/$problem
mkdir -p "$package"/{data,statement,submissions,include/c,attachments,generators} "$build/packages"

# ---- cases

"$build/export_problem" "$problem" "$package" "$limit" ${league:+"$league"} > "$stage/cases"
grep -q '^written secret/' "$stage/cases" || refuse "no secret case has $limit bytes or less: use --limit"
sed -n 's/^written \([^ ]*\) .*/\1/p' "$stage/cases" > "$stage/written"
# How points come of groups, where the problem says so.
while IFS= read -r file; do
    [ ! -d "$package/data/${file%/*}" ] || cp "$source/data/$file" "$package/data/$file"
done < <(cd "$source/data" && find . -name test_group.yaml)
{
    echo "The cases of this package were made from these lines by the toolkit's generator; so were those that were left out,"
    echo "for they are larger than $limit bytes or take a GPU:"
    echo
    cat "$stage/cases"
} > "$package/generators/README.txt"
# Inputs that must be refused: a right one beside each line that the problem refuses, and one that is damaged.
right=$(find "$package/data" -name '*.in' -path '*/sample/*' | sort | head -n 1)
right=${right:-$(find "$package/data" -name '*.in' | sort | head -n 1)}
invalid=$package/data/invalid_input
mkdir "$invalid"
for file in "$source"/data/invalid_input/*.in; do
    [ -f "$file" ] || continue
    words=$(tr -s '\n' ' ' < "$file")
    [[ $words =~ ^[A-Za-z0-9=._\ -]*$ ]] || continue
    read -r -a words <<< "$words"
    # Some lines are bad form alone, such as a number with zeros before it: as words they make an input.
    "$build/export_problem" refuses "$problem" "${words[*]}" || continue
    name=$(basename "$file" .in)
    cp "$right" "$invalid/$name.in"
    { echo 'input_validator_args:'; printf '  - "%s"\n' "${words[@]:-none}"; } > "$invalid/$name.yaml"
done
head -n -1 "$right" > "$invalid/damaged-short.in"
sed '2s/^./g/' "$right" > "$invalid/damaged-digit.in"
sed '2{s/^0/1/;t;s/^./0/}' "$right" > "$invalid/damaged-byte.in"
for name in short digit byte; do cp "${right%.in}.yaml" "$invalid/damaged-$name.yaml"; done

# ---- metadata and statement

cpu_limit=$("$build/kattis" yaml "$source/gpu.yaml" 'cpu.*' 'sim.*' 'peak.*' 'leagues.*' 'gpu_only.*' 'ranked.*' \
    'device.*' | sed -n 's/^cpu.time_limit\t//p')
# What runs on such a judge is C on a CPU, and its driver reads and writes text within the limit.
sed -E "s/^  time_limit: .*/  time_limit: ${cpu_limit:-10}/; s/^languages: .*/languages: [c]/" "$source/problem.yaml" \
    > "$package/problem.yaml"
cp "$source"/statement/* "$package/statement/"

# ---- programs

# flat FROM TO: a source for a folder without folders.
flat() { sed -E 's|^( *# *include *")([a-z.]+/)+([a-z_]+\.h")|\1\3|' "$1" > "$2"; }
# What participants may include.
given=("$source"/include/*)
! grep -q '/philox\.h"' "${given[@]}" || given+=(verify/base/philox.h)
for file in "${given[@]}"; do
    for folder in attachments include/c; do flat "$file" "$package/$folder/$(basename "$file")"; done
done
flat "$source/call.c" "$package/include/c/gpu_contest_call.c"
flat "$kattis/driver.c" "$package/include/c/gpu_contest_driver.c"
for file in "$source/input.h" verify/wire/call.h "$kattis/package_text.h"; do
    [ ! -f "$file" ] || flat "$file" "$package/include/c/$(basename "$file")"
done

# How the toolkit compiles each source of the problem: its flags, less those that are for the toolkit's own build.
objects=()
for file in "$source"/*.c verify/base/{error,blob,parallel,random}.c verify/cases/arguments.c verify/judge/verdict.c; do
    [[ $file == */call.c || $file == */main_*.c ]] || objects+=("${build##*/}/obj/${file%.c}.o")
done
toolkit_make -n -B V=1 SANITIZE= DEV= "${objects[@]}" 2> /dev/null | grep -E ' -c -o [^ ]+ [^ ]+\.c$' | tr -s ' ' |
    sed -E 's/ -MMD -MP / /; s/ -g / /; s/ -I[^ ]+//g; s/ -W[^ ]+//g; s/^[^ ]+/cc/; s| -c -o [^ ]+ (.*)\.c$| -I. -c -o out/\1.o \1.c|' \
    > "$stage/compile"
[ "$(wc -l < "$stage/compile")" -eq ${#objects[@]} ] || fail "make does not tell how the problem is compiled"
for kind in input_validators/generated output_validator; do
    folder=$package/$kind
    mkdir -p "$folder"
    find "$source" -maxdepth 1 \( -name '*.c' -o -name '*.h' \) ! -name call.c ! -name 'main_*' -print0 |
        xargs -0 cp --parents -t "$folder"
    cp --parents -R "$source/include" problems/problem.h \
        verify/base/{blob,error,parallel,philox,random,shared_map}.h verify/cases/{arguments,floor}.h \
        verify/judge/verdict.h \
        verify/base/{blob,error,parallel,random}.c verify/cases/arguments.c verify/judge/verdict.c "$folder"
    cp "$kattis/validator.c" "$kattis/package_text.h" "$folder"
    define=
    [[ $kind == output_validator ]] || define=' -DINPUT_VALIDATOR'
    {
        printf '%s\n' '#!/bin/sh' '# Builds this validator, run, from C. It needs no library but the C library.' \
            'set -e' "mkdir -p out/$source out/verify/base out/verify/cases out/verify/judge"
        cat "$stage/compile"
        echo "cc -D_GNU_SOURCE -std=c11 -O2 -I. -DPROBLEM=$problem$define -o run validator.c out/$source/*.o out/verify/*/*.o -lm -pthread"
        echo 'rm -rf out'
    } > "$folder/build"
    chmod 755 "$folder/build"
done

# ---- submissions

first_league=$(sed -n '/^leagues:/,$s/^  \([a-z0-9_]*\):$/\1/p' "$source/gpu.yaml" | head -n 1)
left=()
for file in "$source"/submissions/*/*; do
    name=${file#"$source"/submissions/}
    if [ -d "$file" ] || [[ $file != *.c ]]; then
        left+=("$name")
        continue
    fi
    of=$(league_of "$file")
    [ "${of:-$first_league}" = "${league:-$first_league}" ] || { left+=("$name"); continue; }
    # One whose cases are all left out would not do here what its folder says.
    mapfile -t needed < <(fails_in "$file")
    for needs in "${needed[@]}"; do
        [ -f "$source/data/$needs.in" ] || refuse "$file: 'fails in: $needs': there is no such case: name one of data/"
    done
    if [ ${#needed[@]} -gt 0 ] && ! grep -qxFf <(printf '%s\n' "${needed[@]}") "$stage/written"; then
        left+=("$name, for no case that it fails in is there: ${needed[*]}")
        continue
    fi
    mkdir -p "$package/submissions/${name%/*}"
    # The toolkit includes the problem's header before everything; here the file does it itself.
    { echo '#include "device_user.h"'; cat "$file"; } > "$package/submissions/$name"
done
[ -n "$(find "$package/submissions/accepted" -type f 2> /dev/null)" ] ||
    refuse "no accepted submission in C is in this league: such a package cannot be"

zip_folder "$stage" "$build/packages/$problem.zip" "$problem"
sed -n 's/^left-out \([^ ]*\) .*/left out: case \1/p' "$stage/cases"
[ ${#left[@]} -eq 0 ] || printf 'left out: submission %s\n' "${left[@]}"
echo "${build#"$root"/}/packages/$problem.zip: $(grep -c ^written "$stage/cases") cases, $(
    find "$package/submissions" -type f | wc -l) submissions in C"
