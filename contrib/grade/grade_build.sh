#!/bin/bash
# Builds one submission of a contest; build/grader calls it: grade_build.sh SOURCE PROBLEM WORK
#
# SOURCE is a file or folder, or the grader's copy of a submission: a folder with one entry device_user.c,
# device_user.cc, device_user.cu, folder or archive. It writes to WORK: source (the built source), object (the built
# file's path), language (CUDA, OpenCL or C), and source_path. Exit codes: 0 built, 1 it does not compile, 2 it is
# refused, 3 the toolkit failed. Standard output and error are the log. The same source gives the same bytes for any
# path of it, of WORK and of the toolkit: records contain the built file's digest (rerun_record.sh).
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
. "$(dirname "$0")/../../run_scripts/lib/build_submission.sh"
[ $# -eq 3 ] || usage 'grade_build.sh SOURCE PROBLEM WORK'
[ -e "$1" ] || fail "'$1' does not exist"
work=$(realpath "$3")
problem_exists "$2"
entry=$1
for name in device_user.c device_user.cc device_user.cu folder archive; do
    contents=("$1"/*)
    [ ! -e "$1/$name" ] || [ ${#contents[@]} != 1 ] || entry=$1/$name
done

# The only folder in a folder without sources, as archives have it. The grader's copy has none of what macOS and Windows
# keep beside files (litter.c).
inner() { # FOLDER
    local inside
    mapfile -d '' -t inside < <(find "$1" -mindepth 1 -maxdepth 1 -print0)
    if [ ${#inside[@]} = 1 ] && [ -d "${inside[0]}" ] && [ ! -L "${inside[0]}" ]; then
        echo "${inside[0]}"
    else
        echo "$1"
    fi
}

mkdir -p "$work/source" "$work/out"
case ${entry##*/} in
archive)
    cp -- "$entry" "$work/archive"
    status=0
    (cd "$root" && "$root/run_scripts/lib/compile_box.sh" "$work/source" "$work/archive" "$build/unpack" -- \
        "$build/unpack" "$work/archive" "$work/source" "${GRADE_FILES:-64}" "${GRADE_MEGABYTES:-4}") || status=$?
    # 2 and 3: there is no program or no box for it. A signal ended it by what stands in the archive.
    [ $status -le 1 ] || [ $status -ge 124 ] || fail 'the archive could not be unpacked: see above'
    [ $status -lt 124 ] || echo 'the archive cannot be read: the program that unpacks it crashed'
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
        source=$work/source/${entry##*/}
    fi ;;
esac

# What judge.sh does with several runs of make, in one, and that in the box: a submission in C is built in little more
# than the compiler's time. The toolkit was built by grade.sh.
small_make() { env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$root" -f contrib/grade/build.mk "$@"; }

cd "$root"
submission_find "$source"
submission_files "$submission"
problem=$2 language=C tools=(NVCC= CUDA_ARCH=0) sees=()
if [[ $sources$'\n' == *.cu$'\n'* ]]; then
    language=CUDA
    { read -r nvcc && read -r arch; } < <(small_make print-tools SUBMISSION="$submission") && [ -x "$nvcc" ] ||
        refuse "the submission is CUDA C, but this machine has no nvcc"
    tools=("NVCC=$nvcc" "CUDA_ARCH=$arch" ${NVCC_FLAGS+"NVCC_FLAGS=$NVCC_FLAGS"})
    folder=$(realpath "$nvcc")
    [[ $folder == /usr/* ]] || sees+=("${folder%/bin/*}")
fi
# A word of it in any file, then make's own rule, which takes a moment to ask.
if grep -rqE --include='*.[ch]' 'CL/|opencl_user' "$source" || compgen -G "$source/*.cl" > /dev/null &&
    small_make uses-opencl SUBMISSION="$submission" PROBLEM="$problem" OUT="$work/asked" FRESH=1 2> /dev/null; then
    language=OpenCL
    "$root/run_scripts/lib/packages.sh" opencl ||
        refuse "the submission is OpenCL, but this machine cannot build it"
fi
# The simulator, when the first submission needs it, by one of several at a time.
if [ $language = CUDA ] && [ ! -e /dev/nvidiactl ]; then
    {
        flock 9
        build_simulator "$submission"
    } 9> "$build/grading/simulator.lock"
fi

# What was built of the same bytes, by the same rules and tools, for the same processor, is what would be built now.
# Only what compiled is kept, the newest CACHE_KEPT of them; a compiler that is replaced has another time or size.
CACHE_KEPT=256
rules=(contrib/mk contrib/grade/build.mk contrib/grade/grade_build.sh contrib/cuda contrib/opencl run_scripts/lib
    verify/wire/submission.h verify/base/philox.h "problems/$problem/include")
cache_key() {
    {
        echo "$problem $language $([ -d "$submission" ] || echo "${submission##*/}") ${tools[*]}"
        stat -Lc '%n %s %Y' "$(command -v gcc)" "$(command -v ld)" "$(command -v make)" ${nvcc:+"$nvcc"}
        grep -E '^(model name|flags|CPU part|Features)' /proc/cpuinfo | sort -u # C is built for it
        (cd "$submission" 2> /dev/null || cd "${submission%/*}" || exit
            find . -mindepth 1 -printf '%y %m %P %l\n' | LC_ALL=C sort
            find . -type f -print0 | LC_ALL=C sort -z | xargs -0r sha256sum)
        find "${rules[@]}" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
    } | sha256sum | cut -d ' ' -f 1
}
cache=$build/grading/cache kept=$build/grading/cache/$(cache_key)
take_from_cache() {
    [ -f "$kept/device_user.so" ] && cp -- "$kept/device_user.so" "$work/out/device_user.so" 2> /dev/null &&
        cp -- "$kept/compiler" "$work/compiler" 2> /dev/null && touch -c "$kept"
}
# A folder that appears whole, or not at all where another build was first.
put_into_cache() {
    local new=$cache/new.$$ old first=$((CACHE_KEPT + 1))
    mkdir -p "$new" && cp -- "$work/device_user.so" "$work/compiler" "$new/" && mv -T -- "$new" "$kept" 2> /dev/null
    rm -rf "$new"
    while read -r _ old; do
        rm -rf "${cache:?}/$old"
    done < <(find "$cache" -mindepth 1 -maxdepth 1 -printf "%T@ %f\n" |
        sort -rn | tail -n "+$first")
}

# Compilers write paths and times of sources into what they make, CUDA's line numbers, assert() and __DATE__ among them.
# So all is compiled in the box's own /tmp, as of 1970, and messages are printed without that path. The box's /tmp has a
# limit, and the disk has none: of what the compilers write, only the file that is wanted goes to the disk.
place=/tmp/gpu-contest-build copied=$submission name=$place/submission
# shellcheck disable=SC2016
settle='mkdir -p "$1/submission" "$1/out" && cp -R ./. "$1" && cp -R "$2" "$1/submission" && cd "$1" &&
    find . -type f -exec touch -d @0 {} + && into=$3 && shift 3 && SOURCE_DATE_EPOCH=0 "$@" &&
    cp -P out/device_user.so "$into"'
# What the toolkit gives to a submission, in a folder of its own: not every box can hide what lies beside it.
mkdir "$work/given"
cp -R --parents contrib/mk contrib/grade/build.mk contrib/cuda contrib/opencl verify/wire/submission.h \
    verify/base/philox.h "problems/$problem/include" "$work/given"
submission=$(realpath "$submission")
copied=$submission
if [ -d "$submission" ]; then copied+=/.; else name+=/${submission##*/}; fi
# They have the same names each time, also where the box has no /tmp of its own.
export BOX_TMP="$place /tmp/build"
cd "$work/given"
if take_from_cache; then
    [ ! -s "$work/compiler" ] || shown < "$work/compiler" >&2
elif ! submission_compile "$work/compiler" "$work/out" "$root/run_scripts/lib/compile_box.sh" \
    "$work/out" "$work/given" "$submission" "${sees[@]}" \
    -- sh -c "$settle" sh $place "$copied" "$work/out" make -s -f contrib/grade/build.mk submission \
    SUBMISSION="$name" PROBLEM="$problem" OUT=$place/out BUILD=/tmp/build FRESH=1 BOXED= "${tools[@]}"; then
    sed "s|$place/submission/||g; s|$place/out/||g; s|$place/||g" "$work/compiler"
    exit 1
fi
[ -f "$work/out/device_user.so" ] && [ ! -L "$work/out/device_user.so" ] ||
    { echo 'error: the compiler made no file from it'; exit 1; }
mv "$work/out/device_user.so" "$work/device_user.so"
echo "$language" > "$work/language"
echo "$source" > "$work/source_path"
[ -e "$kept" ] || put_into_cache || true
echo "$work/device_user.so" > "$work/object"
