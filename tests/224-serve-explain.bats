#!/usr/bin/env bats
# The simulator's report on a submission: for programs that want it, on a team's page; and why there is none.
# bats file_tags=serve

load helpers/contest
load helpers/serve

setup_file() {
    load helpers/common
    requires box
    "$BATS_TEST_DIRNAME/../run_scripts/lib/packages.sh" schema >&2
    make -s -C "$root" DEV=1 grade-programs serve-programs >&2
}

setup() {
    load helpers/common
    contest_places
    server='' grader=''
    items=()
}

teardown() {
    serve_stop
    ! declare -F chromium_stop > /dev/null || chromium_stop
}

# Without a GPU the simulator runs CUDA.
on_simulator() {
    requires nvcc
    requires x86-64
    [ ! -e /dev/nvidiactl ] || skip "this machine has a GPU"
    make -s -j "$(nproc)" -C "$root" cudasim-library >&2
}

# cuda NAME LINE: a submission of one kernel, whose body that line is.
cuda() {
    cat > "$BATS_TEST_TMPDIR/$1.cu" << END
#include "device_user.h"
#include <stdlib.h>
__global__ void rows(int32_t *keys, unsigned n) { $2 }
void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n)
{
    int32_t *copy;
    cudaMalloc((void **)&copy, 1 << 20);
    cudaMemset(copy, 0, 1 << 20);
    rows<<<1, 32>>>(copy, (unsigned)n);
    if (cudaDeviceSynchronize() != cudaSuccess)
        abort();
    cudaFree(copy);
}
END
}

# item NAME WANT: one more of the batch; WANT is a JSON list.
item() {
    items+=("$(jq -nc --arg language "$([[ $1 == *.cu ]] && echo cuda || echo c)" \
        --rawfile source "$BATS_TEST_TMPDIR/$1" --argjson want "$2" '{problem: "A", $source, $language, $want}')")
}

# judged: sends the batch, waits until all has a verdict; $batch.
judged() {
    batch=$(printf '%s\n' "${items[@]}" | jq -sc '{items: .}' | curl -s -H "Authorization: Bearer $program" \
        --data-binary @- "$url/judge" | jq -r .batch)
    watch
    until_true 300 bash -c "curl -s -H 'Authorization: Bearer $program' '$url/judge/$batch' |
        jq -e '.done == .of' > /dev/null"
}

