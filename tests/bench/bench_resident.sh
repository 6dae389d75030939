#!/bin/bash
# Measures how exact the clock of resident problems is: bench_resident.sh [FOLDER] (build/bench/resident)
#
# It uses submissions to softmax whose kernels take a known time, on a GPU: they spin for 2 us to 2 ms (LENGTHS, us),
# one has two kernels, and one is a copy of 32 MiB. It judges each REPEATS times (301) with a fresh input, and runs it
# as often in a plain process under CUPTI (main_resident.cu). The table has for each, in us:
#   cupti      the median from the first kernel's start to the last one's end, less that of an empty kernel
#   plain      the same by the CPU's clock, from the call to the end of the wait, without CUPTI: which itself lengthens
#              calls of two kernels
#   judge      the median of the judge's times, less that of the empty submission in the same judging
#   error      judge - cupti, and in % of cupti
#   overhead   what the empty submission takes; q1, q3: quartiles of the judge's times; most: the longest
# Then it prints the medians of ten judgings at 5 us, and the cost of a case without its calls. All samples go to
# FOLDER/clock.tsv.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -le 1 ] || usage 'bench_resident.sh [FOLDER]'
folder=${1:-$build/bench/resident} repeats=${REPEATS:-301} again=${AGAIN:-10}
[[ $repeats =~ ^[0-9]{0,3}[13579]$ && $again =~ ^[0-9]{1,2}$ ]] ||
    refuse "REPEATS=$repeats, AGAIN=$again: no odd number of calls, or none of judgings"
few=$((repeats / 3 | 1)) # of the copy, odd as well
mkdir -p "$folder"
PROBLEM=softmax build_toolkit
"$build/main_host" --devices 2> /dev/null | grep -q '^gpu' ||
    refuse "this machine has no GPU: there is nothing to compare"
toolkit_make "${BUILD:-build}/bench_resident" >&2 || fail "bench_resident does not build: it needs CUPTI"
megahertz=$(nvidia-smi --query-gpu=clocks.max.sm --format=csv,noheader,nounits | head -n 1)
small=(4 16) large=(8192 1024) rows=$folder/clock.tsv
: > "$rows"

