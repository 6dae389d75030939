# Sourced by import_package.sh: legacy packages' testdata.yaml as the test_group.yaml of 2025-09.
# shellcheck shell=bash disable=SC2154

# testdata_value FOLDER KEY: of the group's testdata.yaml, or, as legacy has it,
# of the nearest folder's above that has one.
testdata_value() {
    local folder=$1
    while [ ! -f "$folder/testdata.yaml" ] && [ "${folder##*/}" != data ]; do folder=${folder%/*}; done
    [ ! -f "$folder/testdata.yaml" ] || "$build/yaml_flat" "$folder/testdata.yaml" on_reject grading grader_flags \
        input_validator_flags 'input_validator_flags.*' output_validator_flags accept_score reject_score range |
        sed -n "s/^$2\t//p"
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
    local flags accept range cases below most='' how=sum group=imported/data/$2
    flags=$(testdata_value "$1" grader_flags) accept=$(testdata_value "$1" accept_score) \
        range=$(testdata_value "$1" range)
    cases=$(find "$1" -name '*.in' | wc -l)
    accept=${accept:-1}
    [ "$(testdata_value "$1" grading)" != custom ] || todo+=("$group: a grader of the package's own gave the score")
    case " $flags " in
    *' min '*) how=min ;;
    *' max '* | *' avg '*) todo+=("$group: '$flags' is no score_aggregation of 2025-09") ;;
    esac
    [[ $(testdata_value "$1" reject_score) =~ ^0?$ ]] ||
        todo+=("$group: a failed case is worth 0, and was worth something else")
    # The least bound that is told: that of the range, or what all cases give together.
    [[ ! $range =~ ^[^\ ]+\ +([0-9]+)(\.0+)?$ ]] || most=${BASH_REMATCH[1]}
    below=$(find "$1" -mindepth 1 -type d ! -path '*.files*' -print -quit)
    if [ -z "$most$below" ] && [[ $accept =~ ^[0-9]+$ ]]; then
        [ $how = min ] && most=$accept || most=$((accept * cases))
    fi
    [ -n "$most" ] || most=unbounded
    [ $how = min ] || [ -n "$below" ] || [ "$(testdata_value "$1" on_reject)" = continue ] ||
        todo+=("$group: it stopped at the first case that failed; here every case that passes counts")
    printf 'score_aggregation: %s\nmax_score: %s\n' "$how" "$most"
}

# convert_testdata DATA SCORING VALIDATOR-FLAGS: writes the test_group.yaml of sample, secret and its groups, and takes
# the old files away. SCORING is not empty for a scoring problem.
convert_testdata() {
    local folder name flags
    for folder in "$1"/sample "$1"/secret "$1"/secret/*/; do
        folder=${folder%/}
        [ -d "$folder" ] && [[ $folder != *.files ]] || continue
        [ ! -f "$folder/test_group.yaml" ] || continue
        name=${folder#"$1"/}
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
    find "$1" -name testdata.yaml -delete
    [ ! -d "$1/secret" ] || "$build/test_groups" "$1" > /dev/null 2> "$work/words" ||
        todo+=("imported/data: $(sed "s|$1/||g" "$work/words")")
}
