#!/bin/bash
# Writes a graded contest as the files of a CLICS Contest API 2023-06: clics.sh CONTEST --out DIR [--public]
#
# It writes DIR/NAME.json for each endpoint. Every call appends the changes to DIR/event-feed.ndjson. --public writes
# only what everybody may see. Other options: build/clics --help. docs/formats/clics.md describes the files.
. "$(dirname "$0")/lib/lib.sh"
[ $# -ge 1 ] && [ -n "$1" ] || usage 'clics.sh CONTEST --out DIR [--public] [--id ID] [--at TIME] [--since TOKEN]'
[[ $1 == --help || -d $1 ]] || refuse "there is no folder '$1'"
"$root/run_scripts/lib/packages.sh" build grade clics
toolkit_make "${build#"$root"/}/clics" >&2 || fail "clics does not build: see above"
exec "$build/clics" "$@"
