#!/bin/bash
# Judges many submissions in a row on one host, a third of them hostile, and checks what they leave behind:
#
#   soak.sh [--count N] [--kills K] [--seed S] [--c-only]
#
# It judges N submissions (1000) in an order drawn from S (1): the problems' accepted ones, the honest twins, and those
# attacks of tests/exploits that run at all. Each is built once, and judged each time it is drawn. After each one no
# process may be left, and the verdict must be the expected one. Then the script kills the host (SIGKILL) K times (100),
# at a random moment of judging an attack. All its processes must end within a second, and the next honest submission
# must be accepted. At the end it compares mounts, files, locks and memory with the beginning.
#
# --c-only skips submissions in CUDA, as on machines without nvcc. Exit code 1 if anything is wrong.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
. "$(dirname "$0")/../../run_scripts/lib/clean_room.sh"
. "$(dirname "$0")/../helpers/exploits.bash"
count=1000 kills=100 seed=1 c_only=''
words='soak.sh [--count N] [--kills K] [--seed S] [--c-only]'
given=("$@")
while [ $# -gt 0 ]; do
    case $1 in
    --count | --kills | --seed)
        [[ ${2:-} =~ ^[0-9]{1,7}$ ]] || usage "$words"
        printf -v "${1#--}" %d "$((10#$2))"
        shift ;;
    --c-only) c_only=1 ;;
    *) usage "$words" ;;
    esac
    shift
done
work=$build/soak
mkdir -p "$work"

# ------------------------------------------------------------------ the set

# Numbers that a seed repeats on every machine: a 31-bit linear congruential generator,
# of which the upper bits are used.
state=$seed
# draw N: sets $drawn, 0 to N - 1.
draw() {
    state=$(((state * 1103515245 + 12345) % 2147483648))
    drawn=$(((state >> 8) % $1))
}

# wanted FILE: whether it is in the set.
wanted() {
    [[ $1 != *.cu ]] || [ -z "$c_only" ] || return 1
    [ "${field[$1 Needs]:-}" != gpu ] || [ -e /dev/nvidiactl ] || return 1
    # Sources that the compiler refuses are not judged here. early_hang waits for 30 s, nothing else.
    [[ $1 != */compile_* && $1 != */early_hang.c ]]
}

