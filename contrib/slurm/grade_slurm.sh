#!/bin/bash
# Grades a contest's folder on the machines of a Slurm cluster: grade_slurm.sh CONTEST [options] [-- SBATCH-OPTION...]
#
#   --watch        keeps looking for new files until it is stopped
#   --chunk N      most submissions in one task (8); a task probes its machine and builds baselines once for all of them
#   --tasks N      tasks in the queue at a time (1000, or the cluster's MaxArraySize)
#   --gpus N       GPUs per task; each judges one submission at a time (1; 0 if the cluster has no GPUs)
#   --minutes N    time limit of a task in minutes, as a safety net (120)
#   --probe FILE   a program that checks a machine, instead of contrib/slurm/probe.sh
#   --no-drain     keeps machines that fail the probe only from this contest's tasks
#
# Run it on the machine that has the contest's folder on a local disk. The cluster must see the folder and the toolkit
# under the same paths. An interrupted grading continues where it stopped. See docs/CLUSTER.md.
. "$(dirname "$0")/../../run_scripts/lib/lib.sh"
help_asked "$@"
usage_line='grade_slurm.sh CONTEST [--watch] [--chunk N] [--tasks N] [--gpus N] [--minutes N] [--probe FILE]
       [--no-drain] [-- SBATCH-OPTION...]'
[ $# -ge 1 ] && [ -n "$1" ] || usage "$usage_line"
[ -d "$1" ] || refuse "there is no folder '$1'"
contest=$(realpath "$1")
shift
options=() gpus='' tasks=1000
export GRADE_MINUTES=120 GRADE_PROBE='' GRADE_DRAIN=yes GRADE_SBATCH=''
while [ $# -gt 0 ]; do
    case $1 in
    --watch) options+=(--watch) ;;
    --no-drain) GRADE_DRAIN=no ;;
    --chunk | --tasks | --gpus | --minutes)
        [[ ${2:-} =~ ^(0|[1-9][0-9]{0,5})$ ]] || refuse "$1 needs a number"
        case $1 in
        --chunk) options+=(--chunk "$2") ;;
        --tasks) tasks=$2 ;;
        --gpus) gpus=$2 ;;
        --minutes) GRADE_MINUTES=$2 ;;
        esac
        shift ;;
    --probe)
        [ -x "${2:-}" ] || refuse "--probe: '${2:-}' is not a program"
        GRADE_PROBE=$(realpath "$2")
        shift ;;
    --)
        shift
        GRADE_SBATCH=$(printf '%s\n' "$@")
        break ;;
    *) usage "$usage_line" ;;
    esac
    shift
done
for program in sbatch squeue sinfo scontrol; do
    command -v $program > /dev/null ||
        fail "there is no '$program': this is not a machine of a Slurm cluster, see docs/CLUSTER.md"
done
"$root/run_scripts/lib/packages.sh" build grade
toolkit_make grade-programs >&2 || fail "the grader does not build: see above"
build_toolkit
"$build/grader" check "$contest" > /dev/null
most=$(scontrol show config | awk '$1 == "MaxArraySize" { print $3 - 1 }') && [ -n "$most" ] ||
    fail 'the cluster does not answer: see above'
[ "$tasks" -le "$most" ] || tasks=$most
if [ -z "$gpus" ]; then
    gpus=0
    ! sinfo -h -o %G | grep -q 'gpu' || gpus=1
fi
export GRADE_CONTEST=$contest GRADE_GPUS=$gpus
exec "$build/grader" cluster "$contest" --script "$root/contrib/slurm/queue.sh" --tasks "$tasks" "${options[@]}"
