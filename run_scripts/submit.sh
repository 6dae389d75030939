#!/bin/bash
# Hands in a submission to a contest's server: submit.sh PROBLEM FILE... [--watch] [--url URL] [--token FILE]
#
# The token is read from ~/.config/gpu-contest/token, or the FILE of --token, which nobody else may read (mode 0600);
# the server's address from --url, CONTEST_URL or the file `url` beside the token. --watch waits for the verdict.
# Exit code: 0 handed in, or with --watch accepted; 1 rejected; 2 usage; 3 the server or this machine failed.
. "$(dirname "$0")/lib/lib.sh"
help_asked "$@"
line='submit.sh PROBLEM FILE... [--watch] [--url URL] [--token FILE]'
folder=${XDG_CONFIG_HOME:-$HOME/.config}/gpu-contest
token=$folder/token url=${CONTEST_URL:-} watch='' words=()
while [ $# -gt 0 ]; do
    case $1 in
    --watch) watch=yes ;;
    --url | --token)
        [ $# -ge 2 ] || usage "$line"
        [ "$1" = --url ] && url=$2 || token=$2
        shift ;;
    -*) usage "$line" ;;
    *) words+=("$1") ;;
    esac
    shift
done
[ ${#words[@]} -ge 2 ] || usage "$line"
command -v curl > /dev/null || fail 'install curl: it sends the files'
[ -n "$url" ] || url=$(cat "${token%/*}/url" 2> /dev/null) || true
[[ $url =~ ^https?://[^[:space:]\"\\]+$ ]] || refuse "the server's address is not known: give --url https://..."
url=${url%/}
[ -f "$token" ] || refuse "there is no token in '$token': write the one that the organiser gave you into it, and chmod 600"
[[ $(stat -L -c %a "$token") =~ 00$ ]] || refuse "others may read '$token': chmod 600 it first"
secret=$(tr -d '[:space:]' < "$token")
[[ $secret =~ ^[0-9]+\.[A-Za-z0-9_-]+$ ]] || refuse "what is in '$token' is no token"

# request CURL-ARGUMENT...: the reply's body; the token is in no argument, which other users could see. Its status is
# the last line.
request() {
    curl -sS --config - -w '\n%{http_code}' "$@" <<< "header = \"Authorization: Bearer $secret\"" ||
        fail "'$url' does not answer"
}
parts=(--form-string "problem=${words[0]}")
for file in "${words[@]:1}"; do
    [ -f "$file" ] || refuse "there is no file '$file'"
    [[ $file != *[\",\;]* ]] || refuse "'$file': a name without quotes, commas and semicolons, please"
    parts+=(-F "files=@\"$file\"")
done
reply=$(request "${parts[@]}" "$url/submit")
status=${reply##*$'\n'} body=${reply%$'\n'*}
case $status in
200) ;;
4??) refuse "${body%%$'\n'*}" ;;
*) fail "${body%%$'\n'*} (HTTP $status)" ;;
esac
number=$(sed -n 's/^{"id":"\([0-9]*\)"}.*/\1/p' <<< "$body")
[ -n "$number" ] || fail 'the server did not say what number it has'
echo "submission $number"
[ -n "$watch" ] || exit 0
before=''
while :; do
    reply=$(request "$url/my/$number.json")
    status=${reply##*$'\n'} body=${reply%$'\n'*}
    [ "$status" = 200 ] || fail "${body%%$'\n'*} (HTTP $status)"
    IFS=$'\t' read -r state verdict message < <(jq -r '[.state, .verdict // "", .message] | @tsv' <<< "$body")
    if [ -n "$verdict" ]; then
        shown <<< "$verdict${message:+ $message}"
        [ "$verdict" = AC ] || exit 1
        exit 0
    fi
    [ "$state" = "$before" ] || shown <<< "$state" >&2
    before=$state
    sleep 0.5
done
