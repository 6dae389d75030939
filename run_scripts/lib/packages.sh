#!/bin/bash
# Installs the missing Debian packages, or prints their names: packages.sh GROUP... (build, grade, test and so on)
#
# As root, or with sudo without a password, the script installs them. Otherwise it prints the names and ends with exit
# code 3. It does not install NVIDIA's CUDA Toolkit. Without nvcc only submissions in C can be built.
. "$(dirname "$0")/lib.sh"
# PACKAGE:PROBE. PROBE is a command, a header or a file pattern. A package counts as present if its PROBE exists.
for_build=(gcc:gcc make:make libc6-dev:stdlib.h libjansson-dev:jansson.h libyaml-dev:yaml.h libelf-dev:gelf.h
    libsodium-dev:sodium.h libseccomp-dev:seccomp.h bubblewrap:bwrap g++:g++)
for_cudasim=(libzstd-dev:zstd.h)
for_opencl=(ocl-icd-opencl-dev:CL/cl.h)
[ -e /dev/nvidiactl ] || for_opencl+=('pocl-opencl-icd:/usr/lib/*/libpocl.so.2')
for_grade=(libsqlite3-dev:sqlite3.h sqlite3:sqlite3 libarchive-dev:archive.h)
for_test=(bats:bats bats-support:/usr/lib/bats/bats-support/load.bash bats-assert:/usr/lib/bats/bats-assert/load.bash
    jq:jq shellcheck:shellcheck procps:pgrep openssl:openssl libedlib-dev:edlib.h cmake:cmake)
for_report=(jq:jq)
for_plot=(jq:jq gnuplot-nox:gnuplot fonts-dejavu-core:/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf)
for_diagrams=(graphviz:dot)
for_formats=(zip:zip unzip:unzip libarchive-dev:archive.h libxml2-dev:/usr/include/libxml2/libxml/xmlwriter.h
    libxml2-utils:xmllint)
for_clics=(libicu-dev:unicode/ucol.h)
for_serve=(libarchive-dev:archive.h libmicrohttpd-dev:microhttpd.h libcmark-gfm-dev:cmark-gfm.h
    libcmark-gfm-extensions-dev:cmark-gfm-core-extensions.h libicu-dev:unicode/ucol.h)
for_batch=(libcurl4-openssl-dev:curl/curl.h)
for_clock=("faketime:/usr/lib/*/faketime/libfaketimeMT.so.1")
for_web=(curl:curl caddy:caddy)
for_schema=(python3-jsonschema:/usr/bin/jsonschema)
for_browser=(chromium:chromium jq:jq)
for_pictures=("fonts-noto-core:/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf"
    "fonts-noto-cjk:/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
for_slurm=(slurmctld:/usr/sbin/slurmctld slurmd:/usr/sbin/slurmd slurm-client:sbatch munge:/usr/sbin/munged)
for_predict=(jq:jq 'libopenblas-dev:/usr/lib/*/libopenblas.so' liblapacke-dev:lapacke.h
    libsvm-dev:libsvm/svm.h libnlopt-dev:nlopt.h)
for_mutate=(libclang-14-dev:/usr/lib/llvm-14/include/clang-c/Index.h)
for_fuzz=(clang:clang 'libclang-rt-dev:/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a')

there() { # PROBE
    case $1 in
    /*) compgen -G "$1" > /dev/null ;;
    *.h) [[ " $headers " != *" $1 "* ]] ;;
    *) command -v "$1" > /dev/null ;;
    esac
}

line='packages.sh build|cudasim|opencl|grade|formats|clics|serve|batch|clock|web|schema|slurm|predict|test|report|plot|diagrams|mutate|fuzz|browser|pictures...'
wanted=()
for group; do
    case $group in
    build) wanted+=("${for_build[@]}") ;;
    cudasim) wanted+=("${for_cudasim[@]}") ;;
    grade) wanted+=("${for_grade[@]}") ;;
    opencl) wanted+=("${for_opencl[@]}") ;;
    test) wanted+=("${for_test[@]}") ;;
    report) wanted+=("${for_report[@]}") ;;
    plot) wanted+=("${for_plot[@]}") ;;
    diagrams) wanted+=("${for_diagrams[@]}") ;;
    formats) wanted+=("${for_formats[@]}") ;;
    clics) wanted+=("${for_clics[@]}") ;;
    serve) wanted+=("${for_serve[@]}") ;;
    batch) wanted+=("${for_batch[@]}") ;;
    clock) wanted+=("${for_clock[@]}") ;;
    web) wanted+=("${for_web[@]}") ;;
    schema) wanted+=("${for_schema[@]}") ;;
    browser) wanted+=("${for_browser[@]}") ;;
    pictures) wanted+=("${for_pictures[@]}") ;;
    slurm) wanted+=("${for_slurm[@]}") ;;
    predict) wanted+=("${for_predict[@]}") ;;
    mutate) wanted+=("${for_mutate[@]}") ;;
    fuzz) wanted+=("${for_fuzz[@]}") ;;
    *) usage "$line" ;;
    esac
done
[ ${#wanted[@]} -gt 0 ] || usage "$line"

# One call of the compiler names the headers that it does not find. Without a compiler that is every one.
questions='' headers=' '
for entry in "${wanted[@]}"; do
    [[ $entry == *.h ]] || continue
    header=${entry#*:}
    headers+="$header "
    questions+=$'\n'"#if !__has_include(<$header>)"$'\n'"$header "$'\n#endif\n'
done
! command -v gcc > /dev/null || headers=" $(gcc -std=c11 -E -P -x c - <<< "$questions" | tr '\n' ' ') "
missing=()
for entry in "${wanted[@]}"; do
    there "${entry#*:}" || missing+=("${entry%%:*}")
done
[ ${#missing[@]} -gt 0 ] || exit 0
command -v apt-get > /dev/null || fail "these packages are missing (names as in Debian): ${missing[*]}"

if [ "$(id -u)" = 0 ]; then
    become=()
elif sudo -n true 2> /dev/null; then
    become=(sudo -n)
else
    fail "these packages are missing; install them with: sudo apt-get install ${missing[*]}"
fi
echo "installing: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
{
    "${become[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}" ||
        { "${become[@]}" apt-get update -q &&
            "${become[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}"; }
} >&2 || fail "apt-get could not install: ${missing[*]}"
