#!/bin/bash
# Runs a compiler on untrusted source: compile_box.sh OUTPUT-FOLDER READABLE... -- COMMAND...
#
# The command sees /usr, the CUDA Toolkit, the READABLE files and folders, and nothing else: no other file, no network,
# no device, no environment. It writes to OUTPUT-FOLDER and to a /tmp of its own. Each of its processes may have
# COMPILE_MEMORY bytes of address space (8 GiB), and write files of 1 GiB. All paths are as outside. Exit code 3: there
# is no box on this machine, and nothing was run; else the command's.
set -euo pipefail
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
output=${real[0]} compiler=${real[-1]} binds=()
for ((i = 1; i < ${#files[@]}; i++)); do binds+=(--ro-bind "${real[i]}" "${inside[i]}"); done
# A compiler outside of /usr brings its folder along.
[[ $compiler == /usr/* ]] || [ "$compiler" = /usr ] || binds+=(--ro-bind "${compiler%/bin/*}" "${compiler%/bin/*}")

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

box=(bwrap --unshare-all --unshare-user --uid 65534 --gid 65534 --cap-drop ALL --die-with-parent --new-session
    --clearenv --setenv PATH "/usr/bin:/bin" --setenv HOME /tmp --setenv TMPDIR /tmp --setenv LC_ALL C
    --ro-bind /usr /usr --ro-bind-try /etc/alternatives /etc/alternatives --ro-bind-try /etc/ld.so.cache
        /etc/ld.so.cache
    --proc /proc --dev /dev --size 2147483648 --tmpfs /tmp "${binds[@]}" --bind "$output" "$output" --chdir "$PWD")
status=0
prlimit --core=0 --fsize=1073741824 --nofile=1024 --as="${COMPILE_MEMORY:-8589934592}" -- "${box[@]}" -- "$@" ||
    status=$?
# bubblewrap's own failure has no code of its own: whether there can be a box is asked once something went wrong.
if [ $status -ne 0 ] && ! "${box[@]}" true > /dev/null 2>&1 < /dev/null; then
    echo "compile_box.sh: bubblewrap cannot make a box here; --box none does without" >&2
    exit 3
fi
exit $status
