# Sourced by population.sh: overhead [--only REGEX]. What counting adds to the simulation of the programs that are
# built: seconds of processor time without features, with features of a sample, with features of all blocks; then the
# last two over the first, of which 3 is the goal for the sample: it adds at most twice the simulation's time.
# shellcheck shell=bash disable=SC2154

# processor_seconds SAMPLE FEATURES RUN: of a program in this folder; nothing if it does not end within the limit.
processor_seconds() (
    TIMEFORMAT='%U %S'
    ulimit -t "$seconds" -c 0
    [ "$1" -eq 0 ] || export CUDASIM_SAMPLE=$1
    [ -z "$2" ] || export CUDASIM_FEATURES=$2
    export CUDASIM_CHECK=none CUDASIM_PROFILE=h200 CUDASIM_WORKERS=1
    export LD_LIBRARY_PATH=$build/cudasim${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    # A program that finds its results wrong, as those of a sample are, has run as well.
    { time timeout -k 1 $((seconds * 15)) bash -c "$3; [ \$? -lt 124 ]" > /dev/null 2>&1 < /dev/null && echo ended; } \
        2>&1 | awk '/^ended/ { ended = 1 } /^[0-9]/ { s = $1 + $2 } END { if (ended) printf "%.2f", s }' || true
)

# overhead_of NAME FOLDER: its line, where it ends within the limit without features.
overhead_of() {
    local run plain sample all
    run=$(cut -f 2- "$top/runs/$1")
    cd "$2" || return
    plain=$(processor_seconds 0 '' "$run")
    [ -n "$plain" ] || { echo "$1: does not end within $seconds s" >&2 && return; }
    sample=$(processor_seconds 64 "$top/overhead.csv" "$run")
    all=$(processor_seconds 0 "$top/overhead.csv" "$run")
    awk -v name="$1" -v plain="$plain" -v sample="${sample:-$seconds}" -v all="${all:-$seconds}" \
        'BEGIN { printf "%-32s %6.2f %6.2f %6.2f %6.2f %6.2f\n", name, plain, sample, all, sample / plain,
            all / plain }'
}

toolkit_make cudasim-library >&2 || fail 'the simulator does not build: see above'
mkdir -p "$top"
echo 'program                           plain sample    all sample/plain all/plain'
while IFS=$'\t' read -r name suite folder _ _ <&3; do
    [[ $name =~ $only && -e $top/built/$name && -s $top/runs/$name ]] || continue
    (overhead_of "$name" "$work/$suite/$folder")
done 3< <(programs) > "$top/overhead.part"
LC_ALL=C sort -k 5,5gr "$top/overhead.part" | tee "$top/overhead.txt"
awk '{ n++; over += $5 > 3; value[n] = $5; all[n] = $6; if ($2 >= 0.5) { large++; worse += $5 > 3 } }
    END { printf "%d programs, sample/plain %.2f in the median, %.2f at most, above 3: %d; of %d that take 0.5 s: %d\n",
        n, value[int((n + 1) / 2)], value[1], over, large, worse }' "$top/overhead.txt"
