# Sourced by import_package.sh: legacy packages' testdata.yaml as the test_group.yaml of 2025-09.
# shellcheck shell=bash disable=SC2154

# testdata_flat FILE: its keys and values, a line each.
testdata_flat() {
    "$build/yaml_flat" "$1" on_reject grading grader_flags input_validator_flags 'input_validator_flags.*' \
        output_validator_flags 'output_validator_flags.*' accept_score reject_score range
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

# testdata_words TEXT: its words as elements of a list; testdata_arguments KEY TEXT: as the list KEY.
testdata_words() {
    local words word
    read -r -a words <<< "$1"
    for word in "${words[@]}"; do echo "  - $(quoted "$word")"; done
}
testdata_arguments() {
    [[ ! $2 =~ ^\ *$ ]] || return 0
    echo "$1:"
    testdata_words "$2"
}

# testdata_named_arguments FOLDER NAME: input_validator_args as a map, where legacy has one: {name: V, flags: FLAGS} or,
# as problemtools reads it, {V: FLAGS}.
testdata_named_arguments() {
    local key flags named file
    named=$(testdata_value "$1" 'input_validator_flags\.name')
    if [ -n "$named" ]; then
        printf '%s\t%s\n' "$named" "$(testdata_value "$1" 'input_validator_flags\.flags')"
    else
        file=$(testdata_file "$1")
        [ ! -f "$file" ] || testdata_flat "$file" | sed -n 's/^input_validator_flags\.//p'
    fi > "$work/named"
    [ -s "$work/named" ] || return 0
    echo 'input_validator_args:'
    while IFS=$'\t' read -r key flags; do
        [[ $key =~ ^[a-zA-Z0-9_][a-zA-Z0-9_.-]*$ ]] ||
            { todo+=("imported/data/$2: input_validator_flags: '$key' is no validator's name"); continue; }
        [ -n "$flags" ] && echo "  $(quoted "$key"):" || echo "  $(quoted "$key"): []"
        testdata_words "$flags" | sed 's/^/  /'
    done < "$work/named"
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
    # Of several modes the last one counts.
    for flag in $flags; do [[ ! $flag =~ ^(sum|min|max|avg)$ ]] || how=$flag; done
    if [[ $how =~ ^(max|avg)$ ]]; then
        todo+=("$group: '$how' is no score_aggregation of 2025-09")
        how=sum
    fi
    # The worst verdict is the one that is told.
    for flag in $flags; do
        [[ $flag =~ ^(sum|min|max|avg|worst_error)$ ]] ||
            todo+=("$group: grader_flags: '$flag' is left out")
    done
    [[ $(testdata_value "$1" reject_score) =~ ^0?$ ]] ||
        todo+=("$group: a failed case is worth 0, and was worth something else")
    # The least bound that is told: that of the range, or what all cases give together.
    [[ ! $range =~ ^[^\ ]+\ +\+?([0-9]+)(\.0+)?$ ]] || most=${BASH_REMATCH[1]}
    [[ -z $range || ($range =~ ^(0|-inf)\  && -n $most) || $range =~ ^(0|-inf)\ +\+?inf$ ]] ||
        todo+=("$group: range: '$range': scores are from 0 up to a whole number")
    below=$(find "$1" -mindepth 1 -type d ! -path '*.files*' -print -quit)
    if [ -z "$most$below" ] && [[ $accept =~ ^[0-9]+$ ]]; then
        [ "$how" = min ] && most=$accept || most=$((accept * cases))
    fi
    if [ -n "$most" ] && [ -z "$below" ] && [ -n "$(testdata_value "$1" accept_score)" ] &&
        ! awk "BEGIN { exit !($most == ${accept//[!0-9.e+-]/} * $([ "$how" = min ] && echo 1 || echo "$cases")) }" \
            2> /dev/null; then
        todo+=("$group: accept_score: '$accept' is left out: its $cases cases are worth $most together")
    fi
    [ -n "$most$below" ] || [[ -n $range ]] ||
        todo+=("$group: accept_score: '$accept' is left out: max_score is a whole number")
    [ -n "$most" ] || most=unbounded
    if [ "$how" != min ] && [ "$(testdata_value "$1" on_reject)" != continue ]; then
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
            input_validator_flags*:* | output_validator_flags*:*) [ -z "${taken[$file]:-}" ] || continue ;;
            *: | on_reject:break | grading:default | accept_score:1 | reject_score:0 | 'range:-inf +inf') continue ;;
            *) [ -z "${scored[$file]:-}" ] || continue ;;
            esac
            todo+=("imported/data$name: $key: '$value' is left out")
        done < <(testdata_flat "$file")
    done < <(find "$1" -name testdata.yaml | LC_ALL=C sort)
}

# testdata_annotations DATA: NAME.hint and NAME.desc as keys of NAME.yaml.
testdata_annotations() {
    local file key
    while IFS= read -r file; do
        key=hint
        [[ $file == *.hint ]] || key=description
        if [ -f "${file%.*}.in" ] && iconv -f UTF-8 -t UTF-8 "$file" > /dev/null 2>&1; then
            tr -d '\000-\010\013-\037\177' < "$file" |
                sed -z 's/[\\"]/\\&/g; s/\t/\\t/g; s/\n*$//; s/\n/\\n/g' > "$work/words"
            echo "$key: \"$(cat "$work/words")\"" >> "${file%.*}.yaml"
            rm "$file"
        else
            todo+=("imported/data${file#"$1"}: it belongs to no case, or is not UTF-8: it is left as it is")
        fi
    done < <(find "$1" -type f ! -path '*.files/*' \( -name '*.hint' -o -name '*.desc' \) | LC_ALL=C sort)
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
        # A map has the name of the validator too, but 2025-09 has one.
        flags=$(testdata_value "$folder" 'output_validator_flags\(\.flags\)\?')
        {
            testdata_arguments output_validator_args "$3 $flags"
            testdata_arguments input_validator_args "$(testdata_value "$folder" input_validator_flags)"
            testdata_named_arguments "$folder" "$name"
            [ -z "$2" ] || [ "$name" = sample ] || testdata_scores "$folder" "$name"
        } > "$work/group.yaml"
        [ ! -s "$work/group.yaml" ] || mv "$work/group.yaml" "$folder/test_group.yaml"
    done
    [ -z "$(find "$1/secret" -mindepth 2 -type d ! -path '*.files*' -print -quit)" ] ||
        todo+=('imported/data/secret: groups in groups: 2025-09 has one level')
    [ -z "$(find "$1/sample" -mindepth 1 -type d ! -path '*.files*' -print -quit 2> /dev/null)" ] ||
        todo+=('imported/data/sample: groups, which 2025-09 has not there')
    testdata_left "$1"
    testdata_annotations "$1"
    find "$1" -name testdata.yaml -delete
    [ ! -d "$1/secret" ] || "$build/test_groups" "$1" > /dev/null 2> "$work/words" ||
        todo+=("imported/data: $(sed "s|$1/||g" "$work/words")")
}
