# Sourced after lib.sh by the scripts that read packages: zips that others made.
# shellcheck shell=bash
unpack_allowed='^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*/?$'
unpack_any='^[^/[:cntrl:]\;^]+(/[^/[:cntrl:]\;^]+)*/?$'
unpack_files=20000 unpack_bytes=${UNPACK_BYTES:-536870912} unpack_file_bytes=${UNPACK_FILE_BYTES:-134217728}

# unpack ZIP FOLDER: unpacks a zip of files and folders with names that the package format allows into an empty FOLDER,
# or the script ends and nothing is left. The format has other names ignored: they are not there, and those that do not
# begin with a dot are in unpack_ignored. Links, other kinds of entries, absolute names and .. are refused, as are names
# with characters that unzip does not write as they are, names twice, more than 20,000 entries, UNPACK_BYTES in all
# (512 MiB) and UNPACK_FILE_BYTES a file (128 MiB), whatever the zip says of their sizes.
unpack() {
    local zip=$1 folder=$2 list name total allowed='' files=0 status=0
    unpack_ignored=()
    [ -f "$zip" ] || refuse "there is no file '$zip'"
    zipinfo -1 "$zip" > /dev/null 2>&1 < /dev/null || refuse "'$zip' is no zip, or damaged"
    list=$(zipinfo -1 "$zip" 2> /dev/null | head -n $((unpack_files + 1))) || true
    [ "$(wc -l <<< "$list")" -le $unpack_files ] || refuse "'$zip' has more than $unpack_files entries"
    while IFS= read -r name; do
        # unzip takes backslash and semicolon for what other systems have; control characters are listed as ^X.
        [[ $name =~ $unpack_any && /$name/ != */../* && /$name/ != */./* && ${#name} -le 1024 ]] ||
            refuse "'$zip' has a name that is not allowed: '${name//[^[:print:]]/?}'"
        # Auxiliary files may begin with a dot, and are not unpacked.
        if [[ $name =~ $unpack_allowed ]]; then
            [[ $name == */ ]] || allowed+="$name"$'\n'
        elif [[ /$name != */.* ]]; then
            unpack_ignored+=("${name//[^[:print:]]/?}")
            [[ $name == */ ]] || files=$((files + 1))
        fi
    done <<< "$list"
    files=$((files + $(printf %s "$allowed" | wc -l)))
    [ -z "$(printf '%s\n' "$list" | sed 's|/$||' | tr '[:upper:]' '[:lower:]' | LC_ALL=C sort | uniq -d)" ] ||
        refuse "'$zip' has a name twice"
    # The kinds: - for files and d for folders, and what no system wrote, which has neither letter.
    zipinfo -l "$zip" 2> /dev/null | sed '1,2d; $d' | grep -qE '^[lbcps]' &&
        refuse "'$zip' has a link in it, or something else that is no file or folder"
    total=$(zipinfo -t "$zip" 2> /dev/null | sed -n 's/.* \([0-9]*\) bytes uncompressed.*/\1/p')
    [ -n "$total" ] && [ "$total" -le "$unpack_bytes" ] || refuse "'$zip' is larger than $unpack_bytes bytes unpacked"
    (
        ulimit -f $((unpack_file_bytes / 1024))
        cd "$folder" && timeout -k 5 120 unzip -qq -o -X "$zip" -x '.*' '*/.*' < /dev/null > /dev/null 2>&1
    ) || status=$?
    # 11: nothing but what was left out; the check of an empty package comes later.
    if [ $status -ne 0 ] && [ $status -ne 11 ]; then
        find "$folder" -mindepth 1 -delete
        refuse "'$zip' cannot be unpacked: it is damaged, or has a file of more than $unpack_file_bytes bytes"
    fi
    # None may take another's place, nor a name that was ignored come out as one that is not.
    status=0
    [ "$(find "$folder" -type f -printf x | wc -c)" -eq $files ] || status=1
    find "$folder" -mindepth 1 -regextype posix-extended ! -regex '.*/[a-zA-Z0-9_][a-zA-Z0-9_.-]*' -prune \
        -exec rm -rf {} +
    [ "$(cd "$folder" && find . -type f -printf '%P\n' | LC_ALL=C sort)" = \
        "$(printf %s "$allowed" | LC_ALL=C sort)" ] || status=1
    if [ $status -ne 0 ]; then
        find "$folder" -mindepth 1 -delete
        refuse "'$zip' has names that cannot be written as they are"
    fi
    if [ -n "$(find "$folder" ! -type f ! -type d -print -quit)" ] ||
        [ "$(du -sb "$folder" | cut -f 1)" -gt "$unpack_bytes" ]; then
        find "$folder" -mindepth 1 -delete
        refuse "'$zip' has a link in it, or is larger than $unpack_bytes bytes unpacked"
    fi
    find "$folder" -type d -exec chmod 755 {} + -o -type f -exec chmod u+rw,go+r,go-w,ug-s {} +
}
