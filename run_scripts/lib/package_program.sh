#!/bin/bash
# Builds a program of a package in the compilers' box: package_program.sh SOURCES FOLDER
#
# The script empties FOLDER, copies SOURCES (a folder or a file) into it, and builds FOLDER/run there
# (contrib/kattis/program_build.sh). Exit code 0, or 3 with the compiler's messages.
. "$(dirname "$0")/lib.sh"
[ $# -eq 2 ] || usage 'package_program.sh SOURCES FOLDER'
rm -rf "$2"
mkdir -p "$2"
if [ -d "$1" ]; then cp -R "$1/." "$2"; else cp "$1" "$2"; fi
folder=$(realpath "$2")
cd "$folder"
words=$("$root/run_scripts/lib/compile_box.sh" "$folder" "$root/contrib/kattis/program_build.sh" -- \
    sh "$root/contrib/kattis/program_build.sh" 2>&1) && [ -f run ] || {
    shown <<< "$words" >&2
    fail "'$1' does not build: see above"
}
chmod 755 run # the box may forbid it
