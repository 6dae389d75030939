#!/usr/bin/env bats
# make predict, the predicted times in make profile, and predictions held against measured times: docs/PREDICT.md.

setup_file() {
    load helpers/common
    [ "$(uname -m)" = x86_64 ] || export lacks='no x86-64 processor'
    make -s -C "$root" have-nvcc || export lacks='no nvcc'
    [ -z "${lacks:-}" ] || return 0
    # A part of the rows, which trains in a second, without launches on little memory: they are outside of its range
    # then. Its model goes by the file's name.
    data=$BATS_FILE_TMPDIR/test215.csv model=$build/predict/test215.model
    export data model
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print } NR % 25 == 0 && $at["footprint"] > 65536' \
        "$root/contrib/predict/data/h100.csv" > "$data"
}

teardown_file() { rm -f "${model:-}"; }

setup() {
    load helpers/common
    [ -z "${lacks:-}" ] || skip "$lacks"
    cd "$root" || return
    accepted=problems/matmul/submissions/accepted
    local name
    for name in "${!CUDASIM_@}"; do unset "$name"; done
}

predict() { timeout 100 run_scripts/predict.sh "$@"; }

@test "predict: the default submission, with launches smaller than all in the training data" {
    run -0 --separate-stderr timeout 100 make -s predict ARGS="--data $data"
    assert_regex "$stderr" 'predict.sh: training on [^ ]*/test215.csv'
    assert_line --index 0 --regexp '^predicted for one NVIDIA H100 80GB HBM3, .* the answer is right$'
    assert_line --regexp '^ +- +- +257 +not predicted +diagonal$'
    assert_line --regexp \
        '^ +outside of the training range: [a-zA-Z0-9 _]+ is [0-9.e+-]+, trained from [0-9.e+-]+ to [0-9.e+-]+$'
    assert_line 'sum: none of 257 launches is predicted'
}

@test "predict: a kernel's time, its interval and its bound, near what an H100 took" {
    predict submission $accepted/baseline.cu --generate 'uniform 1024 1024 1024' --sample 64 --data "$data" \
        --json > "$BATS_TEST_TMPDIR/json"
    measured=$(awk -F, '$1 == "matmul" && $2 == "baseline.cu" { print $8 }' contrib/predict/data/submissions-h100.csv)
    jq -e --argjson measured "$measured" '.launches == 1 and .predicted == 1 and (.kernels[0] |
        .kernel == "multiply" and .regular and .low_us < .us and .us < .high_us and .launch_us < .us / 20 and
        (.us / $measured | . > 0.7 and . < 1.4) and (.bound | length > 3)) and .us == .kernels[0].us and
        .gpu == "NVIDIA H100 80GB HBM3" and (has("tuned") | not)' \
        "$BATS_TEST_TMPDIR/json"
    run -0 --separate-stderr predict submission $accepted/baseline.cu --sample 64 \
        --generate 'uniform 1024 1024 1024' --data "$data"
    assert_equal "$stderr" '' # the model is there
    us=$(jq '.us | if . >= 100 then . * 10 | round / 10 else . end' "$BATS_TEST_TMPDIR/json")
    assert_line --regexp "^ *$us  [0-9.]+ to [0-9.]+ +1  [a-zA-Z0-9 ]+ \([0-9]+ %\) +multiply$"
    assert_line --partial "sum: $us us"
}

@test "predict: kernels that depend on data, and blocks that wait, are reported and not predicted" {
    run -0 --separate-stderr timeout 100 make -s predict \
        SUBMISSION=problems/mergesort/submissions/accepted/baseline.cu PROBLEM=mergesort \
        CASE=sample/1-ten ARGS="--data $data"
    assert_line --partial 'irregular: its loops depend on data, so its counts hold for one input only'
    assert_line --regexp '^sum: none of [0-9]+ launches is predicted$'
    run -0 --separate-stderr predict submission problems/editdistance/submissions/accepted/3_pipeline.cu \
        --generate 'random 4096 4096' --sample 1 --data "$data"
    assert_line --regexp '^pipeline: its blocks may wait for each other: all were executed'
}

