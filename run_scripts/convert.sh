#!/bin/bash
# Converts results to another format: convert.sh junit|tap|summary|gradescope|classroom [options] RESULT.json...
# All options: --help.
. "$(dirname "$0")/lib/lib.sh"
[ $# -gt 0 ] || usage 'convert.sh junit|tap|summary|gradescope|classroom [options] RESULT.json...; see --help'
"$root/run_scripts/lib/packages.sh" build formats
toolkit_make "${build#"$root"/}/convert" >&2 || fail "the converter does not build: see above"
exec "$build/convert" "$@"
