#!/bin/bash
# Runs a compiler on untrusted source: compile_box.sh OUTPUT-FOLDER READABLE... -- COMMAND...
#
# The command sees /usr, the CUDA Toolkit, the READABLE files and folders, and nothing else: no other file, no network,
# no device, no environment. It writes to OUTPUT-FOLDER and to a /tmp of its own. Each of its processes may have
# COMPILE_MEMORY bytes of address space (8 GiB), and write files of 1 GiB. All paths are as outside. Exit code 3: there
# is no box on this machine, and nothing was run; else the command's.
#
# The box is of namespaces, by bubblewrap; the same without /proc (no-proc), where a container forbids to mount that; or
# of Landlock, where there are no namespaces. `compile_box.sh --which` prints which it is here, for BOX in the
# environment: who has several things compiled asks once. With Landlock the folder of its own is another than /tmp. Who
# needs names in /tmp itself gives them in BOX_TMP: folders that are made, and are one caller's at a time.
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
[ $# -ge 3 ] || { echo 'usage: compile_box.sh OUTPUT-FOLDER READABLE... -- COMMAND...' >&2; exit 2; }
files=("$1")
shift
while [ "$1" != -- ]; do
    files+=("$1")
    shift
done
shift
# Few processes, all paths at once: a small submission compiles in a tenth of a second.
command=$(command -v "$1" || true)
mapfile -d '' -t real < <(realpath -z -- "${files[@]}" "${command:-/usr}")
mapfile -d '' -t inside < <(realpath -sz -- "${files[@]}")
[ ${#real[@]} -gt ${#files[@]} ] || { echo 'compile_box.sh: a file that is to be seen is not there' >&2; exit 2; }
output=${real[0]} compiler=${real[-1]} binds=() readable=("${real[@]:1:${#files[@]}-1}")
for ((i = 1; i < ${#files[@]}; i++)); do binds+=(--ro-bind "${real[i]}" "${inside[i]}"); done
# A compiler outside of /usr brings its folder along.
if [[ $compiler != /usr/* ]] && [ "$compiler" != /usr ]; then
    binds+=(--ro-bind "${compiler%/bin/*}" "${compiler%/bin/*}")
    readable+=("${compiler%/bin/*}")
fi

# /lib and its like are links into /usr on merged systems.
links=()
for folder in /bin /lib /lib32 /lib64 /sbin; do
    if [ -L "$folder" ]; then
        links+=("$folder")
    elif [ -d "$folder" ]; then
        binds+=(--ro-bind "$folder" "$folder")
    fi
done
mapfile -d '' -t real < <(readlink -z -- "${links[@]:-/bin}")
for i in "${!links[@]}"; do binds+=(--symlink "${real[i]}" "${links[i]}"); done

# What bubblewrap is asked for; a container may forbid to mount /proc in a box, which then has none.
prlimit=(prlimit --core=0 --fsize=1073741824 --nofile=1024 --as="${COMPILE_MEMORY:-8589934592}" --)
box=(bwrap --unshare-all --unshare-user --uid 65534 --gid 65534 --cap-drop ALL --die-with-parent --new-session
    --clearenv --setenv PATH "/usr/bin:/bin" --setenv HOME /tmp --setenv TMPDIR /tmp --setenv LC_ALL C
    --ro-bind /usr /usr --ro-bind-try /etc/alternatives /etc/alternatives --ro-bind-try /etc/ld.so.cache
        /etc/ld.so.cache
    --dev /dev --size 2147483648 --tmpfs /tmp "${binds[@]}" --bind "$output" "$output" --chdir "$PWD")
proc=(--proc /proc)

# behind_landlock COMMAND...: for machines without namespaces. If this user is root, the command runs as another user,
# who may read the named files and owns the output. Ends with 125 if there is no Landlock either.
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
no-proc) "${prlimit[@]}" "${box[@]}" -- "$@" || status=$? ;;
*) "${prlimit[@]}" "${box[@]}" "${proc[@]}" -- "$@" || status=$? ;;
esac
# bubblewrap's own failure has no code of its own: whether there can be a box is asked once something went wrong. Then
# nothing has read the standard input yet.
[ $status -eq 0 ] || case ${BOX:-} in
landlock) ;;
no-proc) works "${box[@]}" -- || status=125 ;;
namespaces) works "${box[@]}" "${proc[@]}" -- || status=125 ;;
*)
    if ! works "${box[@]}" "${proc[@]}" --; then
        status=0
        if works "${box[@]}" --; then
            "${prlimit[@]}" "${box[@]}" -- "$@" || status=$?
        else
            behind_landlock "$@" || status=$?
        fi
    fi ;;
esac
if [ $status -eq 125 ]; then
    echo "compile_box.sh: bubblewrap cannot make a box here, nor can Landlock; --box none does without" >&2
    exit 3
fi
exit $status
