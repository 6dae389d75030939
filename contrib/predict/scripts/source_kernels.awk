# The features of the eight kernels of Riahi et al. as they are here, a row a kernel: its largest launch in a CSV of
# measurements. Prints the table that docs/predict/features.md has; a test compares the two.
BEGIN { FS = ","; split("srad_1 srad_2 nn_distance vector_add hotspot matmul_shared fan_1 fan_2", kernels, " ") }
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
$at["size"] + 0 > size[$at["kernel"]] { size[$at["kernel"]] = $at["size"] + 0; row[$at["kernel"]] = $0 }
function of(name) { return cell[at[name]] }
function count(name, text) {
    text = sprintf("%.2f", of(name))
    sub(/\.?0+$/, "", text)
    return text
}
END {
    print "| kernel | `l` | `l_c` | `l_mr` | `l_mw` | `l_shr` | `l_shw` | `l_s` | `l_sfu` | `dpc` | `cpx` |" \
        " registers | words |"
    print "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    for (k = 1; k in kernels; k++) {
        split(row[kernels[k]], cell, ",")
        printf "| `%s`, n = %d | %s | %s | %s | %s | %s | %s | %s | %s | %.4f | %d | %d | %d |\n", kernels[k], \
            of("size"), count("l"), count("l_c"), count("l_mr"), count("l_mw"), count("l_shr"), count("l_shw"), \
            count("l_s"), count("l_sfu"), of("dpc"), of("cpx"), of("registers"), of("shared_words")
    }
}
