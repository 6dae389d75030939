#!/bin/bash
# Checks a package by the rules of the Kattis Problem Package Format 2025-09: check_package.sh ZIP [--submissions]
#
# Names, keys, folders and text; that the validators build, take every case and refuse every invalid one. With
# --submissions also each submission in C, built with include/c and run on all cases: what its folder promises must
# come. A line for each thing that fails; exit code 0 none, 1 some, 2 no such package. What runs is boxed. Files with
# names that the format has ignored are named, and ignored.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
. "$(dirname "$0")/unpack.sh"
. "$(dirname "$0")/package_format.sh"
shopt -s extglob
line='check_package.sh ZIP [--submissions]'
[ $# -ge 1 ] && [ $# -le 2 ] && { [ $# -eq 1 ] || [ "$2" = --submissions ]; } || usage "$line"
zip=$(realpath "$1") submissions=${2:-}
"$root/run_scripts/lib/packages.sh" build formats
toolkit_make "${build#"$root"/}/yaml_flat" "${build#"$root"/}/test_groups" >&2 ||
    fail "the toolkit does not build: see above"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/zip" "$work/feedback"
unpack "$zip" "$work/zip"
[ ${#unpack_ignored[@]} -eq 0 ] || printf "ignored, as the format says of such a name: '%s'\n" "${unpack_ignored[@]}"
failures=0
exec 3>&1 # what fails is said there, though the output of a function goes elsewhere
failed() { echo "FAILED ${1//[^[:print:]]/?}" >&3; failures=$((failures + 1)); }
# keys FILE KEY...: its keys and values, or a failure.
keys() {
    local file=$1
    "$build/yaml_flat" "$file" "${@:2}" 2> "$work/words" ||
        { failed "$(sed "s|$work/zip/||" "$work/words")"; return 0; }
}
# boxed COMMAND...: in a box that sees the package.
boxed() { "$root/run_scripts/lib/compile_box.sh" "$work" "$work" -- "$@"; }

# ---- names and text

base=$(basename "$zip")
base=${base%.zip} base=${base%.kpp}
cd "$work/zip"
[[ $base =~ ^[a-z0-9]+$ ]] || failed "the name of the package, '$base', has other characters than a-z and 0-9"
[ "$(ls)" = "$base" ] || { failed "the zip does not hold one folder of its own name, '$base'"; exit 1; }
cd "$base"
while IFS= read -r name; do
    [[ ${name##*/} =~ ^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,254}$ ]] || failed "name: $name"
done < <(find . -mindepth 1)
while IFS= read -r name; do
    [[ $name =~ \.(png|jpe?g|pdf)$ ]] && continue
    iconv -f UTF-8 -t UTF-8 "$name" > /dev/null 2>&1 || failed "text: $name is not UTF-8"
    [ "$(head -c 3 "$name" | od -An -tx1 | tr -d ' ')" != efbbbf ] || failed "text: $name has a byte-order mark"
    ! grep -q $'\r' "$name" || failed "text: $name has other line endings than LF"
    [ ! -s "$name" ] || [ -z "$(tail -c 1 "$name")" ] || failed "text: $name does not end with a newline"
done < <(find . -type f)
for name in *; do
    case $name in
    problem.yaml) ;;
    statement | attachments | solution | data | generators | include | submissions | input_validators | \
        static_validator | output_validator | input_visualizer | output_visualizer)
        [ -d "$name" ] || failed "$name is no folder"
        ;;
    *) failed "the format has no $name" ;;
    esac
done

# ---- problem.yaml and the statement

keys problem.yaml problem_format_version type 'type.*' name 'name.*' uuid version credits 'credits.*' source \
    'source.*' license rights_owner embargo_until limits.time_multipliers.ac_to_time_limit \
    limits.time_multipliers.time_limit_to_tle \
    limits.{time_limit,time_resolution,memory,output,code,compilation_time,compilation_memory} \
    limits.{validation_time,validation_memory,validation_output,validation_passes} 'keywords.*' languages \
    'languages.*' allow_file_writing 'constants.*' > "$work/yaml"
value() { sed -n "s/^$1\t//p" "$work/yaml"; }
[ "$(value problem_format_version)" = 2025-09 ] || failed 'problem.yaml: problem_format_version is not 2025-09'
[[ $(value uuid) =~ ^$format_uuid$ ]] || failed 'problem.yaml: uuid is none'
license=$(value license)
[[ ${license:=unknown} =~ ^($format_licenses)$ ]] || failed "problem.yaml: there is no license '$license'"
if [[ $license == 'public domain' ]]; then
    [ -z "$(value rights_owner)" ] || failed 'problem.yaml: what is in the public domain has no rights_owner'
elif [[ $license != unknown && -z $(value rights_owner) ]]; then
    grep -qE '^(credits(\.authors.*)?|source.*)	.' "$work/yaml" || failed 'problem.yaml: a rights_owner is needed'
fi
types=()
while IFS=$'\t' read -r key type; do
    if [[ $type =~ ^($format_types)$ ]]; then
        types+=("$type")
    else
        failed "problem.yaml: there is no type '$type'"
    fi
done < <(grep -E '^type(\.|	)' "$work/yaml")
clash=$(clash_of "${types[@]}")
[ -z "$clash" ] || failed "problem.yaml: type: $clash cannot be"
while IFS=$'\t' read -r key number; do
    case $key in
    *.time_limit | *.time_resolution) is_float "$number" || failed "problem.yaml: $key is no number above 0" ;;
    *.time_multipliers.*)
        is_float "$number" && awk -v x="$number" 'BEGIN { exit !(x >= 1) }' ||
            failed "problem.yaml: $key is no number from 1 on"
        ;;
    *.validation_passes)
        [[ $number =~ ^([2-9]|[1-9][0-9]+)$ ]] || failed "problem.yaml: $key is no whole number from 2 on"
        [[ " ${types[*]} " == *' multi-pass '* ]] || failed "problem.yaml: $key is for multi-pass problems alone"
        ;;
    *) [[ $number =~ ^[1-9][0-9]*$ ]] || failed "problem.yaml: $key is no whole number above 0" ;;
    esac
