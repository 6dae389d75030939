#!/bin/bash
# Serves a contest over HTTP: serve.sh CONTEST [--address A] [--port P] [--id ID] [--proxy]
#
# The server has pages for participants and spectators, and a Contest API below /api. Teams log in with tokens;
# run_scripts/grade.sh CONTEST token TEAM makes one. The server does not grade: run run_scripts/grade.sh CONTEST --watch
# beside it (docs/CONTEST.md). It prints its address when it is ready. Ctrl-C stops it.
#
# Without CONTEST it copies the sample contest to build/serve, starts a grader, and makes a token for one team.
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
folder_made "$build"
rm -rf "$contest"
cp -RL "$root/contrib/grade/sample" "$contest"
rm -rf "$contest"/submissions/*/*/*
# The sample contest ends a day from now.
sed -i "s/^start:.*/start: $(date -u +%FT%TZ)\nend: $(date -u -d 'tomorrow' +%FT%TZ)/" "$contest/contest.yaml"
token=$("$build/grader" token "$contest" gauss)
"$root/run_scripts/grade.sh" "$contest" --watch &
grader=$!
trap 'kill "$grader" 2> /dev/null; wait "$grader" 2> /dev/null || true' EXIT
trap 'exit 0' INT TERM HUP
echo "token of the team gauss (log in with it): $token"
"$build/server" "$contest" "$@" &
server=$!
trap 'kill "$server" "$grader" 2> /dev/null; wait "$server" "$grader" 2> /dev/null || true' EXIT
wait "$server"
