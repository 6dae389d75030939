#!/usr/bin/env bats
# Several GPUs on a machine, and many machines: lanes, devices that rank, and contests graded by a real Slurm cluster,
# whose nodes are daemons on this machine. What only several GPUs can show is in docs/CLUSTER.md.
# bats file_tags=grade

load helpers/contest

setup_file() {
    "$root/run_scripts/lib/packages.sh" slurm >&2
    make -s -C "$root" DEV=1 all grade-programs "${BUILD:-build}/tests/test_gpu_lock" "${BUILD:-build}/simulate" >&2
    export cluster=$BATS_FILE_TMPDIR/c
    # A cluster that does not start is no reason to skip: a test of this file without a cluster fails.
    "$root/contrib/slurm/local_cluster.sh" start "$cluster" 4 $((20000 + RANDOM % 12000)) >&2 || true
}

teardown_file() {
    "$root/contrib/slurm/local_cluster.sh" stop "$cluster" >&2
}

setup() {
    load helpers/common
    contest_places
    export SLURM_CONF=$cluster/slurm.conf
}

# contest [EXTRA LINE...]: a contest of one quick problem.
contest() {
    mkdir -p "$contest/submissions"
    {
        printf '%s\n' 'name: Test' 'scoring: { rank_cpu: yes }' "$@" 'require_box: namespaces' 'problems:' \
            '  - id: A' '    problem: mergesort' '    samples: sample' \
            '    secret: sample' '    ranked_case: sample/2-pairs' '    repeat: 5'
    } > "$contest/contest.yaml"
}

# A right submission that sleeps.
sleeper() { # TENTHS
    { echo '#include <unistd.h>'; sed "/device_user(/,/^{/ s/^{/{ usleep(${1}00000);/" "$sort/accepted/qsort.c"; } \
        > "$BATS_TEST_TMPDIR/sleeper.c"
}

verdicts() {
    query 'SELECT team, path, verdict FROM submissions s JOIN judgements j ON j.submission = s.id AND j.valid
        ORDER BY 1, 2' "$@"
}
grade_slurm() { timeout 110 "$root/contrib/slurm/grade_slurm.sh" "$contest" "$@" < /dev/null; }
node_state() { sinfo -h -N -n "$1" -o %t | head -n 1; }

# One verdict that counts for each submission, a sound database, and nothing left in the spool and the queue.
sound() {
    assert_equal "$(query 'PRAGMA integrity_check')" ok
    assert_equal "$(query 'PRAGMA foreign_key_check')" ''
    assert_equal "$(query \
        "SELECT count(*) FROM submissions s WHERE (SELECT count(*) FROM judgements j WHERE j.submission = s.id AND
        j.valid AND j.state = 'done') <> 1")" 0
    assert_equal "$(query 'SELECT count(*) FROM judgements')" "$(query 'SELECT count(*) FROM submissions')"
    assert_equal "$(ls "$contest/grading/slurm/results")" ''
    assert_equal "$(ls "$build/grading" | grep -c "^$(query 'SELECT token FROM contest')")" 0
}

# stand_ins: a toolkit in $place whose build, host and warden are scripts that write into $log what they do. A lock that
# is taken already, or a lane that mixes two submissions, shows there.
stand_ins() {
    place=$BATS_TEST_TMPDIR/toolkit log=$BATS_TEST_TMPDIR/log locks=$BATS_TEST_TMPDIR/locks
    mkdir -p "$place/build" "$place/problems/mergesort/data/sample" "$place/contrib/grade" "$locks"
    touch "$place/VERSION" "$place/problems/mergesort/problem.c" "$place/problems/mergesort/data/sample/2-pairs.in"
    touch "$place/problems/problem.h"
    cp "$build/grader" "$place/build"
    cat > "$place/contrib/grade/grade_build.sh" << END
#!/bin/bash
echo "build \$(date +%s%N)" >> "$log"
sleep 0.1
cp -r "\$1" "\$3/source"
touch "\$3/device_user.so"
echo CUDA > "\$3/language"
echo "\$3/source" > "\$3/source_path"
echo "\$3/device_user.so" > "\$3/object"
echo "built \$(date +%s%N)" >> "$log"
END
    cat > "$place/build/main_host" << END
#!/bin/bash
[[ " \$* " != *' --compile-error '* ]] || exit 1 # asked whether it knows the problem
echo "\$*" >> "$log.options"
while [ \$# -gt 0 ]; do
    case \$1 in
    --gpu) gpu=\$2 ;;
    --json) json=\$2 ;;
    --public-json) open=\$2 ;;
    --submission) object=\$2 ;;
    --warden) warden=\$2 ;;
    esac
    shift