done < <(grep '^limits\.' "$work/yaml")
given=$(value embargo_until)
[ -z "$given" ] || is_date "$given" ||
    failed "problem.yaml: embargo_until: '$given' is neither YYYY-MM-DD nor YYYY-MM-DDThh:mm:ssZ"
given=$(value allow_file_writing)
[[ $given =~ ^(true|false)?$ ]] || failed "problem.yaml: allow_file_writing: '$given' is neither true nor false"
while IFS=$'\t' read -r key given; do
    [[ $given =~ ^($format_languages)$ || "$key $given" == 'languages all' ]] ||
        failed "problem.yaml: languages: the format has no '$given'"
done < <(grep -E '^languages(\.|	)' "$work/yaml")
while IFS=$'\t' read -r key given; do
    [[ $key =~ ^($format_credits|$format_source)$ ]] || failed "problem.yaml: the format has no $key"
    # A person or source that is a map has a name.
    [[ ! $key =~ \.(email|orcid|kattis|url)$ ]] || grep -q "^${key%.*}\.name	" "$work/yaml" ||
        failed "problem.yaml: $key has no name beside it"
done < <(grep -E '^(credits|source)(\.|	)' "$work/yaml")
while IFS=$'\t' read -r key given; do
    [[ $key =~ ^constants\.[a-zA-Z_][a-zA-Z0-9_]*$ ]] || failed "problem.yaml: $key: such a constant cannot be"
done < <(grep '^constants\.' "$work/yaml")
named=$(sed -n 's/^name\.\([^\t]*\)\t.*/\1/p' "$work/yaml" | sort)
[ -z "$(value name)" ] || named=en
stated=$(find statement -maxdepth 1 -type f 2> /dev/null |
    sed -nE 's/^statement\/problem\.('"$format_language"')\.(md|tex|pdf)$/\1/p' | sort)
