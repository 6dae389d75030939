# Sourced by the scripts: where the toolkit is, and how they fail.
# shellcheck shell=bash disable=SC2034
set -euo pipefail
root=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd) # every caller names this file by a path
build=${BUILD:-build}
[[ "/$build/" != *//* && "/$build/" != */../* && "$build" != *[[:space:]]* ]] || {
    echo "BUILD: '$build' must be a folder in the toolkit's: a relative path without blanks, '..' or '/' at its end" >&2
    exit 2
}
build=$root/$build

# usage LINE: the caller's arguments are wrong.
usage() { echo "usage: $1" >&2; exit 2; }

# help_asked [ARGUMENT...]: if the first one is --help, prints the comment at the script's top and ends the script.
help_asked() {
    [ "${1:-}" = --help ] || return 0
    sed -n '2,${/^#/!q; s/^# \{0,1\}//; p}' "$0"
    exit 0
}

# Matches a line of plain text as verify/base/text.h defines it, or less; a test compares the two.
shown_plain='(?:\t|[^\p{C}\p{Zl}\p{Zp}\x{34f}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{180b}-\x{180f}\x{3164}\x{fe00}-\x{fe0f}\x{ffa0}\x{e0000}-\x{e0fff}])*+'

# shown: copies untrusted text from standard input so that it is safe on a terminal; see verify/base/text.h. Plain text
# stays as it is. Otherwise every byte that is not a tab or printable ASCII is printed as its number.
shown() {
    local text
    text=$(tr '\0' '\1')
    if LC_ALL=C.UTF-8 grep -qavxP "$shown_plain" <<< "$text"; then
        LC_ALL=C awk 'BEGIN { for (i = 1; i < 256; i++) number[sprintf("%c", i)] = sprintf("<x%02X>", i) }
            { line = ""
              for (i = 1; i <= length($0); i++) {
                  c = substr($0, i, 1)
                  line = line ((c >= " " && c <= "~") || c == "\t" ? c : number[c])
              }
              print line }' <<< "$text"
    else
        printf '%s\n' "$text"
    fi
}

# name_is file|path NAME: true if a submission may have a file of that name, or such a path below its folder. It agrees
# with name_is() of verify/base/name.c, but works before anything is built; a test compares the two.
name_words() { echo 'letters, digits and _ . + -, not beginning with -'; }
name_is() {
    local LC_ALL=C part='[A-Za-z0-9_.+][A-Za-z0-9_.+-]*' # in other locales a range contains other letters too
    case $1 in
    file) [[ $2 =~ ^$part$ && $2 != . && $2 != .. ]] ;;
    path) [[ $2 =~ ^$part(/$part)*$ && /$2/ != */./* && /$2/ != */../* ]] ;;
    *) fail "name_is: there is no kind '$1'" ;;
    esac
}

# The script's name in messages: the one that was typed, if that one started this one.
script_name=${CALLED_AS:-${0##*/}}

# refuse MESSAGE: the caller's arguments or files are at fault.
refuse() { shown <<< "$script_name: $1" >&2; exit 2; }

# fail MESSAGE: the toolkit or the machine is at fault.
fail() { shown <<< "$script_name: $1" >&2; exit 3; }

# folder_made FOLDER: makes a folder that the script writes to; ends the script if it cannot.
folder_made() { mkdir -p "$1" 2> /dev/null && [ -w "$1" ] || fail "cannot write to the folder '$1'"; }

# file_is_writable OPTION FILE: ends the script, before the work, if the file that an option names cannot be written.
file_is_writable() {
    if [ -e "$2" ]; then
        [ -w "$2" ] && [ ! -d "$2" ]
    else
        [ -w "$(dirname -- "$2")" ]
    fi || refuse "$1: cannot write '$2'"
}

# with_limit SECONDS COMMAND...: runs a command as timeout does. timeout has a process group of its own, which Ctrl-C
# does not reach: here Ctrl-C ends the command, and then the shell, with code 130.
with_limit() {
    local status=0 interrupted=''
    timeout -k 5 "$@" &
    trap 'interrupted=yes; kill "$!" 2> /dev/null || true' INT
    wait "$!" || status=$?
    trap - INT
    [ -z "$interrupted" ] || { wait "$!" || true; exit 130; }
    return $status
}

# toolkit_make ARGUMENT...: runs make in the toolkit's folder, quiet unless it fails, without a parent make's jobs.
toolkit_make() { env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$root" "$@"; }

# build_toolkit: builds the host, the runners and the default submission.
build_toolkit() { toolkit_make all >&2 || fail "the toolkit does not build: see above"; }

# build_simulator SUBMISSION: builds the simulator if the submission is CUDA and there is no GPU; empty is the default
# submission.
build_simulator() {
    local chosen=()
    [ -z "$1" ] || chosen=(SUBMISSION="$1")
    (
        unset SUBMISSION # of the caller's environment
        toolkit_make -j "$(nproc)" simulator-if-used "${chosen[@]}" >&2
    ) || fail "the simulator does not build: see above"
}

# submission_is_named: ends the script if SUBMISSION is set but empty.
submission_is_named() {
    [ -n "${SUBMISSION-unset}" ] || refuse "SUBMISSION is empty: name a file or folder, or omit it for the default"
}

# problem_exists NAME: ends the script if there is no such problem.
problem_exists() {
    [[ $1 =~ ^[a-z][a-z0-9]*$ && -f $root/problems/$1/problem.c ]] && return
    refuse "there is no problem '$1'; there are: $(cd "$root/problems" && echo */ | tr -d /)"
}

# league_of FILE: prints the league that a submission (a source or a folder) names, `league: NAME`; or nothing.
league_of() {
    find "$1" -type f \( -name '*.cu' -o -name '*.c' -o -name '*.cc' \) -exec \
        sed -n 's/^.*\bleague: \([a-z0-9_]\+\)\([.,].*\| \*\/\)\?$/\1/p' {} + 2> /dev/null | head -n 1 || true
}

# tracked_files [FOLDER...]: prints the toolkit's own files, except those in the folders, each ended by a zero byte.
# These are the files that git tracks, or without git all files that are not built.
tracked_files() {
    local folder leave=()
    for folder in .git build getrndstr ldistance seal key "${build##*/}" "$@"; do
        leave+=(! -path "./$folder" ! -path "./$folder/*")
    done
    if git -C "$root" rev-parse --is-inside-work-tree > /dev/null 2>&1; then
        git -C "$root" ls-files -z | grep -zvE "^($(IFS='|'; echo "${*:-//}"))/" |
            while IFS= read -r -d '' file; do [ ! -e "$root/$file" ] || printf '%s\0' "$file"; done
    else
        (cd "$root" && find . -type f "${leave[@]}" -printf '%P\0')
    fi
}

# zip_folder FOLDER ZIP NAME...: zips these names of the folder; the same files give the same bytes. Replaces a ZIP.
zip_folder() {
    local zip=$2
    rm -f "$zip" "$zip.part"
    (
        cd "$1"
        find "${@:3}" -exec touch -h -d '2000-01-01T00:00:00Z' {} +
        find "${@:3}" ! -path . | LC_ALL=C sort | TZ=UTC zip -q -X -y -@ - > "$zip.part"
    ) || { rm -f "$zip.part" && fail "cannot write '$zip'"; }
    mv "$zip.part" "$zip"
}