@test "predict: the mechanism predicts every kernel, also those whose loops depend on data, and says where time goes" {
    run -0 --separate-stderr timeout 100 make -s predict \
        SUBMISSION=problems/mergesort/submissions/accepted/baseline.cu PROBLEM=mergesort CASE=sample/1-ten
    refute_output --partial 'not predicted'
    assert_line --regexp '^ +goes to: .*launch [0-9]+ %$'
    predict submission problems/mergesort/submissions/accepted/baseline.cu mergesort --case sample/1-ten --json \
        > "$BATS_TEST_TMPDIR/json"
    # The parts and the launch are the whole time.
    jq -e '.method == "mechanism" and .predicted == .launches and all(.kernels[]; has("refused") | not) and
        all(.kernels[]; (([.parts_us[]] | add) + .launch_us - .us | fabs) < 0.01 * .us)' \
        "$BATS_TEST_TMPDIR/json"
}

@test "predict: --tune names the best of the block sizes tried, and the program sees nothing of it" {
    sizes=(--generate 'uniform 128 128 128' --data "$data")
    predict submission $accepted/simple.cu "${sizes[@]}" --json > "$BATS_TEST_TMPDIR/plain"
    predict submission $accepted/simple.cu "${sizes[@]}" --tune --json > "$BATS_TEST_TMPDIR/tuned"
    diff "$BATS_TEST_TMPDIR/plain" <(jq 'del(.tuned)' "$BATS_TEST_TMPDIR/tuned")
    jq -e '.tuned | length == 1 and (.[0] | .kernel == "multiply" and .given == "16x16x1" and
        (.tried[0].block == "16x16x1") and (.tried | map(.block) | index("8x16x1") and index("32x16x1")) and
        (.best as $b | (.tried | map(select(.us)) | min_by(.us).block) == $b))' "$BATS_TEST_TMPDIR/tuned"
    jq -e '.tuned[0].tried[0].us == .us' "$BATS_TEST_TMPDIR/tuned"
    # The kernel adds to its result: if anything ran it once more, the answer would be wrong.
    cat > "$BATS_TEST_TMPDIR/adds.cu" << 'CUDA'
__global__ void add(float *sum, const float *value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] += value[i];
}
int main() {
    const int n = 1 << 16;
    float *sum, *value, one;
    if (cudaMalloc(&sum, n * sizeof *sum) != cudaSuccess) return 1;
    cudaMallocManaged(&value, n * sizeof *value);
    cudaMemset(sum, 0, n * sizeof *sum);
    for (int i = 0; i < n; i++) value[i] = i;
    for (int k = 0; k < 3; k++) add<<<n / 256, 256>>>(sum, value, n);
    cudaMemcpy(&one, sum + 1000, sizeof one, cudaMemcpyDeviceToHost);
    return one == 3000 ? 0 : 1;
}
CUDA
    cd "$BATS_TEST_TMPDIR"
    "$(make -s -C "$root" print-nvcc)" -cudart shared -gencode 'arch=compute_90,code=compute_90' -o adds adds.cu
    LD_LIBRARY_PATH=$build/cudasim CUDASIM_FEATURES=all.csv CUDASIM_FEATURES_TUNE=tries.csv \
        run -0 --separate-stderr timeout 60 ./adds
    assert_equal "$(wc -l < all.csv)" 4
    assert_equal "$(cut -d, -f2,5 tries.csv | sed 1d | paste -sd ' ')" '256,256 2048,32 1024,64 512,128 128,512 64,1024'
    CUDASIM_FEATURES=all.csv CUDASIM_FEATURES_TUNE=/none/x.csv LD_LIBRARY_PATH=$build/cudasim \
        run -1 --separate-stderr ./adds
    assert_regex "$stderr" "cannot write CUDASIM_FEATURES_TUNE '/none/x.csv'"
}