[ -n "$stated" ] || failed 'statement/ has no problem.LANGUAGE.md, .tex or .pdf'
[ "$named" = "$stated" ] ||
    failed "the languages of name ($(echo "$named" | xargs)) and statement ($(echo "$stated" | xargs)) differ"

# ---- test data

group_keys=('args.*' 'input_validator_args.*' 'output_validator_args.*' 'input_visualizer_args.*'
    'output_visualizer_args.*'
    full_feedback)
scoring=$(grep -cE '^type(\.[0-9]+)?	scoring$' "$work/yaml" || true)
find data -type d 2> /dev/null | grep -vxE 'data(/(sample|secret|invalid_input|invalid_output|valid_output)(/.*)?)?' |
    sed 's/^/the format has no /' > "$work/words" || true
while IFS= read -r words; do failed "$words"; done < "$work/words"
[ ! -d data/sample ] || [ -z "$(find data/sample -mindepth 1 -type d ! -name '*.files' -print -quit)" ] ||
    failed 'data/sample has groups in it'
[ -z "$(find data/secret -maxdepth 1 -name '*.in' -print -quit 2> /dev/null)" ] ||
    [ -z "$(find data/secret -mindepth 1 -maxdepth 1 -type d ! -name '*.files' -print -quit)" ] ||
    failed 'data/secret has cases and groups'
[ -n "$(find data/secret -name '*.in' -print -quit 2> /dev/null)" ] || failed 'data/secret has no case'
# Values, bounds, and which groups are required: of what has the right keys.
if [ -d data/secret ] && ! "$build/test_groups" data > /dev/null 2> "$work/words"; then
    failed "$(sed 's/^data\///; s/^/data\//' "$work/words")"