# The set, an entry each: FILE;PROBLEM;VERDICTS;OPTIONS
honest=() hostile=()
choose() {
    local file problem options
    for file in "$root"/problems/{editdistance,matmul,mergesort}/submissions/accepted/*.c; do
        problem=${file#"$root"/problems/} problem=${problem%%/*}
        honest+=("$file;$problem;AC;--group sample")
    done
    [ -n "$c_only" ] || honest+=("$root/device_user.cu;editdistance;AC;--case sample/1-small")
    read_fields "$root"/tests/exploits/*.c*
    for file in "$root"/tests/exploits/*.c*; do
        wanted "$file" || continue
        problem=${field[$file Problem]:-} options=${field[$file Options]:-}
        [ "${field[$file Imports]:-}" != any ] || options="$options --any-imports"
        if [[ $options != *--group* && $options != *--case* ]]; then
            [ -n "$problem" ] && options+=' --group sample' || options+=' --case sample/1-small'
        fi
        file="$file;${problem:-editdistance};${field[$file Expect]:-};$options"
        if [[ $file == *_honest.* ]]; then honest+=("$file"); else hostile+=("$file"); fi
    done
}

# library FILE PROBLEM: the path of its shared object.
library() { echo "$build/submissions/$2/${1#"$root"/}/device_user.so"; }

toolkit_make have-nvcc || c_only=1
choose
# The order is drawn first, so that only drawn submissions are built.
order=()
for ((i = 0; i < count; i++)); do
    draw 3
    if [ "$drawn" -eq 0 ]; then
        draw ${#hostile[@]}
        order+=("${hostile[drawn]}")
    else
        draw ${#honest[@]}
        order+=("${honest[drawn]}")
    fi
done
steady="$root/problems/editdistance/submissions/accepted/bitparallel.c;editdistance;AC;--case sample/1-small"
victims=()
for name in box_survives.c exit_stopped.c signals_ignored.c threads_without_end.c fill_output.c fill_tmp.c \
    early_thread.c; do
    victims+=("$root/tests/exploits/$name;editdistance;-;--case sample/1-small")
done
if [ "${CLEAN_ROOM:-}" != yes ]; then
    exec {lock}> "$work/lock"
    flock -n "$lock" || fail "another soak is running in $build"
    for problem in matmul mergesort editdistance; do PROBLEM=$problem build_toolkit; done
    [ -n "$c_only" ] || build_simulator "$root/device_user.cu"
    built=0
    while IFS=';' read -r file problem _; do
        toolkit_make submission SUBMISSION="${file#"$root"/}" PROBLEM="$problem" >&2 || fail "'$file' does not build"
        built=$((built + 1))
    done < <(printf '%s\n' "${order[@]}" "${victims[@]}" "$steady" | sort -u)
    echo "$count submissions drawn from seed $seed, of $built that were built ($(nproc) processors, $(uname -r))"
fi
clean_room_enter "$work" "${given[@]}"

# ------------------------------------------------------------------ judging and looking

wrong=0
complain() { echo "FAILED: $1"; wrong=$((wrong + 1)); }

# judge ENTRY: sets $verdict, $took (microseconds) and $called (of them in calls).
judge() {
    local file problem options start
    IFS=';' read -r file problem _ options <<< "$1"
    rm -f "$work/result.json"
    start=${EPOCHREALTIME//[!0-9]/}
    # shellcheck disable=SC2086
    timeout -k 1 60 "$build/main_host" "$problem" --submission "$(library "$file" "$problem")" --time-limit 2 $options \
        --json "$work/result.json" > "$work/words" 2>&1 || true
    took=$((${EPOCHREALTIME//[!0-9]/} - start))
    jq -r '"\(.verdict) \([.cases[]?.samples[]?] | add // 0 | . * 1e6 | round)"' > "$work/verdict" \
        "$work/result.json" 2> /dev/null || echo none 0 > "$work/verdict"
    read -r verdict called < "$work/verdict"
}

# check ENTRY NUMBER: judges it and compares.
check() {
    local must name
    IFS=';' read -r name _ must _ <<< "$1"
    name=$(basename "$name")
    judge "$1"
    [[ "|$must|" == *"|$verdict|"* ]] || {
        complain "$2, $name: $verdict where $must must be: $(tail -n 1 "$work/words")"
    }
    clean_room_processes > "$work/left"
    [ ! -s "$work/left" ] || complain "$2, $name: left $(tr '\n' ';' < "$work/left")"
}

# memory FIELD...: their sum in /proc/meminfo, MiB.
memory() {
    local IFS='|'
    awk -v fields="^($*):" '$0 ~ fields { sum += $2 } END { printf "%d", sum / 1024 }' /proc/meminfo
}
# Memory that belongs to no process: files in memory, and the kernel's own.
unowned() { memory Shmem Slab KernelStack PageTables Unevictable; }
cgroups() { find /sys/fs/cgroup -type d 2> /dev/null | wc -l; }
device_memory() { nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits 2> /dev/null | head -n 1 || true; }
files() { find /tmp /dev/shm -xdev -mindepth 1 ! -name 'gpu-contest-toolkit-*lock' | wc -l; }
# inventory: sets $inventory; no pipe, whose ends would be processes.
inventory() {
    clean_room_processes > "$work/left"
    inventory="$(wc -l < "$work/left") $(wc -l < /proc/self/mountinfo) $(files) $(cgroups) $(memory \
        MemAvailable) $(unowned)"
    inventory+=" $(cut -f 1 /proc/sys/fs/file-nr) $(device_memory)"
}
# show NAME: the inventory as a row.
show() {
    local -a row
    read -ra row <<< "$2"
    printf '%-8s %9s %7s %6s %8s %14s %13s %11s  %s\n' "$1" "${row[@]:0:7}" "${row[7]:--}"
}
# statistics FILE: median, 99th percentile and maximum of its microseconds, in ms.
statistics() {
    sort -n "$1" | awk '
        { v[NR] = $1 / 1000 }
        END { if (NR) printf "median %.1f ms, 99 %% below %.1f ms, most %.1f ms (%d)",
            v[int((NR + 1) / 2)], v[int(NR * 0.99 + 0.5)], v[NR], NR; else printf "none" }'
}

for i in 1 2 3; do check "$steady" "warm-up $i"; done
inventory
before=$inventory
for name in overhead hostile gone; do : > "$work/$name"; done
tally=()
start=$SECONDS attacks=0
for ((i = 0; i < count; i++)); do
    check "${order[i]}" "submission $((i + 1))"
    tally+=("$verdict")
    if [[ ${order[i]} == *';AC;'* ]]; then
        echo $((took - called)) >> "$work/overhead"
    else
        attacks=$((attacks + 1))
        echo "$took" >> "$work/hostile"
    fi
done
echo "$count submissions, $attacks of them hostile, in $((SECONDS - start)) s: $(printf '%s\n' "${tally[@]}" | sort |
    uniq -c |
    awk '{ printf "%s%s %s", comma, $1, $2; comma = ", " }')"
echo "overhead of an honest one (all but its calls): $(statistics "$work/overhead")"
echo "a hostile one, limit of 2 s a call included: $(statistics "$work/hostile")"

# ------------------------------------------------------------------ SIGKILL

for ((i = 0; i < kills; i++)); do
    draw ${#victims[@]}
    IFS=';' read -r file problem _ options <<< "${victims[drawn]}"
    # shellcheck disable=SC2086
    "$build/main_host" "$problem" --submission "$(library "$file" "$problem")" --time-limit 20 $options \
        > "$work/words" 2>&1 &
    host=$!
    # Half of them while host and box start, half anywhere.
    draw $((i % 2 ? 40 : 600))
    sleep "$(printf '0.%03d' "$drawn")"
    kill -KILL $host 2> /dev/null || true
    from=${EPOCHREALTIME//[!0-9]/} gone=''
    wait $host 2> /dev/null || true
    while [ $((${EPOCHREALTIME//[!0-9]/} - from)) -lt 5000000 ]; do
        clean_room_processes > "$work/left"
        [ -s "$work/left" ] || { gone=$((${EPOCHREALTIME//[!0-9]/} - from)); break; }
    done
    echo "${gone:-5000000}" >> "$work/gone"
    [ -n "$gone" ] && [ "$gone" -le 1000000 ] ||
        complain "kill $((i + 1)) of $(basename "$file") after 0.$drawn s: a second later there was $(tr '\n' ';' \
        < "$work/left")"
    check "$steady" "after kill $((i + 1))"
done
[ "$kills" -eq 0 ] || echo "$kills times the host was killed; until nothing of it was left: $(statistics "$work/gone")"

# ------------------------------------------------------------------ the end

inventory
after=$inventory
# Memory is freed in the background, and the machine's other users come and go: a leak stays.
unowned_before=$(cut -d ' ' -f 6 <<< "$before") cgroups_before=$(cut -d ' ' -f 4 <<< "$before")
for ((i = 0; i < 10; i++)); do
    [ "$(cut -d ' ' -f 6 <<< "$after")" -gt $((unowned_before + 256)) ] ||
        [ "$(cut -d ' ' -f 4 <<< "$after")" -gt "$cgroups_before" ] || break
    sleep 1
    inventory
    after=$inventory
done
show '' 'processes mounts files cgroups MemAvailable,MiB unowned,MiB open-files device,MiB'
show before "$before"
show after "$after"
left=$(clean_room_left)
[ -z "$left" ] || complain "left behind:"$'\n'"$left"
[ "$(cut -d ' ' -f 6 <<< "$after")" -le $((unowned_before + 256)) ] ||
    complain 'memory that no process has grew by more than 256 MiB'
[ "$(cut -d ' ' -f 4 <<< "$after")" -le "$cgroups_before" ] || complain 'there are more control groups than before'
if [ $wrong -gt 0 ]; then
    echo "$wrong things are wrong"
    exit 1
fi
echo 'every verdict is as it must be, and nothing is left'
