#!/bin/bash
# Starts a problem from a package of another judge: import_package.sh ZIP NAME
#
# ZIP is in the Kattis Problem Package Format, 2025-09, legacy or legacy-icpc. problems/NAME gets problem.yaml,
# converted to 2025-09, and the statements; everything else goes to problems/NAME/imported, laid out as 2025-09 wants
# it, for reading: its data are not generator lines and its submissions are programs, not device_user(). What a human
# must write is listed, there and in problems/NAME/IMPORTED.md. Until problem.c is there,
# the toolkit does not build or list the problem.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
. "$(dirname "$0")/unpack.sh"
. "$(dirname "$0")/package_format.sh"
. "$(dirname "$0")/problem_yaml.sh"
. "$(dirname "$0")/testdata.sh"
[ $# -eq 2 ] && [[ $2 =~ ^[a-z][a-z0-9]{0,31}$ ]] ||
    usage 'import_package.sh ZIP NAME; NAME: a small letter, then small letters and digits, up to 32'
zip=$(realpath "$1") name=$2
folder=$root/problems/$name
[ ! -e "$folder" ] || refuse "problems/$name exists already"
"$root/run_scripts/lib/packages.sh" build formats
toolkit_make "${build#"$root"/}/yaml_flat" "${build#"$root"/}/test_groups" >&2 ||
    fail "the toolkit does not build: see above"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/zip"
unpack "$zip" "$work/zip"
package=$work/zip
# One folder, or, as some judges write legacy packages, the files themselves.
if [ ! -f "$package/problem.yaml" ]; then
    entries=("$package"/*/)
    [ ${#entries[@]} -eq 1 ] && [ -f "${entries[0]}problem.yaml" ] || refuse "'$1' has no problem.yaml"
    package=${entries[0]%/}
fi

# ---- problem.yaml

"$build/yaml_flat" "$package/problem.yaml" problem_format_version type 'type.*' name 'name.*' uuid version author \
    credits 'credits.*' source source_url 'source.*' license rights_owner embargo_until 'limits.*' validation \
    validator_flags keywords 'keywords.*' languages 'languages.*' libraries allow_file_writing 'constants.*' \
    'grading.*' > "$work/yaml" 2> "$work/words" || refuse "problem.yaml: $(sed 's|.*problem.yaml:||' "$work/words")"
version=$(value problem_format_version)
case ${version:=legacy} in
2025-09 | legacy | legacy-icpc) ;;
*) refuse "'$1' is in version '$version' of the format; 2025-09, legacy and legacy-icpc can be read" ;;
esac
todo=()
for part in "${unpack_ignored[@]}"; do todo+=("'$part' is left out: the format ignores such names"); done

# The statements, and the languages that they are in. A legacy one without a language is English.
mkdir "$work/statement"
for from in "$package/statement" "$package/problem_statement"; do
    [ ! -d "$from" ] || cp -R "$from/." "$work/statement/"
done
for suffix in tex md pdf; do
    if [ -f "$work/statement/problem.$suffix" ] && [ ! -f "$work/statement/problem.en.$suffix" ]; then
        mv "$work/statement/problem.$suffix" "$work/statement/problem.en.$suffix"
    fi
done
[ ! -f "$package/problem.pdf" ] || [ -f "$work/statement/problem.en.pdf" ] ||
    cp "$package/problem.pdf" "$work/statement/problem.en.pdf"
languages=$(cd "$work/statement" && find . -maxdepth 1 -type f |
    sed -nE 's/^\.\/problem\.([a-z]{2,3}(-[A-Z]{2})?)\.(tex|md|pdf)$/\1/p' | sort -u)
[ -n "$languages" ] || todo+=('statement/: the package has no statement')

time_limit=$(value 'limits\.time_limit')
[ -n "$time_limit" ] || time_limit=$(unzip -p "$zip" '*.timelimit' 2> /dev/null | head -c 16 | tr -d '\n\r ' || true)
[ -n "$time_limit" ] || [ ! -f "$package/domjudge-problem.ini" ] ||
    time_limit=$(sed -nE "s/^ *timelimit *= *['\"]?([0-9.]+).*/\1/p" "$package/domjudge-problem.ini" 2> /dev/null |
    head -n 1)
if is_float "$time_limit"; then carried+=('limits\.time_limit'); else time_limit=10; fi
problem_yaml > "$work/problem.yaml"
list_what_is_left
type=$(problem_type | xargs)
[[ $type != *interactive* && $type != *multi-pass* && $type != *submit-answer* ]] ||
    todo+=("problem.yaml: type: the toolkit judges pass-fail and scoring problems alone, and this one is '$type'")
if [[ $type == *scoring* ]]; then
    todo+=("data/secret: with the test_group.yaml files of imported/data: check() passes or fails a case, and $(
        )they make points of that in contests whose scoring is groups; a validator's own scores there are not")
fi

# ---- the rest, as 2025-09 lays it out

imported=$work/imported
mkdir "$imported"
for part in data submissions input_validators output_validator include attachments solution generators \
    static_validator input_visualizer output_visualizer; do
    [ ! -e "$package/$part" ] || cp -R "$package/$part" "$imported/"
done
for part in "$package"/*; do
    case ${part##*/} in
    data | submissions | input_validators | output_validator | include | attachments | solution | generators) ;;
    static_validator | input_visualizer | output_visualizer | input_format_validators | output_validators) ;;
    problem.yaml | problem.pdf | statement | problem_statement) ;;
    domjudge-problem.ini)
        ! grep -qvE '^[[:space:]]*(timelimit[[:space:]]*=.*)?$' "$part" ||
            todo+=('domjudge-problem.ini: what it says beside timelimit is left out')
        ;;
    *) todo+=("${part##*/}: it is left out") ;;
    esac
