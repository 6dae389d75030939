#!/bin/bash
# Writes a contest's scoreboard as pages that need no server: scoreboard.sh CONTEST [--out DIR] [--public|--final]
#
# --public, the default, hides the results of submissions after the freeze; --final shows them. The script prints the
# path of the first page.
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
usage_line='scoreboard.sh CONTEST [--out DIR] [--public|--final]'
[ $# -ge 1 ] && [ -n "$1" ] && [[ $1 != -* ]] || usage "$usage_line"
[ -d "$1" ] || refuse "there is no folder '$1'"
"$root/run_scripts/lib/packages.sh" build grade
toolkit_make "${BUILD:-build}/scoreboard" >&2 || fail "the scoreboard does not build: see above"
exec "$build/scoreboard" "$@"
