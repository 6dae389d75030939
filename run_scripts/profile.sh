#!/bin/bash
# Shows where a submission spends its time: profile.sh SUBMISSION [PROBLEM] [--case NAME | --generate LINE] [--seed N]
#     [--league NAME] [--device gpu|sim]
#
# The script calls device_user() once, on the given input or on the problem's first sample. On a GPU it uses NVIDIA's
# ncu, for at most PROFILE_LAUNCHES kernel launches (default: 100). Without a GPU it uses the simulator. For each kernel
# it prints the launches, the time, the share of peak memory and arithmetic throughput, the occupancy, and the limiter.
# The simulator's times are predictions. They need a model, which `make predict` trains for one device
# (docs/PREDICT.md). The full report is in build/reports/PROBLEM: NAME.ncu-rep for ncu-ui, or the simulator's text and
# JSON. Exit codes: 0 profile made, 1 the submission failed, 2 usage, 3 the toolkit failed.
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/build_submission.sh"
. "$(dirname "$0")/lib/watched.sh"
. "$(dirname "$0")/../contrib/predict/scripts/predicting.sh"
help_asked "$@"
practice_begin 'profile.sh SUBMISSION [PROBLEM] [--case NAME | --generate LINE] [--seed N] [--league NAME] [--device gpu|sim]' \
    "$@"
launches=${PROFILE_LAUNCHES:-100}
[[ $launches =~ ^[1-9][0-9]{0,5}$ ]] || refuse "PROFILE_LAUNCHES=$launches is not a number from 1 to 999999"

on_simulator() {
    local log=$report-profile.txt json=$report-profile.json csv=$report-features.csv predicted=$report-predicted.json \
        model
    rm -f "$json"
    echo '{"kernels": []}' > "$predicted"
    model=$(model_of "$predict_csv")
    if model_is_ready "$predict_csv" "$model"; then
        simulate_gpu "$model"
        export CUDASIM_FEATURES=$csv
    else
        model=''
    fi
    CUDASIM_CHECK=none CUDASIM_EXPLAIN=1 CUDASIM_EXPLAIN_FILE=$log CUDASIM_JSON=$json practice_run \
        "$report-profile-said.txt"
    [ -s "$json" ] || fail "the simulator left no report: $(tail -n 1 "$report-profile-said.txt")"
    [ "$(jq '.kernels | length' "$json")" -gt 0 ] || model=none
    # A kernel that failed leaves no features.
    [[ -z $model || $model = none ]] || [ "$(wc -l < "$csv")" -lt 2 ] ||
        "$predictor" submission "$model" "$csv" --json --gpus "$predict_gpus" > "$predicted" ||
        fail "the launches cannot be predicted: see above"
    echo "on the simulator: $(practice_answer "$report-profile-said.txt")"
    echo 'share of the modelled time of an H100; use of the bytes moved by loads and stores; occupancy: warps that fit'
    printf '%6s %9s %9s %9s %9s %10s %12s  %-9s %s\n' share launches lanes loads stores occupancy 'predicted us' \
        limiter kernel
    jq -r --slurpfile predicted "$predicted" '
        def shown: if . >= 1000 then round elif . >= 100 then . * 10 | round / 10 else . * 100 | round / 100 end;
        # A total in microseconds, "refused" if a launch was refused, "-" if unknown.
        def predicted: (.name | sub("\\(.*"; "") | sub("<.*"; "") | sub("^.*[ :]"; "")) as $plain |
            .launches as $launches | ($predicted[0].kernels | map(select(.kernel == $plain))[0]) as $k |
            if $k == null or $k.launches != $launches then "-" elif $k.refused then "refused" else $k.us | shown end;
        def percent: if . == null then "-" else "\(. * 100 | round) %" end;
        def most: .model as $m | if $m.launch_bound then "launches" else
            ["issue", "double", "special", "global", "shared", "local", "atomic"] | max_by($m[.] // 0) end;
        .kernels | sort_by(-.share)[] | [(.share | percent), .launches, (.simd_efficiency | percent),
            (.global_loads.efficiency | percent), (.global_stores.efficiency | percent),
            (.occupancy.share | percent), predicted, most, .name] | @tsv' "$json" |
        while IFS=$'\t' read -r a b c d e f g h i; do
            printf '%6s %9s %9s %9s %9s %10s %12s  %-9s %s\n' "$a" "$b" "$c" "$d" "$e" "$f" "$g" "$h" "$i"
        done
    [ "$model" != none ] || echo 'no kernel ran'
    jq -r '.faults[] | select(.kind == "refused") | "refused: \(.kernel): \(.text)"' "$json"
    [ -n "$model" ] || echo 'no predicted times: there is no model yet; make predict trains one'
    jq -r 'if .findings == [] then "nothing stands out" else .findings[:3][] |
        "\(.share * 100 | round) % of the time: \(.kind)" + (if .line then ", \(.file // "PTX"):\(.line)" else "" end) +
            ": \(.text)" end' \
        "$json" | sed "s|$root/||g"
    echo "reports: ${log#"$root"/}, ${json#"$root"/}"
}

on_gpu() {
    local ncu said=$report-profile-said.txt rep=$report.ncu-rep csv=$report-profile.csv
    ncu=$(tool_of_cuda ncu) || fail "ncu is not found: it comes with the CUDA Toolkit (Nsight Compute)"
    rm -f "$rep"
    practice_run "$said" "$ncu" --target-processes application-only --launch-count "$launches" --section SpeedOfLight \
        --section LaunchStats --section Occupancy --section MemoryWorkloadAnalysis \
        --force-overwrite --export "${rep%.ncu-rep}"
    ! grep -q ERR_NVGPUCTRPERM "$said" ||
        fail "the driver keeps the GPU's counters for root: see https://developer.nvidia.com/ERR_NVGPUCTRPERM"
    [ -s "$rep" ] || fail "ncu left no report: $(grep -E '^==(ERROR|WARNING)==' "$said" | tail -n 1 ||
        tail -n 1 "$said")"
    "$ncu" --import "$rep" --csv --page raw --print-units base --print-fp > "$csv" 2> "$said.import" ||
        fail "ncu cannot read its own report: $(tail -n 1 "$said.import")"
    jq -L contrib/practice -Rn 'include "ncu"; launches' "$csv" > "$report-profile.json"
    echo "on the GPU, under ncu: $(practice_answer "$said")"
    echo "medians over a kernel's launches; percent of peak arithmetic, cache and DRAM rates; warps: achieved, possible"
    printf '%10s %8s %7s %7s %7s %7s %7s %6s  %s\n' 'total us' launches arith. L1 L2 DRAM achieved fit kernel
    jq -r -L contrib/practice 'include "ncu"; kernels' "$report-profile.json" |
        while IFS=$'\t' read -r a b c d e f g h i j; do
            printf '%10s %8s %7s %7s %7s %7s %7s %6s  %s\n%10s %s\n' "$a" "$b" "$c" "$d" "$e" "$f" "$g" "$h" "$i" '' \
                "$j"
        done
    [ "$(jq length "$report-profile.json")" -lt "$launches" ] ||
        echo "these are the first $launches launches; set PROFILE_LAUNCHES=N for more"
    echo "reports: ${rep#"$root"/} (ncu-ui), ${csv#"$root"/}"
}

if [ "$device" = gpu ]; then on_gpu; else on_simulator; fi
[ "$status" -le 1 ] && grep -q '^practice: the answer is right' "$report-profile-said.txt"
