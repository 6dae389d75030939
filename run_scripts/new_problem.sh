#!/bin/bash
# Starts a new problem from the skeleton, which builds, runs and passes: new_problem.sh NAME
#
# NAME becomes the name of the folder, the prefix of its C names, and the title in problem.yaml. Next: docs/PROBLEMS.md.
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
[ $# -eq 1 ] && [[ $1 =~ ^[a-z][a-z0-9]{0,31}$ ]] ||
    usage 'new_problem.sh NAME (make new-problem NAME=...); NAME: a small letter, then small letters or digits, 32 at most'
name=$1
folder=$root/problems/$name
[ ! -e "$folder" ] || refuse "problems/$name exists already"
cp -R "$root/contrib/skeleton" "$folder" 2> /dev/null || fail "cannot write to the folder '$root/problems'"
rm -f "$folder/README.md"
grep -rlZi skeleton "$folder" | xargs -0 sed -i "s/skeleton/$name/g; s/SKELETON/${name^^}/g"
sed -i "s/^uuid: .*/uuid: $(cat /proc/sys/kernel/random/uuid)/; s/^  \\(en\\|ja\\): .*/  \\1: ${name^}/" \
    "$folder/problem.yaml"
"$root/run_scripts/lib/frozen.sh" update "$name"
cat << END
problems/$name is ready. Next:
  make run PROBLEM=$name            runs its baseline on the samples
  make check-problem PROBLEM=$name  proves that it is sound
  edit problem.yaml, statement/, include/device_user.h, problem.c, call.c, data/ and submissions/: docs/PROBLEMS.md
  make answers PROBLEM=$name        writes the answers of all cases; then check again, and: make freeze
END
