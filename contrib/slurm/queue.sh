#!/bin/bash
# Serves build/grader's requests to a Slurm cluster; grade_slurm.sh starts it and sets the variables.
#
#   queue.sh queue               prints "nodes N", then "ROUND TASK" for every waiting or running task of this contest
#   queue.sh submit ROUND TASKS  puts the orders ROUND-1 to ROUND-TASKS into the queue, as one job array
#   queue.sh end                 removes the build files that dead machines left
#
# GRADE_CONTEST  the contest's folder          GRADE_TOKEN    its token: the jobs' names have it
# GRADE_GPUS     GPUs for a task, 0 for none   GRADE_MINUTES  time limit of a task in minutes
# GRADE_SBATCH   more options for sbatch, one per line
. "$(dirname "${BASH_SOURCE[0]}")/../../run_scripts/lib/lib.sh"
help_asked "$@"
spool=$GRADE_CONTEST/grading/slurm
name=grade-${GRADE_TOKEN:0:16}

# The machines that failed their probe, with commas between.
unfit() { find "$spool/unfit" -type f ! -name '*.part' -printf '%f\n' | sort | paste -sd ,; }

# A machine that could not be drained is kept from the tasks that wait. Once for each list and job.
exclude() { # LIST
    local job jobs
    jobs=$(squeue -h --me -t PENDING -o '%j %F' | awk -v name="$name-" 'index($1, name) == 1 { print $2 }' | sort -u)
    for job in $jobs; do
        grep -qxF "$job $1" "$spool/excluded" 2> /dev/null && continue
        scontrol update "JobId=$job" "ExcNodeList=$1" 2> /dev/null || true # tasks that run already are an error
        echo "$job $1" >> "$spool/excluded"
    done
}

case ${1:-} in
queue)
    list=$(unfit)
    nodes=$(sinfo -h -N -o '%N %t' | sort -u | awk -v unfit=",$list," '$2 !~ /down|drain|drng|fail|maint|\*/ &&
        !index(unfit, "," $1 ",") { count++ } END { print count + 0 }')
    tasks=$(squeue -h --me -r -o '%j %K')
    [ -z "$list" ] || exclude "$list"
    echo "nodes $nodes"
    awk -v name="$name-" 'index($1, name) == 1 && $2 ~ /^[0-9]+$/ {
        print substr($1, length(name) + 1), $2 }' <<< "$tasks" ;;
submit)
    [ $# -eq 3 ] || usage 'queue.sh queue | submit ROUND TASKS | end'
    options=()
    [ "$GRADE_GPUS" = 0 ] || options+=("--gres=gpu:$GRADE_GPUS")
    list=$(unfit)
    [ -z "$list" ] || options+=("--exclude=$list")
    [ -z "$GRADE_SBATCH" ] || mapfile -t -O ${#options[@]} options <<< "$GRADE_SBATCH"
    mkdir -p "$spool/log"
    # sbatch takes a copy of a script, which then does not know its place: so only a line is given.
    sbatch --parsable --job-name="$name-$2" --array="1-$3" --requeue --exclusive --nodes=1 --ntasks=1 --chdir="$root" \
        --time="$GRADE_MINUTES" --open-mode=append --output="$spool/log/$2-%a" "${options[@]}" \
        --wrap="exec $(printf '%q ' "$root/contrib/slurm/worker.sh" "$GRADE_CONTEST" "$2")" > /dev/null ;;
end) rm -rf "$build/grading/$GRADE_TOKEN".* "$root"/build/nodes/*/grading/"$GRADE_TOKEN".* ;;
*) usage 'queue.sh queue | submit ROUND TASKS | end' ;;
esac
