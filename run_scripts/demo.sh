#!/bin/bash
# Copies the sample contest to build/demo, grades it, shows its standings and writes its scoreboard: demo.sh
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
[ $# -eq 0 ] || usage demo.sh
folder_made "$build"
rm -rf "$build/demo"
# The sample's submissions are links to jury submissions. The grader takes no links, so the copy has files.
cp -RL "$root/contrib/grade/sample" "$build/demo"
# In a container that forbids namespaces the box uses Landlock. The contest's file must say which box it accepts.
if [ "$("$root/run_scripts/lib/compile_box.sh" --which)" = landlock ]; then
    sed -i 's/^require_box: namespaces/require_box: landlock  /' "$build/demo/contest.yaml"
fi
"$root/run_scripts/grade.sh" "$build/demo"
echo
"$root/run_scripts/results.sh" "$build/demo" standings
echo
echo "scoreboard (open it with a browser):"
"$root/run_scripts/scoreboard.sh" "$build/demo" --final
