#!/bin/bash
# Draws what `make bench` wrote: plot.sh [DATA [PICTURES]]
#
# DATA is a folder with the JSON of bench_ladder.sh (default: docs/results). The SVG pictures go to the folder PICTURES
# (default: docs/plots for docs/results, else build/plots):
#
#   PROBLEM-time      time of one call, end to end, over the size
#   PROBLEM-rate      the same as throughput
#   PROBLEM-speedup   the same as a ratio to the problem's `base`, if it has one
#   PROBLEM-kernels   throughput of kernels alone, beside other libraries
#   roofline          kernels with operations and bytes, below the ceilings of their GPU (contrib/plot/ceilings.txt)
#
# The script skips a picture without data, and prints its name.
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
[ $# -le 2 ] || usage 'plot.sh [DATA [PICTURES]]'
data=${1:-$root/docs/results}
[ -d "$data" ] || refuse "there is no folder '$data'"
data=$(cd "$data" && pwd)
if [ $# -eq 2 ]; then
    pictures=$2
elif [ "$data" = "$root/docs/results" ]; then
    pictures=$root/docs/plots
else
    pictures=$build/plots
fi
mkdir -p "$pictures" 2> /dev/null || refuse "cannot make the folder '$pictures'"
pictures=$(cd "$pictures" && pwd)
command -v gnuplot > /dev/null || fail "gnuplot is not installed: run_scripts/lib/packages.sh plot"
here=$root/contrib/plot
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# query PROGRAM OPTION... FILE...: jq with the definitions of series.jq.
query() { jq -L "$here" "include \"series\"; $1" "${@:2}"; }

# quoted TEXT: prints TEXT as a gnuplot string.
quoted() { printf "'%s'" "${1//\'/\'\'}"; }

# draw SCRIPT NAME SERIES-FILE DEFINITION...: draws a picture from a file of series, or prints that there are no data.
draw() {
    local script=$1 name=$2 file=$3 count folder=$work/$2 definitions
    count=$(jq length "$file")
    [ "$count" -gt 0 ] || { echo "$name: skipped, it has no data"; return; }
    mkdir -p "$folder"
    jq -r '.[].name' "$file" > "$folder/names"
    jq -r 'to_entries[] | "\(.key + 1)" as $s | .value.points[] | [$s] + . | @tsv' "$file" |
        awk -v folder="$folder" '{ file = folder "/" $1 ".tsv"; $1 = ""; print > file }'
    definitions=$(query definitions -r "$file")
    definitions+="here = $(quoted "$here"); folder = $(quoted "$folder"); out = $(quoted "$pictures/$name"); ${*:4}"
    gnuplot -e "$definitions" "$here/$script.gp" 2> "$folder/log" || fail "gnuplot: $(grep -m 1 . "$folder/log")"
    [ -s "$pictures/$name.svg" ] || fail "gnuplot wrote no $name.svg: $(grep -m 1 . "$folder/log")"
    echo "$name: ${pictures#"$root"/}/$name.svg"
}

# The pictures of one problem.
draw_problem() {
    local file=$1 problem unit common copies power="yformat = '10^{%L}';"
    problem=$(jq -r .problem "$file")
    common="heading = $(quoted "$(jq -r .title "$file")"); xname = $(quoted "$(jq -r .axis "$file")");"
    common+=" note = $(quoted "$(jq -r '[.machine.gpu, .machine.cpu] | map(select(. != null)) | join("; ")' "$file")");"
    # A call copies nothing if the data are already on the GPU.
    copies=$(jq -r 'if .resident then "" else ", copies included" end' "$file")
    unit() { query "[$1[] | .unit][0] // \"\"" -r "$file"; }

    query 'calls | by_time' "$file" > "$work/series"
    draw lines "$problem-time" "$work/series" "$common $power yname = 'seconds a call$copies'"
    query 'calls | by_rate' "$file" > "$work/series"
    draw lines "$problem-rate" "$work/series" "$common $power yname = $(quoted "$(unit calls)$copies")"
    if jq -e .base "$file" > /dev/null; then
        query speedups "$file" > "$work/series"
        unit=$(jq -r '.base as $base | [.rows[] | select(.kind == $base) | .series][0] // $base' "$file")
        draw lines "$problem-speedup" "$work/series" \
            "$common yformat = '%g'; yname = $(quoted "times as fast as: $unit")"
    fi
    query 'kernels | by_rate' "$file" > "$work/series"
    draw lines "$problem-kernels" "$work/series" "$common $power yname = $(quoted "$(unit kernels), kernels alone")"
}

shopt -s nullglob
files=()
for file in "$data"/*.json; do
    # An empty file makes jq print nothing, with code 0.
    [ "$(jq '(.format == 1) and (.rows | type == "array") and (.problem | type == "string")' "$file" 2> /dev/null)" \
        != true ] || files+=("$file")
done
[ ${#files[@]} -gt 0 ] || refuse "'$data' has no results of make bench"
for file in "${files[@]}"; do draw_problem "$file"; done

# A roofline of the first GPU that has ceilings and measurements.
echo '[]' > "$work/series"
while IFS=$'\t' read -r gpu bandwidth peak; do
    [[ $gpu != \#* ]] || continue
    GPU=$gpu query "by_roofline(env.GPU)" -s "${files[@]}" > "$work/series"
    [ "$(jq length "$work/series")" = 0 ] || break
done < "$here/ceilings.txt"
draw roofline roofline "$work/series" "heading = 'Kernels below the ceilings of the GPU (grey lines)'; note = $(quoted "$gpu");" \
    "bandwidth = $bandwidth; peak = $peak; $(query panel_words -r "$work/series")"