@test "programs: explanation and counters of simulator runs, or why there are none; never of secret cases" {
    on_simulator
    local document change documents=()
    serve_contest
    program=$("$build/grader" token "$contest" --program loop)
    serve
    cuda wrong 'keys[threadIdx.x * 33] = n;'
    cuda dies 'keys[1 << 28] = n;'
    cp "$sort/accepted/baseline.c" "$BATS_TEST_TMPDIR/cpu.c"
    echo '#error no' > "$BATS_TEST_TMPDIR/broken.cu"
    item wrong.cu '["verdict", "explanation", "counters"]'
    item dies.cu '["explanation"]'
    item cpu.c '["counters", "explanation"]'
    item broken.cu '["explanation"]'
    item wrong.cu '["verdict"]'
    judged
    run -0 body_as "$program" "/judge/$batch"
    jq '{batch: .}' <<< "$output" > "$BATS_TEST_TMPDIR/batch.json"
    assert_equal "$(jq -c '.items[] | [.verdict, .explanation.case, .explanation.why, .counters.source, .counters.why]' \
        <<< "$output")" "$(printf '%s\n' '["WA","sample/1-ten",null,"sim",null]' \
        '["RTE","sample/1-ten","the simulator'"'"'s report of case sample/1-ten is missing: the process did not end normally",null,null]' \
        '["AC",null,"it ran on a CPU: the simulator explains only CUDA kernels",null,"it ran on a CPU, and the judge reads no counters of CPUs"]' \
        '["CE",null,"it does not compile: nothing ran",null,null]' '["WA",null,null,null,null]')"
    assert_equal "$(jq -c '[.items[] | has("explanation"), has("counters")]' <<< "$output")" \
        '[true,true,true,false,true,true,true,false,false,false]'
    # The report itself is in the one result.
    refute_output --partial '"report"'
    run -0 body_as "$program" "/judge/$batch/1"
    assert_equal "$(jq -c '.explanation | [.case, .report.simulated, .report.kernels[0].name, .report.kernels[0].lines != null]' \
        <<< "$output")" '["sample/1-ten",true,"rows",true]'
    assert_regex "$(jq -r .explanation.text <<< "$output")" 'rows\(\): 100\.0 % of the work \(simulated\)'
    assert_equal "$(jq -c '.counters | [.case, .kernels[0].global_stores.sectors > 4, (.kernels[0] | has("lines"))]' \
        <<< "$output")" '["sample/1-ten",true,false]'
    jq '{result: .}' <<< "$output" > "$BATS_TEST_TMPDIR/result.json"
    # The stream has a line of each, and no report.
    run -0 curl -sN -m 20 -H "Authorization: Bearer $program" "$url/judge/$batch/events"
    assert_equal "${#lines[@]}" 5
    refute_output --partial '"report"'
    jq -s '{events: .}' <<< "$output" > "$BATS_TEST_TMPDIR/events.json"
    printf '%s\n' "${items[@]}" | jq -s '{request: {items: .}}' > "$BATS_TEST_TMPDIR/request.json"
    for document in request batch result events; do documents+=(-i "$BATS_TEST_TMPDIR/$document.json"); done
    run -0 /usr/bin/jsonschema "${documents[@]}" "$root/contrib/serve/judge.schema.json"
    # The schema is one that refuses: a verdict that is none, a report in the stream, a why that is missing.
    for change in '.batch.items[0].verdict = "OK"' '.batch.items[0].explanation.report = {}' \
        'del(.batch.items[0].explanation.why)' '.batch.items[0].cases[0].input = 1' '.batch.items[0].state = "new"'; do
        jq "$change" "$BATS_TEST_TMPDIR/batch.json" > "$BATS_TEST_TMPDIR/wrong.json"
        run -1 /usr/bin/jsonschema -i "$BATS_TEST_TMPDIR/wrong.json" "$root/contrib/serve/judge.schema.json"
    done
    # One of another batch, none, and of another account.
    assert_equal "$(get_as "$program" "/judge/$batch/99") $(get_as "$program" "/judge/$batch/x") $(get_as \
        "$("$build/grader" token "$contest" --program other)" "/judge/$batch/1")" '404 404 404'
    # Only samples were explained, whatever the secret cases are.
    assert_equal "$(query "SELECT count(*), min(record ->> 'case'), max(record ->> 'case') FROM steps
        WHERE step = 'explain'")" '2|sample/1-ten|sample/1-ten'
    sound
}

@test "a team's page: the simulator's words appear automatically once the samples have run; explain: no hides them" {
    on_simulator
    load helpers/chromium
    command -v chromium > /dev/null ||
        { echo "chromium is missing: run_scripts/lib/packages.sh browser" >&2; return 1; }
    local ada
    serve_contest
    ada=$(token ada)
    serve
    token_file "$ada"
    cuda wrong '/* <b>bold</b> */ keys[threadIdx.x * 33] = n;'
    run -0 --separate-stderr submit_sh A "$BATS_TEST_TMPDIR/wrong.cu"
    chromium_start "$BATS_TEST_TMPDIR/chromium"
    chromium_open "$url/login.html"
    chromium_text "document.querySelector('[name=token]').value = '$ada'; document.querySelector('form').submit(); ''"
    until_true 20 page_is '/my/index.html'
    chromium_open "$url/my/1.html"
    assert_equal "$(chromium_text 'String(document.querySelector("#explanation"))')" null
    chromium_text "window.same = 'yes'; ''"
    watch
    until_true 300 page_shows 'id="explanation"'
    assert_equal "$(chromium_text 'window.same + " " + document.querySelector("#explanation").textContent')" \
        'yes What the simulator says – sample/1-ten'
    assert_regex "$(chromium_text 'document.querySelector("#explanation ~ pre").textContent')" \
        'global stores .* sectors per request'
    chromium_open "$url/ja/my/1.html"
    assert_equal "$(chromium_text 'document.querySelector("#explanation").textContent')" \
        'シミュレータの説明 – sample/1-ten'
    # For a crashed submission the page says why there is no report.
    cuda dies 'keys[1 << 28] = n;'
    run -1 --separate-stderr submit_sh A "$BATS_TEST_TMPDIR/dies.cu" --watch
    run -0 body_as "$ada" /my/2.html
    assert_output --partial 'is missing: the process did not end normally</p>'
    assert_equal "$(body_as "$ada" /my/2.json |
        jq -c '[.explanation.case, .explanation.why != null, has("counters")]')" \
        '["sample/1-ten",true,false]'
    # No other team sees it.
    run -0 curl -s "$url/submission/1.html"
    refute_output --partial explanation
    serve_stop
    sed -i 's/^name: .*/&\nexplain: no/' "$contest/contest.yaml"
    serve
    watch
    cuda again 'keys[threadIdx.x] = n;'
    run -1 --separate-stderr submit_sh A "$BATS_TEST_TMPDIR/again.cu" --watch
    assert_equal "$(body_as "$ada" /my/3.json | jq -c .explanation)" '{"why":"contest.yaml says explain: no"}'
}

