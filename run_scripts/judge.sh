#!/bin/bash
# Builds a submission and judges it on all cases: judge.sh SUBMISSION [PROBLEM] [options for main_host]
#
# SUBMISSION is a .cu or .c file or a folder of them, with .cl files for OpenCL. PROBLEM is taken from the path of a jury submission, and is
# editdistance otherwise. A submission that does not compile, or not within COMPILE_SECONDS (120), gets CE, with the
# compiler's words. It is always built anew, the compilers in a box.
. "$(dirname "$0")/lib.sh"
compile_seconds=${COMPILE_SECONDS:-120} compile_words=1048576
if [ $# -eq 0 ] || [ -z "$1" ]; then
    usage 'judge.sh SUBMISSION [PROBLEM] [options for main_host]'
fi
submission=$1
shift

[ -e "$submission" ] || refuse "there is no submission '$submission'"
full=$(realpath "$submission")
submission=${full#"$root"/} # as make, which runs in the toolkit's folder, is to see it
problem=editdistance
[[ $submission == problems/*/submissions/* ]] && problem=$(cut -d / -f 2 <<< "$submission")
if [ $# -gt 0 ] && [[ $1 != -* ]]; then
    problem=$1
    shift
fi
problem_exists "$problem"

# make and the compiler see names as words: only harmless ones may reach them.
names=$submission
if [ -d "$full" ]; then
    sources=$(find "$full" -maxdepth 1 -type f \( -name '*.cu' -o -name '*.c' \))
    [ -n "$sources" ] || refuse "the folder '$submission' has no .cu or .c file"
    [ -z "$(find "$full" ! -type f ! -type d -print -quit)" ] ||
        refuse "the folder '$submission' has a symbolic link in it, or something else that is no file or folder"
    names+=$(cd "$full" && find . -print0 | tr '\0\n' '\n?')
elif [ ! -f "$full" ]; then
    refuse "'$submission' is no regular file, and no folder"
elif [[ $submission == *.cu || $submission == *.c ]]; then
    sources=$submission
else
    refuse "'$submission' is no .cu or .c file, and no folder"
fi
while read -r name; do
    [[ $name =~ ^[A-Za-z0-9_./+-]+$ ]] ||
        refuse "the name '${name//[^[:print:]]/?}' has characters that make cannot take: use letters, digits and _ . + -"
done <<< "$names"
if grep -q '\.cu$' <<< "$sources" && ! toolkit_make have-nvcc; then
    fail "'$submission' is CUDA C, and nvcc is not found: install the CUDA Toolkit or set CUDA_HOME"
fi

if [[ " $* " == *' --box none '* || " $* " == *' --box=none '* ]] && [[ " $* " =~ ' --'(seal|key)[\ =] ]]; then
    refuse 'without a box the submission could read the seal or the key: leave --box none away'
fi
if toolkit_make uses-opencl SUBMISSION="$submission" PROBLEM="$problem"; then
    "$root/run_scripts/packages.sh" opencl || fail "the submission is OpenCL, and this machine cannot build it: see above"
fi

PROBLEM=$problem build_toolkit
build_simulator "$submission"
so=$(toolkit_make print-submission SUBMISSION="$submission" PROBLEM="$problem" FRESH=1)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
folder=$root/${so%/device_user.so}
{ rm -rf "$folder" && mkdir -p "$folder"; } || fail "cannot make the folder '$folder' anew"
status=0
# The compilers are in a box too, unless the caller does without one.
boxed=1
[[ " $* " != *' --box none '* && " $* " != *' --box=none '* ]] || boxed=
{
    timeout -k 5 "$compile_seconds" env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$root" submission \
        SUBMISSION="$submission" PROBLEM="$problem" FRESH=1 BOXED=$boxed 2>&1 < /dev/null || status=$?
    echo "status $status"
} | head -c $compile_words > "$log" || true
status=$(sed -n '$s/^status \([0-9]*\)$/\1/p' "$log")
if [ -z "$status" ]; then
    status=1
    echo "error: the compiler printed more than $compile_words bytes" >> "$log"
else
    sed -i '$d' "$log"
fi
if [ "$status" -ne 0 ]; then
    [ "$status" -lt 124 ] || echo "error: the compiler did not end within $compile_seconds s" >> "$log"
    ! grep -q '^compile_box.sh: ' "$log" || fail "$(sed -n 's/^compile_box.sh: //p' "$log" | head -n 1)"
    # A failure without a word of compiler or linker, or on a full disk, is not the submission's.
    if ! grep -v '^make' "$log" | grep -qiE 'error|undefined|ld: |out of memory|limit exceeded|killed' ||
        [ "$(df --output=avail -k "$folder" | tail -n 1)" -lt 16384 ]; then
        tr -c '[:print:]\n\t' '?' < "$log" >&2
        fail "the submission could not be built: see above"
    fi
    status=0
    "$build/main_host" "$problem" --compile-error "$log" --source "$submission" "$@" || status=$?
    exit $status
fi
tr -c '[:print:]\n\t' '?' < "$log" >&2
status=0
"$build/main_host" "$problem" --group all --submission "$root/$so" --source "$submission" "$@" || status=$?
exit $status
