# Sourced by sim.sh, after lib.sh: how programs for the simulator are built.
# shellcheck shell=bash disable=SC2154,SC2034,SC1003

# split_words TEXT: splits a line into words as a shell does, with quotes and backslashes, and sets $words. It expands
# and runs nothing. False if a quote does not end.
split_words() {
    local text=$1 word='' quote='' begun='' c i
    words=()
    for ((i = 0; i < ${#text}; i++)); do
        c=${text:i:1}
        if [ "$quote" = "'" ]; then
            if [ "$c" = "'" ]; then quote=''; else word+=$c; fi
        elif [ "$c" = '\' ]; then
            i=$((i + 1))
            c=${text:i:1}
            # Between double quotes a backslash quotes only what would be special there.
            [ -z "$quote" ] || [[ $c == [\\\"\$\`] ]] || word+='\'
            word+=$c begun=1
        elif [ "$quote" = '"' ]; then
            if [ "$c" = '"' ]; then quote=''; else word+=$c; fi
        elif [[ $c == [\'\"] ]]; then
            quote=$c begun=1
        elif [[ $c == [[:space:]] ]]; then
            [ -z "$begun" ] || words+=("$word")
            word='' begun=''
        else
            word+=$c begun=1
        fi
    done
    [ -z "$begun" ] || words+=("$word")
    [ -z "$quote" ]
}

# has FLAG...: true if one of nvcc's flags begins with one of these.
has() {
    local flag start
    for flag in "${flags[@]}"; do
        for start; do [[ $flag != "$start"* ]] || return 0; done
    done
    return 1
}

# compile FOLDER: compiles the sources to FOLDER/program, and writes the digests of all files read to FOLDER/sums.
compile() {
    local folder=$1 source code objects=()
    local options=(-g -lineinfo --compress-mode=none "${flags[@]}" -I "$root/contrib/cuda")
    has -cudart --cudart || options+=(-cudart shared)
    has -O --optimize -G || options+=(-O2)
    # ptxas takes most of the time, and only the report uses its output.
    code=compute_$architecture
    [ -z "$explain" ] || code="[sm_$architecture,$code]"
    has -arch -gencode --gpu || options+=(-gencode "arch=compute_$architecture,code=$code")
    [ -z "$keep" ] || { mkdir "$folder/keep" && options+=(--keep --keep-dir "$folder/keep"); }
    for source in "${sources[@]}"; do
        objects+=("$source")
        [[ $source != *.o ]] || continue
        objects[-1]=$folder/${#objects[@]}.o
        "$nvcc" "${options[@]}" -MD -MF "$folder/d" -c -o "${objects[-1]}" "$source" >&2 || return
        sed '1s/^[^:]*://; s/\\$//' "$folder/d" >> "$folder/read"
    done
    # Libraries come after the objects that use them.
    "$nvcc" -o "$folder/program" "${objects[@]}" "${options[@]}" >&2 || return
    # The version of nvcc stands for the headers below /usr.
    { printf '%s\n' "${sources[@]}" && xargs -rn 1 -a "$folder/read"; } | grep -v '^/usr/' | sort -u |
        xargs -rd '\n' sha256sum > "$folder/sums"
    rm -f "$folder"/*.o "$folder/d" "$folder/read"
}

# choose_90a: compiles for 9.0a where a source needs it, and neither a GPU nor an architecture was asked for.
choose_90a() {
    local flag folders=()
    [ "$architecture" = 90 ] && ! has -arch -gencode --gpu || return 0
    for ((flag = 0; flag < ${#flags[@]}; flag++)); do
        case ${flags[flag]} in
        -I) folders+=("-I${flags[flag + 1]:-.}") ;;
        -I*) folders+=("${flags[flag]}") ;;
        esac
    done
    ! "$root/contrib/cudasim/toolchain/needs_90a" "${folders[@]}" "${sources[@]}" || architecture=90a
}

# without_lto: leaves out the options of link time optimisation, as contrib/cudasim/toolchain/nvcc does: intermediate
# code is no PTX.
without_lto() {
    local flag kept=()
    for flag in "${flags[@]}"; do
        case $flag in
        -dlto | --dlink-time-opt | -lto | --lto | -gen-opt-lto | --gen-opt-lto) ;;
        *) kept+=("$flag") ;;
        esac
    done
    flags=("${kept[@]}")
}

# find_nvcc: sets $nvcc to the CUDA Toolkit's compiler.
find_nvcc() {
    nvcc=$(toolkit_make print-nvcc)
    [ -x "$nvcc" ] || fail "nvcc is not found: install the CUDA Toolkit or set CUDA_HOME"
}

# Compiles the sources, or takes the program from the cache if nothing has changed.
from_sources() {
    local cache=$build/sim-cache entry work key
    find_nvcc
    without_lto
    choose_90a
    key=$({ pwd && "$nvcc" --version &&
        printf '%s\n' "$architecture" "$explain" "$keep" "${flags[@]}" '' "${sources[@]}"; } | sha256sum)
    entry=$cache/${key:0:32}
    program=$entry/program
    if ! sha256sum --check --status "$entry/sums" 2> /dev/null; then
        mkdir -p "$cache" && work=$(mktemp -d "$cache/new.XXXXXX") || fail "cannot make the folder '$cache'"
        compile "$work" || { rm -rf "$work" && refuse "the program does not compile: see above"; }
        rm -rf "$entry" && mv -T "$work" "$entry"
        # Removes the oldest entries.
        find "$cache" -mindepth 1 -maxdepth 1 -printf '%T@ %p\0' | sort -znr | sed -z '1,64d; s/^[^ ]* //' |
            xargs -0r rm -rf
    fi
    [ -z "$keep" ] || echo "sim.sh: nvcc's intermediate files are in $entry/keep" >&2
}

# mirror_folder FROM TO: fills TO with a link to each file of FROM.
mirror_folder() {
    mkdir -p "$2"
    find "$1"/ -mindepth 1 -maxdepth 1 -exec ln -s -t "$2" {} +
}

# cuda_home: makes a CUDA Toolkit of links and sets $home. Its nvcc is the wrapper, and its static runtime is the shared
# one. It is for builds that call $CUDA_HOME/bin/nvcc, or link with the host's compiler.
cuda_home() {
    local toolkit work libraries name
    toolkit=$(realpath "$(dirname "$nvcc")/..")
    home=$build/sim-cuda/$(sha256sum <<< "$toolkit" | head -c 16)
    [ ! -d "$home" ] || return 0
    mkdir -p "$build/sim-cuda" && work=$(mktemp -d "$build/sim-cuda/new.XXXXXX") ||
        fail "cannot make the folder '$build/sim-cuda'"
    mirror_folder "$toolkit" "$work"
    for name in bin lib lib64 targets; do rm -f "$work/$name"; done
    mirror_folder "$toolkit/bin" "$work/bin"
    ln -sf "$root/contrib/cudasim/toolchain/nvcc" "$work/bin/nvcc"
    for libraries in "$toolkit"/{lib64,targets/x86_64-linux/lib,lib}; do
        [ ! -d "$libraries" ] || break
    done
    mirror_folder "$libraries" "$work/lib64"
    # A linker reads a text file in place of a library as a script.
    rm -f "$work/lib64/libcudart_static.a"
    echo 'INPUT(-lcudart)' > "$work/lib64/libcudart_static.a"
    ln -s lib64 "$work/lib"
    mkdir -p "$work/targets/x86_64-linux"
    ln -s ../../lib64 "$work/targets/x86_64-linux/lib"
    ln -s "$toolkit/include" "$work/targets/x86_64-linux/include"
    # If two processes make it at once, the first wins.
    mv -T "$work" "$home" 2> /dev/null || rm -rf "$work"
}

# command_environment: sets the environment of a command that builds for the simulator and runs programs on it.
command_environment() {
    find_nvcc
    cuda_home
    export SIM_NVCC=$nvcc SIM_LIBCUDART=$home/lib64/libcudart.so
    export PATH=$root/contrib/cudasim/toolchain:$PATH CUDA_HOME=$home CUDA_PATH=$home CUDA_ROOT=$home
    export CUDACXX=$root/contrib/cudasim/toolchain/nvcc CUDAToolkit_ROOT=$home
    export CUDAARCHS=$architecture-virtual SIM_ARCHITECTURE=$architecture
    export CMAKE_TOOLCHAIN_FILE=$root/contrib/cudasim/toolchain/cudasim.cmake
    [ -z "$explain" ] || export SIM_MACHINE_CODE=1
    [ ${#flags[@]} -eq 0 ] || { SIM_FLAGS=$(printf '%s\n' "${flags[@]}") && export SIM_FLAGS; }
    # A build that calls nvcc by its full path gets at least the shared runtime.
    export NVCC_APPEND_FLAGS="${NVCC_APPEND_FLAGS:+$NVCC_APPEND_FLAGS }-cudart shared"
}
