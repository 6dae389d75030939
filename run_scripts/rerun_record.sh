#!/bin/bash
# Judges a contest's signed record again, from the source: rerun_record.sh RECORD SOURCE [options of verify_record.sh]
#
# SOURCE is the grader's copy, CONTEST/grading/sources/N, or the submitted file, folder or archive. The script builds it
# as the grader does. The same compilers, toolkit and kind of processor or GPU give the same device_user.so as in the
# record. Then verify_record.sh checks the record with --submission, --source and --rerun.
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
[ $# -ge 2 ] && [ -n "$2" ] || usage 'rerun_record.sh RECORD SOURCE [--key PUBLIC] [--seal FILE]'
[ -f "$1" ] || refuse "there is no record '$1'"
[ -e "$2" ] || refuse "there is no source '$2'"
record=$(realpath "$1") source=$(realpath "$2")
problem=$(jq -r '.problem? // empty' "$record" 2> /dev/null) && [ -n "$problem" ] ||
    refuse "'$1' is not a record: it names no problem"
problem_exists "$problem"
toolkit_make grade-programs >&2 || fail "the grader does not build: see above"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder_made "$build/grading"
# In the grader's copies the submission is the only entry of a folder, with one of these names.
name=archive
if [ -d "$source" ]; then
    name=folder entries=("$source"/*)
    [[ ${#entries[@]} != 1 || ! ${entries[0]##*/} =~ ^(device_user\.cu?|folder|archive)$ ]] || name=
elif [[ $source =~ \.cu?$ ]]; then
    name=device_user.${source##*.}
fi
if [ -n "$name" ]; then
    mkdir "$work/copy"
    cp -R -- "$source" "$work/copy/$name"
    source=$work/copy
fi
status=0
"$root/contrib/grade/grade_build.sh" "$source" "$problem" "$work" > "$work/log" 2>&1 || status=$?
if [ $status -ne 0 ]; then
    shown < "$work/log" >&2
    [ $status -le 2 ] || fail "'$2' could not be built: see above"
    refuse "'$2' does not build, so it is not what ran in this record: see above"
fi
"$root/run_scripts/verify_record.sh" "$record" "${@:3}" --rerun --submission "$work/device_user.so" \
    --source "$(< "$work/source_path")" || status=$?
if [ $status -eq 1 ] && [ "$(jq -r '.submission.sha256?' "$record")" != "$(sha256sum < "$work/device_user.so" |
    cut -d ' ' -f 1)" ]; then
    echo "rerun_record.sh: '$2' built here differs from the record's file. If the source is the record's, rerun it $(
        )with the compilers, the toolkit and the kind of processor or GPU (CUDA_ARCH) that made the record" >&2
fi
exit $status
