# Sourced by scripts that measure what judgings leave behind. It gives the caller its own namespaces, in which every
# process, mount and file belongs to the caller or to a judging. The measurement and other users of the machine do not
# disturb each other.
# shellcheck shell=bash

# clean_room_enter KEEP ARGUMENT...: starts the script again, with the arguments, as the first process of a process
# namespace. /tmp and /dev/shm are empty there; the folder KEEP and the toolkit's folder stay, even if they are below.
# The outer script ends with the exit code of the inner one. In the inner one this function returns at once.
clean_room_enter() {
    local keep=$1 status=0 new=(unshare --map-root-user --mount --pid --ipc --fork --kill-child --mount-proc)
    shift
    if [ $$ -eq 1 ] && [ "${CLEAN_ROOM:-}" = yes ]; then
        clean_room_furnish "$keep"
        return
    fi
    "${new[@]}" true 2> /dev/null ||
        fail 'this machine has no user namespaces: files and processes of others would count as left behind'
    CLEAN_ROOM=yes "${new[@]}" "$0" "$@" || status=$?
    exit $status
}

# clean_room_furnish KEEP: makes the two empty folders.
clean_room_furnish() {
    local folder kept=("$root" "$(realpath "$1")")
    mount -t tmpfs -o size=2g clean-room /dev/shm
    mkdir /dev/shm/0 /dev/shm/1
    mount --bind "${kept[0]}" /dev/shm/0
    mount --bind "${kept[1]}" /dev/shm/1
    mount -t tmpfs -o size=2g clean-room /tmp
    for folder in 0 1; do
        mkdir -p "${kept[folder]}" && mount --bind "/dev/shm/$folder" "${kept[folder]}"
        umount "/dev/shm/$folder" && rmdir "/dev/shm/$folder"
    done
    cd "$root" || return
    clean_room_list=${kept[1]}/processes
    clean_room_files=$(find /tmp /dev/shm -xdev -mindepth 1 | sort)
    clean_room_mounts=$(cut -d ' ' -f 4- /proc/self/mountinfo | sort)
}

# clean_room_processes: prints all processes except the caller, one per line: number (name) state parent. Do not use it
# in a pipe: the other end of the pipe would be in the list.
clean_room_processes() {
    local process line
    for process in /proc/[0-9]*; do
        [ "$process" != /proc/$$ ] && [ "$process" != "/proc/$BASHPID" ] || continue
        { read -r line < "$process/stat"; } 2> /dev/null || continue
        [[ ${line##*) } =~ ^(. [0-9]+) ]]
        echo "${line%) *}) ${BASH_REMATCH[1]}"
    done
}

# clean_room_left: prints what is new since the start, one per line; nothing if clean. A lock is a file that stays
# (verify/base/lockfile.h); it counts only if somebody holds it.
clean_room_left() {
    local line
    clean_room_processes > "$clean_room_list" # no pipe: its ends would be processes themselves
    sed 's/^/process: /' "$clean_room_list"
    while read -r line; do
        case $line in
        /tmp/gpu-contest-toolkit-cpu*.lock | /tmp/gpu-contest-toolkit-GPU-*-lock | \
            /tmp/gpu-contest-toolkit-contexts-lock)
            flock -n "$line" true || echo "lock: $line is held" ;;
        *) echo "file: $line" ;;
        esac
    done < <(comm -13 <(echo "$clean_room_files") <(find /tmp /dev/shm -xdev -mindepth 1 | sort))
    diff <(echo "$clean_room_mounts") <(cut -d ' ' -f 4- /proc/self/mountinfo | sort) | sed -n 's/^[<>] /mount: /p' ||
        true
    for line in shm sem msg; do
        [ "$(wc -l < /proc/sysvipc/$line)" -eq 1 ] || echo "System V $line: $(sed 1d /proc/sysvipc/$line)"
    done
}
