# Sourced after lib.sh by the scripts that judge. It turns the path that a caller gave into a device_user.so, and always
# builds it again, with the compilers in a box.
# shellcheck shell=bash disable=SC2034
compile_seconds=${COMPILE_SECONDS:-120} compile_words=1048576
# Limits of a submission: bytes (holes in files count), and files and folders.
submission_bytes=$((64 << 20)) submission_files=1000

# submission_find PATH: sets `submission`, the path as make sees it from the toolkit's folder, and `problem`, the one in
# the path, or editdistance.
submission_find() {
    [ -e "$1" ] || refuse "there is no submission '$1'"
    submission=$(realpath "$1")
    submission=${submission#"$root"/}
    problem=editdistance
    [[ ! $submission =~ ^problems/([^/]*)/submissions/ ]] || problem=${BASH_REMATCH[1]}
}

# make and the compiler split names into words: only safe names may reach them. Sets `sources`.
submission_files() { # SUBMISSION
    local full names=("${1#/}") name count LC_ALL=C
    full=$(cd "$root" && realpath "$1")
    # This comes first: find, grep and make then read all of it without a limit.
    count=$({ find "$full" -printf '%s\n' || true; } | head -n $((submission_files + 1)) |
        awk -v bytes=$submission_bytes -v files=$submission_files '{ sum += $1 }
            END { if (NR > files) print files " files and folders"; else if (sum > bytes) print bytes " bytes" }')
    [ -z "$count" ] || refuse "'$1' has more than $count"
    if [ -d "$full" ]; then
        sources=$(find "$full" -maxdepth 1 -type f \( -name '*.cu' -o -name '*.c' -o -name '*.cc' \))
        [ -n "$sources" ] || refuse "the folder '$1' has no .cu, .c or .cc file"
        [ -z "$(find "$full" ! -type f ! -type d -print -quit)" ] ||
            refuse "the folder '$1' has a symbolic link or a special file in it: use only files and folders"
        mapfile -d '' -t -O 1 names < <(find "$full" -mindepth 1 -printf '%P\0')
    elif [ ! -f "$full" ]; then
        refuse "'$1' is not a regular file or a folder"
    elif [[ $1 == *.cu || $1 == *.c || $1 == *.cc ]]; then
        sources=$1
    else
        refuse "'$1' is not a .cu, .c or .cc file or a folder"
    fi
    name_is path "${names[0]}" ||
        refuse "the path '$1' is not allowed: use $(name_words); copy the submission to such a path"
    for name in "${names[@]}"; do
        name_is path "$name" || refuse "the name '$name' is not allowed: use $(name_words)"
    done
}

# submission_check SUBMISSION PROBLEM [GOAL]: does the same, and checks that this machine can build it. One call of make
# answers everything, by the goal print-facts or ready-to-judge. Sets `so`, the submission's path in the toolkit's
# folder, and `language`, the language of its sources: C, CUDA or OpenCL.
submission_check() {
    local facts nvcc opencl
    language=C
    submission_files "$1"
    facts=$(toolkit_make -j "$(nproc)" "${3:-print-facts}" SUBMISSION="$1" PROBLEM="$2") ||
        fail "the toolkit does not build: see above"
    read -r so nvcc opencl <<< "${facts##*$'\n'}"
    [[ $sources$'\n' != *.cu$'\n'* ]] || language=CUDA
    if [ "$language" = CUDA ] && [ "$nvcc" != nvcc ]; then
        fail "'$1' is CUDA C, and nvcc is not found: install the CUDA Toolkit or set CUDA_HOME"
    fi
    [ "$language" = CUDA ] || [ "$opencl" != opencl ] || language=OpenCL
    if [ "$opencl" = opencl ]; then
        "$root/run_scripts/lib/packages.sh" opencl ||
            fail "the submission is OpenCL, and this machine cannot build it: see above"
    fi
}

# submission_build SUBMISSION PROBLEM LOG [OPTION...]: builds toolkit and submission; sets `so`, its path in the
# toolkit's folder. False if it does not compile in time; the compiler's messages are then in the file LOG. The options
# are the host's: a submission that runs without a box is built without one.
submission_build() {
    local folder boxed=1 log=$3
    if [[ " ${*:4} " == *' --box none '* || " ${*:4} " == *' --box=none '* ]] &&
        [[ " ${*:4} " =~ ' --'(seal|key)[\ =] ]]; then
        refuse 'without a box the submission can read the seal and the key: omit --box none'
    fi
    submission_check "$1" "$2" ready-to-judge
    folder=$root/${so%/device_user.so}
    { rm -rf "$folder" && mkdir -p "$folder"; } || fail "cannot remove and make the folder '$folder'"
    [[ " ${*:4} " != *' --box none '* && " ${*:4} " != *' --box=none '* ]] || boxed=
    if [ -n "$boxed" ]; then
        BOX=$("$root/run_scripts/lib/compile_box.sh" --which) ||
            fail 'no box for the compiler: neither bubblewrap nor Landlock works here; use --box none to go without'
        export BOX
    fi
    submission_compile "$log" "$folder" env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$root" submission \
        SUBMISSION="$1" PROBLEM="$2" FRESH=1 BOXED=$boxed
}

# submission_compile LOG FOLDER COMMAND...: runs the command that compiles a submission into FOLDER, with limits on time
# and output. The output goes to the file LOG. False if the submission does not compile. If that is not the submission's
# fault, the script ends.
submission_compile() {
    local status=0 ended log=$1 folder=$2
    # The printed text does not show how it ended: the compiler repeats text of the submission.
    ended=$log.ended
    {
        with_limit "$compile_seconds" "${@:3}" 2>&1 < /dev/null || status=$?
        echo "$status" > "$ended"
    } | head -c $((compile_words + 1)) > "$log" || true
    [ -s "$ended" ] || exit 130 # it was interrupted
    status=$(< "$ended")
    rm -f "$ended"
    if [ "$(wc -c < "$log")" -gt $compile_words ]; then
        status=1
        printf "\nerror: the compiler printed more than %d bytes\n" $compile_words >> "$log"
    fi
    if [ "$status" -eq 0 ]; then
        [ ! -s "$log" ] || shown < "$log" >&2
        return 0
    fi
    [ "$status" -lt 124 ] || echo "error: the compiler did not end within $compile_seconds s" >> "$log"
    # A failure without a message of compiler or linker, or on a full disk, is the submission's fault only if a file of
    # one line compiles here. The last line is make's.
    if [ "$status" -eq 3 ] || { [ "$status" -lt 124 ] && [ "$status" -ne 1 ] &&
        ! sed '$d' "$log" | grep -qiE 'error|fatal|undefined|ld: |out of memory|limit exceeded|killed'; } ||
        [ "$(df --output=avail -k "$folder" | tail -n 1)" -lt 16384 ]; then
        if [ "$status" -eq 3 ] || ! compiler_is_sound "$folder"; then
            shown < "$log" >&2
            fail "the submission could not be built: see above"
        fi
        printf '\nerror: the compiler failed without a message; it compiles other files\n' >> "$log"
    fi
    return 1
}

# compiler_is_sound FOLDER: empties the folder; true if an empty file compiles there.
compiler_is_sound() {
    find "$1" -mindepth 1 -delete
    [ "$(df --output=avail -k "$1" | tail -n 1)" -ge 16384 ] &&
        (cd "$1" && timeout 60 "$root/run_scripts/lib/compile_box.sh" "$1" -- cc -x c -c -o "$1/sound.o" - \
            <<< 'int sound;' > /dev/null 2>&1) && [ -s "$1/sound.o" ]
}
