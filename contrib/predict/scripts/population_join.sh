# Sourced by population.sh: join [--locked]. A line per shape, in the format of contrib/predict/data, to
# build/predict/population/open.csv.
# shellcheck shell=bash disable=SC2154
half=${locked:+locked}
half=${half:-open}
mkdir -p "$top"
awk -f "$scripts/population_join.awk" "$here/$half-features.csv" "$here/$half-h200.csv" > "$top/$half.csv" ||
    fail 'the rows cannot be joined'
echo "$top/$half.csv: $(($(wc -l < "$top/$half.csv") - 1)) rows"
