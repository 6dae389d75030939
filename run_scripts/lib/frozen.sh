#!/bin/bash
# The trusted files and their digests: frozen.sh list|lines|digest|check|update [PROBLEM]
#
# list    prints the trusted files, sorted: the host, verify/, the contract, and each problem without its texts
#         (statement, README.md) and its submissions
# lines   prints their digests, as sha256sum writes them
# digest  prints one SHA-256 of the host's lines, followed by the lines of PROBLEM if one is given
# check   compares the files with the committed lists: verify/frozen.sha256 and problems/NAME/frozen.sha256
# update  writes these lists, or only the list of PROBLEM
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."

host_files() {
    find main_host.c problems/*.[ch] verify -type f \
        ! -name frozen.sha256 ! -name README.md | sort
}
problem_files() { # NAME...: sorted, so one problem after the other
    find "${@/#/problems/}" -type f ! -name frozen.sha256 ! -name README.md \
        ! -path '*/statement/*' ! -path '*/submissions/*' | sort
}
folders=(problems/*/)
folders=("${folders[@]%/}")
names=("${folders[@]#problems/}")

# The list of one part, as sha256sum writes it, and the file that it is committed in.
each_part() { # COMMAND: called with LIST-FILE, then the files on standard input
    local name status=0
    host_files | "$1" verify/frozen.sha256 || status=1
    for name in "${names[@]}"; do
        problem_files "$name" | "$1" "problems/$name/frozen.sha256" || status=1
    done
    return $status
}
check_part() {
    [ -f "$1" ] || { echo "frozen: $1 is missing: run 'make freeze'" >&2; return 1; }
    local changes
    changes=$(diff "$1" <(xargs -r sha256sum) | grep '^[<>]' || true)
    [ -n "$changes" ] || return 0
    sed 's/^</frozen: was/; s/^>/frozen: now/' <<< "$changes" >&2
    echo "frozen: the files above differ from $1" >&2
    return 1
}
lines_part() { xargs -r sha256sum; }
update_part() { xargs -r sha256sum > "$1"; }

case "${1:-}" in
list) host_files && problem_files "${names[@]}" ;;
lines) each_part lines_part ;;
digest) { host_files; [ $# -lt 2 ] || problem_files "$2"; } | xargs -r sha256sum | sha256sum | cut -d ' ' -f 1 ;;
check)
    each_part check_part || exit 3
    echo "frozen: all trusted files are as committed"
    ;;
update)
    if [ $# -eq 2 ]; then
        problem_files "$2" | update_part "problems/$2/frozen.sha256"
    else
        each_part update_part
    fi
    ;;
*) echo 'usage: frozen.sh list|lines|digest|check|update [PROBLEM]' >&2; exit 2 ;;
esac
