#!/bin/bash
# Makes the pictures in docs/scoreboard: the sample contest at three widths, light and dark, in both languages.
#
# scoreboard_pictures.sh [CONTEST [PICTURES]]   a graded contest (default: build/demo, which make demo grades)
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
. "$root/tests/helpers/chromium.bash"
[ $# -le 2 ] || usage 'scoreboard_pictures.sh [CONTEST [PICTURES]]'
contest=${1:-$build/demo} shots=${2:-$root/docs/scoreboard}
[ -f "$contest/grading/results.db" ] || refuse "'$contest' was not graded: make demo grades the sample contest"
"$root/run_scripts/lib/packages.sh" browser pictures
work=$(mktemp -d)
trap 'chromium_stop; rm -rf "$work"' EXIT
"$root/run_scripts/scoreboard.sh" "$contest" --out "$work/site" > /dev/null
mkdir -p "$shots"
chromium_start "$work/chromium"
# page  width  height  colours
while read -r page width height scheme; do
    [ -f "$work/site/$page.html" ] || refuse "the contest has no page '$page'"
    name=${page//\//-}-$width-$scheme
    chromium_screen "$width" 800 "$scheme"
    chromium_open "file://$work/site/$page.html"
    chromium_shot "$shots/$name.png" "$width" "$height"
    echo "${shots#"$root"/}/$name.png"
done <<'PAGES'
index 360 640 light
problem/distance 820 900 light
submission/1 1400 900 dark
ja/index 820 600 dark
PAGES
