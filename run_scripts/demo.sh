#!/bin/bash
# Grades the sample contest in a copy, build/demo, shows its standings and writes its scoreboard: demo.sh
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
[ $# -eq 0 ] || usage demo.sh
mkdir -p "$build"
rm -rf "$build/demo"
# Its submissions are links to the jury's: the copy has files, as a grader takes no links.
cp -RL "$root/contrib/grade/sample" "$build/demo"
# In a container that forbids namespaces the box is of Landlock. A contest says itself what it takes.
if [ "$("$root/run_scripts/lib/compile_box.sh" --which)" = landlock ]; then
    sed -i 's/^require_box: namespaces/require_box: landlock  /' "$build/demo/contest.yaml"
fi
"$root/run_scripts/grade.sh" "$build/demo"
echo
"$root/run_scripts/results.sh" "$build/demo" standings
echo
echo "scoreboard, to be opened with a browser:"
"$root/run_scripts/scoreboard.sh" "$build/demo" --final
