# Sourced after lib.sh and build_submission.sh by sanitize.sh and profile.sh. It reads their arguments and runs the
# program that they watch, build/practice/PROBLEM.
# shellcheck shell=bash disable=SC2034,SC2154

# practice_begin LINE ARGUMENT...: reads the arguments (LINE is the usage) and builds. Sets `submission`, `problem`,
# `device` (gpu or sim), `command` (what to run), `runtime` (the folder of its libcudart), and `report` (a path for
# reports, without extension).
practice_begin() {
    local line=$1 options=() league='' path name
    shift
    [ $# -gt 0 ] && [ -n "$1" ] && [[ $1 != -* ]] || usage "$line"
    submission_find "$1"
    shift
    if [ $# -gt 0 ] && [[ $1 != -* ]]; then
        problem=$1
        shift
    fi
    problem_exists "$problem"
    device=sim
    [ ! -e /dev/nvidiactl ] || device=gpu
    while [ $# -gt 0 ]; do
        case $1 in
        --device | --case | --generate | --seed | --league) [ $# -gt 1 ] || refuse "option '$1' needs a value" ;;
        *) refuse "unknown argument '$1'; usage: $line" ;;
        esac
        case $1 in
        --device) device=$2 ;;
        --league) league=$2 ;;
        *) options+=("$1" "$2") ;;
        esac
        shift 2
    done
    [[ $device == gpu || $device == sim ]] || refuse "--device: '$device' must be gpu or sim"
    [ "$device" = sim ] || [ -e /dev/nvidiactl ] || refuse "--device gpu: this machine has no NVIDIA GPU"

    submission_check "$submission" "$problem"
    grep -q '\.cu$' <<< "$sources" || refuse "'$submission' is not CUDA C: this script works on CUDA submissions only"
    folder_made "$build"
    toolkit_make submission "$(practice_target)" SUBMISSION="$submission" PROBLEM="$problem" >&2 ||
        refuse "'$submission' does not build: see above"
    path=$root/$(toolkit_make print-submission SUBMISSION="$submission" PROBLEM="$problem")
    # A jury submission names its league in its first lines.
    [ -n "$league" ] || [ ! -f "$root/$submission" ] ||
        league=$(league_of "$root/$submission")
    command=("$(practice_target)" "$path" "${options[@]}")
    [ -z "$league" ] || command+=(--league "$league")
    if [ "$device" = sim ]; then
        toolkit_make -j "$(nproc)" cudasim-library >&2 || fail "the simulator does not build: see above"
        runtime=$build/cudasim
    else
        runtime=$(toolkit_make print-cuda-folder)
    fi
    name=${submission#problems/"$problem"/submissions/}
    report=$build/reports/$problem/$(tr -c 'A-Za-z0-9_.\n-' _ <<< "${name%/}")
    mkdir -p "${report%/*}"
    cd "$root" || fail "there is no folder $root"
}

# The path for make: relative to the toolkit's folder.
practice_target() { echo "${BUILD:-build}/practice/$problem"; }

# practice_run LOG: runs `command`, with its output in LOG. Ends the script if the arguments or the machine are wrong.
# A submission may end the process or be killed: `status` is its exit status.
practice_run() {
    status=0
    LD_LIBRARY_PATH=$runtime${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} with_limit "${PRACTICE_SECONDS:-600}" "${@:2}" \
        "${command[@]}" > "$1" 2>&1 || status=$?
    local error
    error=$(sed -n "s/^practice: error: //p" "$1")
    [ -z "$error" ] || [ "$status" -ne 2 ] || refuse "$error"
    [ -z "$error" ] || fail "$error"
}

# practice_answer LOG: prints in words whether the answer was right.
practice_answer() {
    if [ "$status" -ge 124 ]; then
        [ "$status" -eq 124 ] && echo "the submission did not end within ${PRACTICE_SECONDS:-600} s" ||
            echo "signal $((status - 128)) ended the submission"
    else
        sed -n 's/^practice: \(the answer is .*\)/\1/p' "$1" | grep . || echo 'device_user() did not return'
    fi
}

# tool_of_cuda NAME: prints the tool's path, beside nvcc or on PATH.
tool_of_cuda() {
    local nvcc
    nvcc=$(toolkit_make print-nvcc)
    if [ -n "$nvcc" ] && [ -x "${nvcc%/*}/$1" ]; then echo "${nvcc%/*}/$1"; else command -v "$1"; fi
}
