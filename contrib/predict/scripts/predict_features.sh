#!/bin/bash
# Counts the features of a kernel's launches, from which a model learns its time (docs/predict/features.md). The
# simulator counts them; no GPU is needed.
. "$(dirname "$0")/../../../run_scripts/lib/lib.sh"

help() {
    cat << 'END'
usage: predict.sh features FILE.cu [OPTION...] [-- ARGUMENT...]       every launch of a whole program
       predict.sh features FILE.cu|FILE.ptx --grid X[,Y[,Z]] --block X[,Y[,Z]] [OPTION...]     one launch of a kernel

  --kernel NAME    only this kernel (default: all)
  --args VALUE...  the kernel's arguments: a number for a number, buffer:BYTES for a pointer to BYTES of zeros
                   (4096, 64K, 16M, 1G)
  --shared BYTES   dynamic shared memory of a block
  --sample N       execute about N blocks of a launch that has more (default: 64 of one launch; all of a program's,
                   which computes wrong results if some blocks are skipped; 0: all)
  --n N, --s N     input size and problem size, which only you know
  --tune           one launch: also other block sizes with the same number of threads
  --nvcc 'FLAGS'   more flags for nvcc
  --json, --csv    print JSON or CSV (default: one name and value per line, an empty line between launches)
  --help

exit codes: 0 done; 1 the kernel or program fails, or the kernel's work depends on data that it does not have; 2 wrong
arguments or files; 3 the toolkit or the machine failed
END
}

format='' kernel='' launch=() args=() flags=() sample='' file='' single='' program_arguments=()
while [ $# -gt 0 ]; do
    case $1 in
    --help) help && exit 0 ;;
    --json | --csv) format=$1 && shift && continue ;;
    --tune) single=$1 launch+=(--tune) && shift && continue ;;
    --args)
        single=$1 args=(--args) && shift
        while [ $# -gt 0 ] && [[ $1 != --* ]]; do args+=("$1") && shift; done
        continue
        ;;
    --) shift && program_arguments=("$@") && break ;;
    --kernel | --grid | --block | --shared | --sample | --n | --s | --nvcc)
        [ $# -gt 1 ] || refuse "option '$1' needs a value; see --help"
        ;;
    -*) refuse "unknown option '$1'; see --help" ;;
    *)
        [ -z "$file" ] || refuse "give one file, not '$file' and '$1'; a program's own arguments come after --"
        file=$1 && shift && continue
        ;;
    esac
    case $1 in
    --kernel) kernel=$2 ;;
    --sample) sample=$2 ;;
    --n) export CUDASIM_FEATURES_N=$2 ;;
    --s) export CUDASIM_FEATURES_S=$2 ;;
    --nvcc) read -ra flags <<< "$2" ;;
    *) single=$1 launch+=("$1" "$2") ;;
    esac
    shift 2
done
[ -n "$file" ] || usage 'predict.sh features FILE.cu|FILE.ptx [OPTION...]; see --help'
[ -f "$file" ] && [ -r "$file" ] || refuse "cannot open '$file'"
[ -z "$sample" ] || [[ $sample =~ ^[0-9]{1,9}$ ]] || refuse "--sample $sample: must be a number of blocks, or 0 for all"
number='^-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$'
for name in CUDASIM_FEATURES_N CUDASIM_FEATURES_S; do
    [ -z "${!name:-}" ] || [[ ${!name} =~ $number ]] || refuse "${name##*_}: '${!name}' is not a number"
done
work=$(mktemp -d) || fail 'cannot make a temporary folder'
trap 'rm -rf "$work"' EXIT
[ -e "$build/predict/features" ] || echo 'predict.sh: building the simulator, which takes a minute or two' >&2
toolkit_make -j "$(nproc)" predict-features >&2 || fail 'the simulator does not build: see above'

# compile: $work/program.o of the source, and beside it PTX and cubin.
compile() {
    local nvcc options=(-O3 -lineinfo -cudart shared --compress-mode=none)
    options+=(-gencode 'arch=compute_90,code=[sm_90,compute_90]')
    nvcc=$(toolkit_make print-nvcc)
    [ -x "$nvcc" ] || fail 'nvcc is not found: install the CUDA Toolkit or set CUDA_HOME'
    mkdir "$work/keep"
    "$nvcc" "${options[@]}" "${flags[@]}" --keep --keep-dir "$work/keep" -c -o "$work/program.o" "$file" >&2 ||
        refuse "'$file' does not compile: see above"
    ptx=$(find "$work/keep" -name '*.ptx' | head -n 1)
    cubin=$(find "$work/keep" -name '*.cubin' | head -n 1)
    ! nm "$work/program.o" | grep -q ' T main$' ||
        "$nvcc" "${options[@]}" "${flags[@]}" -o "$work/program" "$work/program.o" >&2 ||
        refuse "'$file' does not link: see above"
}

# run_program: all its launches to $work/features.csv; what it prints goes to standard error.
run_program() {
    local status=0
    [ -z "$single" ] || refuse "omit $single: '$file' has main(), which launches its kernels"
    [ "${sample:-0}" = 0 ] || export CUDASIM_SAMPLE=$sample
    CUDASIM_CHECK=none CUDASIM_FEATURES=$work/features.csv LD_LIBRARY_PATH=$build/cudasim "$work/program" \
        "${program_arguments[@]}" >&2 || status=$?
    # Of a sample a program may find its results wrong, and say so; its launches were counted all the same.
    [ "$status" -eq 0 ] || [ -n "${CUDASIM_SAMPLE:-}" ] || {
        echo "predict.sh: '$file' ended with $status" >&2 && exit 1
    }
    [ "$(wc -l < "$work/features.csv" 2> /dev/null || echo 0)" -gt 1 ] || {
        echo "predict.sh: '$file' launched no kernel" >&2 && exit 1
    }
}

# run_kernel: one launch to $work/features.csv.
run_kernel() {
    [ ${#program_arguments[@]} -eq 0 ] ||
        refuse "'$file' is not a whole program: give its kernel's arguments with --args"
    "$build/predict/features" "$ptx" ${cubin:+--cubin "$cubin"} ${kernel:+--kernel "$kernel"} \
        ${sample:+--sample "$sample"} "${launch[@]}" "${args[@]}" > "$work/features.csv" || exit
    [ -z "$unknown" ] || echo "predict.sh: the number of registers is unknown: $unknown" >&2
    kernel='' # it may have been named in another way than the features do
}

# Registers are what ptxas says; without it they are not known.
assemble() {
    local nvcc ptxas
    nvcc=$(toolkit_make print-nvcc)
    ptxas=${nvcc%/*}/ptxas
    [ -n "$nvcc" ] && [ -x "$ptxas" ] || { unknown='there is no ptxas' && return; }
    "$ptxas" -arch=sm_90 -o "$work/cubin" "$ptx" 2> "$work/ptxas" && cubin=$work/cubin ||
        unknown="ptxas refuses '$file': $(head -n 1 "$work/ptxas")"
}

ptx='' cubin='' unknown=''
case $file in
*.ptx) ptx=$file && assemble && run_kernel ;;
*.cu)
    compile
    if [ -e "$work/program" ]; then run_program; else run_kernel; fi
    ;;
*) refuse "'$file' is not a .cu or .ptx file" ;;
esac

"$build/predict/features" --print "$work/features.csv" ${kernel:+--kernel "$kernel"} ${format:+"$format"} \
    2> "$work/said" || refuse "'$file' $(cat "$work/said")"
