# Compares predictions (the first file, JSON of `predict predict --json --all`) with times (the second file, rows of
# population_join.awk) in their order. population_errors.sh calls it. Lines with # are summaries, the others are rows:
# how far off (|ln|), then what is printed.
function text(line) {
    sub(/^[^:]*: "?/, "", line)
    sub(/"?,?$/, "", line)
    return line
}

function absolute(x) { return x < 0 ? -x : x }

# sort of value[1..n], by merging runs.
function sort(value, n,    width, i, j, k, a, b, to) {
    for (width = 1; width < n; width *= 2) {
        for (i = 1; i <= n; i += 2 * width) {
            a = i; b = i + width
            for (k = i; k < i + 2 * width && k <= n; k++) {
                j = b > n || b >= i + 2 * width || (a < i + width && value[a] <= value[b]) ? a++ : b++
                to[k] = value[j]
            }
        }
        for (i = 1; i <= n; i++) value[i] = to[i]
    }
}

# summary NAME: of error[1..n], the largest of predicted / measured and its inverse in factor.
function summary(name, error, n, factor, held, spans,    i, sum, good, far) {
    if (!n) { printf "#\t%-28s none\n", name; return }
    sort(error, n)
    for (i = 1; i <= n; i++) {
        sum += error[i]
        good += error[i] <= 0.3
    }
    for (i = 1; i <= n; i++) far += factor[i] > 2
    printf "#\t%-28s %4d: median %5.1f %%, mean %5.1f %%, nine of ten %6.1f %%, largest %7.1f %%; ", name, n,
        50 * (error[int((n + 1) / 2)] + error[int(n / 2) + 1]), 100 * sum / n, 100 * error[int(0.9 * n + 0.999)],
        100 * error[n]
    printf "%5.1f %% within 30 %%, %d beyond 2 x", 100 * good / n, far
    if (spans) printf "; %5.1f %% in the 90 %% interval", 100 * held / spans
    printf "\n"
}

FNR == NR && /"kernel":/ { row++; kernel[row] = text($0) }
FNR == NR && /"us":|"refused_us":/ { us[row] = text($0) + 0 }
FNR == NR && /"low_us":/ { low[row] = text($0) + 0 }
FNR == NR && /"high_us":/ { high[row] = text($0) + 0 }
FNR == NR && /"refused":/ { refused[row] = text($0) }
FNR == NR && /"bound":/ { bound[row] = text($0) }
FNR == NR { next }

FNR == 1 {
    n = split($0, cell, ",")
    for (i = 1; i <= n; i++)
        if (cell[i] == "draw") draw_at = i
    next
}
{
    r = FNR - 1
    split($0, cell, ",")
    if (kernel[r] != cell[2] || !(us[r] > 0)) {
        print "population_errors.awk: row " r " has no prediction" > "/dev/stderr"
        exit wrong = 1
    }
    e = us[r] / cell[5] - 1
    f = us[r] > cell[5] ? us[r] / cell[5] : cell[5] / us[r]
    printf "%.6f\t%+7.1f %%  %9.2f  %9.2f to %9.2f  %9.2f  %s  %s\n", log(f), 100 * e, us[r], low[r], high[r], cell[5],
        kernel[r], (refused[r] != "" ? "refused: " refused[r] : bound[r])
    if (refused[r] != "") {
        refusedError[++refusals] = absolute(e); refusedFactor[refusals] = f
    } else {
        error[++rows] = absolute(e); factor[rows] = f
        held += low[r] <= cell[5] && cell[5] <= high[r]
        if (!(kernel[r] in measured)) name[++kernels] = kernel[r]
        draw[kernel[r]] = draw_at ? cell[draw_at] + 0 : 0
        if (draw[kernel[r]] > draws) draws = draw[kernel[r]]
        measured[kernel[r]] += cell[5]; predicted[kernel[r]] += us[r]
        from[kernel[r]] += low[r]; to[kernel[r]] += high[r]
    }
}

# of_draws TITLE FIRST LAST: a summary of kernels of these draws; of rows without draws all are of draw 0.
function of_draws(title, first, last,    k, n, m, p, heldHere) {
    for (k = 1; k <= kernels; k++) {
        if (draw[name[k]] < first || draw[name[k]] > last) continue
        m = measured[name[k]]; p = predicted[name[k]]
        kernelError[++n] = absolute(p / m - 1); kernelFactor[n] = p > m ? p / m : m / p
        heldHere += from[name[k]] <= m && m <= to[name[k]]
    }
    summary(title, kernelError, n, kernelFactor, heldHere, n)
}

END {
    if (wrong) exit 1
    summary("rows", error, rows, factor, held, rows)
    of_draws("kernels", 0, draws)
    if (draws > 1) of_draws("kernels but of the last draw", 0, draws - 1)
    for (d = 1; draws > 1 && d <= draws; d++) of_draws("kernels of draw " d, d, d)
    summary("refused rows, if predicted", refusedError, refusals, refusedFactor, 0, 0)
}
