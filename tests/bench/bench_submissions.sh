#!/bin/bash
# Times submissions of a problem side by side: bench_submissions.sh PROBLEM REPEATS SUBMISSION... -- LINE...
#
# It calls each SUBMISSION (a path below problems/PROBLEM/submissions/accepted) REPEATS times with a fresh input for
# each LINE of generator arguments. It prints the medians of the host's clock, copies included, in ms: one row per LINE,
# one column per submission. "-" means: over the time limit, or no GPU for a LINE or submission that begins with "gpu:".
# On a machine without a GPU the CUDA columns come from the simulator, marked *. NAME:MACRO=VALUE is a submission built
# with that macro at the top of each .c and .cu file. The results are JSON files in build/bench/PROBLEM, and the table
# is build/bench/PROBLEM-submissions.csv.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -ge 5 ] || usage 'bench_submissions.sh PROBLEM REPEATS SUBMISSION... -- LINE...'
problem=$1 repeats=$2 names=()
shift 2
problem_exists "$problem"
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    names+=("$1")
    shift
done
[ $# -ge 2 ] || usage 'bench_submissions.sh PROBLEM REPEATS SUBMISSION... -- LINE...'
shift
export PROBLEM=$problem
folder=$build/bench/$problem
mkdir -p "$folder"
accepted=problems/$problem/submissions/accepted
has_gpu=
[ ! -e /dev/nvidiactl ] || has_gpu=1

# column NAME: how it is called in the table.
column() { local name=${1#gpu:}; [[ $name != *.cu || -n $has_gpu ]] || name+='*'; echo "$name"; }

# source_of NAME: the path of what is built.
source_of() {
    local name=${1#gpu:}
    if [[ $name == *:* ]]; then echo "$folder/${name//[:=]/_}"; else echo "$accepted/$name"; fi
}

# median NAME LINE: milliseconds, or -.
median() {
    local name=${1#gpu:} line=${2#gpu:} so file league
    if [ -z "$has_gpu" ] && [[ $1 == gpu:* || $2 == gpu:* ]]; then
        echo -
        return
    fi
    so=$(toolkit_make print-submission SUBMISSION="$(source_of "$1")")
    so=$root/${so#"$root"/}
    file=$folder/${name//[\/:=]/_}_${line// /_}.json
    league=$(league_of "$root/$accepted/${name%%:*}")
    "$build/main_host" "$problem" --submission "$so" --source "$(source_of "$1")" --repeat "$repeats" --json "$file" \
        ${league:+--league "$league"} --generate "$line" > "$file.log" 2>&1 || { echo -; return; }
    jq -r --arg problem "$problem" --arg name "$name" --arg line "$line" '.device as $device | .cases[0].seconds |
        [$problem, $name, $line, $device.kind, $device.name, .median, .min, .max] | @csv' "$file" >> "$csv"
    jq -r '.cases[0].seconds.median * 1e3 | if . < 10 then . * 1000 | round / 1000 else . * 10 | round / 10 end' "$file"
}

# with_macro NAME:MACRO=VALUE: a copy with that macro, as source_of() tells where.
with_macro() {
    local to=$folder/${1//[:=]/_} macro=${1#*:}
    rm -rf "$to"
    cp -R "$root/$accepted/${1%%:*}" "$to"
    find "$to" \( -name '*.c' -o -name '*.cu' \) -exec sed -i "1i #define ${macro/=/ }" {} +
}

csv=$build/bench/$problem-submissions.csv
echo problem,submission,arguments,device,name,median_s,min_s,max_s > "$csv"
for name in "${names[@]}"; do
    name=${name#gpu:}
    [ -e "$root/$accepted/${name%%:*}" ] || refuse "there is no $accepted/${name%%:*}"
    [[ $name != *:* ]] || with_macro "$name"
    build_simulator "$(source_of "$name")"
    toolkit_make submission SUBMISSION="$(source_of "$name")" >&2 || fail "$name does not build"
done
build_toolkit
"$build/main_host" --devices 2> /dev/null | sed -n 's/^gpu\t/GPU: /p'
sed -n 's/^model name\t*: /CPU: /p' /proc/cpuinfo | head -n 1
echo "$problem: medians of $repeats calls, ms"
printf '%-36s' ''
for name in "${names[@]}"; do printf ' %20s' "$(column "$name")"; done
printf '\n'
for line; do
    printf '%-36s' "${line#gpu:}"
    for name in "${names[@]}"; do printf ' %20s' "$(median "$name" "$line")"; done
    printf '\n'
done
