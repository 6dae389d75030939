#!/bin/bash
# The trusted files and their digests: frozen.sh list|lines|digest|check|update [PROBLEM]
#
# list    the trusted files, sorted: the host, verify/, the contract, and of each problem all but what is for
#         people (statement, README.md) and for the participant's side (submissions)
# lines   their digests, as sha256sum writes them
# digest  one SHA-256 of the host's lines, and then of the lines of PROBLEM where one is named
# check   compares them with the committed lists: verify/frozen.sha256 and problems/NAME/frozen.sha256
# update  writes those lists, or that of PROBLEM alone
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."

host_files() {
    find main_host.c problems/*.[ch] verify -type f \
        ! -name frozen.sha256 ! -name README.md | sort
}
problem_files() { # NAME
    find "problems/$1" -type f ! -name frozen.sha256 ! -name README.md \
        ! -path '*/statement/*' ! -path '*/submissions/*' | sort
}
problem_names() { for folder in problems/*/; do basename "$folder"; done; }

# The list of one part, as sha256sum writes it, and the file where it is committed.
each_part() { # COMMAND: called with LIST-FILE, then the files on standard input
    local name status=0
    host_files | "$1" verify/frozen.sha256 || status=1
    for name in $(problem_names); do
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
list) host_files; for name in $(problem_names); do problem_files "$name"; done ;;
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
