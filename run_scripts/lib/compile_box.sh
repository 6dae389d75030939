#!/bin/bash
# Runs a compiler on untrusted source: compile_box.sh OUTPUT-FOLDER READABLE... -- COMMAND...
#
# The command sees /usr, the CUDA Toolkit, and the READABLE files and folders. It sees no other file, no network, no
# device and no environment. It writes to OUTPUT-FOLDER and to its own /tmp. Each of its processes gets at most
# COMPILE_MEMORY bytes of address space (8 GiB) and may write files of up to 1 GiB. All paths are the same as outside.
# Exit code: 3 if this machine has no box, and nothing ran; else the command's.
#
# There are three kinds of box. bubblewrap makes one of namespaces. If a container forbids to mount /proc, the box has
# no /proc (no-proc). Where there are no namespaces, Landlock makes the box. `compile_box.sh --which` prints the kind
# that works here. Callers that compile several times put it into the environment as BOX. With Landlock the command's
# own folder is not /tmp. Callers that need names in /tmp give them in BOX_TMP: the script makes these folders, for one
# caller at a time.
set -euo pipefail
if [ "${1:-}" = --which ]; then
    self=$(realpath "$0") place=$(mktemp -d)
    trap 'rmdir "$place"' EXIT
    cd "$place"
    for box in namespaces no-proc landlock; do
        ! BOX=$box "$self" "$place" -- /bin/true 2> /dev/null || { echo $box; exit 0; }
    done
    exit 3
fi
# The caller's open files stay the caller's: /proc of the box would lead to them. bash keeps that of this script itself.
for file in /proc/self/fd/*; do
    fd=${file##*/}
    [[ ! $fd =~ ^[0-9]+$ ]] || [ "$fd" -le 2 ] || [ "$file" -ef "${BASH_SOURCE[0]}" ] || exec {fd}>&-
