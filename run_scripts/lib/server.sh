# Sourced by scripts that ask a contest's server, after lib.sh: where it is, and who asks.
# shellcheck shell=bash disable=SC2034,SC2154
folder=${XDG_CONFIG_HOME:-$HOME/.config}/gpu-contest
token=$folder/token url=${CONTEST_URL:-} words=()

# server_option NAME [VALUE]: whether it is an option of all these scripts. It takes two words then.
server_option() {
    case $1 in
    --url) url=${2:-} ;;
    --token) token=${2:-} ;;
    *) return 1 ;;
    esac
    [ $# -ge 2 ] || usage "$line"
}

# server_ready: $url and $secret, or the script ends.
server_ready() {
    command -v curl > /dev/null || fail 'install curl: it talks to the server'
    [ -n "$url" ] || url=$(cat "${token%/*}/url" 2> /dev/null) || true
    [[ $url =~ ^https?://[^[:space:]\"\\]+$ ]] || refuse "the server's address is not known: give --url https://..."
    url=${url%/}
    [ -f "$token" ] ||
        refuse "there is no token in '$token': write the one that the organiser gave you into it, and chmod 600"
    [[ $(stat -L -c %a "$token") =~ 00$ ]] || refuse "others may read '$token': chmod 600 it first"
    secret=$(tr -d '[:space:]' < "$token")
    [[ $secret =~ ^[0-9]+\.[A-Za-z0-9_-]+$ ]] || refuse "what is in '$token' is no token"
}

# ask CURL-ARGUMENT...: what curl prints. The token is in no argument, which other users could see.
ask() {
    curl -sS --config <(printf 'header = "Authorization: Bearer %s"\n' "$secret") "$@" || fail "'$url' does not answer"
}

# ask_well CURL-ARGUMENT...: the reply's body in $body, unless the server refuses it.
ask_well() {
    local reply status
    reply=$(ask -w '\n%{http_code}' "$@")
    status=${reply##*$'\n'} body=${reply%$'\n'*}
    case $status in
    200) ;;
    4??) refuse "${body%%$'\n'*}" ;;
    *) fail "${body%%$'\n'*} (HTTP $status)" ;;
    esac
}
