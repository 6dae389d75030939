# A real Chromium without a window, driven over its debugging pipe: the Chrome DevTools Protocol, messages ended by a
# zero byte. Used by tests and by tests/scripts/scoreboard_pictures.sh; needs jq.
# shellcheck shell=bash

# chromium_start FOLDER: starts it with its profile and log in FOLDER, on an empty page. No name can be resolved, so it
# reaches this machine alone. As root it has no sandbox, so use it for our own pages only.
chromium_start() {
    local sandbox=() target
    [ "$(id -u)" != 0 ] || sandbox=(--no-sandbox)
    chromium_folder=$1 chromium_id=0 chromium_session=
    mkdir -p "$1/home"
    mkfifo "$1/to" "$1/from"
    HOME=$1/home XDG_CONFIG_HOME=$1/home XDG_CACHE_HOME=$1/home DBUS_SESSION_BUS_ADDRESS=disabled: \
        env timeout -k 5 3000 chromium --headless "${sandbox[@]}" --user-data-dir="$1/profile" --remote-debugging-pipe \
        --disable-gpu --disable-dev-shm-usage --no-first-run --disable-background-networking \
        --disable-component-update --disable-extensions --disable-sync \
        --host-resolver-rules='MAP * ~NOTFOUND, EXCLUDE 127.0.0.1' \
        --hide-scrollbars --font-render-hinting=none about:blank 3< "$1/to" 4> "$1/from" > "$1/log" 2>&1 < /dev/null &
    chromium_pid=$!
    exec {chromium_in}> "$1/to" {chromium_out}< "$1/from"
    cdp Target.getTargets
    target=$(jq -r '[.result.targetInfos[] | select(.type == "page")][0].targetId' <<< "$cdp_answer")
    cdp Target.attachToTarget "\"targetId\": \"$target\", \"flatten\": true"
    chromium_session=", \"sessionId\": \"$(jq -r .result.sessionId <<< "$cdp_answer")\""
    cdp Page.enable
    cdp Network.enable
}

# chromium_stop: ends it, and waits until it has.
chromium_stop() {
    [ -n "${chromium_pid:-}" ] || return 0
    exec {chromium_in}>&- {chromium_out}<&-
    kill "$chromium_pid" 2> /dev/null
    wait "$chromium_pid" 2> /dev/null || true
    chromium_pid=
}

# cdp METHOD [PARAMETERS]: sends it, PARAMETERS as the inner part of a JSON object, and leaves the whole answer in
# $cdp_answer. Events that come before it are kept in FOLDER/events, one a line.
cdp() {
    chromium_id=$((chromium_id + 1))
    printf '{"id": %d, "method": "%s", "params": {%s}%s}\0' $chromium_id "$1" "${2:-}" "$chromium_session" \
        >&"$chromium_in"
    while IFS= read -r -d '' -t 60 cdp_answer <&"$chromium_out"; do
        if [[ $cdp_answer == "{\"id\":$chromium_id,"* ]]; then
            [[ $cdp_answer != "{\"id\":$chromium_id,\"error\""* ]] || { echo "$1: $cdp_answer" >&2; return 1; }
            return 0
        fi
        printf '%s\n' "$cdp_answer" >> "$chromium_folder/events"
    done
    echo "chromium does not answer $1: $(tail -n 3 "$chromium_folder/log")" >&2
    return 1
}

# json_string TEXT: as a JSON string. TEXT has no control characters but tabs and line feeds.
json_string() {
    local text=${1//\\/\\\\}
    text=${text//\"/\\\"}
    text=${text//$'\n'/\\n}
    printf '"%s"' "${text//$'\t'/\\t}"
}

# chromium_open ADDRESS: goes there, and returns when it is loaded. Its requests are in FOLDER/events.
chromium_open() {
    : > "$chromium_folder/events"
    cdp Page.navigate "\"url\": $(json_string "$1")"
    [[ $cdp_answer != *'"errorText"'* ]] || { echo "cannot open $1: $cdp_answer" >&2; return 1; }
    chromium_do 'new Promise(done => document.readyState == "complete" ? done() : addEventListener("load", done))'
}

# chromium_do EXPRESSION: has the page do it; a promise is waited for. chromium_js prints its value as well, as JSON.
chromium_do() {
    cdp Runtime.evaluate "\"expression\": $(json_string "$1"), \"returnByValue\": true, \"awaitPromise\": true"
    [[ $cdp_answer != *'"exceptionDetails"'* ]] || { echo "$1: $cdp_answer" >&2; return 1; }
}
chromium_js() { chromium_do "$1" && jq -c .result.result.value <<< "$cdp_answer"; }

# chromium_text EXPRESSION: the same, a string without its quotes. Most have nothing to decode, which spares a jq.
chromium_text() {
    chromium_do "$1" || return
    if [[ $cdp_answer =~ \"result\":\{\"type\":\"string\",\"value\":\"([^\"\\]*)\"\} ]]; then
        printf '%s\n' "${BASH_REMATCH[1]}"
    else
        jq -r .result.result.value <<< "$cdp_answer"
    fi
}

# chromium_script FILE: every page opened from now on has this script's functions. It is no part of the page, whose
# policy would refuse it.
chromium_script() { cdp Page.addScriptToEvaluateOnNewDocument "\"source\": $(json_string "$(< "$1")")"; }

# chromium_screen WIDTH HEIGHT light|dark: what the page is to be shown on.
chromium_screen() {
    cdp Emulation.setDeviceMetricsOverride \
        "\"width\": $1, \"height\": $2, \"deviceScaleFactor\": 1, \"mobile\": false"
    cdp Emulation.setEmulatedMedia "\"features\": [{\"name\": \"prefers-color-scheme\", \"value\": \"$3\"}]"
}

# chromium_shot FILE WIDTH HEIGHT: a PNG of the page's upper part.
chromium_shot() {
    cdp Page.captureScreenshot "\"format\": \"png\", \"captureBeyondViewport\": true,
        \"clip\": {\"x\": 0, \"y\": 0, \"width\": $2, \"height\": $3, \"scale\": 1}"
    [[ $cdp_answer =~ \"data\":\"([^\"]*)\" ]]
    base64 -d <<< "${BASH_REMATCH[1]}" > "$1"
}

# chromium_key NAME CODE [TEXT]: presses and releases a key as a keyboard does: Tab 9, Enter 13 '\r'.
chromium_key() {
    local key="\"key\": \"$1\", \"code\": \"$1\", \"windowsVirtualKeyCode\": $2"
    cdp Input.dispatchKeyEvent "\"type\": \"keyDown\", $key${3:+, \"text\": \"$3\"}"
    cdp Input.dispatchKeyEvent "\"type\": \"keyUp\", $key"
}