done
[ $# -ge 3 ] || { echo 'usage: compile_box.sh OUTPUT-FOLDER READABLE... -- COMMAND...' >&2; exit 2; }
files=("$1")
shift
while [ "$1" != -- ]; do
    files+=("$1")
    shift
done
shift
# Few processes: a small submission compiles in a tenth of a second. PWD is to have no link in it, as in the box.
cd -P .
command=$(command -v "$1" || true)
mapfile -d '' -t real < <(realpath -z -- "${files[@]}" "${command:-/usr}")
[ ${#real[@]} -gt ${#files[@]} ] || { echo 'compile_box.sh: one of the READABLE files does not exist' >&2; exit 2; }
inside=() # the absolute paths, with their links as they are
for file in "${files[@]}"; do
    [[ $file == /* ]] || file=$PWD/$file
    [[ $file/ != */./* && $file/ != */../* && $file != *//* ]] || file=$(realpath -s -- "$file")
    inside+=("${file%/}")
done
output=${real[0]} compiler=${real[-1]} binds=() readable=("${real[@]:1:${#files[@]}-1}")
for ((i = 1; i < ${#files[@]}; i++)); do binds+=(--ro-bind "${real[i]}" "${inside[i]}"); done
# A compiler outside /usr needs its own folder too.
if [[ $compiler != /usr/* ]] && [ "$compiler" != /usr ]; then
    binds+=(--ro-bind "${compiler%/bin/*}" "${compiler%/bin/*}")
    readable+=("${compiler%/bin/*}")
fi

# /lib and its like are links into /usr on merged systems.
for folder in /bin /lib /lib32 /lib64 /sbin; do
    if [ -L "$folder" ] && [ "$folder" -ef "/usr$folder" ]; then
        binds+=(--symlink "usr$folder" "$folder")
    elif [ -L "$folder" ]; then
        binds+=(--symlink "$(readlink -- "$folder")" "$folder")
    elif [ -d "$folder" ]; then
        binds+=(--ro-bind "$folder" "$folder")
    fi
done

# The options for bubblewrap. A container may forbid to mount /proc in a box; the box then has none.
prlimit=(prlimit --core=0 --fsize=1073741824 --nofile=1024 --as="${COMPILE_MEMORY:-8589934592}" --)
# Process 1 of the box is bubblewrap's own. /proc shows its environment and its command line: it gets neither a variable
# of the caller's, nor is its folder shown.
box=(env -i PATH=/usr/bin:/bin
    bwrap --unshare-all --unshare-user --uid 65534 --gid 65534 --cap-drop ALL --die-with-parent --new-session
    --clearenv --setenv PATH "/usr/bin:/bin" --setenv HOME /tmp --setenv TMPDIR /tmp --setenv LC_ALL C
    --ro-bind /usr /usr --ro-bind-try /etc/alternatives /etc/alternatives --ro-bind-try /etc/ld.so.cache
        /etc/ld.so.cache
    --dev /dev --size 2147483648 --tmpfs /tmp "${binds[@]}" --bind "$output" "$output" --chdir "$PWD")
proc=(--proc /proc --tmpfs /proc/1 --remount-ro /proc/1)
# These are in memory too, as large as half of it.
ends=(--remount-ro /dev --remount-ro /)

# behind_landlock COMMAND...: for machines without namespaces. If this user is root, the command runs as another user,
# if that user may read the named files; the output then belongs to that user. Ends with 125 if there is no Landlock.
behind_landlock() {
    local program files=() user=() file status=0
    program=$(dirname "$0")/../../${BUILD:-build}/landlock
    [ -x "$program" ] || return 125
    for file in /usr /lib /lib32 /lib64 /bin /sbin /etc/alternatives /etc/ld.so.cache "${readable[@]}"; do
        files+=(--read "$file")
    done
    tmp=() writes=(--write "$output")
    if [ -n "${BOX_TMP:-}" ]; then
        exec 8> /tmp/gpu-contest-toolkit-compilers-lock
        flock 8
        read -r -a tmp <<< "$BOX_TMP"
        rm -rf "${tmp[@]}"
        for file in "${tmp[@]}"; do
            mkdir -m 700 "$file" || return 125
            writes+=(--write "$file")
        done
    fi
    own=$(mktemp -d -p "$output")
    owner=$(stat -c %u:%g "$output")
    trap 'rm -rf "$own" "${tmp[@]}"; chown "$owner" "$output"' EXIT # also where this script is ended
    # shellcheck disable=SC2016
    if [ "$(id -u)" = 0 ] && "$program" --user "${files[@]}" --read "$output" -- /bin/sh -c \
        'for file; do [ -r "$file" ] || exit 1; done' sh "${readable[@]}" "$output" 2> /dev/null; then
        user=(--user)
        chown 65534:65534 "$own" "$output" "${tmp[@]}"
    fi
    "${prlimit[@]}" env -i PATH=/usr/bin:/bin HOME="$own" TMPDIR="$own" LC_ALL=C "$program" "${user[@]}" --compiler \
        --device /dev/null "${files[@]}" "${writes[@]}" -- "$@" 8>&- || status=$?
    return $status
}

status=0
works() { "$@" true > /dev/null 2>&1 < /dev/null; }
case ${BOX:-} in
landlock) behind_landlock "$@" || status=$? ;;
no-proc) "${prlimit[@]}" "${box[@]}" "${ends[@]}" -- "$@" || status=$? ;;
*) "${prlimit[@]}" "${box[@]}" "${proc[@]}" "${ends[@]}" -- "$@" || status=$? ;;
esac
# bubblewrap has no exit code for its own failures. So after a failure this asks whether a box is possible here. Nothing
# has read the standard input at that point.
[ $status -eq 0 ] || case ${BOX:-} in
landlock) ;;
no-proc) works "${box[@]}" -- || status=125 ;;
namespaces) works "${box[@]}" "${proc[@]}" -- || status=125 ;;
*)
    if ! works "${box[@]}" "${proc[@]}" --; then
        status=0
        if works "${box[@]}" --; then
            "${prlimit[@]}" "${box[@]}" "${ends[@]}" -- "$@" || status=$?
        else
            behind_landlock "$@" || status=$?
        fi
    fi ;;
esac
if [ $status -eq 125 ]; then
    echo "compile_box.sh: neither bubblewrap nor Landlock can make a box here; use --box none to go without" >&2
    exit 3
fi
exit $status
