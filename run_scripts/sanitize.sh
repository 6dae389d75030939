#!/bin/bash
# Looks for memory and race errors in a submission: sanitize.sh SUBMISSION [PROBLEM] [--case NAME | --generate LINE]
#     [--seed N] [--league NAME] [--device gpu|sim]
#
# The script calls device_user() once, on the given input or on the problem's first sample. On a GPU it uses NVIDIA's
# compute-sanitizer with each of its tools: memcheck, racecheck, initcheck, synccheck. Without a GPU it uses the
# simulator with all its checks. It prints the number of errors of each kind, and the place of the first. The full
# reports are in build/reports/PROBLEM. Exit codes: 0 no error found, 1 errors found, 2 usage, 3 the toolkit failed.
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/build_submission.sh"
. "$(dirname "$0")/lib/watched.sh"
help_asked "$@"
practice_begin 'sanitize.sh SUBMISSION [PROBLEM] [--case NAME | --generate LINE] [--seed N] [--league NAME] [--device gpu|sim]' \
    "$@"
found=0

# Both devices name a kernel and a line in the same way.
on_simulator() {
    local log=$report-sanitize.txt json=$report-sanitize.json
    rm -f "$json"
    CUDASIM_CHECK=all CUDASIM_JSON=$json practice_run "$log"
    [ -s "$json" ] || fail "the simulator left no report: $(tail -n 1 "$log")"
    echo "on the simulator, all checks: $(practice_answer "$log")"
    jq -r '
        (.faults | map(select(.kind != "leak"))) as $errors |
        if $errors == [] then "no errors" else
            ($errors | [group_by(.kind)[] | {count: (map(.count) | add), first: .[0]}] | sort_by(-.count)[] |
                "\(.count) x \(.first.kind), first in \(.first.kernel // "no kernel")" +
                (.first | if .file then ", \(.file):\(.line)" elif (.line // 0) > 0 then ", line \(.line) of its PTX"
                    else "" end) + ": \(.first.text)") end,
        (.faults | map(select(.kind == "leak")) | length | select(. > 0) |
            "note: device memory is not freed at the end (\(.) places); that is allowed, see the report")' "$json" | sed "s|$root/||"
    found=$(jq '[.faults[] | select(.kind != "leak")] | length' "$json")
    echo "reports: ${json#"$root"/}, ${log#"$root"/}"
}

# kinds LOG: prints one line "COUNT x KIND" per kind of error in a compute-sanitizer log, then the first error and its
# place. A message begins with "========= KIND" and continues in indented lines. Sums and notes are not messages.
kinds() {
    awk '
        !/^=========/ { next }
        { text = substr($0, 11) }
        text ~ /^ / {
            if (open && place == "" && text ~ /^ +(at|and|in) |access at /) { place = text; sub(/^ +/, "", place) }
            next
        }
        { open = 0 }
        text ~ /SUMMARY|^COMPUTE-SANITIZER|^Target application|^$|^No attachable|were suppressed/ { next }
        text ~ /^Saved|^Leaked|^This tool/ { next }
        text ~ /^(Error|Warning|Internal Sanitizer)/ && text !~ /Race|Barrier|Potential/ { next }
        {
            kind = text
            sub(/^(Error|Warning): /, "", kind)
            sub(/ reported between .*/, "", kind)
            sub(/ at 0x[0-9a-f]+.*/, "", kind)
            sub(/ due to .*/, "", kind)
            sub(/ with stream .*/, "", kind)
            sub(/\. .*/, "", kind); sub(/\.$/, "", kind)
            if (!(kind in count)) order[++kinds] = kind
            count[kind]++
            if (kinds == 1 && count[kind] == 1) { open = 1; if (text ~ / access at /) { place = text;
                sub(/.*access at /, "at ", place) } }
        }
        END {
            for (k = 1; k <= kinds; k++) printf "  %d x %s\n", count[order[k]], order[k]
            if (kinds > 0 && place != "") print "  first: " place
        }' "$1"
}

on_gpu() {
    local sanitizer tool log words options
    sanitizer=$(tool_of_cuda compute-sanitizer) || fail "compute-sanitizer is not found: it comes with the CUDA Toolkit"
    for tool in memcheck racecheck initcheck synccheck; do
        log=$report-$tool.txt
        options=(--tool "$tool" --log-file "$log" --print-limit 1000)
        [ $tool != memcheck ] || options+=(--leak-check full)
        rm -f "$log"
        practice_run "$report-$tool-said.txt" "$sanitizer" "${options[@]}"
        [ -s "$log" ] || fail "compute-sanitizer left no report: $(tail -n 1 "$report-$tool-said.txt")"
        words=$(kinds "$log")
        echo "$tool: $([ -n "$words" ] && echo found || echo no errors); $(practice_answer "$report-$tool-said.txt")"
        [ -z "$words" ] || { found=$((found + 1)) && echo "$words"; }
        ! grep -q "^========= Leaked" "$log" ||
            echo "  note: device memory is not freed at the end ($(grep -c "^========= Leaked" \
            "$log") places); that is allowed, see the report"
        # A broken tool must not read as a clean submission.
        grep -q 'SUMMARY' "$log" || fail "compute-sanitizer did not finish: $(tail -n 1 "$log")"
    done
    echo "reports: ${report#"$root"/}-{memcheck,racecheck,initcheck,synccheck}.txt"
}

if [ "$device" = gpu ]; then on_gpu; else on_simulator; fi
[ "$found" = 0 ]
