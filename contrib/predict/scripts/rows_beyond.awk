# rows_beyond.awk - the rows whose prediction is off by more than the maxima that Riahi et al. report (3.42 % for
# computation, 9.84 % for memory), each beside what the GPU itself repeats to:
#
#   run_scripts/predict.sh evaluate
#   cd contrib/predict/data && awk -F, -f ../scripts/rows_beyond.awk h100-again.csv h100.csv \
#       ../../../build/predict/results/predict-predictions.csv | sort -k5,5 -k1,1gr
#
# The predictions are those of ten folds by the method `bounded`: a row is predicted when it is held back.
FILENAME ~ /again/ { again[$2 "," $4 "," $5] = $6; next }
FILENAME !~ /predictions/ {
    low[FNR] = $6; high[FNR] = $7
    key[FNR] = $2 "," $4 "," $15 "x" $16
    place[FNR] = $12 "x" $13 "x" $14 " of " $15 "x" $16 "x" $17
    next
}
FNR > 1 {
    error = ($7 - $6) / $6 * 100
    most = $3 == "computation" ? 3.42 : 9.84
    k = key[$1]
    if (error > most || -error > most)
        printf "%+8.1f %8.1f %8s %10.2f %-11s %s, %s\n", error, (high[$1] - low[$1]) / $6 * 100,
            k in again ? sprintf("%+.1f", (again[k] - $6) / $6 * 100) : "-", $6, $3, $2, place[$1]
}
