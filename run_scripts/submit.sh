#!/bin/bash
# Submits files to a contest's server: submit.sh PROBLEM FILE... [--watch] [--url URL] [--token FILE]
#
# The token comes from ~/.config/gpu-contest/token or from the FILE of --token. Nobody else may read it (mode 0600). The
# server's address comes from --url, from CONTEST_URL, or from the file `url` beside the token. --watch waits for the
# verdict. Exit codes: 0 submitted, or with --watch accepted; 1 rejected; 2 usage; 3 the server or this machine failed.
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/server.sh"
help_asked "$@"
line='submit.sh PROBLEM FILE... [--watch] [--url URL] [--token FILE]'
watch=''
while [ $# -gt 0 ]; do
    if server_option "$@"; then
        shift
    elif [ "$1" = --watch ]; then
        watch=yes
    else
        [[ $1 != -* ]] || usage "$line"
        words+=("$1")
    fi
    shift
done
[ ${#words[@]} -ge 2 ] || usage "$line"
server_ready
parts=(--form-string "problem=${words[0]}")
for file in "${words[@]:1}"; do
    [ -f "$file" ] || refuse "there is no file '$file'"
    [[ $file != *[\",\;]* ]] || refuse "'$file': rename the file; its name must have no quotes, commas and semicolons"
    parts+=(-F "files=@\"$file\"")
done
ask_well "${parts[@]}" "$url/submit"
number=$(sed -n 's/^{"id":"\([0-9]*\)"}.*/\1/p' <<< "$body")
[ -n "$number" ] || fail "the server's reply has no submission number"
echo "submission $number"
[ -n "$watch" ] || exit 0
before=''
while :; do
    ask_well "$url/my/$number.json"
    IFS=$'\t' read -r state verdict message < <(jq -r '[.state, .verdict // "-", .message] | @tsv' <<< "$body")
    if [ "$verdict" != - ]; then
        shown <<< "$verdict${message:+ $message}"
        [ "$verdict" = AC ] || exit 1
        exit 0
    fi
    [ "$state" = "$before" ] || shown <<< "$state" >&2
    before=$state
    sleep 0.5
done
