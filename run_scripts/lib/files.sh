#!/bin/bash
# Makes the practice files file1 ... file20 where they are missing: files.sh [FOLDER]
#
# Practice problem N (run_scripts/runN.sh) has file2N-1 and file2N; file19 and file20 are the longest pair allowed.
# File K is what ./getrndstr LENGTH K writes.
. "$(dirname "$0")/lib.sh"
[ $# -le 1 ] || usage 'files.sh [FOLDER]'
folder=${1:-$build/files}
lengths=(128 128 512 512 2048 2048 5120 5120 10240 10240 20480 20480 40960 40960 81920 81920 131072 131072
    1048448 16384)

mkdir -p "$folder" || fail "cannot make the folder '$folder'"
for i in "${!lengths[@]}"; do
    file=$folder/file$((i + 1))
    [ -s "$file" ] || { "$build/getrndstr" "${lengths[i]}" $((i + 1)) > "$file.part" && mv "$file.part" "$file"; }
done
