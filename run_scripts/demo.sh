#!/bin/bash
# Grades the sample contest in a copy, build/demo, shows its standings and writes its scoreboard: demo.sh
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
[ $# -eq 0 ] || usage demo.sh
mkdir -p "$build"
rm -rf "$build/demo"
# Its submissions are links to the jury's: the copy has files, as a grader takes no links.
cp -RL "$root/contrib/grade/sample" "$build/demo"
"$root/run_scripts/grade.sh" "$build/demo"
echo
"$root/run_scripts/results.sh" "$build/demo" standings
echo
echo "scoreboard, to be opened with a browser:"
"$root/run_scripts/scoreboard.sh" "$build/demo" --final
