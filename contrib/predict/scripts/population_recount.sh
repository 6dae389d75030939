# Sourced by population.sh: recount. Puts what was counted since into the committed features of all draws. The times of
# their launches stay.
# shellcheck shell=bash disable=SC2154
header=$(find "$top/counts" -name "*.csv" -printf "%T@ %p\n" | sort -n | tail -n 1 | cut -d " " -f 2- |
    xargs -d "\n" head -qn 1)
[ -n "$header" ] || fail "nothing was counted: population.sh count"
for file in "$here"/*-features.csv; do
    awk -v folder="$top/counts" -v header="$header" -f "$scripts/population_recount.awk" "$file" > "$file.part" ||
        fail "cannot read '$file'"
    mv "$file.part" "$file"
done
