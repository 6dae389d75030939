#!/usr/bin/env bats
# What the predictor learns from: its kernels, the list of launches, and how times and counts become rows.

setup_file() {
    load helpers/common
    [ "$(uname -m)" = x86_64 ] || export lacks='no x86-64 processor'
    make -s -C "$root" have-nvcc || export lacks='no nvcc'
    [ -z "${lacks:-}" ] || return 0
    make -s -j "$(nproc)" -C "$root" cudasim-library predict-program "${BUILD:-build}/predict/collect" >&2 || {
        echo "# the simulator or the kernels do not build: none of these tests can run" >&3
        return 1
    }
}

setup() {
    load helpers/common
    [ -z "${lacks:-}" ] || skip "$lacks"
    cd "$BATS_TEST_TMPDIR"
    local name
    for name in "${!CUDASIM_@}"; do unset "$name"; done
    collect=$build/predict/collect
    export LD_LIBRARY_PATH=$build/cudasim
}

# Four small rows of two kernels, as a GPU timed them, one of them not alone, and what the simulator counts of them.
times_header=gpu,kernel,class,size,block,time_us,low_us,high_us,samples,sm_mhz,mem_mhz,alone_us
some_rows() {
    cat > times.csv << END
$times_header
NVIDIA H100 80GB HBM3,vector_add,memory,16384,64x1,2.25,2.2,2.3,18,1980,2619,1.75
NVIDIA H100 80GB HBM3,matmul_shared,computation,64,8x8,5.125,5.1,5.2,18,1965,2619,4.5
NVIDIA H100 80GB HBM3,vector_add,memory,36448,1024x1,2.5,2.5,2.5,18,1980,2619,
NVIDIA H100 80GB HBM3,matmul_shared,computation,96,32x32,8,7.9,8.1,18,1980,2619,7.25
END
    export CUDASIM_CHECK=none CUDASIM_FEATURES=features.csv
    run -0 --separate-stderr timeout 20 "$collect" --features --rows times.csv
    unset CUDASIM_CHECK CUDASIM_FEATURES
    assert_equal "$output$stderr" ''
}

# column NAME: of joined.csv or the file named, a line.
column() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' \
        "${2:-joined.csv}" | paste -sd ' '
}

# bats test_tags=long
@test "kernels: all compute what the CPU does, with each block, and the simulator finds nothing wrong" {
    run -0 --separate-stderr timeout 60 "$collect" --check
    assert_equal "$stderr" ''
    kernels=$("$collect" --list | cut -d ' ' -f 1 | sort -u)
    assert_equal "$(sed -n 's/: as on the CPU$//p' <<< "$output" | sort)" "$kernels"
    [ "$(wc -l <<< "$kernels")" -ge 20 ]
    for source in srad_1 srad_2 nn_distance vector_add hotspot matmul_shared fan_1 fan_2; do
        grep -qx "$source" <<< "$kernels" || fail "$source is missing"
    done
    run -2 "$collect" --check nobody
    assert_output "collect: there is no kernel 'nobody'; collect --list names all"
}

@test "kernels: one wrong element of a result and a write beyond the end are reported" {
    nvcc=$(make -s -C "$root" print-nvcc)
    sed 's/c\[i\] = a\[i\] + b\[i\]/c[i] = a[i] + b[i] * (i == 777 ? 1.01f : 1.0f)/
        s/y\[i\] = a \* x\[i\] + y\[i\]/y[i + 1] = a * x[i] + y[i]/
        s|"kernels.h"|"contrib/predict/kernels/kernels.h"|' "$root/contrib/predict/kernels/stream.cu" > stream.cu
    "$nvcc" -std=c++17 -O1 -cudart shared -gencode arch=compute_90,code=compute_90 -I "$root" -o wrong stream.cu \
        "$build"/predict/obj/collect/{collect,alone}.o \
        "$build"/predict/obj/kernels/{arithmetic,lanes,matrix,reduce,registers,stencil}.o \
        "$build"/obj/verify/{gpu/gpu,base/lockfile,base/error,base/text,base/stats}.o -ldl
    run -1 ./wrong --check vector_add
    assert_output --regexp '^vector_add: wrong: n 1000, block 32 x 1, element 777 is [0-9.]+, on the CPU [0-9.]+$'
    run -1 ./wrong --check saxpy
    assert_output --partial 'saxpy: wrong: n 1000, block 32 x 1, element 0 is'
    run -0 ./wrong --check nn_distance
}