@test "predict: what another occupancy and dense accesses would take, and the roofline as a table and a picture" {
    make -s predict-program >&2
    # Each lane reads a row of its own: 32 lines a request.
    cat > "$BATS_TEST_TMPDIR/rows.csv" << END
$(head -n 1 contrib/predict/data/public.csv)
$(grep -m 1 'polybench-atax:atax_kernel1,' contrib/predict/data/public.csv)
END
    train=$BATS_TEST_TMPDIR/work.csv
    awk 'NR == 1 || NR % 8 == 0' contrib/predict/data/work-h100.csv > "$train"
    gpus=(--gpus contrib/predict/gpus.csv)
    timeout 60 "$build/predict/predict" train "$train" "$BATS_TEST_TMPDIR/m" "${gpus[@]}"
    mkdir "$BATS_TEST_TMPDIR/plot"
    submission() {
        timeout 60 "$build/predict/predict" submission "$BATS_TEST_TMPDIR/m" "$BATS_TEST_TMPDIR/rows.csv" "${gpus[@]}" \
            --gpu h200 --how counted --what-if --roofline "$BATS_TEST_TMPDIR/plot" "$@"
    }
    submission --json > "$BATS_TEST_TMPDIR/json"
    # A kernel that waits for memory takes longer with fewer warps. Its loads are not dense, its stores are.
    jq -e '.kernels[0] | .us as $us | .what_if | (map(.change) | index("dense loads") and (index("dense stores") | not))
        and (map(select(.change == "dense loads"))[0].us < 0.9 * $us)
        and (map(select(.change == "registers a thread")) | sort_by(.warps_per_sm) | length > 2 and
            .[0].warps_per_sm == 8 and .[0].value > .[-1].value and .[0].us >= .[-1].us)' "$BATS_TEST_TMPDIR/json"
    jq -e '.kernels[0].roofline | .share < 1 and .memory_roof > 0 and .issue_roof == 4 * 132 * 1.98e9 and
        (.instructions_per_second / .intensity | . > 1e9)' "$BATS_TEST_TMPDIR/json"
    run -0 submission
    assert_line --regexp '^roofline: .* of its roof .*kernel$'
    assert_line --regexp '^ +[0-9.]+ +[0-9.e+]+ +[0-9.]+ % +[0-9.e+]+  polybench-atax:atax_kernel1$'
    assert_line --regexp '^polybench-atax:atax_kernel1: as it is \([0-9]+ warps\) [0-9.]+; .*; dense loads [0-9.]+$'
    command -v gnuplot > /dev/null || return 0
    predict submission $accepted/simple.cu --generate 'uniform 64 64 64' --model "$BATS_TEST_TMPDIR/m" \
        --roofline "$BATS_TEST_TMPDIR/r.svg"
    grep -q multiply "$BATS_TEST_TMPDIR/r.svg"
    run -2 predict submission $accepted/simple.cu --roofline "$BATS_TEST_TMPDIR/r.png"
    assert_output --partial "is not the name of an .svg file"
}

@test "profile: the simulator's report has predicted times if there is a model" {
    profile() {
        run -0 timeout 100 make -s profile SUBMISSION="$1" PROBLEM="$2" ARGS="--device sim --generate '$3'"
        assert_line --regexp 'occupancy predicted us  limiter   kernel$'
    }
    cp "$data" "$BATS_TEST_TMPDIR/test215none.csv"
    PREDICT_CSV=$BATS_TEST_TMPDIR/test215none.csv profile $accepted/baseline.cu matmul 'uniform 160 160 160'
    assert_line --regexp '^ 100 % +1 .* -  [a-z]+ +multiply'
    assert_line 'no predicted times: there is no model yet; make predict trains one'
    export PREDICT_CSV=$data
    us=$(predict submission $accepted/baseline.cu --generate 'uniform 160 160 160' --json |
        jq '.us * 100 | round / 100')
    profile $accepted/baseline.cu matmul 'uniform 160 160 160'
    assert_line --regexp "^ 100 % +1 .* $us  [a-z]+ +multiply"
    refute_line --partial 'there is no model yet'
    profile problems/editdistance/submissions/accepted/baseline.cu editdistance 'random 128 128'
    assert_line --regexp ' refused  [a-z]+ +diagonal'
    # A kernel that fails has no features, and there is nothing to predict.
    printf '%s\n' '#include "device_user.h"' '__global__ void beyond(char *out) { out[1 << 28] = 1; }' \
        'void device_user(const void *values, const uint8_t *starts, void *sums, size_t n, int type, device_stream s)' \
        '{ beyond<<<1, 1, 0, s>>>((char *)sums); }' > "$BATS_TEST_TMPDIR/late.cu"
    run timeout 60 run_scripts/profile.sh "$BATS_TEST_TMPDIR/late.cu" scan --device sim
    assert_output --partial 'the answer is missing: what device_user() started on the GPU failed'
    refute_output --partial 'no row below the header'
}