fi
# case_files STEM: whether the files of a case go together.
case_files() {
    local suffix found=()
    for suffix in png jpg jpeg svg; do [ ! -f "$1.$suffix" ] || found+=("$1.$suffix"); done
    [ ${#found[@]} -le 1 ] || failed "$1 has several illustrations: ${found[*]}"
    [ ! -f "$1.out" ] || [ ! -f "$1.ans.statement" ] || failed "$1.out and $1.ans.statement cannot both be"
    for suffix in in ans; do
        [ -f "$1.$suffix.statement" ] && [ ! -f "$1.$suffix.download" ] &&
            failed "$1.$suffix.statement is without $1.$suffix.download"
        [ ! -f "$1.$suffix.statement" ] && [ -f "$1.$suffix.download" ] &&
            failed "$1.$suffix.download is without $1.$suffix.statement"
    done
    [ -f "$1.interaction" ] || return 0
    for suffix in in.statement ans.statement in.download ans.download out; do
        [ ! -f "$1.$suffix" ] || failed "$1.interaction and $1.$suffix cannot both be"
    done
}
while IFS= read -r name; do
    if [[ $name == */test_group.yaml ]]; then
        more=(static_validation_score 'static_validator_args.*')
        [ "$scoring" -eq 0 ] || [[ $name == data/sample/* ]] || more+=(max_score score_aggregation require_pass
            'require_pass.*')
        keys "$name" "${group_keys[@]}" "${more[@]}" > /dev/null
        [[ $name =~ ^data/(sample|invalid_input|invalid_output|valid_output|secret(/[^/]+)?)/test_group.yaml$ ]] ||
            failed "$name: there are no groups in groups"
        continue
    fi
    stem=${name%.*}
    case $name in
    *.in | *.ans | *.out | *.interaction) ;;
    *.yaml) keys "$name" "${group_keys[@]}" hint description > /dev/null ;;
    *.png | *.jpg | *.jpeg | *.svg) ;;
    *.in.statement | *.ans.statement | *.in.download | *.ans.download) stem=${stem%.*} ;;
    *) failed "the format has no $name"; continue ;;
    esac
    [ -f "$stem.in" ] || failed "$name belongs to no case"
    if [[ $name == *.in ]]; then
        case_files "$stem"
        if [[ $name == data/invalid_input/* ]]; then
            [ ! -e "$stem.ans" ] || failed "$stem.ans: an invalid input has no answer"
        else
            [ -f "$stem.ans" ] || failed "$name has no .ans"
        fi
        if [[ $name == data/@(invalid|valid)_output/* ]]; then
            [ -f "$stem.out" ] || failed "$name has no .out"
        fi
    fi
done < <(find data -type f ! -path '*.files/*' 2> /dev/null | LC_ALL=C sort)


# ---- programs

# program_build SOURCE TO: a program of the package, as a file `run` in the folder TO. Python stands as it is.
program_build() {
    local from=$1 to=$2
    mkdir -p "$to"
    if [ -d "$from" ]; then cp -R "$from/." "$to/"; else cp "$from" "$to/"; fi
    if [ -f "$to/build" ]; then
        (cd "$to" && boxed sh ./build) > "$work/words" 2>&1 || return 1
    elif [ ! -f "$to/run" ]; then
        (cd "$to" && boxed sh -c 'find . -name "*.c" -print0 | xargs -0 cc -O2 -o run') > "$work/words" 2>&1 || return 1
    fi
    [ -x "$to/run" ]
}
# arguments_of STEM KEY [PROGRAM]: of a case, or of its group; where it is a map, those of the program.
arguments_of() {
    local file
    for file in "$1.yaml" "${1%/*}/test_group.yaml"; do
        if [ -f "$file" ] && grep -q "^$2:" "$file"; then
            "$build/yaml_flat" "$file" "${group_keys[@]}" hint description static_validation_score max_score \
                score_aggregation require_pass 'require_pass.*' 'static_validator_args.*' 2> /dev/null |
                sed -n "s/^$2\(\.${3:-}\)\?\.[0-9]*\t//p"
            return
        fi
    done
}
here=$PWD
valid_input() { # STEM: whether every input validator takes it
    local folder status words
    for folder in "$work"/input/*/; do
        folder=${folder%/} status=0
        mapfile -t words < <(arguments_of "$1" input_validator_args "${input_names[${folder##*/}]}")
        (cd "$folder" && boxed ./run "${words[@]}") < "$1.in" > /dev/null 2>&1 || status=$?
        [ $status -eq 42 ] || return 1
    done
}
judged() { # STEM OUTPUT: prints the output validator's exit code
    local words status=0
    [ -f "$2" ] && [ -f "$1.ans" ] || return 0
    mapfile -t words < <(arguments_of "$1" output_validator_args)
    if [ -x "$work/output/run" ]; then
        (cd "$work/output" && boxed ./run "$here/$1.in" "$here/$1.ans" "$work/feedback/" "${words[@]}") \
            < "$2" > /dev/null 2>&1 || status=$?
    elif diff -q <(tr -s '[:space:]' '\n' < "$1.ans" | tr '[:upper:]' '[:lower:]') \
        <(tr -s '[:space:]' '\n' < "$2" | tr '[:upper:]' '[:lower:]') > /dev/null; then
        status=42 # the default validator without arguments
    else
        status=43
    fi
    echo $status
}
count=0 input_names=()
for program in input_validators/*; do
    [ -e "$program" ] || { failed 'input_validators/ has none'; break; }
    name=${program##*/}
    # The name of a file with or without its ending, as a pattern.
    [[ $name != *.* ]] || name="${name%.*}\\(\\.${name##*.}\\)\\?"
    input_names[count + 1]=$name
    program_build "$program" "$work/input/$((count += 1))" ||
        failed "$program does not build: $(tail -n 1 "$work/words")"
done
if [ -d output_validator ]; then
    program_build output_validator "$work/output" ||
        failed "output_validator does not build: $(tail -n 1 "$work/words")"
fi
while IFS= read -r name; do
    stem=${name%.in}
    case $name in
    data/invalid_input/*) ! valid_input "$stem" || failed "$name: every input validator takes it" ;;
    data/invalid_output/*)
        valid_input "$stem" || failed "$name: an input validator refuses it"
        [ "$(judged "$stem" "$stem.out")" = 43 ] || failed "$stem.out is not rejected"
        ;;
    *)
        valid_input "$stem" || failed "$name: an input validator refuses it"
        # What a sample shows in place of its answer is what must be right; what comes of a dialogue is in no file.
        [[ ! " ${types[*]} " =~ ' interactive '|' multi-pass ' ]] || continue
        output=$stem.ans
        [ ! -f "$stem.out" ] || output=$stem.out
        [ ! -f "$stem.ans.statement" ] || continue
        status=$(judged "$stem" "$output")
        [ "$status" = 42 ] || failed "$output is not accepted: the output validator ends with ${status:-nothing}"
        ;;
    esac
done < <(find data -name '*.in' ! -path '*.files/*' 2> /dev/null | LC_ALL=C sort)

# ---- submissions

# A program of one file stands for a folder of that name.
for program in submissions/*/* input_validators/*; do
    [ ! -f "$program" ] || [ ! -d "${program%.*}" ] || failed "$program and ${program%.*}/ have the same name"
done
[ -n "$(find submissions/accepted -mindepth 1 -print -quit 2> /dev/null)" ] || failed 'submissions/accepted has none'
limit=$(value limits.time_limit)
# verdict_on RUN STEM: AC, WA, TLE or RTE.
verdict_on() {
    local status=0
    (cd "$(dirname "$1")" && timeout "${limit:-10}" "$root/run_scripts/lib/compile_box.sh" "$(dirname "$1")" -- ./run) \
        < "$2.in" > "$work/answer" 2> /dev/null || status=$?
    case $status in
    0) [ "$(judged "$2" "$work/answer")" = 42 ] && echo AC || echo WA ;;
    124) echo TLE ;;
    *) echo RTE ;;
    esac
}
for program in submissions/*/*; do
    [ -n "$submissions" ] || break
    [[ $program == *.c && -f $program ]] || continue
    folder=$work/submission
    rm -rf "$folder"
    mkdir "$folder"
    cp "$program" "$folder/"
    [ ! -d include/c ] || cp -R include/c/. "$folder/"
    (cd "$folder" && boxed sh -c 'cc -std=gnu17 -O2 -o run *.c -lm -lpthread') > "$work/words" 2>&1 ||
        { failed "$program does not build: $(grep -m 1 error "$work/words")"; continue; }
    verdicts=
    while IFS= read -r name; do
        verdicts+=" $(verdict_on "$folder/run" "${name%.in}")"
        # One case that is too slow is enough, and the others would take as long.
        [[ $verdicts != *TLE ]] || break
    done < <(find data/sample data/secret -name '*.in' | LC_ALL=C sort)
    case $program in
    submissions/accepted/*) [[ ! $verdicts =~ [WTR] ]] ;;
    submissions/wrong_answer/*) [[ $verdicts == *WA* && ! $verdicts =~ [TR] ]] ;;
    submissions/time_limit_exceeded/*) [[ $verdicts == *TLE* && ! $verdicts =~ WA|RTE ]] ;;
    submissions/brute_force/*) [[ $verdicts =~ TLE|RTE && $verdicts != *WA* ]] ;;
    submissions/run_time_error/*) [[ $verdicts == *RTE* && ! $verdicts =~ WA|TLE ]] ;;
    *) [[ $verdicts =~ [WTR] ]] ;;
    esac || failed "$program:$verdicts"
done
[ $failures -eq 0 ] || { echo "check-package: $base: $failures checks failed"; exit 1; }
echo "check-package: $base is a package of the format 2025-09"
