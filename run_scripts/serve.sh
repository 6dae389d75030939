#!/bin/bash
# Serves a contest over HTTP: serve.sh CONTEST [--address A] [--port P] [--id ID] [--proxy]
#
# Pages for participants and onlookers, and a Contest API below /api. Teams log in with tokens, which
# run_scripts/grade.sh CONTEST token TEAM makes. What they hand in is graded by run_scripts/grade.sh CONTEST --watch,
# which runs beside it: docs/CONTEST.md. Prints the address when it is ready; Ctrl-C stops it.
#
# Without CONTEST it serves the sample contest in a copy, build/serve, with a grader and a token for one of its teams.
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
contest=''
if [ $# -gt 0 ] && [[ $1 != -* ]]; then
    [ -d "$1" ] || refuse "there is no folder '$1'"
    contest=$1
    shift
fi
"$root/run_scripts/lib/packages.sh" build grade serve
toolkit_make grade-programs serve-programs >&2 || fail 'the server does not build: see above'
[ -z "$contest" ] || exec "$build/server" "$contest" "$@"

contest=$build/serve
rm -rf "$contest"
cp -RL "$root/contrib/grade/sample" "$contest"
rm -rf "$contest"/submissions/*/*/*
# It goes on for a day from now.
sed -i "s/^start:.*/start: $(date -u +%FT%TZ)\nend: $(date -u -d 'tomorrow' +%FT%TZ)/" "$contest/contest.yaml"
token=$("$build/grader" token "$contest" gauss)
"$root/run_scripts/grade.sh" "$contest" --watch &
grader=$!
trap 'kill "$grader" 2> /dev/null; wait "$grader" 2> /dev/null || true' EXIT
trap 'exit 0' INT TERM HUP
echo "token of the team gauss, to log in with: $token"
"$build/server" "$contest" "$@" &
server=$!
trap 'kill "$server" "$grader" 2> /dev/null; wait "$server" "$grader" 2> /dev/null || true' EXIT
wait "$server"
