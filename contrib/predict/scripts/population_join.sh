# Sourced by population.sh: join [--locked | --fresh | --next]. A line per shape, in the format of contrib/predict/data,
# to build/predict/population/public.csv, locked.csv, fresh.csv or next.csv: of both halves
# and the fresh draw, of the locked half, of a draw.
# shellcheck shell=bash disable=SC2154
half=${locked:+locked}
half=${half:-${fresh:-public}}

# rows_of HALF: its lines.
rows_of() {
    awk -f "$scripts/population_join.awk" "$here/$1-features.csv" "$here/$1-h200.csv" ||
        fail 'the rows cannot be joined'
}

mkdir -p "$top"
if [ "$half" = public ]; then
    { rows_of open && rows_of locked | sed 1d && rows_of fresh | sed 1d; } > "$top/$half.csv"
else
    rows_of "$half" > "$top/$half.csv"
fi
echo "$top/$half.csv: $(($(wc -l < "$top/$half.csv") - 1)) rows"
