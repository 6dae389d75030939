#!/bin/bash
# Compiles a CUDA program and runs it on the simulator: sim.sh [OPTION...] FILE.cu... [--] [ARGUMENT...]
#
# The program runs in the current folder with the ARGUMENTs. The script ends with the program's exit code. Instead of
# sources, the script also takes an executable that was linked with -cudart shared, or any command after --. Programs
# that the command compiles with nvcc, make or CMake are built for the simulator and run on it. Sources are .cu, .cpp,
# .cc, .c and .o files; the list ends at the first argument that is not one. build/sim-cache keeps the compiled program
# until one of its files changes.
. "$(dirname "$0")/lib/lib.sh"
. "$root/run_scripts/lib/sim_build.sh"

help() {
    cat << 'END'
usage: sim.sh [OPTION...] FILE.cu... [--] [ARGUMENT...]
       sim.sh [OPTION...] PROGRAM [--] [ARGUMENT...]
       sim.sh [OPTION...] -- COMMAND [ARGUMENT...]
Compiles a CUDA program with nvcc and runs it on the simulator, on a machine without a GPU.
COMMAND is any command, such as make test, cmake -B build or ctest. The nvcc that it finds builds for the simulator.

  --explain        print at the end what each kernel did, and how to make it faster
  --json FILE      write this report to FILE as JSON
  --html FILE      write a page with the source, and beside each line what it did
  --checks LIST    none, all (the default: every check but unused), or a list of:
                   written,races,leaks,lanes,bounds,calls,streams,host,unused; addresses are always checked
  --go-on          kernels go on after an access out of bounds, which becomes a warning, as most GPUs let it pass
  --seed N         run threads in a random order drawn from N, to find races
  --workers N      processors to use (default: all)
  --gpu NAME       the GPU to stand for, compiled for as well: contrib/cudasim/profiles
  -I DIR, -D NAME[=VALUE], -L DIR, -l LIBRARY
                   passed to nvcc
  --error-exitcode N
                   end with N, 1 to 255, if there was a report of an error or a warning, whatever the program returned
  --nvcc 'FLAGS'   more flags for nvcc; quotes and backslashes in them work as in a shell
  -o FILE          write the program to FILE, and do not run it
  --keep           keep nvcc's intermediate files, such as the PTX, and print their folder
  --help

exit codes: the program's own, or that of --error-exitcode; 2 if it does not compile or the arguments are wrong;
            3 if the simulator is missing
END
}

check='(all|written|races|leaks|lanes|bounds|calls|streams|host|unused)'

# option NAME VALUE: takes an option that has a value.
option() {
    case $1 in
    --json) json=$2 ;;
    --html) html=$2 ;;
    --checks)
        [[ $2 =~ ^(none|$check(,$check)*)$ ]] ||
            refuse "--checks: '$2' must be all, none, or a list of: written,races,leaks,lanes,bounds,calls,streams,host,unused"
        export CUDASIM_CHECK=$2 ;;
    --seed)
        [[ $2 =~ ^[0-9]{1,19}$ ]] || refuse "--seed: '$2' is not a whole number"
        export CUDASIM_SEED=$2 ;;
    --gpu)
        profile=$root/contrib/cudasim/profiles/$2.conf
        [[ $2 =~ ^[a-z0-9-]+$ && -f $profile ]] ||
            refuse "--gpu: '$2' is unknown; there are: $(cd "$root/contrib/cudasim/profiles" && printf "%s " *.conf |
                sed "s/\.conf//g; s/ \$//; s/ /, /g")"
        export CUDASIM_PROFILE=$profile
        architecture=$(sed -nE "s/^capability *= *([0-9])\.([0-9]).*/\1\2/p" "$profile") ;;
    --workers)
        [[ $2 =~ ^[1-9][0-9]{0,2}$ && $2 -le 256 ]] || refuse "--workers: '$2' is not a number from 1 to 256"
        export CUDASIM_WORKERS=$2 ;;
    --error-exitcode)
        [[ $2 =~ ^[1-9][0-9]{0,2}$ && $2 -le 255 ]] || refuse "--error-exitcode: '$2' is not a number from 1 to 255"
        error_code=$2 ;;
    --nvcc)
        split_words "$2" || refuse "--nvcc: a quote does not end in '$2'"
        flags+=("${words[@]}") ;;
    -o) output=$2 ;;
    -[IDLl]) flags+=("$1" "$2") ;;
    esac
}

