#!/usr/bin/env bash
# Builds the instruction forms and runs them on a GPU's CUDA runtime, or on a replacement by LD_LIBRARY_PATH.
#
#   run.sh build                  builds $BUILD/forms
#   run.sh record OUTDIR [OPT…]   writes OUTDIR/summary.txt, expected.txt and, of forms with a bound, raw.bin
#   run.sh compare SUMMARY [OPT…] compares with a recorded summary and with the independent expectations
#                                 (h100.txt: an H100's)
#   run.sh forms [OPT…]           runs $BUILD/forms with these options (forms -h lists them)
#
# BUILD (default build/instructions at the top of the tree), NVCC, CC, PARTS, JOBS, ONLY (a regular expression which
# limits the forms built) and PTX_ONLY (not empty: no machine code, which a stand-in does not need; builds in half the
# time) come from the environment.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
BUILD=${BUILD:-$top/build/instructions}
NVCC=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
CC=${CC:-cc}
PARTS=${PARTS:-16}
JOBS=${JOBS:-1}
code='[sm_90,compute_90]'
[[ -z ${PTX_ONLY:-} ]] || code=compute_90
nvcc_flags=(-std=c++17 -I"$here" -I"$BUILD" -cudart shared --compress-mode=none
    -gencode "arch=compute_90,code=$code" -Xptxas -O1)
# In the files of kernels the CPU does no more than to name them.
kernel_level=-O1
[[ -z ${PTX_ONLY:-} ]] || kernel_level=-O0
c_flags=(-std=gnu11 -O2 -Wall -Wextra -ffp-contract=off -frounding-math -I"$here")

die() { echo "run.sh: $*" >&2; exit 2; }

# newer OBJECT SOURCE…: OBJECT exists and no SOURCE is newer
newer() {
    local object=$1 source
    shift
    [[ -e $object ]] || return 1
    for source; do [[ $source -nt $object ]] && return 1; done
    return 0
}

# compile SOURCE OBJECT LEVEL: the level is how much is optimised
compile() {
    echo "nvcc ${2##*/}"
    "$NVCC" "${nvcc_flags[@]}" "$3" -c "$1" -o "$2"
}

build() {
    local k running=0
    mkdir -p "$BUILD"
    if [[ "$(cat "$BUILD/config" 2>/dev/null)" != "$PARTS $code ${ONLY:-}" ]]; then
        rm -f "$BUILD"/forms_* "$BUILD/main_forms.o"
        echo "$PARTS $code ${ONLY:-}" >"$BUILD/config"
    fi
    awk -v parts="$PARTS" -v part=-1 -v only="${ONLY:-}" -f "$here/gen.awk" "$here/forms.txt" >"$BUILD/forms_list.inc"
    for ((k = 0; k < PARTS; k++)); do
        awk -v parts="$PARTS" -v part="$k" -v only="${ONLY:-}" -f "$here/gen.awk" "$here/forms.txt" >"$BUILD/new.cu"
        cmp -s "$BUILD/new.cu" "$BUILD/forms_$k.cu" || mv "$BUILD/new.cu" "$BUILD/forms_$k.cu"
        newer "$BUILD/forms_$k.o" "$BUILD/forms_$k.cu" "$here/forms.h" && continue
        compile "$BUILD/forms_$k.cu" "$BUILD/forms_$k.o" $kernel_level &
        ((++running < JOBS)) || { wait -n && running=$((running - 1)); } || die "compilation failed"
    done
    while ((running > 0)); do wait -n || die "compilation failed"; running=$((running - 1)); done
    rm -f "$BUILD/new.cu"
    newer "$BUILD/main_forms.o" "$here"/main_forms.cu "$here"/*.h ||
        compile "$here/main_forms.cu" "$BUILD/main_forms.o" -O1
    for k in operands expected expected_float expected_warp; do
        newer "$BUILD/$k.o" "$here/$k.c" "$here"/*.h || "$CC" "${c_flags[@]}" -c "$here/$k.c" -o "$BUILD/$k.o"
    done
    newer "$BUILD/forms" "$BUILD"/*.o || "$NVCC" -cudart shared -gencode "arch=compute_90,code=$code" \
        "$BUILD"/main_forms.o "$BUILD"/forms_[0-9]*.o "$BUILD"/operands.o "$BUILD"/expected*.o -lm -o "$BUILD/forms"
}

[[ $# -ge 1 ]] || die "usage: run.sh build | record OUTDIR | compare SUMMARY | forms [OPTION…]"
verb=$1
shift
build >&2
case $verb in
build) ;;
record)
    [[ $# -ge 1 ]] || die "record needs a folder"
    out=$1
    shift
    mkdir -p "$out"
    "$BUILD/forms" -o "$out/summary.txt" -e -v "$@" >"$out/expected.txt" && status=0 || status=$?
    "$BUILD/forms" -f @bound -r "$out/raw.bin" >/dev/null
    tail -n 1 "$out/expected.txt"
    exit "$status"
    ;;
compare)
    [[ $# -ge 1 ]] || die "compare needs a summary"
    golden=$1
    shift
    "$BUILD/forms" -c "$golden" -e "$@"
    ;;
forms) "$BUILD/forms" "$@" ;;
*) die "unknown verb '$verb'" ;;
esac