@test "predict: a missing or wrong argument gives one clear line, and no number is made up" {
    refused() { # STATUS MESSAGE ARGUMENT...
        run "-$1" --separate-stderr predict submission "${@:3}"
        assert_output ''
        assert_equal "${stderr_lines[-1]}" "$2"
    }
    refused 2 "predict.sh: there are no measured times in '$root/none.csv': run_scripts/predict.sh collect makes them on a GPU" \
        device_user.cu --data none.csv
    refused 2 "predict.sh: cannot open the model 'none.model'; predict.sh train makes one" \
        device_user.cu --model none.model
    refused 2 'predict.sh: --model and --data exclude each other: a model is trained on data already' \
        device_user.cu --model "$data" --data "$data"
    refused 2 'predict.sh: --sample 0: must be a number of blocks' device_user.cu --sample 0
    refused 2 'predict.sh: omit --device: a prediction always uses the simulator' \
        device_user.cu --device gpu
    refused 2 "predict.sh: gpu 'abacus' is not in contrib/predict/gpus.csv" \
        device_user.cu --data "$data" --gpu abacus
    refused 2 "predict.sh: there is no submission 'none.cu'" none.cu
    refused 2 "predict.sh: 'problems/matmul/submissions/accepted/baseline.c' is not CUDA C: this script works on CUDA submissions only" \
        $accepted/baseline.c
    NVCC=/nonexistent refused 3 \
        "predict.sh: 'device_user.cu' is CUDA C, and nvcc is not found: install the CUDA Toolkit or set CUDA_HOME" \
        device_user.cu
    PREDICT_SECONDS=1 refused 1 \
        'predict.sh: the submission is not through after 1 s on the simulator; try a smaller input, --sample 64 or PREDICT_SECONDS' \
        $accepted/baseline.cu --generate 'uniform 1024 1024 1024' --data "$data"
    run -1 --separate-stderr predict submission \
        problems/editdistance/submissions/run_time_error/illegal_address.cu --data "$data"
    assert_output ''
    assert_regex "$stderr" 'predict.sh: nothing is predicted: '
}

# bats test_tags=long
@test "validate: matches launches, counts refused and different ones apart, omits those that take too long" {
    times=$BATS_TEST_TMPDIR/times.csv out=$BATS_TEST_TMPDIR/out
    cat > "$times" << 'CSV'
problem,submission,case,launch,kernel,grid,block,time_us
editdistance,baseline.cu,random 256 256,0,diagonal,1x1x1,256x1x1,2.5
editdistance,baseline.cu,random 256 256,1,diagonal,1x1x1,256x1x1,2.5
matmul,baseline.cu,uniform 160 160 160,0,multiply,10x10x1,16x16x1,8
matmul,baseline.cu,uniform 160 160 160,1,another,1x1x1,16x16x1,8
matmul,simple.cu,uniform 1024 1024 1024,0,multiply,64x64x1,16x16x1,400
CSV
    predict train "$data" "$BATS_TEST_TMPDIR/m" --method limits > /dev/null
    PREDICT_SECONDS=2 run -0 --separate-stderr predict validate --times "$times" \
        --model "$BATS_TEST_TMPDIR/m" --out "$out"
    assert_line --regexp '^\| all that are predicted \| 1 \| 1 \| '
    assert_line --regexp '^\| outside of the training range \| 1 \| 2 \| [0-9.]+ \|$'
    assert_line 'Measured launches that differ on the simulator: 1 of 4.'
    assert_line 'Left out: matmul, simple.cu: not through after 2 s on the simulator.'
    run -0 cat "$out/predict-validation.csv"
    assert_equal "${#lines[@]}" 4
    # The error is that of the numbers beside it.
    awk -F, '/"multiply"/ { e = $9 / $8 - 1; exit !($4 == 1 && $8 == 8 && e - $13 < 0.001 &&
        $13 - e < 0.001 && $10 < $9 && $9 < $11) }' \
        "$out/predict-validation.csv"
    grep -q '</svg>' "$out/predict-validation.svg"
    # For another GPU than the model's.
    PREDICT_SECONDS=2 run -0 --separate-stderr predict validate --times "$times" --gpu h200 \
        --model "$BATS_TEST_TMPDIR/m" --out "$out"
    assert_line --regexp '^\| all that are predicted \| 1 \| 1 \| '
    grep -q '^NVIDIA H200, from counts of the simulator' "$out/predict-validation.md"
    run -2 predict validate --times "$times" --gpu nonesuch --model "$BATS_TEST_TMPDIR/m" --out "$out"
    assert_line --partial nonesuch
    sed -i 's/,400$/,nan/' "$times"
    run -2 predict validate --times "$times" --out "$out"
    assert_line --partial "times.csv:6: not 8 cells with a launch's number and its microseconds"
    run -2 predict validate --times "$data" --out "$out"
    assert_line --partial 'test215.csv:1: the header must be problem,submission,'
    run -2 predict validate nonesuch
    assert_line --partial "there is no problem 'nonesuch'"
}