done
mkdir "$locks/\$gpu" || echo "clash \$gpu" >> "$log"
echo "run \$gpu \$(basename "\$(dirname "\$object")") \$(date +%s%N)" >> "$log"
[ -z "\$warden" ] || echo "lent \$gpu \$(readlink /proc/self/fd/\$warden)" >> "$log"
[ ! -e "$BATS_TEST_TMPDIR/failing" ] || { rm "$BATS_TEST_TMPDIR/failing"; rmdir "$locks/\$gpu"; exit 3; }
sleep 0.1
model=Alpha
[ "\$gpu" != GPU-d ] || model=Beta
echo '{"verdict": "AC", "message": "", "device": {"kind": "gpu", "name": "'\$model'", "uuid": "'"\$gpu"'",
    "driver": "1"}, "cases": [{"name": "x", "verdict": "AC", "message": "", "samples": [0.1, 0.2, 0.3]}]}' > "\$json"
cp "\$json" "\$open"
rmdir "$locks/\$gpu"
echo "ran \$gpu \$(date +%s%N)" >> "$log"
END
    chmod +x "$place/contrib/grade/grade_build.sh" "$place/build/main_host"
}

# submit_teams COUNT: one submission each.
submit_teams() {
    local i
    for ((i = 1; i <= $1; i++)); do
        echo "$i" > "$BATS_TEST_TMPDIR/source.c"
        submit "team$i" 1.c "$BATS_TEST_TMPDIR/source.c"
    done
}

@test "GPU counters: read where the score is, and not on the samples; stand-ins for host and build" {
    local scoring
    stand_ins
    for scoring in pass-fail fastest relative; do
        rm -rf "$contest" "$log.options"
        contest "scoring: { type: $scoring }" 'practice: yes'
        submit_teams 2
        run -0 timeout 60 "$place/build/grader" run "$contest" --gpu GPU-a
        # Of samples, of secret cases, and of ranked ones and baselines: how many are judged without counters, of all.
        run -0 awk '{ step = /--ranked/ ? "ranked" : /--hasten/ ? "secret" : "samples"; all[step]++ }
            / --no-counters/ { without[step]++ }
            END { print without["samples"] + 0, all["samples"], without["secret"] + 0, all["secret"],
                without["ranked"] + 0, all["ranked"] }' "$log.options"
        case $scoring in
        pass-fail) assert_output '2 2 0 2 0 2' ;;
        fastest) assert_output '2 2 2 2 0 2' ;;
        relative) assert_output '2 2 2 2 0 4' ;;
        esac
    done
}

