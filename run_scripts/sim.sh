#!/bin/bash
# Compiles a CUDA program and runs it on the simulator: sim.sh [OPTION...] FILE.cu... [--] [ARGUMENT...]
#
# The program runs in the present folder with the ARGUMENTs, and its exit code is this script's. Instead of sources it
# may be an executable that was built with -cudart shared. Sources are .cu, .cpp, .cc, .c and .o files, the first of
# them and all that follow it directly. What was compiled is kept in build/sim-cache,
# until a file that it came from changes.
. "$(dirname "$0")/lib/lib.sh"

help() {
    cat << 'END'
usage: sim.sh [OPTION...] FILE.cu... [--] [ARGUMENT...]
       sim.sh [OPTION...] PROGRAM [--] [ARGUMENT...]
Compiles a CUDA program with nvcc and runs it on the simulator, on a machine without a GPU.

  --explain        say at the end what each kernel did, and what would make it faster
  --json FILE      write that as JSON
  --checks LIST    all, none, or some of written,races,leaks (default: all); addresses are always checked
  --seed N         run threads in an order drawn from N, to shake out races
  --workers N      processors to use (default: all)
  --nvcc 'FLAGS'   further flags for nvcc
  --keep           keep what nvcc makes on the way, its PTX for example, and say where
  --help

exit codes: the program's own; 2 where it does not compile or the arguments are wrong, 3 where the simulator is missing
END
}

explain='' json='' flags=() keep=''
while [ $# -gt 0 ]; do
    case $1 in
    --explain | --keep) printf -v "${1#--}" 1 && shift && continue ;;
    --json | --checks | --seed | --workers | --nvcc) [ $# -gt 1 ] || refuse "option '$1' needs a value; see --help" ;;
    --help) help && exit 0 ;;
    --) shift && break ;;
    -*) refuse "unknown option '$1'; see --help" ;;
    *) break ;;
    esac
    case $1 in
    --json) json=$2 ;;
    --checks)
        [[ $2 =~ ^(all|none|(written|races|leaks)(,(written|races|leaks))*)$ ]] ||
            refuse "--checks: '$2' is not all, none, or some of written,races,leaks"
        export CUDASIM_CHECK=$2 ;;
    --seed)
        [[ $2 =~ ^[0-9]{1,19}$ ]] || refuse "--seed: '$2' is no whole number"
        export CUDASIM_SEED=$2 ;;
    --workers)
        [[ $2 =~ ^[1-9][0-9]{0,2}$ && $2 -le 256 ]] || refuse "--workers: '$2' is not a number from 1 to 256"
        export CUDASIM_WORKERS=$2 ;;
    --nvcc) read -ra flags <<< "$2" ;;
    esac
    shift 2
