#!/bin/bash
# Runs a compiler on untrusted source: compile_box.sh OUTPUT-FOLDER READABLE... -- COMMAND...
#
# The command sees /usr, the CUDA Toolkit, the READABLE files and folders, and nothing else: no other file, no network, no
# device, no environment. It writes to OUTPUT-FOLDER and to a /tmp of its own. Each of its processes may have
# COMPILE_MEMORY bytes of address space (8 GiB), and write files of 1 GiB. All paths are as outside. Exit code 3: there is
# no box on this machine, and nothing was run; else the command's.
set -euo pipefail
[ $# -ge 3 ] || { echo 'usage: compile_box.sh OUTPUT-FOLDER READABLE... -- COMMAND...' >&2; exit 2; }
output=$(realpath "$1")
shift
readable=()
while [ "$1" != -- ]; do
    readable+=("$1")
    shift
done
shift
# One process for all of them: a small submission compiles in a tenth of a second.
binds=() inside=() outside=()
if [ ${#readable[@]} -gt 0 ]; then
    mapfile -d '' -t outside < <(realpath -z -- "${readable[@]}")
    mapfile -d '' -t inside < <(realpath -sz -- "${readable[@]}")
    [ ${#outside[@]} -eq ${#readable[@]} ] || { echo 'compile_box.sh: a file that is to be readable is not there' >&2; exit 2; }
    for i in "${!outside[@]}"; do binds+=(--ro-bind "${outside[i]}" "${inside[i]}"); done
fi

# /lib and its like are links into /usr on merged systems.
for folder in /bin /lib /lib32 /lib64 /sbin; do
    if [ -L "$folder" ]; then
        binds+=(--symlink "$(readlink "$folder")" "$folder")
    elif [ -d "$folder" ]; then
        binds+=(--ro-bind "$folder" "$folder")
    fi
done
cuda=$(command -v "$1" || true)
cuda=$(realpath "${cuda:-/usr}") # a compiler outside of /usr brings its folder along
[[ $cuda == /usr/* ]] || binds+=(--ro-bind "${cuda%/bin/*}" "${cuda%/bin/*}")

box=(bwrap --unshare-all --unshare-user --uid 65534 --gid 65534 --cap-drop ALL --die-with-parent --new-session
    --clearenv --setenv PATH "/usr/bin:/bin" --setenv HOME /tmp --setenv TMPDIR /tmp --setenv LC_ALL C
    --ro-bind /usr /usr --ro-bind-try /etc/alternatives /etc/alternatives --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache
    --proc /proc --dev /dev --size 2147483648 --tmpfs /tmp "${binds[@]}" --bind "$output" "$output" --chdir "$PWD")
status=0
prlimit --core=0 --fsize=1073741824 --nofile=1024 --as="${COMPILE_MEMORY:-8589934592}" -- "${box[@]}" -- "$@" || status=$?
# bubblewrap's own failure has no code of its own: whether there can be a box is asked once something went wrong.
if [ $status -ne 0 ] && ! "${box[@]}" true > /dev/null 2>&1 < /dev/null; then
    echo "compile_box.sh: bubblewrap cannot make a box here; --box none does without" >&2
    exit 3
fi
exit $status
