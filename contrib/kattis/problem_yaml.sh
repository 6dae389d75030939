# Sourced by import_package.sh: a package's problem.yaml as that of the format 2025-09.
# What is not taken over is listed.
# shellcheck shell=bash disable=SC2154

# value KEY: of problem.yaml, KEY a regular expression; list KEY: one value, or those of a list.
value() { sed -n "s/^$1\t//p" "$work/yaml" | head -n 1; }
list() { { value "$1"; sed -n "s/^$1\.[0-9]*\t//p" "$work/yaml"; } | sed '/^$/d'; }
quoted() { # TEXT: as a YAML string
    local text=${1//\\/\\\\}
    printf '"%s"' "${text//\"/\\\"}"
}

carried=() # extended regular expressions of the keys that are taken over, or that say nothing new

# yaml_tree: lines KEY<TAB>VALUE of yaml_flat, keys of letters, digits, - and _, as YAML again, values quoted.
yaml_tree() {
    sed 's,[\\"],\\&,g' | awk -F '\t' '
        {
            depth = split($1, key, ".")
            for (common = 0; common < depth && common < before && key[common + 1] == last[common + 1]; common++);
            inline = 0
            for (i = common + 1; i <= depth; i++) {
                if (!inline)
                    printf "%*s", 2 * (i - 1), ""
                inline = key[i] ~ /^[0-9]+$/
                printf "%s", inline ? "- " : key[i] ":" (i < depth ? "\n" : " ")
                last[i] = key[i]
            }
            before = depth
            print "\"" substr($0, length($1) + 2) "\""
        }'
}

# plain TEXT: a name without what only LaTeX understands.
plain() { sed -E 's/\\[a-zA-Z]+ *//g; s/[\\{}$]//g; s/~/ /g; s/^ +| +$//g' <<< "$1"; }

# name_in LANGUAGE: the problem's name. A legacy name stands in problem.yaml for one of the languages, and in each
# statement, with LaTeX and, where that is more than text, without.
name_in() {
    local found statement=$work/statement/problem.$1.tex
    found=$(value "name\\.$1")
    if [ -z "$found" ] && { [ "$1" = en ] || [ "$languages" = "$1" ]; }; then found=$(value name); fi
    if [ -z "$found" ] && [ -f "$statement" ]; then
        found=$(sed -nE 's/^.*%% *plainproblemname: *(.*[^ ]) *$/\1/p' "$statement" | head -n 1)
        [ -n "$found" ] || found=$(plain "$(sed -nE 's/.*\\problemname\{(([^{}]|\{([^{}]|\{[^{}]*\})*\})*)\}.*/\1/p' \
            "$statement" | head -n 1)")
    fi
    [ -n "$found" ] || found=$(value name)
    [[ ! $found =~ \\[a-zA-Z]|\$.*\$ ]] || found=$(plain "$found")
    echo "${found:-$name}" | tr -d '\000-\037'
}

# problem_type: the types, a line each. Legacy tells some of them as ways of validation.
problem_type() {
    local word types=() validation
    mapfile -t types < <(list type | grep -xE "$format_types")
    read -r -a validation <<< "$(value validation)"
    for word in "${validation[@]}"; do
        [ "$word" != score ] || word=scoring
        [[ $word =~ ^(scoring|interactive|multi-pass)$ ]] || continue
        [[ " ${types[*]} " == *" $word "* ]] || types+=("$word")
    done
    [ ${#types[@]} -gt 0 ] || types=(pass-fail)
    for word in "${types[@]}"; do
        # What a validator says of scores makes a problem one with scores, whatever the type's default.
        [ "$word" != pass-fail ] || [[ " ${types[*]} " != *' scoring '* ]] || continue
        echo "$word"
    done
}

# problem_credits: authors and others. Legacy has authors alone, in one line.
problem_credits() {
    {
        grep -q '^credits' "$work/yaml" || value author | sed -E 's/,? +and +|, */\n/g' | sed '/^ *$/d' |
            awk '{ print "credits.authors." NR - 1 "\t" $0 }'
        sed -nE "s/^credits\t/credits.authors\t/; /^$format_credits\t./p" "$work/yaml"
    } | yaml_tree
}

problem_source() {
    local url
    url=$(value source_url)
    if [ -n "$url" ] && [ -n "$(value source)" ]; then
        printf 'source.name\t%s\nsource.url\t%s\n' "$(value source)" "$url"
    else
        sed -nE "/^$format_source\t./p" "$work/yaml"
    fi | yaml_tree
}

# problem_limits TYPES: the time limit is in time_limit, or 10.
problem_limits() {
    local key word limited multipliers=''
    echo "  time_limit: $time_limit"
    for key in ${format_limits_whole//|/ }; do
        limited=$(value "limits\\.$key")
        [ -n "$limited" ] || case $key in memory) limited=2048 ;; output) limited=8 ;; esac
        [[ ! $limited =~ ^[1-9][0-9]{0,8}$ ]] || { echo "  $key: $limited"; carried+=("limits\.$key"); }
    done
    limited=$(value 'limits\.time_resolution')
    ! is_float "$limited" || { echo "  time_resolution: $limited"; carried+=('limits\.time_resolution'); }
    limited=$(value 'limits\.validation_passes')
    if [[ $limited =~ ^([2-9]|[1-9][0-9]{1,8})$ && " $1 " == *' multi-pass '* ]]; then
        echo "  validation_passes: $limited"
        carried+=('limits\.validation_passes')
    fi
    # What legacy calls multiplier and safety margin, 2025-09 has by other names.
    for word in ac_to_time_limit=time_multiplier time_limit_to_tle=time_safety_margin; do
        for key in "time_multipliers\\.${word%=*}" "${word#*=}"; do
            limited=$(value "limits\\.$key")
            if is_float "$limited" && awk -v x="$limited" 'BEGIN { exit !(x >= 1) }'; then
                multipliers+="    ${word%=*}: $limited"$'\n'
                carried+=("limits\\.$key")
                break
            fi
        done
    done
    [ -z "$multipliers" ] || printf '  time_multipliers:\n%s' "$multipliers"
}

# problem_yaml: writes problem.yaml to standard output; `carried` and `todo` say what became of the package's.
# Its time limit is in time_limit, the languages of its statements in languages, its version in version.
problem_yaml() {
    local types word words license owner given uuid keywords allowed
    mapfile -t types < <(problem_type)
    echo 'problem_format_version: 2025-09'
    word="${types[*]}"
    [ ${#types[@]} -eq 1 ] && echo "type: $word" ||
        echo "type: [${word// /, }]"
    carried+=(problem_format_version "type(\.[0-9]+)?" source_url)
    [[ $version != legacy* || ! -d $package/data ]] || carried+=(validator_flags)
    grep -q '^credits' "$work/yaml" || carried+=(author)
    while IFS= read -r word; do
        [ -z "$word" ] || [[ $word =~ ^($format_types)$ ]] ||
            todo+=("problem.yaml: type: '$word' is none of the format's")
    done < <(list type)
    read -r -a words <<< "$(value validation)"
    for word in "${words[@]}"; do
        [[ $word =~ ^(default|custom|score|interactive|multi-pass)$ ]] ||
            todo+=("problem.yaml: validation: '$word' is no way of validation that is known")
    done
    carried+=(validation)
    [ "$(value 'grading\.objective')" != min ] ||
        todo+=("problem.yaml: grading.objective: min: here the least score was the best; scores of 2025-09 are better $(
            )the higher they are, so they are to be turned round")
    [[ ! $(value 'grading\.objective') =~ ^(min|max)$ ]] || carried+=('grading\.objective')
    [ "$(value 'grading\.show_test_data_groups')" != false ] || carried+=('grading\.show_test_data_groups')
    echo 'name:'
    for word in ${languages:-en}; do
        given=$(name_in "$word")
        echo "  $word: $(quoted "$given")"
        carried+=("name\.$word")
        [ "$given" != "$(plain "$(value name)")" ] && [ "$given" != "$(value name)" ] || carried+=(name)
    done
    uuid=$(value uuid)
    if [[ $uuid =~ ^$format_uuid$ ]]; then carried+=(uuid); else uuid=$(cat /proc/sys/kernel/random/uuid); fi
    echo "uuid: $uuid"
    given=$(value version)
    [ -z "$given" ] || echo "version: $(quoted "$given")"
    carried+=(version)
    problem_credits
    carried+=("$format_credits")
    problem_source
    carried+=("$format_source")
    [ -z "$(value source_url)" ] || [ -n "$(value source)" ] || todo+=("problem.yaml: source_url: $(
        )'$(value source_url)' is left out: a source has a name")
    license=$(value license) owner=$(value rights_owner)
    [[ ${license:=unknown} =~ ^($format_licenses)$ ]] ||
        { todo+=("problem.yaml: license: '$license' is none of the format's"); license=unknown; }
    echo "license: $license"
    carried+=(license)
    [ -z "$owner" ] || [ "$license" = 'public domain' ] ||
        { echo "rights_owner: $(quoted "$owner")"; carried+=(rights_owner); }
    [[ $license =~ ^(unknown|public domain)$ ]] || [ -n "$owner" ] ||
        grep -qE '^(author|credits(\.authors.*)?|source.*)	.' "$work/yaml" ||
        todo+=("problem.yaml: rights_owner: '$license' needs one")
    given=$(value embargo_until)
    ! is_date "$given" || { echo "embargo_until: $given"; carried+=(embargo_until); }
    echo 'limits:'
    problem_limits "${types[*]}"
    mapfile -t keywords < <(list keywords | if [[ $version == legacy* ]]; then tr ' ,' '\n'; else cat; fi | sed '/^$/d')
    if [ ${#keywords[@]} -gt 0 ]; then
        echo keywords:
        for word in "${keywords[@]}"; do echo "  - $(quoted "$word")"; done
    fi
    carried+=('keywords(\.[0-9]+)?')
    mapfile -t allowed < <(list languages)
    if [ ${#allowed[@]} -eq 0 ] || [ "${allowed[*]}" = all ]; then
        echo 'languages: all'
        carried+=('languages(\.[0-9]+)?')
    elif ! printf '%s\n' "${allowed[@]}" | grep -qvxE "$format_languages"; then
        word="${allowed[*]}"
        echo "languages: [${word// /, }]"
        carried+=('languages(\.[0-9]+)?')
        todo+=("problem.yaml: languages: the package takes ${allowed[*]} alone; here submissions are in CUDA, OpenCL or C")
    else
        echo 'languages: all'
    fi
    given=$(value allow_file_writing)
    [[ ! $given =~ ^(true|false)$ ]] || { echo "allow_file_writing: $given"; carried+=(allow_file_writing); }
    problem_constants
}

# problem_constants: those with names that may be; the statements have them as {{name}}, and nothing here replaces them.
problem_constants() {
    local key given
    grep -qE '^constants\.[a-zA-Z_][a-zA-Z0-9_]*	' "$work/yaml" || return 0
    echo 'constants:'
    while IFS=$'\t' read -r key given; do
        is_float "${given#-}" || [ "$given" = 0 ] || given=$(quoted "$given")
        echo "  ${key#constants.}: $given"
    done < <(grep -E '^constants\.[a-zA-Z_][a-zA-Z0-9_]*	' "$work/yaml")
    carried+=('constants\.[a-zA-Z_][a-zA-Z0-9_]*')
    todo+=("problem.yaml: constants: nothing here puts their values in place of {{NAME}}, in statement/ or imported/")
}

# list_what_is_left: what nobody took.
list_what_is_left() {
    local key given pattern
    pattern=$(IFS='|'; echo "${carried[*]}")
    while IFS=$'\t' read -r key given; do
        [ -z "$given" ] || todo+=("problem.yaml: $key: '${given:0:200}' is left out")
    done < <(grep -vE "^($pattern)	" "$work/yaml")
}