@test "several GPUs: each runs one submission from samples to times, with builds beside; stand-ins for host and build" {
    local lane
    contest
    stand_ins
    submit_teams 12
    run -0 timeout 60 "$place/build/grader" run "$contest" \
        --builds 2 --gpu GPU-a --gpu GPU-b --gpu GPU-c --gpu GPU-d
    refute grep clash "$log"
    assert_equal "$(grep -c '^run ' "$log")" 36
    for lane in a b c d; do
        # Three steps of one submission, then three of the next.
        assert_equal "$(awk -v gpu="GPU-$lane" '$1 == "run" && $2 == gpu { print $3 }' "$log" |
            uniq -c |
            awk '{ print $1 }' | sort -u)" 3
    done
    # All four were used at one time, and something was built meanwhile.
    assert_equal "$(awk '$1 == "run" { now++ } $1 == "ran" { now-- } now > most { most = now } END { print most }' \
        "$log")" 4
    awk '$1 == "run" { now++ } $1 == "ran" { now-- } $1 == "build" && now > 0 { beside++ } END { exit beside == 0 }' \
        "$log"
    assert_equal "$(query "SELECT count(DISTINCT uuid) FROM machines")" 4
    run -2 "$place/build/grader" run "$contest" --gpu GPU-a --gpu GPU-a
    assert_output --partial '--gpu GPU-a is given twice: a GPU runs one submission at a time'
    run -2 "$place/build/grader" run "$contest" --gpu GPU-a --lanes 2
    run -2 "$place/build/grader" run "$contest" --lanes 0
    # The one GPU of another model: its times rank with none of the others', whichever way.
    run -0 --separate-stderr "$build/grader" results "$contest" standings --json
    [[ $stderr == *"were timed on 'Beta', which is not the model that ranks"* ]]
    beta=$(query "SELECT count(*) FROM judgements JOIN machines m ON m.id = machine WHERE m.name = 'Beta'")
    assert_equal "$(jq '[.teams[] | select(.problems[0].seconds)] | length' <<< "$output")" $((12 - beta))
    assert_equal "$(jq '[.teams[] | select(.solved == 1)] | length' <<< "$output")" 12
    contest 'scoring.device: Beta'
    sed -i 's/^scoring: .*/scoring: { type: fastest, device: Beta }/; /^scoring.device/d' "$contest/contest.yaml"
    run -0 --separate-stderr "$build/grader" results "$contest" standings --json
    assert_equal "$(jq '[.teams[] | select(.problems[0].rank)] | length' <<< "$output")" "$beta"
    [[ $stderr == *"were timed on 'Alpha'"* ]]
    sed -i 's/device: Beta/device: Gamma/' "$contest/contest.yaml"
    run -0 --separate-stderr "$build/grader" results "$contest" standings --json
    assert_equal "$(jq '[.teams[] | select(.problems[0].rank)] | length' <<< "$output")" 0
}

@test "several GPUs: a slot lends its warden to one host after another, and ends it in time; stand-ins" {
    contest
    stand_ins
    # It ends as the real one does: when no process has the other end of the channel.
    cat > "$place/build/gpu_warden" << END
#!/bin/bash
echo "warden \$CUDA_VISIBLE_DEVICES \$\$" >> "$log"
exec cat <&3
END
    chmod +x "$place/build/gpu_warden"
    submit_teams 4
    run -0 timeout 60 "$place/build/grader" run "$contest" --builds 2 --gpu GPU-a --gpu GPU-b
    assert_equal "$(awk '$1 == "warden" { print $2 }' "$log" | sort | paste -sd ' ')" 'GPU-a GPU-b'
    assert_equal "$(grep -c '^lent GPU-. socket:' "$log")" 12
    assert_equal "$(awk '$1 == "lent" { print $2, $3 }' "$log" | sort -u | wc -l)" 2
    # A host that failed may have left it in any state: the next one gets another.
    : > "$log"
    touch "$BATS_TEST_TMPDIR/failing"
    submit eve 1.c "$sort/accepted/qsort.c"
    run -0 timeout 60 "$place/build/grader" run "$contest" --gpu GPU-a
    assert_equal "$(grep -c '^warden ' "$log")" 2
    assert_equal "$(awk '$1 == "lent" { print $3 }' "$log" | uniq | wc -l)" 2
    assert_equal "$(query "SELECT verdict FROM judgements JOIN submissions s ON s.id = submission
        WHERE s.team = 'eve'")" AC
    # With nothing to run for some seconds the GPU is given back; the next submission starts another one.
    wardens() { awk '$1 == "warden" { print $3 }' "$log"; }
    none_is_left() {
        local pid
        for pid in $(wardens); do
            ! kill -0 "$pid" 2> /dev/null || return 1
        done
    }
    counted() { [ "$(grep -c "^$1 " "$log")" = "$2" ]; }
    : > "$log"
    submit eve 2.c "$sort/accepted/baseline.c"
    "$place/build/grader" run "$contest" --watch --gpu GPU-a > /dev/null 2>&1 3>&- &
    until_true 20 counted ran 3
    until_true 20 none_is_left
    submit eve 3.c "$sort/accepted/mergesort_threads.c"
    until_true 20 counted ran 6
    assert_equal "$(wardens | wc -l)" 2
    kill %1
    wait || true
    # A submission that may be CUDA has the GPU already during its build.
    : > "$log"
    submit eve 3.cu "$sort/accepted/mergesort_threads.c"
    sed -i "s/^sleep 0.1/sleep 1/" "$place/contrib/grade/grade_build.sh"
    run -0 timeout 60 "$place/build/grader" run "$contest" --gpu GPU-a
    assert_equal "$(grep -oE "^(warden|built|run)" "$log" | paste -sd " ")" "warden built run run run"
    # Killed, the grader takes them along.
    : > "$log"
    submit eve 4.c "$sort/wrong_answer/unsigned_keys.c"
    "$place/build/grader" run "$contest" --watch --gpu GPU-a > /dev/null 2>&1 3>&- &
    until_true 20 counted warden 1
    run -1 none_is_left
    pkill -KILL -f "^$place/build/grader run"
    until_true 20 none_is_left
}