@test "list: thousands of rows in a fixed order, none twice; the parts together are the whole" {
    "$collect" --list > list
    [ "$(wc -l < list)" -ge 9000 ]
    assert_equal "$(sort list | uniq -d)" ''
    cmp list <("$collect" --list)
    for part in 0 1 2; do "$collect" --list --subset $part/3 > part$part; done
    [ "$(wc -l < part2)" -ge 3000 ]
    cmp list <(paste -d '\n' part0 part1 part2 | sed '/^$/d')
    # A part has nearly every kernel and block, for the order is shuffled.
    names() { cut -d ' ' -f 1 "$1" | sort -u; }
    for part in 0 1 2; do assert_equal "$(names part$part)" "$(names list)"; done
    # Blocks are of 32 to 1024 threads, and every kernel's sizes span a decade at least, a few of each.
    awk '{
            split($3, b, "x")
            if (b[1] * b[2] < 32 || b[1] * b[2] > 1024) { print "block", $0; bad = 1 }
            if (!($1 in least) || $2 < least[$1]) least[$1] = $2
            if ($2 > most[$1]) most[$1] = $2
            if (!seen[$1, $2]++) n[$1]++
        } END {
            for (k in n) if (n[k] < 9 || most[k] / least[k] < 10) { print k, n[k], least[k], most[k]; bad = 1 }
            exit bad
        }' list
    run -2 "$collect" --list --subset 3/3
    assert_output "collect: '3/3' is not a part of the list: K/N, with K from 0 to N - 1"
}

@test "features: one line per row, in the order of the rows" {
    some_rows
    assert_equal "$(column kernel features.csv)" 'vector_add matmul_shared vector_add matmul_shared'
    assert_equal "$(column n features.csv)" '32768 8192 72896 18432'
    assert_equal "$(column s features.csv)" '16384 64 36448 96'
    assert_equal "$(column n_b features.csv)" '256 64 36 9'
    # c = a + b moves twelve bytes an element; C = A B multiplies and adds n^3 times.
    assert_equal "$(column footprint features.csv | cut -d ' ' -f 1)" $((12 * 16384))
    assert_equal "$(column flops features.csv | cut -d ' ' -f 2)" $((2 * 64 * 64 * 64))
    run -2 "$collect" --features
    assert_output --partial '--features needs the simulator and CUDASIM_FEATURES'
    for wrong in 's/16384,64x1/16385,64x1/' 's/16384,64x1/16384,63x1/' 's/,vector_add,/,scalar_add,/' \
        's/,64x1,/,64,/' '1s/time_us/time/'; do
        sed "$wrong" times.csv > wrong.csv
        CUDASIM_FEATURES=no.csv run -2 "$collect" --features --rows wrong.csv
        assert_output --regexp '^collect: wrong.csv:[12]: '
    done
}