@test "predict: ncu's table becomes one line per launch, and an unreadable one is refused" {
    times() {
        "$build/predict/predict" ncu-times "$1" --problem p --submission s.cu --case 'random 4 4'
    }
    cat > "$BATS_TEST_TMPDIR/raw.csv" << 'END'
==PROF== Connected to process 1
"ID","Process Name","Kernel Name","Block Size","Grid Size","gpu__time_duration.sum"
"","","","","","ns"
"0","p","void sweep<(int)1, (int)2>(block_memory<T1> &, const job &, int)","(192, 1, 1)","(2, 1, 1)","31,936"
"1","p","cut::add_parts(const float *, int)","(256, 1, 1)","(2048, 1, 1)","6848.5"
"2","p","void <unnamed>::scan<unsigned int, 4>(const T1 *)","(256, 1, 1)","(13, 1, 1)","5920"
"3","p","(anonymous namespace)::tell(int *)","(1, 1, 1)","(1, 1, 1)","1984"
END
    run -0 times "$BATS_TEST_TMPDIR/raw.csv"
    assert_output 'p,s.cu,random 4 4,0,sweep,2x1x1,192x1x1,31.936
p,s.cu,random 4 4,1,add_parts,2048x1x1,256x1x1,6.848
p,s.cu,random 4 4,2,scan,13x1x1,256x1x1,5.920
p,s.cu,random 4 4,3,tell,1x1x1,1x1x1,1.984'
    sed 's/"31,936"/"n\/a"/' "$BATS_TEST_TMPDIR/raw.csv" > "$BATS_TEST_TMPDIR/lost.csv"
    run -1 times "$BATS_TEST_TMPDIR/lost.csv"
    assert_output --partial 'ncu_times: line 4: no time: n/a'
    run -1 times <(sed 's/gpu__time_duration.sum/other/' "$BATS_TEST_TMPDIR/raw.csv")
    assert_output 'ncu_times: there is no column gpu__time_duration.sum'
    run -1 times <(sed 3q "$BATS_TEST_TMPDIR/raw.csv")
    assert_output 'ncu_times: no launch was measured'
    # The committed file is of this form.
    run -0 awk -F, 'NR > 1 && (NF != 8 || $8 !~ /^[0-9]+\.[0-9][0-9][0-9]$/ || $6 !~ /^[0-9]+x[0-9]+x[0-9]+$/)' \
        "$root/contrib/predict/data/submissions-h100.csv"
    assert_output ''
}

# bats test_tags=long
@test "predict: each shipped submission of a problem within 20 s; bad arguments" {
    run -0 timeout 200 tests/bench/bench_predict.sh scan
    assert_equal "${#lines[@]}" "$(find problems/scan/submissions/accepted -maxdepth 1 -name '*.cu' | wc -l)"
    assert_output --regexp $'^ +[0-9.]+  scan [a-z0-9_]+\\.cu\n'
    run -2 tests/bench/bench_predict.sh nonesuch
    assert_line --partial "there is no problem 'nonesuch'"
}