@test "several GPUs: processes share the lock and the mark of an unfit GPU" {
    run -0 timeout 60 "$build/tests/test_gpu_lock"
    assert_output '8 checks, 0 failed'
}

@test "grade_slurm: the verdicts of grade.sh; a node that fails its probe is drained; a second front end is refused" {
    requires box
    local lanes=$BATS_TEST_TMPDIR/lanes
    contest
    submit ada 1.c "$sort/accepted/qsort.c"
    submit ada 2.c "$sort/wrong_answer/unsigned_keys.c"
    submit bob 1.c "$sort/run_time_error/null_payloads.c"
    echo '#error not so' > "$BATS_TEST_TMPDIR/broken.c"
    submit bob 2.c "$BATS_TEST_TMPDIR/broken.c"
    sleeper 5 # so that the second front end finds the first at work
    submit bob 3.c "$BATS_TEST_TMPDIR/sleeper.c"
    submit '$(touch pwned)' "a'b.c" "$sort/accepted/baseline.c"
    cp -r "$contest" "$lanes"
    printf '#!/bin/bash\n[ $SLURMD_NODENAME != node3 ] || { echo words; echo "kernel of 3 gives 7" >&2; exit 1; }\n' \
        > "$BATS_TEST_TMPDIR/probe"
    chmod +x "$BATS_TEST_TMPDIR/probe"
    "$root/contrib/slurm/grade_slurm.sh" "$contest" --chunk 1 --probe "$BATS_TEST_TMPDIR/probe" \
        > "$BATS_TEST_TMPDIR/out" 2>&1 < /dev/null &
    local front=$!
    until_true 30 test -e "$db"
    run -2 grade_slurm
    assert_output --partial 'is being graded already'
    wait $front || { cat "$BATS_TEST_TMPDIR/out" "$contest"/grading/slurm/log/*; false; }
    assert_equal "$(grep -c '^#' "$BATS_TEST_TMPDIR/out")" 6
    sound
    assert_equal "$(node_state node3)" drain
    assert_equal "$(sinfo -h -R -o '%n %E' | grep -c 'contest grading: kernel of 3 gives 7')" 1
    assert_equal "$(cat "$contest/grading/slurm/unfit/node3")" 'kernel of 3 gives 7'
    # It judged nothing, and no attempt was counted for it.
    assert_equal "$(query "SELECT count(*) FROM machines WHERE host = 'node3'; SELECT max(attempts) FROM judgements")" \
        $'0\n0'
    [ ! -e "$root/pwned" ]
    run -0 timeout 100 "$root/run_scripts/grade.sh" "$lanes" --lanes 2 --builds 2
    assert_equal "$(verdicts)" "$(verdicts "$lanes/grading/results.db")"
    # And all that belongs to them: steps, cases, samples, whole records.
    for table in 'steps GROUP BY step' 'runs GROUP BY step, name, verdict' 'samples'; do
        assert_equal "$(query "SELECT count(*) FROM $table")" \
            "$(query "SELECT count(*) FROM $table" "$lanes/grading/results.db")"
    done
    assert_equal "$(query \
        "SELECT count(*) FROM steps WHERE step <> 'build' AND json_extract(record, '\$.verdict') IS NULL")" 0
    # Rejudged by the cluster, beside the verdicts that count; node3 is still left out.
    run -0 "$build/grader" rejudge "$contest" --verdict WA --start --reason 'to see'
    run -0 grade_slurm --probe "$BATS_TEST_TMPDIR/probe"
    run -0 "$build/grader" changes "$contest" 1
    assert_line --index 1 --regexp $'\tada\tA\t2.c\tWA\tWA\t?$'
    scontrol update NodeName=node3 State=RESUME
}

# bats test_tags=long
@test "grade_slurm --watch: a cluster node judges what the contest's server accepted" {
    requires box
    local front token i
    load helpers/serve
    make -s -C "$root" DEV=1 serve-programs >&2
    contest "start: $(date -u -d '1 hour ago' +%FT%TZ)" "end: $(date -u -d 'tomorrow' +%FT%TZ)" 'practice: yes'
    token=$("$build/grader" token "$contest" ada)
    serve
    "$root/contrib/slurm/grade_slurm.sh" "$contest" --chunk 2 --watch > "$BATS_TEST_TMPDIR/out" 2>&1 < /dev/null 3>&- &
    front=$!
    token_file "$token"
    echo '#error not so' > "$BATS_TEST_TMPDIR/broken.c"
    run -0 --separate-stderr submit_sh A "$BATS_TEST_TMPDIR/broken.c"
    run -0 --separate-stderr submit_sh A "$sort/accepted/qsort.c" --watch
    assert_line AC
    until_true 60 bash -c "curl -s '$url/api/contests/contest/judgements' | jq -e 'map(.judgement_type_id) | sort ==
        [\"AC\", \"CE\"]' > /dev/null"
    assert_equal "$(query "SELECT count(*) FROM machines WHERE host LIKE 'node%'" | grep -c '[1-9]')" 1
    # A verdict is public a moment before its result file goes. A front end that is killed in between leaves the file.
    until_true 30 bash -c "[ -z \"\$(ls '$contest/grading/slurm/results')\" ]"
    kill $front
    wait $front || true
    serve_stop
    sound
}

# bats test_tags=long
@test "grade_slurm: a node dies in mid-run, another cannot be drained, the front end is killed: one verdict each" {
    requires box
    local round name attempt=0
    contest
    sleeper 4
    for round in 1 2 3; do
        submit ada "$round.c" "$BATS_TEST_TMPDIR/sleeper.c"
        submit bob "$round.c" "$sort/wrong_answer/unsigned_keys.c"
    done
    printf '#!/bin/bash\n[ $SLURMD_NODENAME != node2 ] || { echo "it is hot"; exit 1; }\n' > "$BATS_TEST_TMPDIR/probe"
    chmod +x "$BATS_TEST_TMPDIR/probe"
    # It is the process that is killed, not a shell before it.
    front() {
        exec "$root/contrib/slurm/grade_slurm.sh" "$contest" --chunk 2 --no-drain --probe "$BATS_TEST_TMPDIR/probe" \
            >> "$BATS_TEST_TMPDIR/out" 2>&1 < /dev/null
    }
    front &
    local pid=$!
    # The job that runs on node1 is in the middle of its order.
    on_node1() {
        name=$(squeue -h -w node1 -t RUNNING -o '%j-%K' | head -n 1)
        [ -n "$name" ] && [ -e "$contest/grading/slurm/orders/${name#grade-*-}.started" ]
    }
    until_true 60 on_node1
    sleep 1
    kill -KILL $pid
    wait $pid || true
    "$root/contrib/slurm/local_cluster.sh" kill "$cluster" node1
    front &
    pid=$!
    # Once more, while it gathers.
    sleep 6
    kill -KILL $pid
    wait $pid || true
    front &
    pid=$!
    wait $pid || { cat "$BATS_TEST_TMPDIR/out" "$contest"/grading/slurm/log/*; false; }
    sound
    assert_equal "$(verdicts)" "ada|1.c|AC
ada|2.c|AC
ada|3.c|AC
bob|1.c|WA
bob|2.c|WA
bob|3.c|WA"
    [[ $(node_state node1) == down* ]]
    grep -qi 'requeue' "$cluster/slurmctld.log"
    # node2 is up for others, and judged nothing here.
    assert_equal "$(node_state node2)" idle
    assert_equal "$(query "SELECT count(*) FROM machines WHERE host = 'node2'")" 0
    assert_equal "$(cat "$contest/grading/slurm/unfit/node2")" 'it is hot'
    "$root/contrib/slurm/local_cluster.sh" revive "$cluster" node1
}

@test "grade_slurm: a broken result is set aside and graded again; tasks that never finish get JE; bad arguments" {
    requires box
    contest 'limits: { attempts: 2 }'
    submit ada 1.c "$sort/wrong_answer/unsigned_keys.c"
    run -2 grade_slurm --chunk x
    assert_output --partial '--chunk needs a number'
    run -2 grade_slurm --probe /nowhere
    assert_output --partial "--probe: '/nowhere' is not a program"
    mkdir -p "$contest/grading/slurm/results"
    echo 'no database' > "$contest/grading/slurm/results/1.db"
    run -0 grade_slurm
    assert_output --partial "results/1.db' is not whole"
    assert_output --partial '#1 ada A 1.c: WA'
    assert_equal "$(cat "$contest/grading/slurm/results/1.db.bad")" 'no database'
    rm "$contest/grading/slurm/results/1.db.bad"
    sound
    # Tasks that are cancelled or reach their limit count as attempts once they have begun:
    # the second time it is a judge error.
    sleeper 9
    submit ada 2.c "$BATS_TEST_TMPDIR/sleeper.c"
    "$root/contrib/slurm/grade_slurm.sh" "$contest" > "$BATS_TEST_TMPDIR/out" 2>&1 < /dev/null &
    local front=$! round
    for round in 1 2; do
        until_true 40 compgen -G "$contest/grading/slurm/orders/*.started" > /dev/null
        scancel --me
        until_true 40 bash -c "! compgen -G '$contest/grading/slurm/orders/*.started' > /dev/null"
    done
    wait $front || { cat "$BATS_TEST_TMPDIR/out"; false; }
    run -0 cat "$BATS_TEST_TMPDIR/out"
    assert_output --partial '#2 ada A 2.c: JE the machine or the toolkit failed'
    run -0 "$root/run_scripts/results.sh" "$contest" submissions --show-secret
    assert_output --partial '2 tasks of the cluster ended without a result'
    sound
}

@test "sizing and simulation: rows from a database, and times that can be worked out by hand" {
    contest
    mkdir -p "$contest/grading"
    run -0 "$build/grader" run "$contest"
    # Two submissions on one GPU, of 3 and 5 s from the samples to the times, built in 2 s each;
    # one that the machine failed first.
    sqlite3 "$db" "INSERT INTO machines VALUES (1, 'h', 'gpu', 'Alpha', 'u', 'd', 0);
        INSERT INTO submissions $submission_columns SELECT value, 't', 'A', value, value, '', 0, 0
            FROM json_each('[1, 2, 3]');
        INSERT INTO judgements (id, submission, state, verdict, created, machine, attempts)
            SELECT value, value, 'done', 'AC', 0, 1, value = 3 FROM json_each('[1, 2, 3]');
        INSERT INTO steps $step_columns SELECT value, 'build', 100, 102, 0, NULL, '' FROM json_each('[1, 2, 3]');
        INSERT INTO steps $step_columns SELECT value, 'samples', 110, 111, 0, NULL, '' FROM json_each('[1, 2, 3]');
        INSERT INTO steps $step_columns SELECT value, 'ranked', 112, 111 + 2 * value, 0, NULL, ''
            FROM json_each('[1, 2, 3]')"
    # One that does not compile ran on no device.
    sqlite3 "$db" "INSERT INTO machines VALUES (2, 'h', '', '', '', '', 0);
        INSERT INTO submissions $submission_columns VALUES (4, 't', 'A', 4, 4, '', 0, 0);
        INSERT INTO judgements (id, submission, state, verdict, created, machine, attempts)
            VALUES (4, 4, 'done', 'CE', 0, 2, 0);
        INSERT INTO steps $step_columns VALUES (4, 'build', 100, 101, 1, NULL, '')"
    run -0 "$root/contrib/slurm/sizing.sh" "$db"
    assert_line --index 2 '| Alpha | A | 2 | 2.0 | 4.0 | 3.0 | 5.0 | 900 |'
    assert_equal "${#lines[@]}" 3
    "$root/contrib/slurm/sizing.sh" --times "$db" > "$BATS_TEST_TMPDIR/times"
    assert_equal "$(tr '\t' ' ' < "$BATS_TEST_TMPDIR/times")" $'Alpha A 2.0 3.0\nAlpha A 2.0 5.0'
    run -0 "$root/contrib/slurm/sizing.sh" "$BATS_TEST_TMPDIR/times"
    assert_line --index 2 '| Alpha | A | 2 | 2.0 | 4.0 | 3.0 | 5.0 | 900 |'
    # The tables of docs/CLUSTER.md are what its commands print.
    local times=$root/docs/results/cluster-times-cpu.txt gpu=$root/docs/results/cluster-times-h200.txt
    for command in "$root/contrib/slurm/sizing.sh $times" "$build/simulate $times" "$build/simulate --hours 5 $times" \
        "$build/simulate --failures 0.01 --nodes 16,64 $times" "$root/contrib/slurm/sizing.sh $gpu"; do
        $command > "$BATS_TEST_TMPDIR/table"
        while read -r line; do
            grep -qxF "$line" "$root/docs/CLUSTER.md" || { echo "not in docs/CLUSTER.md, of $command: $line"; false; }
        done < "$BATS_TEST_TMPDIR/table"
    done
    # Built in 1 s, run in 2 s: ten on one machine take 1 + 10 x 2 s; on ten machines, with 7 s to start each, 10 s.
    printf 'Alpha\tA\t1\t2\n' > "$BATS_TEST_TMPDIR/even"
    run -0 "$build/simulate" --submissions 10 --chunk 10 --start 0 --nodes 1 "$BATS_TEST_TMPDIR/even"
    assert_line --index 2 --regexp '^\| 1 \| 0.01 \| 1714 \| 95.2 \|'
    run -0 "$build/simulate" --submissions 10 --chunk 10 --start 7 --nodes 10 "$BATS_TEST_TMPDIR/even"
    assert_line --index 2 --regexp '^\| 10 \| 0.00 \| 3600 \| 20.0 \|'
    # Built in 2 s, run in 1 s: the build is what takes the time. In orders of 5: 2 x (5 x 2 + 1) s, on one machine.
    printf 'Alpha\tA\t2\t1\n' > "$BATS_TEST_TMPDIR/even"
    run -0 "$build/simulate" --submissions 10 --chunk 5 --start 0 --nodes 1 "$BATS_TEST_TMPDIR/even"
    assert_line --index 2 --regexp '^\| 1 \| 0.01 \| 1636 \| 45.5 \|'
    # Two at a time: 2 s for the first two, then a run a second, and a build that is waited for every other time.
    run -0 "$build/simulate" --submissions 10 --chunk 10 --builds 2 --start 0 --nodes 1 "$BATS_TEST_TMPDIR/even"
    assert_line --index 2 --regexp '^\| 1 \| 0.00 \| 3000 \| 83.3 \|'
    # Machines that fail lose time, and no submission.
    run -0 "$build/simulate" --submissions 20000 --failures 1 --nodes 4 "$BATS_TEST_TMPDIR/even"
    local with=${lines[2]}
    run -0 "$build/simulate" --submissions 20000 --nodes 4 "$BATS_TEST_TMPDIR/even"
    [ "$(cut -d '|' -f 4 <<< "$with")" -lt "$(cut -d '|' -f 4 <<< "${lines[2]}")" ]
    run -2 "$build/simulate" --device Beta "$BATS_TEST_TMPDIR/even"
    assert_output --partial 'nothing was measured'
    run -2 "$build/simulate" --nodes 0 "$BATS_TEST_TMPDIR/even"
    run -2 "$build/simulate" --frob "$BATS_TEST_TMPDIR/even"
    assert_output "simulate: unknown option '--frob'; see build/simulate --help"
    run -2 "$build/simulate"
    assert_output 'simulate: name a file of times; see build/simulate --help'
}