# given ID KIND VERDICT [RECORD]: a submission of a program that wants times and counters, as judged on that device.
given() {
    sqlite3 "$db" "INSERT INTO submissions (id, team, problem, path, sha256, stamp, submitted, found, wanted, extra)
            VALUES ($1, 'program/loop', 'A', 'times-counters.cu', $1, $1, $1, $1, 'times', 'counters');
        INSERT OR IGNORE INTO machines (id, host, kind, name, uuid, driver, first_used)
            VALUES ($1, 'h', '$2', 'N$1', '', '', 1);
        INSERT INTO judgements (id, submission, state, verdict, machine, created) VALUES ($1, $1, 'done', '$3', $1, 1);
        INSERT INTO batch_items (batch, number, submission) VALUES (1, $1, $1)"
    [ -z "${4:-}" ] || sqlite3 "$db" "INSERT INTO steps (judgement, step, started, ended, exit_code, log, public) VALUES
            ($1, 'ranked', 1, 2, 0, '', '$4');
        INSERT INTO runs (judgement, step, number, name, verdict, message, median, low, high, timed) VALUES
            ($1, 'ranked', 0, 'secret/1', 'AC', '', 0.5, 0.4, 0.6, 1)"
}

@test "programs: times and counters of a GPU, or one line that says why there are none" {
    local program counters='{"busy":99.5,"fp32":null,"seconds":1}'
    serve_contest
    program=$("$build/grader" token "$contest" --program loop)
    sqlite3 "$db" "INSERT INTO batches (account, made) VALUES ('loop', 1)"
    given 1 gpu AC "{\"cases\":[{\"name\":\"secret/1\",\"gpu_counters\":$counters},
        {\"name\":\"secret/2\",\"gpu_counters\":null}]}"
    given 2 gpu AC '{"cases":[{"name":"secret/1","gpu_counters":null}]}'
    given 3 gpu WA
    given 4 cpu AC
    given 5 sim AC
    given 6 pocl AC
    given 7 gpu JE
    serve
    run -0 body_as "$program" /judge/1
    run -0 jq -r '.items[] | "\(.id) \(.times.why)\n    \(.counters.why) \(.counters.source)"' <<< "$output"
    assert_output "$(cat << 'END'
1 null
    null gpu
2 null
    the judge could read no counters of this GPU null
3 only accepted submissions are timed
    only accepted submissions are timed, and a GPU's counters are read while they are timed null
4 it ran on a CPU, and contest.yaml ranks no CPU times (scoring.rank_cpu)
    it ran on a CPU, and the judge reads no counters of CPUs null
5 it ran on the simulator, whose times say nothing about a GPU
    the simulator ran no sample of it null
6 it ran on a CPU by PoCL, whose times do not rank
    it ran on a CPU, and the judge reads no counters of CPUs null
7 the machine or the toolkit failed
    the machine or the toolkit failed null
END
    )"
    body_as "$program" /judge/1 | jq '{batch: .}' > "$BATS_TEST_TMPDIR/batch.json"
    run -0 body_as "$program" /judge/1/1
    assert_equal "$(jq -c .counters.cases <<< "$output")" "[{\"case\":\"secret/1\",\"gpu_counters\":$counters}]"
    jq '{result: .}' <<< "$output" > "$BATS_TEST_TMPDIR/result.json"
    run -0 /usr/bin/jsonschema -i "$BATS_TEST_TMPDIR/batch.json" -i "$BATS_TEST_TMPDIR/result.json" \
        "$root/contrib/serve/judge.schema.json"
}
