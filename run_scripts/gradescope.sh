#!/bin/bash
# Writes the zip that Gradescope takes as an autograder:
#   gradescope.sh PROBLEM [--points N] [--league NAME] [--hide-secret] [--box none]
#
# build/gradescope-PROBLEM.zip holds setup.sh and run_autograder at its root, options, and in toolkit/ the files that
# git tracks, less tests/, docs/ and the other problems. It holds the secret cases: it is for the instructor alone.
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
line='gradescope.sh PROBLEM [--points N] [--league NAME] [--hide-secret] [--box none]'
[ $# -ge 1 ] || usage "$line"
problem=$1 points=100 league='' hide='' box=''
shift
problem_exists "$problem"
while [ $# -gt 0 ]; do
    case $1 in
    --points) [[ ${2:-} =~ ^[0-9]{1,6}(\.[0-9]{1,3})?$ ]] || usage "$line"; points=$2; shift 2 ;;
    --league) [[ ${2:-} =~ ^[a-z0-9_]+$ ]] || usage "$line"; league=$2; shift 2 ;;
    --hide-secret) hide=1; shift ;;
    --box) [ "${2:-}" = none ] || usage "$line"; box=none; shift 2 ;;
    *) usage "$line" ;;
    esac
done
[ -z "$league" ] || grep -qE "^  $league:" "$root/problems/$problem/gpu.yaml" ||
    refuse "the problem '$problem' has no league '$league'"
"$root/run_scripts/lib/packages.sh" formats

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage/toolkit" "$build"
tracked_files tests docs problems | tar -C "$root" --null -T - -cf - | tar -C "$stage/toolkit" -xf -
# The problem alone: the others' cases may be secret too. It may be new, and in no commit yet.
mkdir -p "$stage/toolkit/problems"
cp -R "$root"/problems/*.[ch] "$root/problems/$problem" "$stage/toolkit/problems/"
cp "$root/contrib/autograders/gradescope/"{setup.sh,run_autograder} "$stage/"
chmod 755 "$stage/setup.sh" "$stage/run_autograder"
printf '%s\n' "PROBLEM=$problem" "POINTS=$points" "LEAGUE=$league" "HIDE_SECRET=$hide" "BOX=$box" > "$stage/options"
zip_folder "$stage" "$build/gradescope-$problem.zip" .
echo "${build#"$root"/}/gradescope-$problem.zip: upload it as the assignment's autograder; it holds the secret cases"
