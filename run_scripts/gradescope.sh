#!/bin/bash
# Writes an autograder zip for Gradescope:
#   gradescope.sh PROBLEM [--points N] [--league NAME] [--hide-secret] [--box none]
#   gradescope.sh PROBLEM --judge URL --token FILE [--as ID] [--points N]
#
# The zip is build/gradescope-PROBLEM.zip. It holds setup.sh, run_autograder and the options, and in toolkit/ the files
# that git tracks, except tests/, docs/ and the other problems. It holds the secret cases: give it to instructors only.
#
# With --judge, Gradescope's machines judge nothing; they have no GPU. Every submission, one .cu, .c or .cc file, goes
# to the contest's server at URL as a batch (docs/formats/batches.md). FILE holds the program's token and must have mode
# 0600. ID is the problem's name on that server (default: PROBLEM). The zip then holds the token and no problem.
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
line='gradescope.sh PROBLEM [--points N] [--league NAME] [--hide-secret] [--box none]
       gradescope.sh PROBLEM --judge URL --token FILE [--as ID] [--points N]'
[ $# -ge 1 ] || usage "$line"
problem=$1 points=100 league='' hide='' box='' judge='' token='' as=$1
shift
problem_exists "$problem"
while [ $# -gt 0 ]; do
    case $1 in
    --points) [[ ${2:-} =~ ^[0-9]{1,6}(\.[0-9]{1,3})?$ ]] || usage "$line"; points=$2; shift 2 ;;
    --league) [[ ${2:-} =~ ^[a-z0-9_]+$ ]] || usage "$line"; league=$2; shift 2 ;;
    --hide-secret) hide=1; shift ;;
    --box) [ "${2:-}" = none ] || usage "$line"; box=none; shift 2 ;;
    --judge) [[ ${2:-} =~ ^https?://[A-Za-z0-9._~:/%@-]+$ ]] || usage "$line"; judge=$2; shift 2 ;;
    --token) [ -n "${2:-}" ] || usage "$line"; token=$2; shift 2 ;;
    --as) [[ ${2:-} =~ ^[A-Za-z0-9_.-]{1,64}$ ]] || usage "$line"; as=$2; shift 2 ;;
    *) usage "$line" ;;
    esac
done
[ -z "$league" ] || grep -qE "^  $league:" "$root/problems/$problem/gpu.yaml" ||
    refuse "the problem '$problem' has no league '$league'"
if [ -n "$judge" ]; then
    [ -z "$league$hide$box" ] || refuse 'with --judge the server chooses league, box and what is shown'
    [ -f "$token" ] || refuse "--judge needs --token FILE: grade.sh CONTEST token --program NAME writes one"
    [ "$(stat -c %a "$token")" = 600 ] || refuse "others may read the token '$token': chmod 600 it first"
elif [ -n "$token" ] || [ "$as" != "$problem" ]; then
    refuse '--token and --as need --judge'
fi
"$root/run_scripts/lib/packages.sh" formats

folder_made "$build"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage/toolkit"
tracked_files tests docs problems | tar -C "$root" --null -T - -cf - | tar -C "$stage/toolkit" -xf -
# Only this problem goes in: other problems' cases may be secret too. It may be new and not yet committed.
mkdir -p "$stage/toolkit/problems"
cp -R "$root"/problems/*.[ch] "$stage/toolkit/problems/"
if [ -n "$judge" ]; then
    install -m 600 "$token" "$stage/judge-token"
else
    cp -R "$root/problems/$problem" "$stage/toolkit/problems/"
fi
cp "$root/contrib/autograders/gradescope/"{setup.sh,run_autograder} "$stage/"
chmod 755 "$stage/setup.sh" "$stage/run_autograder"
printf '%s\n' "PROBLEM=$problem" "POINTS=$points" "LEAGUE=$league" "HIDE_SECRET=$hide" "BOX=$box" "JUDGE=$judge" \
    "JUDGE_PROBLEM=$as" > "$stage/options"
zip_folder "$stage" "$build/gradescope-$problem.zip" .
chmod 600 "$build/gradescope-$problem.zip"
holds='the secret cases'
[ -z "$judge" ] || holds="the token of $judge"
echo "${build#"$root"/}/gradescope-$problem.zip: upload it as the assignment's autograder; it holds $holds"
