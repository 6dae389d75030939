# Sourced by import_package.sh: legacy packages' testdata.yaml as the test_group.yaml of 2025-09.
# shellcheck shell=bash disable=SC2154

# testdata_flat FILE: its keys and values, a line each.
testdata_flat() {
    "$build/yaml_flat" "$1" on_reject grading grader_flags input_validator_flags 'input_validator_flags.*' \
        output_validator_flags accept_score reject_score range
}

# testdata_file FOLDER: the group's testdata.yaml, or, as legacy has it, the nearest folder's above that has one.
testdata_file() {
    local folder=$1
    while [ ! -f "$folder/testdata.yaml" ] && [ "${folder##*/}" != data ]; do folder=${folder%/*}; done
    echo "$folder/testdata.yaml"
}

# testdata_value FOLDER KEY: what that file says, or nothing.
testdata_value() {
    local file
    file=$(testdata_file "$1")
    [ ! -f "$file" ] || testdata_flat "$file" | sed -n "s/^$2\t//p"
}

# testdata_arguments KEY TEXT: TEXT's words as the list KEY.
testdata_arguments() {
    local words word
    read -r -a words <<< "$2"
    [ ${#words[@]} -gt 0 ] || return 0
    echo "$1:"
    for word in "${words[@]}"; do echo "  - $(quoted "$word")"; done
}

# testdata_scores FOLDER NAME: score_aggregation and max_score of a group of a scoring problem;
# what does not fit goes to todo.
testdata_scores() {
    local flags flag accept range cases below most='' how=sum group=imported/data/$2
    flags=$(testdata_value "$1" grader_flags) accept=$(testdata_value "$1" accept_score) \
        range=$(testdata_value "$1" range)
    cases=$(find "$1" -name '*.in' | wc -l)
    accept=${accept:-1}
    [ "$(testdata_value "$1" grading)" != custom ] || todo+=("$group: a grader of the package's own gave the score")
    case " $flags " in
    *' min '*) how=min ;;
    *' max '* | *' avg '*) todo+=("$group: '$flags' is no score_aggregation of 2025-09") ;;
    esac
    # Samples are never worth points in 2025-09, and the worst verdict is the one that is told.
    for flag in $flags; do
        [[ $flag =~ ^(sum|min|max|avg|ignore_sample|worst_error)$ ]] ||
            todo+=("$group: grader_flags: '$flag' is left out")
    done
    [[ $(testdata_value "$1" reject_score) =~ ^0?$ ]] ||
        todo+=("$group: a failed case is worth 0, and was worth something else")
    # The least bound that is told: that of the range, or what all cases give together.
    [[ ! $range =~ ^[^\ ]+\ +([0-9]+)(\.0+)?$ ]] || most=${BASH_REMATCH[1]}
    [[ -z $range || ($range =~ ^(0|-inf)\  && -n $most) || $range =~ ^(0|-inf)\ +\+?inf$ ]] ||
        todo+=("$group: range: '$range': scores are from 0 up to a whole number")
    below=$(find "$1" -mindepth 1 -type d ! -path '*.files*' -print -quit)
    if [ -z "$most$below" ] && [[ $accept =~ ^[0-9]+$ ]]; then
        [ $how = min ] && most=$accept || most=$((accept * cases))
    fi
    if [ -n "$most" ] && [ -z "$below" ] && [ -n "$(testdata_value "$1" accept_score)" ] &&
        ! awk "BEGIN { exit !($most == ${accept//[!0-9.e+-]/} * $([ $how = min ] && echo 1 || echo "$cases")) }" \
            2> /dev/null; then
        todo+=("$group: accept_score: '$accept' is left out: its $cases cases are worth $most together")
    fi
    [ -n "$most$below" ] || [[ -n $range ]] ||
        todo+=("$group: accept_score: '$accept' is left out: max_score is a whole number")
    [ -n "$most" ] || most=unbounded
    if [ $how != min ] && [ "$(testdata_value "$1" on_reject)" != continue ]; then
        [ -n "$below" ] && todo+=("$group: it stopped at the first group that failed; here every group counts") ||
            todo+=("$group: it stopped at the first case that failed; here every case that passes counts")
    fi
    printf 'score_aggregation: %s\nmax_score: %s\n' "$how" "$most"
}

# testdata_left DATA: what of every testdata.yaml has come into no test_group.yaml: the flags in a file that no group
# takes (`taken`), and what is said of scores in one that no scored group takes (`scored`). Defaults say nothing.
testdata_left() {
    local file key value name
    while IFS= read -r file; do
        name=${file#"$1"}
        while IFS=$'\t' read -r key value; do
            case $key:$value in
            input_validator_flags*:* | output_validator_flags:*) [ -z "${taken[$file]:-}" ] || continue ;;
            *: | on_reject:break | grading:default | accept_score:1 | reject_score:0 | 'range:-inf +inf') continue ;;
            *) [ -z "${scored[$file]:-}" ] || continue ;;
            esac
            todo+=("imported/data$name: $key: '$value' is left out")
        done < <(testdata_flat "$file")
    done < <(find "$1" -name testdata.yaml | LC_ALL=C sort)
}

# convert_testdata DATA SCORING VALIDATOR-FLAGS: writes the test_group.yaml of sample, secret and its groups, and takes
# the old files away. SCORING is not empty for a scoring problem.
convert_testdata() {
    local folder name flags file
    local -A taken=() scored=()
    for folder in "$1"/sample "$1"/secret "$1"/secret/*/; do
        folder=${folder%/}
        [ -d "$folder" ] && [[ $folder != *.files ]] || continue
        [ ! -f "$folder/test_group.yaml" ] || continue
        name=${folder#"$1"/} file=$(testdata_file "$folder")
        taken[$file]=yes
        [ -z "$2" ] || [ "$name" = sample ] || scored[$file]=yes
        if [ -n "$(testdata_value "$folder" 'input_validator_flags\..*')" ]; then
            todo+=("imported/data/$name: input_validator_flags are a map: a list for each validator, in test_group.yaml")
        fi
        flags=$(testdata_value "$folder" output_validator_flags)
        {
            testdata_arguments output_validator_args "$3 $flags"
            testdata_arguments input_validator_args "$(testdata_value "$folder" input_validator_flags)"
            [ -z "$2" ] || [ "$name" = sample ] || testdata_scores "$folder" "$name"
        } > "$work/group.yaml"
        [ ! -s "$work/group.yaml" ] || mv "$work/group.yaml" "$folder/test_group.yaml"
    done
    [ -z "$(find "$1/secret" -mindepth 2 -type d ! -path '*.files*' -print -quit)" ] ||
        todo+=('imported/data/secret: groups in groups: 2025-09 has one level')
    [ -z "$(find "$1/sample" -mindepth 1 -type d ! -path '*.files*' -print -quit 2> /dev/null)" ] ||
        todo+=('imported/data/sample: groups, which 2025-09 has not there')
    testdata_left "$1"
    find "$1" -name testdata.yaml -delete
    [ ! -d "$1/secret" ] || "$build/test_groups" "$1" > /dev/null 2> "$work/words" ||
        todo+=("imported/data: $(sed "s|$1/||g" "$work/words")")
}
