#!/bin/bash
# Runs one task of a cluster, as a job of grade_slurm.sh: it probes its machine and grades one order: worker.sh CONTEST
# ROUND
#
# Each judgement's result is a file in the shared folder, which gets its name when it is complete. A machine may fail
# its probe, before the work or after a failed step. It is then drained if Slurm permits that, else kept from this
# contest's tasks, and its order goes back. Exit code 0: the order is graded, given back or was withdrawn; else the
# machine failed.
. "$(dirname "${BASH_SOURCE[0]}")/../../run_scripts/lib/lib.sh"
help_asked "$@"
[ $# -eq 2 ] && [ -n "${SLURM_ARRAY_TASK_ID:-}" ] || usage 'worker.sh CONTEST ROUND, in a Slurm job array'
contest=$1 node=$SLURMD_NODENAME
spool=$contest/grading/slurm order=$contest/grading/slurm/orders/$2-$SLURM_ARRAY_TASK_ID
unset SUBMISSION PROBLEM
[ -f "$order" ] || { echo "the order $order was withdrawn"; exit 0; }

give_back() {
    touch "$order.returned"
    exit 0
}

# unfit REASON: no task is to start here any more.
unfit() {
    echo "$node is unfit: $1"
    mkdir -p "$spool/unfit"
    printf '%s\n' "$1" > "$spool/unfit/$node.part"
    mv "$spool/unfit/$node.part" "$spool/unfit/$node"
    if [ "${GRADE_DRAIN:-yes}" = yes ] &&
        scontrol update "NodeName=$node" State=DRAIN "Reason=contest grading: $1"; then
        echo "$node is drained"
    else
        scontrol update "JobId=$SLURM_ARRAY_JOB_ID" "ExcNodeList=$(cd "$spool/unfit" && echo * | tr ' ' ,)" || true
    fi
    give_back
}
[ ! -e "$spool/unfit/$node" ] || { echo "$node is unfit, see $spool/unfit/$node"; give_back; }

# What was built where the front end runs serves machines with the same flags; others have a folder of their own.
if [ -e /dev/nvidiactl ]; then
    CUDA_ARCH=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
    export CUDA_ARCH
fi
if ! { toolkit_make print-same-flags && toolkit_make -q all grade-programs; } > /dev/null 2>&1; then
    export BUILD=build/nodes/$node
    build=$root/$BUILD
    mkdir -p "$build"
    (
        flock 9
        toolkit_make -j "$(nproc)" all grade-programs >&2 < /dev/null
    ) 9> "$build/lock" || unfit 'the toolkit does not build here'
fi

# The box that the contest asks for, for the probe: cgroup unless the file says otherwise.
box=$(sed -nE "s/^require_box:[[:space:]]*[\"']?([a-z]+).*/\1/p" "$contest/contest.yaml")
export GRADE_BOX=${box:-cgroup}

gpus=()
if [ -n "${CUDA_VISIBLE_DEVICES:-}" ] && [ "$CUDA_VISIBLE_DEVICES" != NoDevFiles ]; then
    mapfile -t known < <("$build/main_host" --devices 2> /dev/null | awk -F '\t' '$1 == "gpu" { print $3 }')
    IFS=, read -r -a wanted <<< "$CUDA_VISIBLE_DEVICES"
    for gpu in "${wanted[@]}"; do
        [[ ! $gpu =~ ^[0-9]+$ ]] || gpu=${known[gpu]:-}
        [ -n "$gpu" ] || unfit "Slurm gives GPU $CUDA_VISIBLE_DEVICES, and the driver shows ${#known[@]}"
        gpus+=(--gpu "$gpu")
    done
    unset CUDA_VISIBLE_DEVICES # numbers are the driver's from here on
fi

# Half of the processors build while submissions run, as with grade.sh.
builds=$((${SLURM_CPUS_ON_NODE:-2} / 2))
builds=$((builds < 1 ? 1 : builds > 64 ? 64 : builds))
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
probe() {
    local why
    why=$("${GRADE_PROBE:-$root/contrib/slurm/probe.sh}" "${gpus[@]}" 2>&1 < /dev/null) || unfit "${why##*$'\n'}"
}
probe
touch "$order.started"
while true; do
    status=0
    "$build/grader" work "$contest" --order "$order" --results "$spool/results" --scratch "$scratch" --host "$node" \
        --builds $builds "${gpus[@]}" < /dev/null || status=$?
    [ $status -eq 4 ] || exit $status
    probe # a step failed: is it the machine?
done