# so NAME [FILE [CLOCKS KERNELS]]: builds a submission and prints its shared object.
so() {
    local source=$folder/$1/${2##*/}
    mkdir -p "$folder/$1"
    {
        [ $# -lt 4 ] || printf '#define CLOCKS %d\n#define KERNELS %d\n' "$3" "$4"
        cat "$root/tests/fixtures/clock/$2"
    } > "$source"
    toolkit_make submission PROBLEM=softmax SUBMISSION="$source" >&2 || fail "'$source' does not build"
    echo "$root/$(toolkit_make print-submission PROBLEM=softmax SUBMISSION="$source")"
}

# judge NAME SO REPEATS ROWS COLUMNS: result in FOLDER/NAME.json, samples to clock.tsv.
judge() {
    "$build/main_host" softmax --submission "$2" --ranked --repeat "$3" --generate "normal $4 $5 float32 seed=1" \
        --json "$folder/$1.json" > "$folder/$1.txt" 2>&1 || fail "$1: $(tail -n 1 "$folder/$1.txt")"
    jq -r --arg name "$1" '.cases[0] | ["overhead", .overhead.median], (.samples[] | ["judge", .]) |
        [$name, .[0], (.[1] * 1e9 | round)] | @tsv' "$folder/$1.json" >> "$rows"
}

# below_cupti REPEATS ROWS COLUMNS NAME...: the same for CUPTI, of submissions and the empty one.
below_cupti() {
    local arguments=() name
    for name in "${@:4}"; do arguments+=("$name=${so_of[$name]}"); done
    "$build/bench_resident" "$1" "$2" "$3" "empty-$2=$build/empty_resident.so" "${arguments[@]}" >> "$rows"
}

# All are built at the same time, before anything is timed.
read -r -a lengths <<< "${LENGTHS:-2 3 5 10 20 50 100 200 500 1000 2000}"
names=() builds=()
for length in "${lengths[@]}"; do
    names+=("spin-$length")
    so "spin-$length" spin.cu $((length * megahertz)) 1 > "$folder/spin-$length.so" &
    builds+=($!)
done
names+=(two-10)
so two-10 spin.cu $((10 * megahertz)) 2 > "$folder/two-10.so" &
builds+=($!)
so copy copy_rows.cu > "$folder/copy.so" &
builds+=($!)
expert=problems/softmax/submissions/accepted/expert.cu
toolkit_make submission PROBLEM=softmax SUBMISSION=$expert >&2 || fail "'$expert' does not build"
for build_of in "${builds[@]}"; do wait "$build_of" || fail 'a submission does not build: see above'; done
declare -A so_of=([expert]=$root/$(toolkit_make print-submission PROBLEM=softmax SUBMISSION=$expert))
for name in "${names[@]}" copy; do so_of[$name]=$(< "$folder/$name.so"); done
below_cupti "$repeats" "${small[@]}" "${names[@]}"
below_cupti $few "${large[@]}" copy
for name in "${names[@]}"; do judge "$name" "${so_of[$name]}" "$repeats" "${small[@]}"; done
judge copy "${so_of[copy]}" $few "${large[@]}"

"$build/main_host" --devices 2> /dev/null | grep '^gpu'
echo "$repeats calls each, us"
printf '%-10s %10s %10s %10s %8s %7s %9s %9s %9s %9s\n' submission cupti plain judge error % overhead q1 q3 most
awk -F '\t' -v names="${names[*]} copy" '
    function quantile(key, part,   n, i, j, v, t) { # of the samples of key, sorted once
        n = count[key]
        if (!sorted[key]++)
            for (i = 2; i <= n; i++) {
                v = sample[key, i]
                for (j = i - 1; j >= 1 && sample[key, j] > v; j--) sample[key, j + 1] = sample[key, j]
                sample[key, j + 1] = v
            }
        t = 1 + (n - 1) * part
        i = int(t)
        return n ? (sample[key, i] + (t > i ? (sample[key, i + 1] - sample[key, i]) * (t - i) : 0)) / 1e3 : 0
    }
    { sample[$1 "/" $2, ++count[$1 "/" $2]] = $3 }
    END {
        for (i = 1; i <= split(names, name, " "); i++) {
            k = name[i]
            e = k == "copy" ? "empty-8192" : "empty-4"
            cupti = quantile(k "/cupti", 0.5) - quantile(e "/cupti", 0.5)
            plain = quantile(k "/host", 0.5) - quantile(e "/host", 0.5)
            over = quantile(k "/overhead", 0.5)
            got = quantile(k "/judge", 0.5) - over
            printf "%-10s %10.3f %10.3f %10.3f %8.3f %7.2f %9.3f %9.3f %9.3f %9.1f\n", k, cupti, plain, got,
                got - cupti, (got - cupti) / cupti * 100, over, quantile(k "/judge", 0.25), quantile(k "/judge", 0.75),
                quantile(k "/judge", 1)
        }
    }' "$rows"

echo "judgings of spin-5: median less overhead, median, overhead, us"
for ((i = 1; i <= again; i++)); do
    judge "again-$i" "${so_of[spin-5]}" "$repeats" "${small[@]}"
    jq -r '.cases[0] | [.seconds.median - .overhead.median, .seconds.median, .overhead.median] |
        map(. * 1e9 | round / 1e3) | @tsv' "$folder/again-$i.json"
done | tee "$folder/again.txt"
awk -F '\t' 'NR == 1 { low = high = $1; l = h = $2 }
    { low = $1 < low ? $1 : low; high = $1 > high ? $1 : high; l = $2 < l ? $2 : l; h = $2 > h ? $2 : h }
    END { if (NR) printf "spread of the first: %.3f us, %.2f %%; of the second: %.3f us, %.2f %%\n", high - low,
              (high - low) / low * 100, h - l, (h - l) / l * 100 }' "$folder/again.txt"

# seconds_of CASE-OPTION...: wall seconds of a ranked judging, and of its calls.
seconds_of() {
    local start=$EPOCHREALTIME
    "$build/main_host" softmax --submission "${so_of[expert]}" --ranked "$@" --json "$folder/cost.json" \
        > "$folder/cost.txt" 2>&1 || fail "$(tail -n 1 "$folder/cost.txt")"
    jq -r --arg wall "$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')" \
        '"\($wall) \([.cases[].samples[]] | add) \(.cases | length)"' "$folder/cost.json"
}
read -r wall_one calls_one _ < <(seconds_of --case sample/1-small)
read -r wall_all calls_all count < <(seconds_of --group sample)
awk -v a="$wall_one" -v b="$wall_all" -v c="$calls_one" -v d="$calls_all" -v n="$count" 'BEGIN {
    printf "a judging of 1 case: %.2f s, its calls %.4f s; of %d cases: %.2f s\n", a, c, n, b
    printf "a case more, beside its calls: %.2f s\n", (b - a - (d - c)) / (n - 1) }'
