# Sourced by population.sh: rows FOLDER/out.... Matches counts and times, and writes contrib/predict/population. Of two
# folders that have times of a program, the first counts.
# shellcheck shell=bash disable=SC2154
[ ${#words[@]} -gt 0 ] || usage 'population.sh rows FOLDER/out...'

# times_of NAME: the file of ncu's times, or nothing.
times_of() {
    local folder
    for folder in "${words[@]}"; do
        [ ! -s "$folder/$1.csv" ] || { echo "$folder/$1.csv" && return; }
    done
}

# state_of NAME: the number of launches kept, and `row`, or why there are none.
state_of() {
    local half kept times
    half=$(half "$1")
    times=$(times_of "$1")
    if [ ! -e "$top/built/$1" ]; then
        echo '0,not built'
    elif [ ! -s "$top/counts/$1.csv" ]; then
        echo '0,no launch counted'
    elif [ "$(head -n 1 "$top/counts/$1.csv")" != "$header" ]; then
        echo "0,counted by another simulator"
    elif [ -z "$times" ]; then
        echo '0,not timed'
    else
        kept=$(awk -v program="$1" -v limit="$launches" -v times="$part/$half-$card.csv" \
            -v features="$part/$half-features.csv" -f "$scripts/population_rows.awk" "$times" "$top/counts/$1.csv") ||
            fail "the times of '$1' cannot be read"
        [ "$kept" -gt 0 ] && echo "$kept,row" || echo '0,no launch matches'
    fi
}

part=$(mktemp -d) || fail 'cannot make a temporary folder'
trap 'rm -rf "$part"' EXIT
halves=(open locked)
[ -z "$fresh" ] || halves=("$fresh")
# The newest simulator may count more than others did before.
header=$(find "$top/counts" -name "*.csv" -printf "%T@ %p\n" | sort -n | tail -n 1 | cut -d " " -f 2- |
    xargs -d "\n" head -qn 1)
for half in "${halves[@]}"; do
    echo 'program,launch,kernel,grid,block,time_us,sm_mhz,name' > "$part/$half-$card.csv"
    echo "program,launch,$header" > "$part/$half-features.csv"
done
echo 'program,suite,half,arguments,launches,state' > "$part/${table##*/}"
while IFS=$'\t' read -r name suite _ _ _; do
    echo "$name,$suite,$(half "$name"),$(cut -f 1 "$top/runs/$name" 2> /dev/null || true),$(state_of "$name")" \
        >> "$part/${table##*/}"
done < <(programs)
cp "$part"/*.csv "$here/"
for half in "${halves[@]}"; do
    awk -F, -v half="$half" 'NR > 1 && $3 == half { n[$NF]++ }
        END { for (s in n) print half ": " n[s] " programs: " s }' \
        "$part/${table##*/}"
    awk -F, -v half="$half" 'NR > 1 && !(($1, $NF) in any) { any[$1, $NF]; kernels++ }
        NR > 1 && !(($1, $4, $5, $NF) in shape) { shape[$1, $4, $5, $NF]; shapes++ }
        END { print half ": " kernels " kernels, " shapes " shapes, " NR - 1 " launches" }' "$part/$half-$card.csv"
done