@test "join: times and counts side by side, and a mismatch is reported with its file and line" {
    some_rows
    join() { "$build/predict/predict" join "$1" "$2"; }
    join times.csv features.csv > joined.csv
    assert_equal "$(wc -l < joined.csv)" 5
    assert_equal "$(head -n 1 joined.csv)" "${times_header/,block/},$(head -n 1 features.csv | cut -d, -f 2-)"
    assert_equal "$(column time_us)" '2.25 5.125 2.5 8'
    assert_equal "$(cut -d, -f 11 joined.csv | paste -sd ' ')" 'alone_us 1.75 4.5  7.25'
    assert_equal "$(column block_x)" '64 8 1024 32'
    assert_equal "$(column footprint)" "$(column footprint features.csv)"
    # wrong EXPRESSION FILE LINE TEXT: a file changed by sed is refused, and no row is printed.
    wrong() {
        cp times.csv features.csv changed/
        sed -i -E "$1" "changed/$2"
        run -1 --separate-stderr join changed/times.csv changed/features.csv
        assert_equal "$output" ''
        [[ $stderr = "changed/$2:$3: "*"$4"* ]] || fail "$1: $stderr"
    }
    mkdir changed
    wrong '3s/,18,/,/' times.csv 3 '11 columns instead of 12'
    wrong '4s/$/,1/' times.csv 4 '13 columns instead of 12'
    wrong '2s/2.25/nan/' times.csv 2 "column 'time_us' is not a number that could be: 'nan'"
    wrong '2s/2.25/inf/' times.csv 2 "column 'time_us' is not a number that could be: 'inf'"
    wrong '2s/2.25/-2.25/' times.csv 2 "column 'time_us' is not a number"
    wrong '2s/2.25/2.35/' times.csv 2 'within its interval'
    wrong '2s/2.25,2.2/0,0/' times.csv 2 'not above 0'
    wrong '2s/1.75$/0/' times.csv 2 'the time alone, 0 us, is not above 0'
    wrong '2s/1.75$/-1/' times.csv 2 "column 'alone_us' is not a number"
    wrong '5s/,18,/,14,/' times.csv 5 '14 samples, and 15 are the least'
    wrong '3s/computation/compute/' times.csv 3 "the class is 'compute'"
    wrong '1s/time_us/time/' times.csv 1 'the header is not'
    wrong '1s/cpx/complexity/' features.csv 1 'the header is not'
    wrong '3s/,[^,]*$//' features.csv 3 '105 columns instead of 106'
    wrong '3s/,[^,]*$/,NaN/' features.csv 3 "column 'machine' is not a number that could be: 'NaN'"
    wrong '4s/,[^,]*$/,/' features.csv 4 "column 'machine' is not a number that could be: ''"
    wrong '3d' features.csv 3 'timed was matmul_shared, size 64, block 8x8'
    wrong '5d' features.csv 5 '3 launches, and 4 rows in changed/times.csv'
    wrong '$p' features.csv 6 '5 launches, and 4 rows in changed/times.csv'
    wrong '2,$d' times.csv 1 'there is nothing in it'
    : > changed/empty
    run -1 --separate-stderr join changed/empty changed/empty
    # Times from before there was alone_us are joined as they are.
    sed 's/,[^,]*$//' times.csv > changed/times.csv
    join changed/times.csv features.csv > changed/joined.csv
    cmp changed/joined.csv <(cut -d, -f 1-10,12- joined.csv)
}

@test "predict.sh collect: appends rows and where they come from, and never half of them" {
    some_rows
    run -0 "$root/run_scripts/predict.sh" collect --times times.csv --features features.csv \
        --driver 580.1 --to data/new.csv
    assert_output '4 rows were appended to data/new.csv'
    run -0 "$root/run_scripts/predict.sh" collect --times times.csv --features features.csv --to data/new.csv
    assert_equal "$(wc -l < data/new.csv)" 9
    assert_equal "$(column kernel data/new.csv | wc -w)" 8
    run -0 head -n 1 data/new.provenance.md
    source='NVIDIA H100 80GB HBM3 \| 580.1 \| 1965 to 1980 \| 2619 \| 20[0-9-]+ \| predict.sh collect --subset 0/1'
    assert_output --regexp "^\| new.csv \| 4 \| $source \|\$"
    cp data/new.csv before.csv
    sed '3s/,18,/,NaN,/' times.csv > wrong.csv
    run -2 "$root/run_scripts/predict.sh" collect --times wrong.csv --features features.csv --to data/new.csv
    assert_line "wrong.csv:3: column 'samples' is not a number that could be: 'NaN'"
    sed -i '1s/alpha/beta/' data/new.csv
    run -2 "$root/run_scripts/predict.sh" collect --times times.csv --features features.csv --to data/new.csv
    assert_output --partial 'data/new.csv:1: the header has other columns; nothing was appended'
    cmp <(sed 1d before.csv) <(sed 1d data/new.csv)
    run -2 "$root/run_scripts/predict.sh" collect --times none.csv
    assert_output --partial "cannot read 'none.csv'"
    run -2 "$root/run_scripts/predict.sh" collect --subset 1
    run -2 "$root/run_scripts/predict.sh" collect --recount before.csv --to data/new.csv
    [ -e /dev/nvidiactl ] || {
        run -3 "$root/run_scripts/predict.sh" collect
        assert_output --partial 'there is no NVIDIA GPU; use --times for rows timed on another machine'
        run -3 "$collect"
        assert_output --regexp 'cannot be read: there is no /dev/nvidiactl$'
    }
}

