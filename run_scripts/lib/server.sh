# Sourced after lib.sh by scripts that talk to a contest's server: the server's address and the token.
# shellcheck shell=bash disable=SC2034,SC2154
folder=${XDG_CONFIG_HOME:-$HOME/.config}/gpu-contest
token=$folder/token url=${CONTEST_URL:-} words=()

# server_option NAME [VALUE]: true if all these scripts have this option. The option then takes two words.
server_option() {
    case $1 in
    --url) url=${2:-} ;;
    --token) token=${2:-} ;;
    *) return 1 ;;
    esac
    [ $# -ge 2 ] || usage "$line"
}

# server_ready: sets $url and $secret, or ends the script.
server_ready() {
    command -v curl > /dev/null || fail 'curl is not installed: install it to talk to the server'
    [ -n "$url" ] || url=$(cat "${token%/*}/url" 2> /dev/null) || true
    [[ $url =~ ^https?://[^[:space:]\"\\]+$ ]] || refuse "the server's address is not known: give --url https://..."
    url=${url%/}
    [ -f "$token" ] ||
        refuse "there is no token in '$token': write the organiser's token into this file, then chmod 600 it"
    [[ $(stat -L -c %a "$token") =~ 00$ ]] || refuse "others may read '$token': chmod 600 it first"
    secret=$(tr -d '[:space:]' < "$token")
    [[ $secret =~ ^[0-9]+\.[A-Za-z0-9_-]+$ ]] || refuse "'$token' does not contain a token"
}

# ask CURL-ARGUMENT...: prints curl's output. The token is not an argument, as other users can see arguments.
ask() {
    curl -sS --config <(printf 'header = "Authorization: Bearer %s"\n' "$secret") "$@" || fail "'$url' does not answer"
}

# ask_well CURL-ARGUMENT...: sets $body to the reply's body, or ends the script if the server refuses.
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
