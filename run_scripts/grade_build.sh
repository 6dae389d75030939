#!/bin/bash
# Builds one submission of a contest, called by build/grader: grade_build.sh SOURCE PROBLEM WORK
#
# SOURCE is a file or folder, or the grader's copy of a submission: a folder with one entry device_user.c, device_user.cu,
# folder or archive. Written in WORK: source, what was built; object, the built file's path; language, CUDA, OpenCL or C;
# source_path. Exit code 0 built, 1 it does not compile, 2 it is refused, 3 the toolkit failed; standard output and error
# are the log.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/build_submission.sh"
[ $# -eq 3 ] || usage 'grade_build.sh SOURCE PROBLEM WORK'
[ -e "$1" ] || fail "there is no '$1'"
work=$3
problem_exists "$2"
entry=$1
for name in device_user.c device_user.cu folder archive; do
    [ ! -e "$1/$name" ] || [ "$(find "$1" -mindepth 1 -maxdepth 1 | wc -l)" != 1 ] || entry=$1/$name
done

# The only folder in a folder without sources, as archives have it.
inner() { # FOLDER
    if [ -z "$(find "$1" -maxdepth 1 -type f)" ] && [ "$(find "$1" -mindepth 1 -maxdepth 1 | wc -l)" = 1 ]; then
        echo "$1/$(find "$1" -mindepth 1 -maxdepth 1 -printf '%f')"
    else
        echo "$1"
    fi
}

mkdir -p "$work/source"
case $(basename "$entry") in
archive)
    cp -- "$entry" "$work/archive"
    status=0
    (cd "$root" && "$root/run_scripts/compile_box.sh" "$work/source" "$work/archive" "$build/unpack" -- \
        "$build/unpack" "$work/archive" "$work/source" "${GRADE_FILES:-64}" "${GRADE_MEGABYTES:-4}") || status=$?
    [ $status -le 1 ] || fail 'the archive could not be unpacked: see above'
    [ $status -eq 0 ] || exit 1
    source=$(inner "$work/source") ;;
folder)
    cp -R -- "$entry/." "$work/source"
    source=$(inner "$work/source") ;;
*)
    if [ -d "$entry" ]; then
        cp -R -- "$entry/." "$work/source"
        source=$work/source
    else
        cp -- "$entry" "$work/source"
        source=$work/source/$(basename "$entry")
    fi ;;
esac

# The toolkit is built, by grade.sh; the simulator when the first submission needs it, by one of several at a time.
build_toolkit() { :; }
eval "real_$(declare -f build_simulator)"
build_simulator() {
    {
        flock 9
        real_build_simulator "$1"
    } 9> "$build/grading/simulator.lock"
}

submission_find "$source"
problem=$2
if ! submission_build "$submission" "$problem" "$work/compiler"; then
    cat "$work/compiler"
    exit 1
fi
mv "$root/$so" "$work/device_user.so"
rm -rf "${root:?}/${so%/device_user.so}"
if toolkit_make uses-opencl SUBMISSION="$submission" PROBLEM="$problem"; then
    language=OpenCL
elif grep -q '\.cu$' <<< "$sources"; then
    language=CUDA
else
    language=C
fi
echo "$language" > "$work/language"
echo "$source" > "$work/source_path"
sync -f "$work/device_user.so"
echo "$work/device_user.so" > "$work/object"
