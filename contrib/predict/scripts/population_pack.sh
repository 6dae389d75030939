# Sourced by population.sh: pack FOLDER [--first N] [--skip FOLDER/out]. Writes to FOLDER what the GPU's machine needs:
# programs.tar.xz, list.tsv (name, folder, command) and run.sh.
# shellcheck shell=bash disable=SC2154
[ ${#words[@]} -eq 1 ] || usage 'population.sh pack FOLDER [--first N] [--skip FOLDER/out]'
folder=${words[0]}

# Files that no program reads, by their ends.
sources="o|d|a|c|h|cc|cu|cpp|cuh|hpp|hh|inl|md|rst|sln|vcxproj|json|py|sh|yml|vsd|pdf|png|xml"

# needs RUN: the files of the current folder that a program may read, one a line: itself, the files that its arguments
# name, and the rest of its folder but sources, objects and executables, where that is at most 2 MB.
needs() {
    local word rest=()
    mapfile -t rest < <(find . -regextype posix-extended -type f -size -2048k ! -perm -u+x ! -regex ".*\\.($sources)" \
        ! -iname "makefile*" ! -iname "license*" ! -iname "readme*" ! -iname "cmakelists*")
    if [ ${#rest[@]} -gt 0 ] && [ "$(cat -- "${rest[@]}" | wc -c)" -le 2000000 ]; then
        printf '%s\n' "${rest[@]}"
    fi
    for word in $1; do [ ! -f "$word" ] || echo "$word"; done
}

mkdir -p "$folder" || refuse "cannot make the folder '$folder'"
: > "$folder/list.tsv"
: > "$folder/files"
while IFS=$'\t' read -r name suite place _ _; do
    [ -s "$top/counts/$name.csv" ] && { [ -z "$skip" ] || [ ! -s "$skip/$name.csv" ]; } || continue
    run=$(cut -f 2- "$top/runs/$name")
    (cd "$work/$suite/$place" && needs "$run" | xargs -d "\n" realpath --relative-to="$work") >> "$folder/files"
    printf '%s\t%s\t%s\n' "$name" "$suite/$place" "$run" >> "$folder/list.tsv"
done < <(programs)
sort -u "$folder/files" | tar -C "$work" -cf - -T - | xz -6 > "$folder/programs.tar.xz"
rm "$folder/files"
cp "$scripts/population_time.sh" "$folder/run.sh"
echo "$(wc -l < "$folder/list.tsv") programs, $(wc -c < "$folder/programs.tar.xz") bytes"