@test "ncu: six launches of each row alone become a line, and others than the list's are refused" {
    alone() { "$build/predict/predict" ncu-alone list launches; }
    printf '%s\n' 'saxpy 32 64x1' 'fan_2 128 8x8' > list
    echo 'collect,--alone,7/400,0,fill,4096x1x1,256x1x1,1485.8' > launches
    for us in 9.5 3.25 1 4.5 2.25 3.5; do echo "collect,--alone,7/400,1,saxpy,1x1x1,64x1x1,$us"; done >> launches
    for us in 8 7 7 7 7 7; do echo "collect,--alone,7/400,2,fan_2,16x16x1,8x8x1,$us"; done >> launches
    run -0 alone
    assert_output 'kernel,size,block,first_us,ncu_us
saxpy,32,64x1,9.5,3.25
fan_2,128,8x8,8,7'
    sed -i '5s/saxpy/daxpy/' launches
    run -1 alone
    assert_output 'ncu_alone: launches:5: a launch of daxpy, block 64x1x1; the list has saxpy, block 64x1'
    sed -i '5d' launches
    run -1 alone
    assert_output --partial 'a launch of fan_2'
    : > launches
    run -1 alone
    assert_output 'ncu_alone: 0 launches; the list has 2 rows of six'
}

@test "quality: the table beside the data is what the program prints of it" {
    quality() { "$build/predict/predict" quality "$@"; }
    data=$root/contrib/predict/data
    quality "$data"/h100{,-again,-ncu}.csv > table
    diff <(sed -n '/^launches of .*interval/,/^the worst/p' "$data/README.md") table
    some_rows
    cut -d, -f 1-5 times.csv > untimed.csv
    run -1 quality untimed.csv
    assert_output 'untimed.csv:1: the header has no time_us, low_us, high_us'
    sed '3s/,18,/,/' times.csv > short.csv
    run -1 quality short.csv
    assert_output 'short.csv:3: 11 columns instead of 12'
}

# bats test_tags=long
@test "data: the committed rows are whole, and the simulator counts today what they say" {
    for data in "$root"/contrib/predict/data/{h200,h100}.csv; do
        [ "$(wc -l < "$data")" -gt 9000 ]
        [ "$(stat -c %s "$data")" -lt 3500000 ]
        awk -F, 'NR > 1 && (NF != 44 || !($5 > 0) || $8 < 15 || /nan|inf/) { print FILENAME ":" NR ": " $0; bad = 1 }
            END { exit bad }' "$data"
        assert_equal "$(cut -d, -f 2 "$data" | sed 1d | sort -u)" \
            "$("$collect" --list | cut -d ' ' -f 1 | sort -u)"
    done
    # Every 1000th row, counted again; registers are ptxas's, which may be another version's, and passes depend on where
    # the buffers lie. Rows from before the simulator counted the work of a launch have fewer columns.
    awk 'NR == 1 || NR % 1000 == 0' "$data" > some.csv
    cp some.csv again.csv
    run -0 timeout 60 "$root/run_scripts/predict.sh" collect --recount again.csv
    assert_output --partial 'rows of again.csv were counted again'
    without() {
        awk -F, -v OFS=, -v most="$(head -n 1 some.csv | tr , "\n" | wc -l)" '
            NR == 1 {
                for (i = 1; i <= NF; i++) {
                    if ($i == "registers") r = i
                    if ($i == "load_passes") p = i
                }
            }
            { NF = most; $r = ""; if (p && p <= most) $p = ""; print }' "$1"
    }
    diff <(without some.csv) <(without again.csv)
    # The same of the rows with the work of their launch: every column.
    awk 'NR == 1 || NR % 200 == 0' "$root/contrib/predict/data/work-h100.csv" > some.csv
    cp some.csv again.csv
    run -0 timeout 60 "$root/run_scripts/predict.sh" collect --recount again.csv
    diff <(without some.csv) <(without again.csv)
    run -0 "$build/predict/predict" quality "$data"
    assert_line --regexp '^all +[0-9]{4,5} '
    assert_line --regexp '^the shortest launch: [0-9.]+ us$'
}
