#!/bin/bash
# Makes the practice files file1 ... file22 that are missing or have the wrong length: files.sh [FOLDER]
#
# Practice problem N (run_scripts/runN.sh) has file2N+1 and file2N+2. So run3.sh has file7 and file8 of 20,480
# characters, as in the toolkit of 2009. file1 and file2 are the shortest pair, file21 and file22 the longest allowed.
# File K is what ./getrndstr LENGTH K writes.
. "$(dirname "$0")/lib.sh"
[ $# -le 1 ] || usage 'files.sh [FOLDER]'
folder=${1:-$build/files}
lengths=(128 128 2048 2048 10240 10240 20480 20480 30720 30720 40960 40960 61440 61440 81920 81920 102400 102400
    131072 131072 1048448 16384)

mkdir -p "$folder" || fail "cannot make the folder '$folder'"
for i in "${!lengths[@]}"; do
    file=$folder/file$((i + 1))
    [ "$(stat -c %s "$file" 2> /dev/null)" = "${lengths[i]}" ] ||
        { "$build/getrndstr" "${lengths[i]}" $((i + 1)) > "$file.part" && mv "$file.part" "$file"; }
done