done
[ $# -gt 0 ] || usage "sim.sh [OPTION...] FILE.cu... [--] [ARGUMENT...]; see --help"

sources=()
while [ $# -gt 0 ] && [[ $1 =~ \.(cu|cpp|cc|c|o)$ ]]; do
    [ -f "$1" ] || refuse "cannot open '$1'"
    sources+=("$1")
    shift
done

# has FLAG...: one of --nvcc's flags begins with one of these.
has() {
    local flag start
    for flag in "${flags[@]}"; do
        for start; do [[ $flag != "$start"* ]] || return 0; done
    done
    return 1
}

# compile FOLDER: the sources into FOLDER/program, and the digests of all that was read into FOLDER/sums.
compile() {
    local folder=$1 source objects=()
    local options=(-lineinfo --compress-mode=none "${flags[@]}" -I "$root/contrib/cuda")
    has -cudart --cudart || options+=(-cudart shared)
    has -O --optimize -G || options+=(-O2)
    # ptxas takes most of the time, and only the report looks at what it says.
    has -arch -gencode --gpu || options+=(-gencode "arch=compute_90,code=${explain:+[sm_90,}compute_90${explain:+]}")
    [ -z "$keep" ] || { mkdir "$folder/keep" && options+=(--keep --keep-dir "$folder/keep"); }
    for source in "${sources[@]}"; do
        objects+=("$source")
        [[ $source != *.o ]] || continue
        objects[-1]=$folder/${#objects[@]}.o
        "$nvcc" "${options[@]}" -MD -MF "$folder/d" -c -o "${objects[-1]}" "$source" >&2 || return
        sed '1s/^[^:]*://; s/\\$//' "$folder/d" >> "$folder/read"
    done
    "$nvcc" "${options[@]}" -o "$folder/program" "${objects[@]}" >&2 || return
    # Of the headers below /usr the version of nvcc says enough.
    { printf '%s\n' "${sources[@]}" && xargs -rn 1 -a "$folder/read"; } | grep -v '^/usr/' | sort -u |
        xargs -rd '\n' sha256sum > "$folder/sums"
    rm -f "$folder"/*.o "$folder/d" "$folder/read"
}

# The program compiled from the sources, from the cache where nothing has changed.
from_sources() {
    local cache=$build/sim-cache entry work key
    nvcc=$(toolkit_make print-nvcc)
    [ -x "$nvcc" ] || fail "nvcc is not found: install the CUDA Toolkit or set CUDA_HOME"
    key=$({ pwd && "$nvcc" --version && printf '%s\n' "$explain" "$keep" "${flags[@]}" '' "${sources[@]}"; } |
        sha256sum)
    entry=$cache/${key:0:32}
    program=$entry/program
    if ! sha256sum --check --status "$entry/sums" 2> /dev/null; then
        mkdir -p "$cache" && work=$(mktemp -d "$cache/new.XXXXXX") || fail "cannot make the folder '$cache'"
        compile "$work" || { rm -rf "$work" && refuse "the program does not compile: see above"; }
        rm -rf "$entry" && mv -T "$work" "$entry"
        # The oldest go.
        find "$cache" -mindepth 1 -maxdepth 1 -printf '%T@ %p\0' | sort -znr | sed -z '1,64d; s/^[^ ]* //' |
            xargs -0r rm -rf
    fi
    [ -z "$keep" ] || echo "sim.sh: what nvcc made is in $entry/keep" >&2
}

[ -z "$json" ] || export CUDASIM_JSON=$json
[ -z "$explain" ] || export CUDASIM_EXPLAIN=1
explain=$explain$json # either needs what ptxas says
if [ ${#sources[@]} -gt 0 ]; then
    from_sources
else
    program=$1
    shift
    [ -f "$program" ] || refuse "cannot open '$program'"
    [ -x "$program" ] && [ "$(head -c 4 "$program" | tr -d '\0')" = $'\x7fELF' ] ||
        refuse "'$program' is neither a CUDA source nor a program"
    [[ $program == */* ]] || program=./$program
fi
[ "${1:-}" != -- ] || shift

[ -e "$build/cudasim/libcudart.so.13" ] || echo 'sim.sh: building the simulator, which takes a minute or two' >&2
toolkit_make -j "$(nproc)" cudasim-library >&2 || fail "the simulator does not build: see above"
needed=$(LC_ALL=C readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(libcudart\.so\.[^]]*\)\]$/\1/p')
[ -n "$needed" ] || refuse "'$program' has the CUDA runtime linked into it, or none: link it with -cudart shared"
[ -e "$build/cudasim/$needed" ] ||
    refuse "'$program' needs $needed, and the simulator is $(cd "$build/cudasim" && echo libcudart.so.*)"
export LD_LIBRARY_PATH=$build/cudasim${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
found=$(ldd "$program" | sed -n "s/^\t$needed => \(.*\) (0x[0-9a-f]*)$/\1/p")
[ "$found" -ef "$build/cudasim/$needed" ] ||
    refuse "'$program' insists on the runtime '$found': link it without a path (-rpath)"
exec "$program" "$@"
