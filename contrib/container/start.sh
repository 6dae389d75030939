#!/bin/bash
# What the container runs: start.sh demo | judge SUBMISSION [PROBLEM] [OPTION...] | COMMAND [ARGUMENT...]
#
# demo grades the sample contest. judge runs run_scripts/judge.sh. The name of another script in run_scripts, without
# .sh, runs that script. Anything else runs as a command.
set -euo pipefail
[ "${1:-}" != --help ] || { sed -n '2,/^[^#]/{ /^#/s/^# \{0,1\}//p }' "$0"; exit 0; }
cd "$(dirname "$0")/../.."
name=${1:-demo}
shift || true
if [ -x "run_scripts/$name.sh" ]; then
    exec "run_scripts/$name.sh" "$@"
fi
exec "$name" "$@"
