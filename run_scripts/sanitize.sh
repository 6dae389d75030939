#!/bin/bash
# Looks for memory and race errors in a submission: sanitize.sh SUBMISSION [PROBLEM] [--case NAME | --generate LINE]
#     [--seed N] [--league NAME] [--device gpu|sim]
#
# Calls device_user() once, on the problem's first sample unless another input is asked for. On a GPU below NVIDIA's
# compute-sanitizer, with each of its tools: memcheck, racecheck, initcheck, synccheck. Without one on the simulator,
# with all of its checks. What they said stays in build/reports/PROBLEM; printed are how many errors there are of each
# kind, and where the first is. Exit codes: 0 none was found, 1 some were, 2 usage, 3 the toolkit failed.
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/build_submission.sh"
. "$(dirname "$0")/lib/watched.sh"
help_asked "$@"
practice_begin 'sanitize.sh SUBMISSION [PROBLEM] [--case NAME | --generate LINE] [--seed N] [--league NAME] [--device gpu|sim]' \
    "$@"
found=0

# A kernel and a line are named alike for both.
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
            "note: memory of the device is kept at the end (\(.) places); that is allowed, see the report")' "$json" | sed "s|$root/||"
    found=$(jq '[.faults[] | select(.kind != "leak")] | length' "$json")
    echo "reports: ${json#"$root"/}, ${log#"$root"/}"
}

# kinds LOG: of what a tool of compute-sanitizer said, a line "COUNT x KIND" each, then the first and its place. A
# message begins "========= KIND" and goes on in lines that are indented; sums and notes are none.
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
            echo "  note: memory of the device is kept at the end ($(grep -c "^========= Leaked" \
            "$log") places); that is allowed, see the report"
        # A broken tool must not read as a clean submission.
        grep -q 'SUMMARY' "$log" || fail "compute-sanitizer did not finish: $(tail -n 1 "$log")"
    done
    echo "reports: ${report#"$root"/}-{memcheck,racecheck,initcheck,synccheck}.txt"
}

if [ "$device" = gpu ]; then on_gpu; else on_simulator; fi
[ "$found" = 0 ]
