# Sourced by population.sh: join [--locked | --DRAW]. A line per shape, in the format of contrib/predict/data,
# to build/predict/population/public.csv, locked.csv or DRAW.csv: of both halves and the draws that the model learns
# from, of the locked half, of a draw.
# shellcheck shell=bash disable=SC2154
half=${locked:+locked}
half=${half:-${fresh:-public}}

# rows_of HALF: its lines.
rows_of() {
    local card=h200 draw number=0 # 0: the model does not learn from it
    [ -e "$here/$1-$card.csv" ] || card=h100
    for draw in "${!draws[@]}"; do [ "${draws[draw]}" != "$1" ] || number=$((draw + 1)); done
    awk -v card="$card" -v draw="$number" -f "$scripts/population_join.awk" \
        "$here/$1-features.csv" "$here/$1-$card.csv" ||
        fail 'the rows cannot be joined'
}

draws=(open locked fresh next last courses benchmarks students collections rest)
mkdir -p "$top"
if [ "$half" = public ]; then
    rows_of open > "$top/$half.csv"
    for draw in "${draws[@]:1}"; do rows_of "$draw" | sed 1d >> "$top/$half.csv"; done
else
    rows_of "$half" > "$top/$half.csv"
fi
echo "$top/$half.csv: $(($(wc -l < "$top/$half.csv") - 1)) rows"