explain='' json='' html='' error_code='' flags=() keep='' output='' command='' architecture=90
while [ $# -gt 0 ]; do
    case $1 in
    --go-on) export CUDASIM_GO_ON=1 && shift ;;
    --explain | --keep) printf -v "${1#--}" 1 && shift ;;
    --json | --html | --checks | --seed | --workers | --gpu | --error-exitcode | --nvcc | -o | -[IDLl])
        [ $# -gt 1 ] && [ -n "$2" ] || refuse "option '$1' needs a value; see --help"
        option "$1" "$2"
        shift 2 ;;
    -[IDLl]?*) flags+=("$1") && shift ;;
    --help) help && exit 0 ;;
    --) command=1 && shift && break ;;
    -*) refuse "unknown option '$1'; see --help" ;;
    *) break ;;
    esac
done
[ $# -gt 0 ] || usage "sim.sh [OPTION...] FILE.cu... [--] [ARGUMENT...]; see --help"

sources=()
while [ $# -gt 0 ] && [[ $1 =~ \.(cu|cpp|cc|c|o)$ ]]; do
    [ -f "$1" ] || refuse "cannot open '$1'"
    sources+=("$1")
    shift
done
[ ${#sources[@]} -eq 0 ] || command=''

[ -z "$json" ] || { file_is_writable --json "$json" && export CUDASIM_JSON=$json; }
[ -z "$html" ] || { file_is_writable --html "$html" && export CUDASIM_HTML=$html; }
[ -z "$explain" ] || export CUDASIM_EXPLAIN=1
explain=$explain$json$html # each needs ptxas's output

# simulator: builds the library if it is missing or old.
simulator() {
    [ -e "$build/cudasim/libcudart.so.13" ] ||
        echo 'sim.sh: building the simulator, which takes a minute or two' >&2
    toolkit_make -j "$(nproc)" cudasim-library >&2 || fail "the simulator does not build: see above"
    export LD_LIBRARY_PATH=$build/cudasim${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}

# run COMMAND...: ends as the command ends, or with the code of --error-exitcode.
run() {
    local log other=${CUDASIM_LOG:-} status=0
    [ -n "$error_code" ] || exec "$@"
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    CUDASIM_LOG=$log "$@" || status=$?
    [ -z "$other" ] || cat "$log" >> "$other"
    ! grep -qE '^cudasim: (error|warning): ' "$log" || status=$error_code
    exit "$status"
}

if [ -n "$command" ]; then
    [ -z "$output$keep" ] || refuse "-o and --keep are for sources, not for a command"
    # Looks for the command before it builds anything.
    type -P -- "$1" > /dev/null || [ -x "$1" ] || refuse "cannot find the command '$1'"
    simulator
    command_environment
    run "$@"
fi

if [ ${#sources[@]} -gt 0 ]; then
    from_sources
    if [ -n "$output" ]; then
        cp -- "$program" "$output" || refuse "cannot write '$output'"
        exit 0
    fi
else
    [ -z "$output" ] || refuse "-o is for sources"
    program=$1
    shift
    [ -f "$program" ] || refuse "cannot open '$program'"
    [ -x "$program" ] && [ "$(head -c 4 "$program" | tr -d '\0')" = $'\x7fELF' ] ||
        refuse "'$program' is neither a CUDA source nor a program; put -- before a command"
    [[ $program == */* ]] || program=./$program
fi
[ "${1:-}" != -- ] || shift

simulator
needs=$(LC_ALL=C readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(libcudart\.so\.[^]]*\|libcuda\.so\.1\)\]$/\1/p')
[ -n "$needs" ] || refuse "'$program' uses no shared CUDA runtime: link it with -cudart shared"
for needed in $needs; do
    [ -e "$build/cudasim/$needed" ] ||
        refuse "'$program' needs $needed, and the simulator is $(cd "$build/cudasim" && echo libcudart.so.*)"
    found=$(ldd "$program" | sed -n "s/^\t$needed => \(.*\) (0x[0-9a-f]*)$/\1/p")
    # The driver's name and the runtime's are one library: of a program that needs both, ldd lists the first alone.
    [ -n "$found" ] ||
        found=$(ldd "$program" | sed -nE "s/^\tlibcud(a|art)\.so\.[0-9.]+ => (.*) \(0x[0-9a-f]*\)$/\2/p" | head -n 1)
    [ "$found" -ef "$build/cudasim/$needed" ] ||
        refuse "'$program' fixes the path of its CUDA runtime, '$found': link it without -rpath"
done
run "$program" "$@"