done
if [ -d "$package/input_format_validators" ]; then
    mkdir -p "$imported/input_validators"
    cp -R "$package/input_format_validators/." "$imported/input_validators/"
fi
if [ -d "$package/output_validators" ] && [ ! -d "$imported/output_validator" ]; then
    programs=("$package"/output_validators/*)
    if [ ${#programs[@]} -eq 1 ] && [ -d "${programs[0]}" ]; then
        cp -R "${programs[0]}" "$imported/output_validator"
    else
        cp -R "$package/output_validators" "$imported/output_validator"
        [ ${#programs[@]} -eq 1 ] ||
            todo+=('imported/output_validator/: the package has several, and 2025-09 takes one')
    fi
fi
# What legacy says of groups, and the validator's flags, which it has in problem.yaml too,
# is in test_group.yaml in 2025-09.
scoring=
for word in $type; do [ "$word" != scoring ] || scoring=yes; done
if [[ $version == legacy* ]] && [ -d "$imported/data" ]; then
    while IFS= read -r file; do
        testdata_flat "$file" > /dev/null 2> "$work/words" ||
            refuse "${file#"$imported"/}: $(sed 's|.*testdata.yaml:||' "$work/words")"
    done < <(find "$imported/data" -name testdata.yaml)
    convert_testdata "$imported/data" "$scoring" "$(value validator_flags)"
fi

# ---- what is missing

mkdir "$folder"
cp "$work/problem.yaml" "$folder/"
cp -R "$work/statement" "$folder/"
mv "$imported" "$folder/imported"
cp "$root/contrib/skeleton/gpu.yaml" "$folder/gpu.yaml"
todo=('include/device_user.h: the function that participants write, with shapes, units and limits'
    'input.h, call.c: how an input is laid out, and how device_user() is called with it'
    'problem.c: generate(), reference(), reference_plain(), check(): problems/problem.h; imported/submissions/accepted may help'
    'data/sample, data/secret: lines for the generator, in place of the files in imported/data'
    'input_validators/: whether such a line is valid'
    'submissions/: device_user() for each verdict'
    'statement/: say what device_user() gets and returns, in place of standard input and output'
    'problem.yaml, gpu.yaml: limits a call'
    "${todo[@]}")
{
    printf '%s\n\n' "Imported from a package of version $version. It is to be written:"
    printf '%s\n' "${todo[@]}" | sed 's/^/- /'
} > "$folder/IMPORTED.md"
"$root/run_scripts/lib/frozen.sh" update "$name"
echo "problems/$name: problem.yaml, $(echo "${languages:-no language}" | xargs) statement, $(
    find "$folder/imported/data" -name '*.in' 2> /dev/null | wc -l) cases, $(
    find "$folder/imported/submissions" -mindepth 2 -maxdepth 2 2> /dev/null | wc -l) submissions. It is to be written:"
printf '  %s\n' "${todo[@]}"
echo "contrib/skeleton has an example of each; then: make check-problem PROBLEM=$name"
