#!/bin/sh
# exports.sh OURS REAL [PATTERN] - whether our library exports the names, with the symbol version, that NVIDIA's does.
# PATTERN, an awk expression, says which names are meant: by default the runtime's. The driver's have no version.
# Prints those that one of them lacks; ends with 1 if there are any.
set -eu

exported() {
    nm -D --with-symbol-versions --defined-only "$1" | awk -v meant="${2:-^(__)?cuda}" '
        $2 != "A" { if (meant ~ /A-Z/) sub(/@.*/, "", $3); if ($3 ~ meant) print $3 }' | LC_ALL=C sort
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
exported "$1" "${3:-}" >"$folder/ours"
exported "$2" "${3:-}" >"$folder/real"
[ -s "$folder/real" ] || { echo "exports: $2 exports nothing" >&2; exit 1; }
LC_ALL=C comm -3 "$folder/ours" "$folder/real" >"$folder/differences"
sed -e 's/^\t/only NVIDIA exports /' -e t -e 's/^/only we export /' "$folder/differences"
[ ! -s "$folder/differences" ]
