# Sourced by population.sh: instructions FOLDER/out. Instructions that a GPU executed beside those that were counted:
# a summary, then a line per kernel. The files of the folder are of run.sh with the metrics below.
# shellcheck shell=bash disable=SC2154
#
#   METRICS=smsp__inst_executed.sum,smsp__average_warps_issue_stalled_wait_per_issue_active.ratio
#   METRICS+=,smsp__average_warps_issue_stalled_selected_per_issue_active.ratio bash run.sh
[ ${#words[@]} -eq 1 ] || usage 'population.sh instructions FOLDER/out'
pairs=()
for file in "${words[0]}"/*.csv; do
    name=$(basename "$file" .csv)
    [ ! -s "$file" ] || [ ! -s "$top/counts/$name.csv" ] || pairs+=("$file" "$top/counts/$name.csv")
done
[ ${#pairs[@]} -gt 0 ] || refuse "'${words[0]}' has no times of programs that were counted"
awk -f "$scripts/population_instructions.awk" "${pairs[@]}" | LC_ALL=C sort -g > "$top/instructions.tsv"
awk -F'\t' '
    function size(x) { return x < 0 ? -x : x }
    { off[NR] = $1; one += size($1) < 0.01; five += size($1) < 0.05; twenty += size($1) < 0.2; programs[$2] }
    END {
        for (name in programs) n++
        if (NR) printf "%d kernels of %d programs: counted over executed %.3f in the median, %.2f to %.2f of nine of ten; " \
            "%.0f %% within 1 %%, %.0f %% within 5 %%, %.0f %% within 20 %%\n", NR, n, exp(off[int(NR / 2) + 1]),
            exp(off[int(NR / 20) + 1]), exp(off[NR - int(NR / 20)]), 100 * one / NR, 100 * five / NR, 100 * twenty / NR
    }' "$top/instructions.tsv"
echo 'log(counted / executed), program, kernel, blocks, threads, executed, counted, clocks issued or fixed, path:'
cat "$top/instructions.tsv"
