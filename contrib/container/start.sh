#!/bin/bash
# What the container runs: start.sh demo | judge SUBMISSION [PROBLEM] [OPTION...] | COMMAND [ARGUMENT...]
#
# demo grades the sample contest; judge is run_scripts/judge.sh; another word that names one of run_scripts, without its
# .sh, is that script; anything else is run as it is.
set -euo pipefail
[ "${1:-}" != --help ] || { sed -n '2,/^[^#]/{ /^#/s/^# \{0,1\}//p }' "$0"; exit 0; }
cd "$(dirname "$0")/../.."
name=${1:-demo}
shift || true
if [ -x "run_scripts/$name.sh" ]; then
    exec "run_scripts/$name.sh" "$@"
fi
exec "$name" "$@"
