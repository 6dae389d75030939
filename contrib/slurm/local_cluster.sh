#!/bin/bash
# Runs a Slurm cluster on this one machine, for trials and tests: local_cluster.sh start FOLDER [NODES] [PORT]
#
#   start FOLDER [NODES] [PORT]  starts munged, slurmctld and NODES (3) slurmd, with all files in FOLDER, on loopback
#                                ports from PORT (18600) on. Prints the line that a shell needs for sbatch and similar
#                                commands: export SLURM_CONF=...
#   kill FOLDER NODE             ends one node like a power cut: kills its slurmd, its steps and their processes
#   revive FOLDER NODE           starts its slurmd again
#   stop FOLDER                  ends everything and leaves the logs
#
# Real Slurm, as packages.sh slurm installs it, without accounting, systemd and cgroups, as root or an ordinary user.
# Nodes are slurmd processes with their own names (slurmd -N), which share the machine's processors: use them for
# verdicts, not for times. Use FOLDER for nothing else, and keep its path short, as it holds sockets.
. "$(dirname "${BASH_SOURCE[0]}")/../../run_scripts/lib/lib.sh"
help_asked "$@"
line='local_cluster.sh start FOLDER [NODES] [PORT] | kill FOLDER NODE | revive FOLDER NODE | stop FOLDER'
[ $# -ge 2 ] || usage "$line"
PATH=$PATH:/usr/sbin:/sbin

# until_true SECONDS COMMAND...: false where it is not true in time.
until_true() {
    local end=$((SECONDS + $1))
    while ! "${@:2}" > /dev/null 2>&1; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.1
    done
}

# The processes of a node, or of all: Slurm's daemons have their log in the folder open (a step's daemon has no
# environment that can be read), munged carries the folder's name, and jobs carry the cluster's and the node's.
processes() { # [NODE]
    {
        find /proc/[0-9]*/fd -lname "$folder/slurm${1:+d-$1}*.log" || true
        [ $# -gt 0 ] || grep -lzxF "GRADE_CLUSTER=$folder" /proc/[0-9]*/environ || true
        grep -lzxF "SLURM_CONF=$folder/slurm.conf" /proc/[0-9]*/environ |
            xargs -r grep -lzxE "SLURMD_NODENAME=${1:-.*}" || true
    } 2> /dev/null | cut -d / -f 3 | sort -u
}

# A step's daemon and its job have the marks of the node, whatever became of their parents.
end_all() { # [NODE]
    local pids
    for _ in 1 2 3 4 5; do
        mapfile -t pids < <(processes "$@")
        [ ${#pids[@]} -gt 0 ] || return 0
        kill -KILL "${pids[@]}" 2> /dev/null || true
        sleep 0.1
    done
    fail "processes do not end: ${pids[*]}"
}

configure() { # NODES PORT
    local user node
    user=$(id -un)
    {
        echo ClusterName=grade
        echo "SlurmctldHost=$(hostname -s)(127.0.0.1)"
        echo "SlurmUser=$user"
        echo "SlurmdUser=$user"
        echo "SlurmctldPort=$2"
        echo "StateSaveLocation=$folder/state"
        echo "SlurmdSpoolDir=$folder/spool-%n"
        echo "SlurmctldPidFile=$folder/slurmctld.pid"
        echo "SlurmdPidFile=$folder/slurmd-%n.pid"
        echo "SlurmctldLogFile=$folder/slurmctld.log"
        echo "SlurmdLogFile=$folder/slurmd-%n.log"
        echo AuthType=auth/munge
        echo CredType=cred/munge
        # A requeued job waits until its first credential has expired: two minutes, also if the option is below 5 s.
        echo "AuthInfo=socket=$folder/munge.socket,cred_expire=6"
        echo ProctrackType=proctrack/linuxproc
        echo TaskPlugin=task/none
        echo AccountingStorageType=accounting_storage/none
        echo JobAcctGatherType=jobacct_gather/none
        echo SwitchType=switch/none
        echo MpiDefault=none
        echo ReturnToService=1
        # How long a node that does not answer is waited for, and how often it is asked.
        echo SlurmdTimeout=5
        echo SlurmctldTimeout=10
        echo MessageTimeout=5
        echo TCPTimeout=1
        echo KillWait=3
        echo CompleteWait=0
        echo InactiveLimit=0
        echo MinJobAge=60
        echo SchedulerType=sched/backfill
        echo SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0,sched_min_interval=0
        echo SelectType=select/cons_tres
        echo SelectTypeParameters=CR_Core
        for ((node = 1; node <= $1; node++)); do
            echo "NodeName=node$node NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$(($2 + node)) CPUs=1" \
                RealMemory=64
        done
        echo "PartitionName=grade Nodes=node[1-$1] Default=YES MaxTime=INFINITE State=UP"
    } > "$folder/slurm.conf"
}

start_node() { # NODE
    (cd "$folder" && GRADE_CLUSTER=$folder SLURM_CONF=$folder/slurm.conf slurmd -N "$1" -f "$folder/slurm.conf") ||
        fail "slurmd does not start: $(tail -n 3 "$folder/slurmd-$1.log")"
}

start() { # NODES PORT
    local socket=$folder/munge.socket node
    [ ${#socket} -lt 100 ] || refuse "the path '$folder' is too long for a socket"
    mkdir -p "$folder"/state
    chmod 0755 "$folder"
    [ -s "$folder/munge.key" ] || (umask 077 && head -c 1024 /dev/urandom > "$folder/munge.key")
    configure "$1" "$2"
    GRADE_CLUSTER=$folder munged --force --socket "$socket" --key-file "$folder/munge.key" \
        --pid-file "$folder/munged.pid" --log-file "$folder/munged.log" --seed-file "$folder/munge.seed" \
        --num-threads 2 ||
        fail "munged does not start: $(tail -n 3 "$folder/munged.log")"
    until_true 10 munge -n -S "$socket" || fail 'munged does not answer'
    export SLURM_CONF=$folder/slurm.conf
    (cd "$folder" && GRADE_CLUSTER=$folder slurmctld -c -f "$folder/slurm.conf") ||
        fail "slurmctld does not start: $(tail -n 3 "$folder/slurmctld.log")"
    until_true 20 scontrol ping || fail "slurmctld does not answer: $(tail -n 3 "$folder/slurmctld.log")"
    for ((node = 1; node <= $1; node++)); do
        start_node "node$node"
    done
    until_true 30 all_idle "$1" || fail "the nodes do not come up: $(sinfo -h -N -o '%N %T' | tr '\n' ' ')"
    echo "export SLURM_CONF=$folder/slurm.conf"
}

all_idle() { [ "$(sinfo -h -N -o '%t' | grep -cx idle)" = "$1" ]; }

command=$1
folder=$(realpath -m "$2")
case $command in
start)
    { [ $# -le 4 ] && [[ ${3:-3} =~ ^[1-9][0-9]?$ && ${4:-18600} =~ ^[1-9][0-9]{3,4}$ ]]; } || usage "$line"
    start "${3:-3}" "${4:-18600}" ;;
kill)
    [ $# -eq 3 ] || usage "$line"
    end_all "$3" ;;
revive)
    [ $# -eq 3 ] || usage "$line"
    start_node "$3" ;;
stop)
    [ -d "$folder" ] || refuse "there is no cluster in '$folder'"
    end_all ;;
*) usage "$line" ;;
esac
