#!/bin/bash
# The simulator's messages on standard input as GitHub's annotations: annotate.sh FOLDER
#
# Each place is annotated once. Files in FOLDER are named as the repository has them; a message about another file, or
# about none, has no line.
. "$(dirname "$0")/../../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -eq 1 ] || usage 'annotate.sh FOLDER'
folder=$(realpath -- "$1")

# escaped TEXT [property]: as GitHub reads it back. In a property a colon and a comma would end it.
escaped() {
    local text=${1//'%'/%25}
    text=${text//$'\r'/%0D}
    [ $# = 1 ] || { text=${text//:/%3A} && text=${text//,/%2C}; }
    printf '%s' "$text"
}

declare -A seen
# cudasim: KIND OF MESSAGE: FAULT: KERNEL, FILE:LINE, block (x,y,z), thread (x,y,z): TEXT
placed='^cudasim: (error|warning): ([a-z-]+): (.*), (.+):([0-9]+), (block \([0-9,]+\), thread \([0-9,]+\)): (.*)$'
plain='^cudasim: (error|warning): ([a-z-]+): (.*)$'
while IFS= read -r line; do
    place='' text=''
    if [[ $line =~ $placed ]]; then
        kind=${BASH_REMATCH[1]} fault=${BASH_REMATCH[2]}
        text="${BASH_REMATCH[3]}, ${BASH_REMATCH[6]}: ${BASH_REMATCH[7]}"
        file=${BASH_REMATCH[4]} number=${BASH_REMATCH[5]}
        path=$(realpath -m -- "$file")
        if [[ $path == "$folder"/* ]]; then
            place="file=$(escaped "${path#"$folder"/}" property),line=$number,"
        else
            text="$file:$number: $text"
        fi
    elif [[ $line =~ $plain ]]; then
        kind=${BASH_REMATCH[1]} fault=${BASH_REMATCH[2]} text=${BASH_REMATCH[3]}
    else
        continue
    fi
    key="$kind $fault ${place:-$text}"
    [ -z "${seen[$key]:-}" ] || continue
    seen[$key]=1
    printf '::%s %stitle=cudasim %s::%s\n' "$kind" "$place" "$(escaped "$fault" property)" "$(escaped "$text")"
done
