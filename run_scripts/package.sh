#!/bin/bash
# Packages of the Kattis Problem Package Format: package.sh export|import|check ARGUMENT... (contrib/kattis)
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
"$root/run_scripts/lib/packages.sh" build formats
toolkit_make "${build#"$root"/}/kattis" >&2 || fail "the toolkit does not build: see above"
exec "$build/kattis" "$@"
